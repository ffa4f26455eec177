package postcheck

import (
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
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

// TestOrder: what is to be run before another command or a push is one, in plain words too; before each commit the tests are judged by when they ran.
func TestOrder(t *testing.T) {
	for item, want := range map[string]string{
		"Run make test before git push":                         "make test",
		"Run `make test` before `git push`":                     "make test",
		"Run map diff before every map upgrade":                 "map diff",
		"Run terraform plan and read it before terraform apply": "terraform plan",
		"푸시하기 전에 make test를 돌린다":                                "make test",
		"배포 전에 `./gradlew check`를 돌린다":                          "./gradlew check",
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
