package lsp

import (
	"fmt"
	"strings"
	"testing"
)

func TestLabels(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"---\napplies-to: [git, \"ci\", 'it''s']\nproject: shop\n---\n", "applies-to=git applies-to=ci applies-to=it's project=shop"},
		{"---\napplies-to: git, ci # not me\n---\n", "applies-to=git applies-to=ci"},
		{"---\r\napplies-to:\r\n  - git\r\n- \"ci\"\r\nproject: 'a b'\r\n---\r\n", "applies-to=git applies-to=ci project=a b"},
		{"---\napplies-to: [git,\n  ci]\n---\n", "applies-to=git applies-to=ci"},
		{"---\ntags: [git]\n---\n", "applies-to=git"},
		{"---\ntags: [old]\napplies-to: [git]\n---\n", "applies-to=git"},
		{"---\ntitle: a, b\npaths: [git]\n---\n", ""},
		{"---\napplies-to: [*all, &one git]\n---\n", ""},
		{"applies-to: [git]\n", ""},
		{"---\napplies-to:\n---\n", ""},
	} {
		var got []string
		for _, l := range labelsOf(x.text) {
			got = append(got, l.key+"="+l.text)
			if in := x.text[l.from:l.to]; !strings.Contains(strings.ReplaceAll(in, "''", "'"), l.text) {
				t.Errorf("%q: %q stands at %q", x.text, l.text, in)
			}
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%q: %q, want %q", x.text, got, x.want)
		}
	}
}

// TestRenameLabel: one edit renames a tag in all cards, saved or not, and no tag stands twice.
func TestRenameLabel(t *testing.T) {
	files := map[string]string{
		".brain/lessons/a.md": "---\ntype: lesson\napplies-to: [git, deploy]\n---\n# A\n",
		".brain/lessons/b.md": "---\ntype: lesson\napplies-to: [Git, CI]\nproject: git\n---\n# B\n",
		".brain/lessons/c.md": "---\ntype: lesson\napplies-to:\n  - ci\n  - git\n---\n# C git\n",
		".brain/lessons/d.md": "---\ntype: lesson\napplies-to: [web]\n---\n# D git\n",
	}
	e := newEditor(t, files, testMethods()...)
	e.initialize()
	e.settle()
	texts := map[string]string{e.uri(".brain/lessons/new.md"): "---\napplies-to: \"git\"\n---\n# New\n"}
	for name, text := range files {
		texts[e.uri(name)] = text
	}
	open := func(name string, text string) {
		e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":5,"text":%s}}`, e.uri(name), quote(t, text)))
	}
	open(".brain/lessons/a.md", files[".brain/lessons/a.md"])
	open(".brain/lessons/new.md", texts[e.uri(".brain/lessons/new.md")])
	type result struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int
			}
			Edits []edit
		}
	}
	at := fmt.Sprintf(`"textDocument":{"uri":%q},"position":{"line":2,"character":14}`, e.uri(".brain/lessons/a.md"))
	for name, want := range map[string]map[string]string{
		"vcs: git": {"a": "[vcs: git]"},
		"ci":       {"a": "applies-to: [ci, deploy]\n", "b": "applies-to: [CI]\nproject: git\n", "c": "applies-to:\n  - ci\n---\n", "new": "applies-to: ci\n"},
		"a-new":    {"a": "[a-new, deploy]", "b": "[a-new, CI]\nproject: git\n", "c": "  - ci\n  - a-new\n---\n# C git\n"},
	} {
		r := call[result](e, "textDocument/rename", fmt.Sprintf(`{%s,"newName":%q}`, at, name))
		if len(r.DocumentChanges) != 4 {
			t.Errorf("%s: %d cards change", name, len(r.DocumentChanges))
		}
		for _, c := range r.DocumentChanges {
			base := strings.TrimSuffix(c.TextDocument.URI[strings.LastIndexByte(c.TextDocument.URI, '/')+1:], ".md")
			if held := base == "a" || base == "new"; held != (c.TextDocument.Version != nil) {
				t.Errorf("%s: version of %s is %v", name, base, c.TextDocument.Version)
			}
			if after := applied(texts[c.TextDocument.URI], c.Edits); name != "vcs: git" && !strings.Contains(after, want[base]) {
				t.Errorf("%s: %s becomes %q, want %q", name, base, after, want[base])
			} else if base == "a" && name == "vcs: git" && !strings.Contains(after, "applies-to: ['vcs: git', deploy]") {
				t.Errorf("%s: %q", name, after)
			}
		}
	}
	if code, data := e.refused("textDocument/rename", fmt.Sprintf(`{%s,"newName":"a, b"}`, at)); data.Code != "bad-request" {
		t.Errorf("a comma: %v %v", code, data)
	}
}
