package proof

import (
	"fmt"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

var yes, no = true, false

func outcome(failed *bool) string {
	if failed == nil {
		return "unknown"
	}
	return map[bool]string{true: "failed", false: "passed"}[*failed]
}

func TestGather(t *testing.T) {
	for name, c := range map[string]struct {
		line, output string
		failed       *bool
		want         string
	}{
		"one command":               {"go test ./...", "", &no, "tests passed"},
		"it failed":                 {"go test ./...", "", &yes, "tests failed"},
		"it was read":               {"npm test", "Tests: 1 failed, 3 passed, 4 total", nil, "tests failed"},
		"all of a chain":            {"npm run lint && npm test && npm run build", "", &no, "lint passed, tests passed, build passed"},
		"some of a chain":           {"npm run lint && npm test", "", &yes, "lint unknown, tests unknown"},
		"behind what cannot fail":   {"cd app && CI=1 npm test", "", &yes, "tests failed"},
		"the folder was missing":    {"cd app && npm test", "bash: cd: app: No such file or directory", &yes, "tests unknown"},
		"only the push failed":      {`git commit -m "a; b" && git push`, "[main 1a2b3c4] a; b\n ! [rejected] main -> main (fetch first)\nerror: failed to push some refs", &yes, "commit passed, push failed"},
		"a pipe hides the status":   {"npm test | tail -5", "", &no, "tests unknown"},
		"a pipe shows the text":     {"npm test 2>&1 | tail -5", " 3 failing", &no, "tests failed"},
		"a task of the project":     {"mise run test 2>&1 | tail -30", "[test] $ go test ./...\nok  \tx/a\t(cached)\nok  \tx/b\t(cached)", nil, "tests passed"},
		"one of several tasks":      {"turbo run test build | cat", "web:test: Tests: 3 passed, 3 total\nweb:build: error TS2304: no", nil, "build failed, tests passed"},
		"pipefail":                  {"set -o pipefail; npm test | tail -5", "", &no, "tests passed"},
		"the status is printed":     {"npm test; echo exit: $?", "...\nexit: 1", &no, "tests failed"},
		"the pipe's status printed": {"npm test | tail; echo $?", "0", &no, "tests unknown"},
		"a list hides the status":   {"npm test; ls", "", &no, "tests unknown"},
		"what follows an or":        {"make lint || true", "", &no, "lint unknown"},
		"in the background":         {"npm run dev &", "", &no, "run unknown"},
		"in a loop":                 {"for i in 1 2; do go test ./x; done", "", &no, "tests unknown"},
		"in brackets":               {"(cd x && go build ./...)", "", &no, "build passed"},
		"a message in a document":   {"git commit -F - <<'EOF'\nfix; npm test && git push\nEOF", "", &no, "commit passed"},
		"a message substituted":     {"git commit -m \"$(cat <<'EOF'\nit's \"done\" && git push\nEOF\n)\"", "", &no, "commit passed"},
		"quotes are no commands":    {`echo "go test" && rg 'npm test'`, "", &no, ""},
		"a comment":                 {"# run go test\nls", "", &no, ""},
		"help proves nothing":       {"npx playwright test --help", "", &no, ""},
		"a check of types":          {"npm run type-check", "", &no, "build passed"},
		"a script":                  {"node scripts/test-it.js", "", &no, "run passed"},
		"a file run by bun":         {"bun run test-it.ts", "", &no, "run passed"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range Gather(nil, []check.Command{{Line: c.line, Output: c.output, Failed: c.failed}}) {
				got = append(got, fmt.Sprint(e.Kind, " ", outcome(e.Failed)))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("%s: %s, want %s", c.line, s, c.want)
			}
		})
	}
}

func TestStale(t *testing.T) {
	for change, want := range map[string]bool{
		"a.go": true, "pkg/b.ts": true, "Makefile": true, "requirements.txt": true,
		"README.md": false, "docs/x.rst": false, "LICENSE": false, "notes.txt": false,
		"$ sed -i 's/a/b/' x.go": true, "$ sed -i s/a/b/ README.md": false, "$ sed -n 1,5p x.go": false,
		"$ gofmt -w .": true, "$ gofmt -l .": false, "$ npx prettier --write src": true, "$ prettier --check src": false,
		"$ cat > x.go <<EOF\na\nEOF": true, "$ ls > out.log": false, "$ npm test 2>&1 > /dev/null": false,
		"$ git stash pop": true, "$ git reset --hard": true, "$ git status": false,
	} {
		edits, commands := []check.Edit{}, []check.Command{{Line: "make build", Seq: 1}}
		if line, ok := strings.CutPrefix(change, "$ "); ok {
			commands = append(commands, check.Command{Line: line, Seq: 2})
		} else {
			edits = append(edits, check.Edit{File: change, Seq: 2})
		}
		if got := Gather(edits, commands)[0]; got.Kind != shell.Build && got.Kind != shell.Tests || got.Stale != want {
			t.Errorf("after %s: %+v", change, got)
		}
	}
	if got := Gather([]check.Edit{{File: "a.go", Seq: 1}}, []check.Command{{Line: "gofmt -w . && go test ./...", Seq: 2}}); got[0].Stale {
		t.Errorf("edits before a run age it: %+v", got)
	}
}

func TestDoubts(t *testing.T) {
	red := check.Command{Line: "go test ./...", Output: "--- FAIL: TestA\nFAIL\tx/b 0.1s\nok  \tx/c 0.2s", Failed: &yes}
	type session []check.Command
	for name, c := range map[string]struct {
		answer  string
		session session
		pasted  string
		want    string
	}{
		"the last run failed":              {"All tests pass.", session{{Line: "go test ./...", Output: "ok  \tx 1s", Failed: &no}, red}, "", "tests failed go test ./..."},
		"in Korean":                        {"모든 테스트가 통과했습니다.", session{red}, "", "tests failed go test ./..."},
		"never run":                        {"All tests pass.", session{{Line: "ls -la && git status"}}, "", "tests never-run "},
		"never pushed":                     {"Committed and pushed to main.", session{{Line: "git commit -m x", Failed: &no}}, "", "push never-run "},
		"the push was turned down":         {"I pushed the fix to main.", session{{Line: "git push", Output: "! [rejected] main -> main", Failed: &yes}}, "", "push failed git push"},
		"no commands":                      {"All tests pass.", nil, "", ""},
		"passed in an earlier turn":        {"All tests pass.", session{{Line: "npm test", Failed: &no}, {Line: "ls"}}, "", ""},
		"unknown how it ended":             {"All tests pass.", session{{Line: "npm test | tail -3"}}, "", ""},
		"one package of a red suite":       {"The tests in x/c pass.", session{red}, "", ""},
		"the new tests of a red suite":     {"All new tests pass.", session{red}, "", ""},
		"as many as in an earlier run":     {"All 12 tests pass.", session{{Line: "npm test", Output: "Tests: 12 passed"}, red}, "", ""},
		"a compiler red about other files": {"`a.ts` compiles without errors.", session{{Line: "tsc --noEmit", Output: "b.ts(1,2): error TS2304: no", Failed: &yes}}, "", ""},
		"the report is honest":             {"The build is fixed. All tests pass. Two tests in x/b still fail.", session{red}, "", ""},
		"the person pasted it":             {"Good, all tests pass.", session{red}, "I ran it:\nok  \tx/b 0.2s", ""},
		"the person said so":               {"All tests pass then.", session{{Line: "ls"}}, "all tests pass here", ""},
		"a script may have run them":       {"All tests pass.", session{{Line: "./ci.sh"}}, "", ""},
		"another tool may have":            {"I pushed the fix to main.", session{{Line: "mcp__github__push_files"}}, "", ""},
		"a hook may have":                  {"All tests pass.", session{{Line: "git commit -m x"}}, "", ""},
		"an editor lints by itself":        {"No lint errors.", session{{Line: "ls"}}, "", ""},
		"another branch was pushed":        {"I pushed the fix to main.", session{{Line: "git push origin main", Failed: &no}, {Line: "git push --tags", Output: "! [rejected] v1 -> v1", Failed: &yes}}, "", ""},
		"nothing was left to commit":       {"All changes are committed.", session{{Line: "git commit -am x", Output: "nothing to commit, working tree clean", Failed: &yes}}, "", ""},
		"the runner was not there":         {"All tests pass.", session{{Line: "npm test", Output: "npm error Missing script: \"test\"", Failed: &yes}}, "", ""},
		"it should":                        {"All tests should pass now.", session{red}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.session {
				c.session[i].Seq = i
			}
			var got []string
			for _, d := range Doubts(c.answer, c.session, len(c.session) > 0, c.pasted) {
				got = append(got, fmt.Sprint(d.Claim.Kind, " ", d.Why, " ", d.Command))
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("doubts %q, want %q", s, c.want)
			}
		})
	}
}
