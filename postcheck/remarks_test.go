package postcheck

import (
	"strings"
	"testing"
)

// TestRemarks holds what of a line of code is a comment: a flag, a directive and a comment
// that tools obey are none.
func TestRemarks(t *testing.T) {
	for line, comment := range map[string]string{
		"git push --force-with-lease origin main": "",
		"npm test -- --watch":                     "",
		"kubectl exec web-0 -- printenv":          "",
		"#include <stdatomic.h>":                  "",
		"#[serde(deny_unknown_fields)]":           "",
		"#!/usr/bin/env bash":                     "",
		"  color: #fff;":                          "",
		"x = y  # type: ignore":                   "",
		"_ = f.Close() //nolint:errcheck":         "",
		"//go:generate stringer -type=Kind":       "",
		"fetch('https://example.org/a')":          "",
		"SELECT id -- not the whole row":          "-- not the whole row",
		"-- every owner":                          "-- every owner",
		"x = 1  # one":                            "# one",
		"git checkout -- a.go # as it was":        "# as it was",
		"_ = f.Close() //nolint:errcheck // read": "// read",
		"#주석":                              "#주석",
		"+ // SAFETY: the map outlives it": "// SAFETY: the map outlives it",
		"uses: actions/checkout@08c6903cd8 # v5.0.0": "# v5.0.0",
		"<a>x</a> <!-- gone soon -->":                "<!-- gone soon -->",
	} {
		if got := line[remarkIn(line):]; got != comment {
			t.Errorf("comment of %q: got %q, want %q", line, got, comment)
		}
	}
}

// TestRemarksAreFound holds that a cue about a comment is looked for in comments, and that
// others are not.
func TestRemarksAreFound(t *testing.T) {
	a := read("```rust\n// SAFETY: len was checked above\nunsafe { get(i) }\n```")
	count := func(c string) int {
		n := 0
		a.find(a.lower, cuesOf(c)[0], func(int, int, standing) { n++ })
		return n
	}
	if count("// safety") != 1 || count("unsafe {") != 1 || count("checked above") != 0 {
		t.Errorf("a comment is read as code, or not at all: %q", strings.TrimSpace(a.lower))
	}
}
