package triggers

import "testing"

func TestTerminalSequencesAreNoText(t *testing.T) {
	in := "\x1b]633;C\x07\x1b[1;31m--- FAIL: TestA\x1b[0m\x1b]8;;file:///a\x1b\\link\x1b]8;;\x1b\\\x1b=\x1b[?2004h end"
	if got := ansi.ReplaceAllString(in, ""); got != "--- FAIL: TestAlink end" {
		t.Errorf("got %q", got)
	}
}

func TestScriptsThatRunTests(t *testing.T) {
	for line, want := range map[string]bool{
		"npm test": true, "npm t": true, "npm run test:unit -- --watch": true, "yarn test-e2e": true, "pnpm run tests": true, "bun test": true, "npm run check": true,
		"npm run type-check": false, "npm run typecheck": false, "yarn tsc": false, "npm run testimonials": false, "npm run check-types": false, "npm run check:types": false,
	} {
		if _, ok := testRun(line, "/w"); ok != want {
			t.Errorf("%s runs tests: %t, want %t", line, ok, want)
		}
	}
}
