package server

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/judge"
)

// TestDiagnoseChecks names checks that do not run at their line of the card.
func TestDiagnoseChecks(t *testing.T) {
	w := newWorkspace(t, nil)
	src := "---\ntype: lesson\n---\n# T\n\n## Root Cause\n\nx\n\n## Prevention Checklist\n\n- [ ] Handlers never log the token\n  ```check\n  # why\n  forbid: '('\n  ```\n" +
		"- [ ] Handlers always close files\n  ```check\n  forbid: a\n  matches: [a]\n  ```\n- [ ] Something in the empty fence\n  ```check\n  ```\n"
	want := []lessons.Problem{
		{Line: 15, Code: lessons.CheckValue, Severity: lessons.Error, Args: []string{"forbid", "missing closing ): `(`"}},
		{Line: 15, Code: lessons.CheckNeeds, Severity: lessons.Error, Args: []string{"matches"}},
		{Line: 24, Code: lessons.CheckKind, Severity: lessons.Error},
	}
	got := slices.DeleteFunc(w.Diagnoser()("lessons/x.md", []byte(src)), func(p lessons.Problem) bool { return p.Severity != lessons.Error })
	if !slices.EqualFunc(got, want, func(a, b lessons.Problem) bool {
		return a.Line == b.Line && a.Code == b.Code && slices.Equal(a.Args, b.Args)
	}) {
		t.Errorf("%+v", got)
	}
}

// TestIdleGuard names a guard that no check stands behind.
func TestIdleGuard(t *testing.T) {
	w := newWorkspace(t, nil)
	item := func(fence string) string {
		return "---\ntype: lesson\nguard: deny\n---\n# T\n\n## Prevention Checklist\n\n- [ ] Handlers never log the token\n  ```check\n  " + fence + "\n  ```\n"
	}
	for fence, want := range map[string]bool{
		"forbid: tok\n  matches: [token]\n  passes: [x]":       false,
		"command: push\n  matches: [git push]\n  passes: [ls]": false,
		"require: tok\n  matches: [token]\n  passes: [x]":      true,
		"forbid: '('": true,
	} {
		problems := w.Diagnoser()("lessons/x.md", []byte(item(fence)))
		if got := slices.ContainsFunc(problems, func(p lessons.Problem) bool { return p.Code == IdleGuard }); got != want {
			t.Errorf("%q: %t, want %t: %+v", fence, got, want, problems)
		}
	}
}

// TestInWorkspace: globs are relative to the folder of the brain, patches to the repository.
func TestInWorkspace(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mono/.git/HEAD")
	write("mono/shop/.brain/x.md")
	write("other/x")
	for _, c := range []struct{ brain, dir, file, want string }{
		{"mono/.brain", "mono", "bot/a.go", "bot/a.go"},
		{"mono/.brain", "mono/shop", "bot/a.go", "bot/a.go"},
		{"mono/.brain", "mono", ".brain/lessons/a.md", ""},
		{"mono/shop/.brain", "mono", "shop/a.go", "a.go"},
		{"mono/shop/.brain", "mono", "web/a.go", ""},
		{".brain", "mono", "bot/a.go", "mono/bot/a.go"},
		{"other/.brain", "mono", "bot/a.go", "bot/a.go"},
	} {
		got, ok := judge.InWorkspace(filepath.Join(top, c.brain), filepath.Join(top, c.dir))(c.file)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%+v: %q, %t", c, got, ok)
		}
	}
}
