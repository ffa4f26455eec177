package postcheck

import (
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// TestBannedCommands: a command that an item spells behind a ban, surely or in some case; in plain words or in code.
func TestBannedCommands(t *testing.T) {
	const no, some, sure = "no", "in some case", "surely"
	for _, c := range []struct{ item, line, want string }{
		{"Never run npm run dev: the person has it open", "npm run dev", sure},
		{"Never run `npm run dev`", "cd web && npm run dev -- --port 1", sure},
		{"Never run npm run dev", "npm run test", no},
		{"Do not run docker compose restart orders before 22:00", "docker compose restart orders", some},
		{"Do not run docker compose restart orders before 22:00", "docker compose restart web", no},
		{"Never git push --force to main", "git push origin main --force", sure},
		{"Never git push --force to main", "git push origin main", no},
		{"Links are tried with bun run ./src/cli.ts, never with bun link", "bun link", sure},
		{"Use npm ci, not npm install", "npm ci", no},
		{"Use npm ci, not npm install", "npm install left-pad", sure},
		{"Do not finish without running go test ./...", "go test ./...", no},
		{"terraform apply를 하지 않는다: 사람이 한다", "terraform apply -auto-approve", sure},
		{"운영에서 docker compose restart 하지 말 것", "docker compose restart web", sure},
		{"npm install 대신 npm ci를 쓴다", "npm install", sure},
		{"npm install 대신 npm ci를 쓴다", "npm ci", no},
	} {
		got := no
		for _, step := range shell.Read(c.line, "", nil).Commands {
			switch barred, surely := bars(lessons.Item{Text: c.item}, step.Text); {
			case surely:
				got = sure
			case barred:
				got = some
			}
		}
		words := strings.Fields(shell.Read(c.line, "", nil).Commands[len(shell.Read(c.line, "", nil).Commands)-1].Text)
		if found := slices.Contains(BannedRuns(lessons.Item{Text: c.item}), words[0]+" "+words[1]); c.want != no && !found {
			t.Errorf("%q is not looked at for %q: %q", c.item, c.line, BannedRuns(lessons.Item{Text: c.item}))
		}
		if got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.item, c.line, got, c.want)
		}
	}
}

// TestBarsReading: what is printed somewhere is a deed of code, not the reading of a file.
func TestBarsReading(t *testing.T) {
	for text, want := range map[string]bool{
		"Never open or print .env files":             true,
		"Do not print the contents of a key":         true,
		"Never print in the library, use the logger": false,
		"Do not print( in handlers":                  false,
		".env 파일을 출력하지 않는다":                          true,
		"표준 출력에 출력하지 않는다":                            false,
	} {
		if got := BarsReading(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestNoted: before a release its version stands in the log of changes, in this turn or before it.
func TestNoted(t *testing.T) {
	for _, c := range []struct {
		command, log, added string
		want                State
	}{
		{"git tag v2.1.0", "# 2.1.0\n", "", Kept},
		{"git tag v2.1.0", "# 1.0.0\n", "", Open},
		{"git tag v2.1.0", "# 2.0.0\n", "# Next", Kept},
		{"git tag v2.1", "# 12.1\n", "", Open},
		{"npm publish --registry http://127.0.0.1:4873", "# 2.0.0\n", "", NotHere},
		{"git tag", "# 2.0.0\n", "", NotHere},
		{"git push origin main", "# 2.0.0\n", "", NotHere},
	} {
		no := false
		turn := Turn{Watched: true, Answer: "Done.", Text: func(string) string { return c.log }}
		turn.Commands = []check.Command{{Line: c.command, Failed: &no, Seq: 2}}
		if c.added != "" {
			turn.Edits = []check.Edit{edit("CHANGELOG.md", c.added)}
		}
		for _, item := range []string{"CHANGELOG.md gets an entry before a version is tagged", "태그를 달기 전에 CHANGELOG.md에 적는다"} {
			if got := Judge(t.Context(), turn, []lessons.Card{cardOf(item)})[0]; got.State != c.want {
				t.Errorf("%s: %s, log %q: %s, want %s", item, c.command, c.log, got.State, c.want)
			}
		}
	}
}

// TestIsRun: a command is the one that is named with any options, also before its verb, and behind what starts tools.
func TestIsRun(t *testing.T) {
	for _, c := range []struct {
		command, wanted string
		want            bool
	}{
		{"map -chdir=world up", "map up", true},
		{"map -n world up now", "map up", true},
		{"map diff --all=yes -v", "map diff -v --all", true},
		{"map plan up", "map up", false},
		{"map up", "map up --all", false},
		{"remap up", "map up", false},
		{"./gradlew clean check", "gradlew check", true},
		{"pnpm map make", "map make", true},
		{"pnpm install", "yarn install", false},
		{"map --prefix up down", "map up", false},
		{"ssh world map up", "map up", false},
	} {
		if got := isRun(c.command, c.wanted); got != c.want {
			t.Errorf("%s is %s: %t, want %t", c.command, c.wanted, got, c.want)
		}
	}
}

// TestOrder: what is to be run before another command or a push is one, in plain words too; before each commit the tests are judged by when they ran.
func TestOrder(t *testing.T) {
	for item, want := range map[string]string{
		"Run make test before git push":                         "make test",
		"Run `make test` before `git push`":                     "make test",
		"Run map diff before every map upgrade":                 "map diff",
		"Run terraform plan and read it before terraform apply": "terraform plan",
		"푸시하기 전에 make test를 돌린다":                                "make test",
		"배포 전에 `./gradlew check`를 돌린다":                          "./gradlew check",
		"태그를 밀기 전에 `make maps`를 한 번 돌린다":                        "make maps",
		"`map up` 전에 `map diff --all`로 확인한다":                    "map diff --all",
		"Run the tests before each commit":                      "",
		"Run the cleanup before the next step":                  "",
		"Check the map before you draw it":                      "",
		"Never run make deploy before git push":                 "",
	} {
		if first, _, _ := Order(lessons.Item{Text: item}); first != want {
			t.Errorf("%s: %q, want %q", item, first, want)
		}
	}
}
