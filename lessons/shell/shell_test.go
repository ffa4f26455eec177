package shell

import (
	"strings"
	"testing"
)

func TestTerminalSequencesAreNoText(t *testing.T) {
	in := "\x1b]633;C\x07\x1b[1;31m--- FAIL: TestA\x1b[0m\x1b]8;;file:///a\x1b\\link\x1b]8;;\x1b\\\x1b=\x1b[?2004h end"
	if got := Read("", in, nil).Output; got != "--- FAIL: TestAlink end" {
		t.Errorf("got %q", got)
	}
}

func TestScriptsThatRunTests(t *testing.T) {
	for line, want := range map[string]bool{
		"npm test": true, "npm t": true, "npm run test:unit -- --watch": true, "yarn test-e2e": true, "pnpm run tests": true, "bun test": true, "npm run check": true,
		"npm run type-check": false, "npm run typecheck": false, "yarn tsc": false, "npm run testimonials": false, "npm run check-types": false, "npm run check:types": false,
	} {
		if _, ok := Read(line, "", nil).Tests("/w"); ok != want {
			t.Errorf("%s runs tests: %t, want %t", line, ok, want)
		}
	}
}

func TestTasksByTheirNames(t *testing.T) {
	for line, want := range map[string]string{
		"mise run test 2>&1 | tail -30": "tests", "mise r lint": "lint", "mise exec -- npm test": "tests", "mise test": "tests", "just test-unit": "tests",
		"task build": "build", "task backend:lint": "lint", "make test lint": "lint tests", "make -C api test": "tests", "make -C test deploy": "",
		"make": "build", "make -j4": "build", "make latest": "", "make test-data": "", "make unittest": "tests", "turbo run build lint --filter web": "build lint",
		"turbo test": "tests", "nx run shop:test": "tests", "nx test shop": "tests", "nx run-many -t lint,test": "lint tests", "nx affected -t build": "build",
		"hatch run pytest": "tests", "pdm run mypy src": "build", "pnpm -r test": "tests", "pnpm --filter web lint": "lint", "yarn workspace web test": "tests",
		"bun run test": "tests", "yarn add test": "", "npm run build": "build", "deno task test": "tests", "go test ./...": "tests", "composer test": "tests",
		"mise run deploy": "", "just --list": "",
	} {
		got := ""
		for _, c := range Read(line, "", nil).Commands {
			for _, k := range c.Kinds {
				if k != Run {
					got = strings.TrimSpace(got + " " + string(k))
				}
			}
		}
		if got != want {
			t.Errorf("%s proves %q, want %q", line, got, want)
		}
	}
}

// TestALineIsReadWhole: what agents write on one line, and what is no command of it.
func TestALineIsReadWhole(t *testing.T) {
	for line, want := range map[string]string{
		"git add a.go && git commit -m \"$(cat <<'EOF'\nit's (done); npm test\nEOF\n)\" && git push": "git add a.go|git commit|git push",
		"git commit -F - <<'A' && cat <<B\nx; y\nA\nz && w\nB\ngit push":                             "git commit|cat|git push",
		"grep x <<< \"$LINE\"\ngit push":                                                             "grep x|git push",
		"git commit -m 'a << EOF b'\ngit push":                                                       "git commit|git push",
		"for f in a.go b.go; do gofmt -l $f; done; go vet ./...":                                     "gofmt -l $f|go vet",
		"A=$(mktemp -d) B=1 make test && cd \"$A\"":                                                  "make test|cd",
		"set -e\nmake build # make test\nif ! make test; then echo no; fi":                           "set -e|make build|make test|echo no",
	} {
		var got []string
		for _, c := range Read(line, "", nil).Commands {
			got = append(got, c.Text)
		}
		words := strings.Split(want, "|")
		same := len(words) == len(got)
		for i := range got {
			same = same && strings.HasPrefix(got[i], words[i])
		}
		if !same {
			t.Errorf("%q is %q, want %s", line, got, want)
		}
	}
}

// TestTheSameRun: what only changes the output, the folder's spelling and what stands around it do not make another run.
func TestTheSameRun(t *testing.T) {
	failed := false
	for line, want := range map[string]string{
		"go test -v ./...": "/w go test ./...",
		"cd /w && CI=1 timeout 60 go test -v ./... 2>&1 | tail -20": "/w go test ./...",
		`cd "app" && npm test`:              "/w/app npm test",
		"echo 'go test' && pytest -q | cat": "/w pytest",
		"ls":                                " ",
	} {
		if r, _ := Read(line, "", &failed).Tests("/w/"); r.Dir+" "+r.Command != want {
			t.Errorf("%s is %q in %q, want %s", line, r.Command, r.Dir, want)
		}
	}
}

func TestWhatALineWrites(t *testing.T) {
	for line, want := range map[string]string{
		"sed -i 's/a/b/' bot/main.go":                             "bot/main.go",
		"sed -n 1,5p bot/main.go":                                 "",
		"perl -pi -e 's/a/b/' a.pl b.pl":                          "a.pl b.pl",
		"perl -i.bak -0pe 's/a/b/' a.pl":                          "a.pl",
		"perl -Ilib -MList::Util -ne 'print' a.pl":                "",
		"sed -Ei s/a/b/ a.go":                                     "s/a/b a.go",
		"sed -fscript.i a.go":                                     "",
		"cat > notes.md <<'EOF'\n> x.go\nsed -i s/a/b/ y.go\nEOF": "notes.md",
		"cd bot && cat >main.go":                                  "bot/main.go",
		"cd /srv/app; echo x >> 'a b.txt'":                        "/srv/app/a b.txt",
		"(cd bot && make) && echo x > main.go":                    "",
		"cd $DIR && echo x > main.go":                             "",
		"cd bot || echo x > main.go":                              "",
		"make 2>&1 | tee -a log.txt > /dev/null":                  "log.txt",
		"go test ./... 2> $LOG > out-*.txt":                       "",
		`git commit -m "a > b.go"`:                                "",
		"sed --silent s/a/b/ a.go":                                "",
	} {
		if got := strings.Join(Read(line, "", nil).Writes(), " "); got != want {
			t.Errorf("%s writes %q, want %q", line, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a && b || c; d | e & f", `git commit -m "$(cat <<'E'` + "\nx\nE\n)\"", "a `b 'c` \"d $(e (f) g)\" # h\n2>&1 >x", "(((", "'", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		failed := true
		l := Read(line, line, &failed)
		for i, c := range l.Commands {
			if c.Text == "" || strings.ContainsAny(c.Text, "\n") {
				t.Errorf("%q holds %q", line, c.Text)
			}
			l.Ended(i, Tests)
		}
		l.Tests("/w")
		Excerpt(line)
	})
}
