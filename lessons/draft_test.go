package lessons

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", name, d)
	}
}

func TestRender(t *testing.T) {
	golden(t, "template_en.golden", Draft{Title: "Backups before migrations", On: Date{2026, 11, 21}}.Render())
	golden(t, "draft_ko.golden", Draft{
		Title: "마이그레이션 전 백업: 필수", Kind: QAFinding, Severity: High, Source: Auto, Status: Drafted, Project: "주문",
		Tags: []string{"db", "a, b"}, Paths: []string{"db/**"}, On: Date{2026, 11, 21}, Language: "ko",
		Sections: map[SectionName]string{Situation: "배포 중\n# 제목 아님", RootCause: "절차 없음", Prevention: "- [ ] 백업을 복원해 본다"},
	}.Render())
}

func TestRenderReadsBack(t *testing.T) {
	for _, title := range []string{"Plain", "a: b", "- dash", `"quoted"`, "it's", "# hash", "true", "1", "2026-01-01", "[x]", "{a}", "a # b", "줄\n바꿈: x", "tab\tx", "end:", "<b>bold</b>", "*star*", "`code`", "---", "&a", "*a", "!t", "%", "@x", "\u2028x", "a\\b"} {
		for _, lang := range []string{"en", "ko"} {
			d := Draft{
				Title: title, Kind: QAFinding, Severity: High, Source: Auto, Project: title, Tags: []string{title, "x"}, Paths: []string{"a/**"}, On: Date{2026, 1, 2}, Language: lang,
				Sections: map[SectionName]string{Situation: "s\n## not a section\n```\n# kept\n", RootCause: "because", Prevention: "- [ ] do check the `allowlist`"},
			}
			out := d.Render()
			c, problems := Parse("x.md", out)
			want := oneLine(title)
			if c.Title != want || c.Project != want || len(c.Tags) != 2 || c.Tags[0] != want || c.Kind != QAFinding || c.Severity != High || c.Source != Auto || c.LastSeen != d.On {
				t.Errorf("%q: read back %+v from\n%s", title, c, out)
			}
			if len(c.Sections) != 6 || len(c.Items) != 1 {
				t.Errorf("%q: %d sections, items %v in\n%s", title, len(c.Sections), c.Items, out)
			}
			for _, p := range problems {
				if p.Severity == Error {
					t.Errorf("%q: problem %+v", title, p)
				}
			}
			again := d
			again.Title = c.Title
			again.Project = c.Project
			if string(again.Render()) != string(out) {
				t.Errorf("%q: not stable", title)
			}
		}
	}
}

func TestWeaknesses(t *testing.T) {
	ok := map[SectionName]string{RootCause: "The handler trusted the chat id.", Prevention: "- [ ] The allowlist is checked before any command runs"}
	with := func(name SectionName, text string) map[SectionName]string {
		m := map[SectionName]string{}
		for k, v := range ok {
			m[k] = v
		}
		m[name] = text
		return m
	}
	for _, c := range []struct {
		title    string
		sections map[SectionName]string
		want     string
	}{
		{"Telegram needs an allowlist", ok, ""},
		{"Telegram needs an allowlist", nil, "missing-root-cause missing-checklist"},
		{"Telegram needs an allowlist", with(RootCause, "N/A."), "missing-root-cause"},
		{"Telegram needs an allowlist", with(RootCause, "없음"), "missing-root-cause"},
		{"Telegram needs an allowlist", with(RootCause, RootCause.Placeholder("ko")), "missing-root-cause"},
		{"Telegram needs an allowlist", with(Prevention, "- [ ] Be careful next time"), "missing-checklist"},
		{"Telegram needs an allowlist", with(Prevention, "- [ ] 조심하기"), "missing-checklist"},
		{"Telegram needs an allowlist", with(Prevention, "- [ ] Check `--dry-run`"), ""},
		{"Telegram needs an allowlist", with(Prevention, "- [ ] 허용목록을 먼저 확인한다"), ""},
		{"no that's wrong", ok, "chat-title"},
		{"still failing", ok, "chat-title"},
		{"이거 또 안 되네", ok, "chat-title"},
		{"계속 진행해줘", ok, "chat-title"},
		{"let me know when done", ok, "chat-title"},
		{"try again", ok, "chat-title"},
		{"No module named 'requests' in the worker image", ok, ""},
		{"That ECONNREFUSED on startup", ok, ""},
		{"Continue reading the stream after a partial frame instead of dropping the rest of it", ok, ""},
		{"How do I parse JSON?", ok, "chat-title"},
		{"", ok, "missing-title"},
		{"Deploy the labels from the server", ok, ""}, // an order, which a person chose
	} {
		var codes []string
		for _, p := range (Draft{Title: c.title, Sections: c.sections}).Card().Weaknesses() {
			codes = append(codes, string(p.Code))
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
	order := Draft{Title: "Deploy the labels from the server", Sections: ok, Source: Auto}.Card().Weaknesses()
	if len(order) != 1 || order[0].Code != ChatTitle {
		t.Errorf("an order that a conversation gave is a title: %+v", order)
	}
}

// TestARuleNeedsNoRootCause: a policy or a preference was laid down, and nothing has to have
// gone wrong; it must still say what can be checked.
func TestARuleNeedsNoRootCause(t *testing.T) {
	items := map[SectionName]string{Prevention: "- [ ] Nothing is committed to `main` directly"}
	for kind, want := range map[Kind]string{Policy: "", Preference: "", Lesson: "missing-root-cause", Decision: "missing-root-cause"} {
		for _, d := range []struct {
			sections map[SectionName]string
			more     string
		}{{items, ""}, {nil, "missing-checklist"}} {
			var got []string
			for _, p := range (Draft{Title: "Main takes no direct commits", Kind: kind, Sections: d.sections}).Card().Weaknesses() {
				got = append(got, string(p.Code))
			}
			if all := strings.TrimSpace(want + " " + d.more); strings.Join(got, " ") != all {
				t.Errorf("%s: %v, want %q", kind, got, all)
			}
		}
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Telegram: require the Allowlist!": "telegram-require-the-allowlist",
		"CSV 한글 깨짐":                        "csv-한글-깨짐",
		"../../etc/passwd":                 "etc-passwd",
		"":                                 "lesson",
		"***":                              "lesson",
		"CON":                              "lesson-con",
		"README":                           "lesson-readme",
		strings.Repeat("ab ", 50):          strings.TrimSuffix(strings.Repeat("ab-", 20), "-"),
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}
