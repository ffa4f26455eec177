package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// shown runs a command that docs/verdicts.md shows, as a shell would: shown BEGINNING, which is
// that of its one line there. A YAML key is not part of the command.
func shown(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] shown BEGINNING")
	}
	page, err := os.ReadFile("../../../docs/verdicts.md")
	ts.Check(err)
	var found []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, args[0]) {
			if strings.HasSuffix(args[0], ": ") {
				line = strings.TrimPrefix(line, args[0])
			}
			found = append(found, strings.TrimSpace(line))
		}
	}
	if len(found) != 1 {
		ts.Fatalf("docs/verdicts.md has %d lines that begin with %q", len(found), args[0])
	}
	if err := ts.Exec("sh", "-c", found[0]); (err != nil) != neg {
		ts.Fatalf("%s: %v", found[0], err)
	}
}

// gitIn runs git as somebody who has set up nothing: git ARGS.
func gitIn(ts *testscript.TestScript, neg bool, args []string) {
	who := []string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}
	if err := ts.Exec("git", append(who, args...)...); (err != nil) != neg {
		ts.Fatalf("git %s: %v", args, err)
	}
}
