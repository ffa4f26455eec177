package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

var ctx = context.Background()

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want string // problems as line:code:arg
	}{
		"forbid":      {"# why\nforbid: 'log\\.(Print|Info).*token' # RE2\npaths: [\"bot/**/*.go\"]\nmatches: ['log.Info(token)']\npasses: ['log.Info(x)']\n", ""},
		"one example": {"forbid: a\nmatches: a\n", ""},
		"require":     {"require: 'defer'\npaths: '**/*.go'\nmatches:\n  - defer f()\n", ""},
		"touch":       {"touch: {when: 'api/*.go', also: [docs/api.md, 'docs/**']}\n", ""},
		"touch, long": {"touch:\n  when: api/*.go\n  also: docs/api.md\n", ""},
		"ran":         {"ran: '^go test'\nmatches: [go test ./...]\npasses: [go vet]\n", ""},
		"command":     {"command: 'push --force( |$)'\nmatches: ['git push --force']\n", ""},
		"any class":   {"forbid: '\\p{Hangul}[^\\pL]+'\nmatches: ['한글 1']\n", ""},

		"empty":           {"", "1:check-kind"},
		"two kinds":       {"forbid: a\nrequire: b\nmatches: [a]\n", "2:check-kind"},
		"twice":           {"forbid: a\nforbid: b\n", "2:check-kind"},
		"no YAML":         {"matches: [a\nforbid: [", "*:check-syntax"},
		"a list":          {"- forbid: a\n", "*:check-syntax"},
		"no pattern":      {"forbid:\nmatches: [a]", "1:check-value:forbid"},
		"broken pattern":  {"matches: ['(']\nforbid: '('\n", "2:check-value:forbid"},
		"lookahead":       {"forbid: '(?!a)b'\nmatches: [b]\n", "1:check-value:forbid"},
		"long pattern":    {"forbid: '" + strings.Repeat("a", 1001) + "'\nmatches: [a]\n", "1:check-value:forbid"},
		"repeats":         {"forbid: '(\\w{1,30}\\s){1,30}'\nmatches: [a]\n", "1:check-value:forbid"},
		"long":            {"# " + strings.Repeat("a", maxFence), "1:check-syntax"},
		"unknown key":     {"forbid: a\nmatches: [a]\nwhy: x\n", "3:check-key:why"},
		"key of others":   {"command: a\npaths: [a]\nmatches: [a]\n", "2:check-key:paths"},
		"examples":        {"touch: {when: a, also: b}\nmatches: [a]\n", "2:check-key:matches"},
		"no example":      {"forbid: a\npasses: [b]\n", "1:check-needs:matches"},
		"no paths":        {"require: a\nmatches: [a]\n", "1:check-needs:paths"},
		"one side":        {"touch: {when: a}\n", "1:check-needs:when, also"},
		"no sides":        {"touch: a\n", "1:check-needs:when, also"},
		"no globs":        {"forbid: a\nmatches: [a]\npaths: []\n", "3:check-value:paths"},
		"absolute glob":   {"forbid: a\nmatches: [a]\npaths: [/a]\n", "3:check-value:paths"},
		"only not":        {"forbid: a\nmatches: [a]\npaths: ['!a']\n", "3:check-value:paths"},
		"broken glob":     {"forbid: a\nmatches: [a]\npaths: ['[a']\n", "3:check-value:paths"},
		"many braces":     {"forbid: a\nmatches: [a]\npaths: ['" + strings.Repeat("{a,b}", 9) + "']\n", "3:check-value:paths"},
		"missed":          {"forbid: a\nmatches: [a, b, c]\n", "2:check-misses:b 2:check-misses:c"},
		"hit":             {"forbid: a\nmatches: [a]\npasses: [b, ca]\n", "3:check-hits:ca"},
		"empty in braces": {"forbid: a\nmatches: [a]\npaths: ['']\n", "3:check-value:paths"},
	} {
		got, problems := Parse(c.src)
		var list []string
		for _, p := range problems {
			if p.Severity != lessons.Error {
				t.Errorf("%s: %+v", name, p)
			}
			s := fmt.Sprintf("%d:%s", p.Line, p.Code)
			if p.Code == lessons.CheckSyntax && strings.HasPrefix(c.want, "*") {
				s = "*:check-syntax"
			} else if len(p.Args) > 0 && p.Code != lessons.CheckSyntax {
				s += ":" + p.Args[0]
			}
			list = append(list, s)
		}
		if s := strings.Join(list, " "); s != c.want {
			t.Errorf("%s: %q (%+v), want %q", name, s, problems, c.want)
		}
		if got.Runs() != (c.want == "") {
			t.Errorf("%s: runs %t", name, got.Runs())
		}
	}
}

func lines(texts ...string) []Line {
	var out []Line
	for i, s := range texts {
		out = append(out, Line{s, i + 1})
	}
	return out
}

func TestRun(t *testing.T) {
	yes, no := true, false
	bot := Edit{File: "bot/x/send.go", Added: lines("a := 1", `log.Info("got " + token)`), Seq: 1}
	clean := Edit{File: "bot/x/send.go", Added: lines("a := 1"), Seq: 1}
	other := Edit{File: "web/a.ts", Added: lines(`log.Info(token)`), Seq: 2}
	forbidToken := "forbid: 'log\\.(Print|Info|Debug).*token'\npaths: ['bot/**/*.go']\nmatches: ['log.Info(token)']\n"
	ranTests := "ran: 'go test'\npaths: ['bot/**']\nmatches: [go test ./...]\n"
	for name, c := range map[string]struct {
		src   string
		deeds Deeds
		want  string // outcome, file:line or command
	}{
		"forbid broken":        {forbidToken, Deeds{Edits: []Edit{clean, bot}}, "broken bot/x/send.go:2"},
		"forbid kept":          {forbidToken, Deeds{Edits: []Edit{clean, other}}, "kept"},
		"forbid elsewhere":     {forbidToken, Deeds{Edits: []Edit{other}}, "absent"},
		"forbid anywhere":      {"forbid: token\nmatches: [token]\n", Deeds{Edits: []Edit{clean, other}}, "broken web/a.ts:1"},
		"forbid, nothing done": {"forbid: token\nmatches: [token]\n", Deeds{Commands: []Command{{Line: "token"}}}, "absent"},
		"removed, not added":   {"forbid: token\nmatches: [token]\n", Deeds{Edits: []Edit{{File: "a", Removed: lines("token")}}}, "kept"},
		"repaired": {forbidToken, Deeds{Edits: []Edit{
			{File: "bot/x/send.go", Removed: lines(`log.Info("got " + token)`), Added: lines("log.Info(x)"), Seq: 5}, bot,
		}}, "kept"},
		"repaired once of twice": {forbidToken, Deeds{Edits: []Edit{
			bot, bot, {File: "bot/x/send.go", Removed: lines(`log.Info("got " + token)`), Seq: 5},
		}}, "broken bot/x/send.go:2"},
		"any case":         {"forbid: '(?i)sekrets\\d'\nmatches: [SEKRETS1]\n", Deeds{Edits: []Edit{{File: "a", Added: lines("Sek\u017FetS", "\u017Fe\u212Aret\u017F7")}}}, "broken a:2"},
		"beyond the clip":  {"forbid: token\nmatches: [token]\n", Deeds{Edits: []Edit{{File: "a", Added: lines(strings.Repeat("x", maxText) + "token")}}}, "kept"},
		"broken bytes":     {"forbid: 'a\\x{FFFD}b'\nmatches: [\"a\\xffb\"]\npasses: [b]\n", Deeds{}, "absent"},
		"require kept":     {"require: 'defer'\npaths: ['**/*.go']\nmatches: [defer f()]\n", Deeds{Edits: []Edit{{File: "x/a.go", Added: lines("a", "defer f()")}}}, "kept x/a.go:2"},
		"require broken":   {"require: 'defer'\npaths: ['**/*.go']\nmatches: [defer f()]\n", Deeds{Edits: []Edit{clean}}, "broken bot/x/send.go:0"},
		"require absent":   {"require: 'defer'\npaths: ['**/*.go']\nmatches: [defer f()]\n", Deeds{Edits: []Edit{other}}, "absent"},
		"touch kept":       {"touch: {when: 'bot/**', also: 'web/**'}", Deeds{Edits: []Edit{clean, other}}, "kept web/a.ts:0"},
		"touch broken":     {"touch: {when: 'bot/**', also: 'docs/**'}", Deeds{Edits: []Edit{other, clean}}, "broken bot/x/send.go:0"},
		"touch absent":     {"touch: {when: 'docs/**', also: 'web/**'}", Deeds{Edits: []Edit{clean}}, "absent"},
		"touch, all but":   {"touch: {when: ['bot/**', '!bot/x/**'], also: 'web/**'}", Deeds{Edits: []Edit{clean}}, "absent"},
		"touch, same file": {"touch: {when: '**/*.go', also: 'bot/**'}", Deeds{Edits: []Edit{clean}}, "kept bot/x/send.go:0"},
		"ran kept":         {ranTests, Deeds{Edits: []Edit{clean, {File: "web/a", Seq: 9}}, Commands: []Command{{Line: "go test ./...", Seq: 3}}}, "kept go test ./..."},
		"ran, succeeded":   {ranTests, Deeds{Edits: []Edit{clean}, Commands: []Command{{Line: "go test", Failed: &no, Seq: 3}}}, "kept go test"},
		"ran, failed":      {ranTests, Deeds{Edits: []Edit{clean}, Commands: []Command{{Line: "go test", Failed: &yes, Seq: 3}}}, "broken"},
		"ran too early":    {ranTests, Deeds{Edits: []Edit{clean, {File: "bot/y", Seq: 4}}, Commands: []Command{{Line: "go test", Seq: 3}}}, "broken"},
		"ran, no edit":     {ranTests, Deeds{Edits: []Edit{other}}, "absent"},
		"ran, any edit":    {"ran: make\nmatches: [make]\n", Deeds{Edits: []Edit{other}, Commands: []Command{{Line: "make", Seq: 2}}}, "broken"},
		"command broken":   {"command: 'push (-f|--force)'\nmatches: [git push -f]\n", Deeds{Commands: []Command{{Line: "ls"}, {Line: "git push --force", Failed: &yes}}}, "broken git push --force"},
		"command absent":   {"command: 'push (-f|--force)'\nmatches: [git push -f]\n", Deeds{Commands: []Command{{Line: "git push"}}}, "absent"},
		"does not run":     {"forbid: a\n", Deeds{Edits: []Edit{{File: "a", Added: lines("a")}}}, "absent"},
	} {
		check, _ := Parse(c.src)
		r := check.Run(ctx, c.deeds)
		got := string(r.Outcome)
		switch {
		case r.File != "":
			got += fmt.Sprintf(" %s:%d", r.File, r.Line.N)
		case r.Command != "":
			got += " " + r.Command
		}
		if got != c.want || r.Cut {
			t.Errorf("%s: %q (%+v), want %q", name, got, r, c.want)
		}
	}
}

// TestNeedle: what the first look passes over, the pattern would not have matched.
func TestNeedle(t *testing.T) {
	for pattern, want := range map[string]string{
		`log\.(Print|Info|Debug).*token`: "token", `a(foo|barbaz)?b`: "a", `(?:longest|other)x`: "x", `(abc)+`: "abc", `(abc)*`: "", `[0-9]+`: "",
		`(?i)TOKENS`: "token", `(?i)\bseks`: "ek", `한글 Ab`: "한글 ab", `(?i)한글`: "", `(?i:ab)cde`: "cde", `foo|`: "", `^$`: "", "a\uFFFDbc": "bc",
	} {
		c, problems := Parse("forbid: '" + pattern + "'\n")
		if got := c.needle; got != want {
			t.Errorf("%s: %q, want %q (%+v)", pattern, got, want, problems)
		}
	}
}

// hostile is 50 MB of text and patterns that take their time with it.
func hostile(tb testing.TB) (Deeds, map[string]Check) {
	d := Deeds{Edits: []Edit{{File: "min.js", Added: lines(strings.Repeat("aa", 4<<20))}}}
	for i := range 40 {
		added := make([]Line, 10000)
		for k := range added {
			added[k].Text = strings.Repeat("a", 125)
		}
		d.Edits = append(d.Edits, Edit{File: fmt.Sprintf("%d.go", i), Added: added})
	}
	checks := map[string]Check{}
	for _, pattern := range []string{`(a|aa|aaa)*[bc]`, `(.*a){30}[bc]`, `(\w{1,20}a?){12}[YZ]`, `(?i)(a*)*(a*)*[cd]`, `[^b]*[^b]*[bc]$`, `(\w+\s)*\d`, `zzz`} {
		c, _ := Parse("forbid: '" + pattern + "'")
		if c.re == nil {
			tb.Fatal(pattern)
		}
		c.runs = true // without an example
		checks[pattern] = c
	}
	return d, checks
}

// TestHostile: a check ends soon after its context, and without one when its work is done.
func TestHostile(t *testing.T) {
	d, checks := hostile(t)
	for pattern, c := range checks {
		soon, cancel := context.WithTimeout(ctx, time.Millisecond)
		if r := c.Run(soon, d); r.Outcome != Absent || !r.Cut {
			t.Errorf("%s, with no time: %+v", pattern, r)
		}
		cancel()
		c.size = maxWork / 100000
		if r := c.Run(ctx, d); r.Cut != (c.needle == "") {
			t.Errorf("%s, with work for 100,000 bytes: %+v", pattern, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("forbid: 'a.*b'\npaths: ['**/*.go']\nmatches: [ab]\npasses: [ba]\n", "x ab")
	f.Add("touch: {when: a, also: b}", "a")
	f.Add("ran: (?i)go\nmatches: [GO]", "go")
	f.Add("a\r*b\r*\r*", "x")
	f.Add("command: x\nforbid: &a [*a]", "x")
	f.Fuzz(func(t *testing.T, src, line string) {
		c, problems := Parse(src)
		if c.Runs() != (len(problems) == 0) {
			t.Fatal("a check with problems runs")
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > 2+strings.Count(src, "\n") {
				t.Fatalf("line %d of %q", p.Line, src)
			}
		}
		r := c.Run(ctx, Deeds{Edits: []Edit{{File: "a/b.go", Added: []Line{{Text: line}}}}, Commands: []Command{{Line: line, Seq: 1}}})
		if !c.Runs() && r.Outcome != Absent {
			t.Fatalf("%+v", r)
		}
		if c.Runs() && c.kind == forbid && c.paths == nil && len(line) <= maxText && (r.Outcome == Broken) != c.re.MatchString(line) {
			t.Fatalf("%+v of %q, and the pattern matches %t", r, line, c.re.MatchString(line))
		}
	})
}

// brain returns so many checks as brains may have, and a diff of 10,000 lines.
func brain(b *testing.B, n int) ([]Check, Deeds) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("token password log info debug return error func handler request response http client server config open close read write user name path file index query match line text count size limit buffer")
	word := func() string { return words[rnd.IntN(len(words))] }
	var checks []Check
	for i := range n {
		w, v := word(), word()
		src := []string{
			fmt.Sprintf("forbid: '%s\\.(%s|Call%d)\\('\npaths: ['pkg%d/**/*.go']\nmatches: ['%s.Call%d()']\n", w, v, i, i%20, w, i),
			fmt.Sprintf("forbid: '(?i)\\b%s_%s%d\\b'\nmatches: ['a %s_%s%d']\n", w, v, i%7, w, v, i%7),
			fmt.Sprintf("require: '%s%d.*%s'\npaths: ['**/*.go']\nmatches: ['%s%d %s']\n", w, i, v, w, i, v),
			fmt.Sprintf("forbid: '%s.*%s.*never'\nmatches: ['%s %s never']\n", w, v, w, v),
		}[i%4]
		c, problems := Parse(src)
		if len(problems) > 0 {
			b.Fatal(src, problems)
		}
		checks = append(checks, c)
	}
	var d Deeds
	for i := range 100 {
		e := Edit{File: fmt.Sprintf("pkg%d/sub/file%d.go", i%20, i), Seq: i}
		for k := range 100 {
			var l []string
			for range 8 {
				l = append(l, word())
			}
			e.Added = append(e.Added, Line{"\t" + strings.Join(l, ". "), k + 1})
		}
		d.Edits = append(d.Edits, e)
	}
	return checks, d
}

// BenchmarkChecks holds 2,000 checks against 10,000 added lines.
func BenchmarkChecks(b *testing.B) {
	checks, d := brain(b, 2000)
	for b.Loop() {
		if r := RunAll(ctx, checks, d); slices.ContainsFunc(r, func(r Result) bool { return r.Cut }) {
			b.Fatal("not all was read")
		}
	}
}

// BenchmarkParse reads one fence.
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse("forbid: 'log\\.(Print|Info|Debug).*token' # RE2\npaths: [\"bot/**/*.go\"]\nmatches: ['log.Info(token)']\npasses: ['log.Info(x)']\n")
	}
}

// BenchmarkHostile is the longest that a check takes.
func BenchmarkHostile(b *testing.B) {
	d, checks := hostile(b)
	for pattern, c := range checks {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				c.Run(ctx, d)
			}
		})
	}
}
