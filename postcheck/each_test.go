package postcheck

import "testing"

// TestEach holds that what every one of several must have is missed where one lacks it.
func TestEach(t *testing.T) {
	e := eachOf("runs-on: > timeout-minutes | open( > encoding= or \"rb\"")
	for code, want := range map[string][2]bool{
		"a:\n  runs-on: x\n  timeout-minutes: 5\nb:\n  runs-on: x":                       {true, false},
		"a:\n  runs-on: x\n  timeout-minutes: 5\nb:\n  runs-on: x\n  timeout-minutes: 9": {false, false},
		"open(a, encoding='utf-8')\nopen(b, \"rb\")":                                     {false, false},
		"open(a, encoding='utf-8')\nopen(b)":                                             {false, true},
	} {
		a := read("```\n" + code + "\n```")
		if got := [2]bool{a.falls(e[0]), a.falls(e[1])}; got != want {
			t.Errorf("%q: got %v, want %v", code, got, want)
		}
	}
	if a := read("Each job `runs-on: x` now."); a.falls(e[0]) {
		t.Error("prose was taken for code")
	}
}
