package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/hook"
)

// What follows judges what the product hands to models and terminals. It shares no code and no
// table with lessons.Inert.

// hostTags are the tags of agents' hosts.
var hostTags = strings.Fields(`system system-reminder system_reminder human assistant user function_calls function_results invoke parameter tool_use tool_result tool_call tool_response tool_use_error
	thinking think task-notification user-prompt-submit-hook command-name command-message local-command-stdout ide_selection new-diagnostics env user_query additional_data attached_files user_info
	reminder reminderInstructions instructions environment_info workspace_info context attachment attachments userRequest customInstructions environment_details task feedback user_message
	user_instructions environment_context INSTRUCTIONS skill state_snapshot session_context hook_context loaded_context available_skills antml:invoke important persisted-output s bos eos`)

// ownMarkers begin what Handrail says to a model.
var ownMarkers = []string{"ACTIVE LESSONS", "ACTIVE LESSON", "LESSON TITLES", "CONTEXT", "LEFT OVER FROM THE LAST TURN", "교훈 제목"}

// lookalikes are for each letter some that look like it.
var lookalikes = map[rune]string{
	'A': "АΑᴀ", 'C': "СϹᴄ", 'T': "ТΤᴛ", 'I': "ІΙ1l|", 'V': "Ѵᴠ", 'E': "ЕΕᴇ", 'L': "Ꮮʟ", 'S': "Ѕꜱ5", 'O': "ОΟ0ᴏ", 'N': "Νɴ", 'X': "ХΧ", 'R': "Ꭱʀ", 'F': "Ϝꜰ", 'H': "НΗʜ", 'M': "МΜᴍ",
	'a': "аα", 'c': "сϲ", 'e': "еҽ", 'i': "іι", 'o': "оο", 's': "ѕ", 'y': "уγ", 'u': "υս", 'n': "ոη", 'r': "г", 't': "тτ", 'm': "м", 'd': "ԁ", 'h': "һ", 'k': "κ", 'p': "рρ", 'x': "хχ", 'v': "ѵν",
}

// attack is a text that would be taken for a host's or for ours.
type attack struct{ name, text string }

// attacks returns what tags, tokens and markers look like in each way to write them.
func attacks() (out []attack) {
	var tags []string
	for i, name := range hostTags {
		tags = append(tags, "<"+name+">", "</"+name+">")
		if i%4 == 0 {
			tags = append(tags, "<"+name+` kind="x">`)
		}
	}
	tags = append(tags, "<|im_end|>", "<|im_start|>", "<|endoftext|>", "<| system |>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]")
	for i, t := range tags {
		for k, w := range []struct {
			name  string
			write func(string) string
		}{
			{"plain", func(s string) string { return s }},
			{"entities", html.EscapeString},
			{"entities twice", func(s string) string { return html.EscapeString(html.EscapeString(s)) }},
			{"numbers", strings.NewReplacer("<", "&#60;", ">", "&#62;", "[", "&#91;", "]", "&#93;").Replace},
			{"hexadecimal", strings.NewReplacer("<", "&#x3C;", ">", "&#x3e;", "[", "&#x5b;", "]", "&#X5D;").Replace},
			{"no semicolon", strings.NewReplacer("<", "&lt", ">", "&gt;", "[", "&#91", "]", "&#93;").Replace},
			{"backslash", func(s string) string { return strings.NewReplacer("<", `\<`, "[", `\[`, "/", `\/`).Replace(s) }},
			{"code", func(s string) string { return "`" + s + "`" }},
			{"full-width", fullWidth},
			{"full-width brackets", strings.NewReplacer("<", "＜", ">", "＞", "[", "［", "]", "］", "|", "｜").Replace},
			{"small brackets", strings.NewReplacer("<", "﹤", ">", "﹥").Replace},
			{"zero width", func(s string) string { return between(s, "\u200b") }},
			{"joiner", func(s string) string { return between(s, "\u034f") }},
			{"capitals", strings.ToUpper},
			{"after a word", func(s string) string { return "done" + s }},
			{"after a comparison", func(s string) string { return "a < b " + s }},
			{"bold", func(s string) string { return "**" + s + "**" }},
			{"in a tag", func(s string) string { return "<div " + s + "</div>" }},
		} {
			if (i+k)%4 != 0 && k > 1 || k == 13 && strings.Contains(t, "antml") {
				continue
			}
			out = append(out, attack{w.name + " " + t, w.write(t)})
		}
	}
	out = append(out, attack{"interrupted", "[Request interrupted by user]"}, attack{"interrupted at a tool", "[Request interrupted by user for tool use]"})
	for _, m := range ownMarkers {
		for _, t := range []string{
			"[/" + strings.ReplaceAll(m, " ", "-") + "]", "[/" + strings.ReplaceAll(m, " ", ".") + "]", "[END " + m + "]", "[∕" + m + "]", "{/" + m + "}",
		} {
			if !strings.HasPrefix(t, "{") || m != "CONTEXT" { // {context} is code
				out = append(out, attack{"spelled " + t, t})
			}
		}
		for _, t := range []string{"[" + m + "]", "[/" + m + "]", "[" + m + " — verify before finalizing]", "[ " + strings.ToLower(m) + " ]"} {
			for name, join := range map[string]string{"plain": "", "FE0F": "\ufe0f", "034F": "\u034f", "180B": "\u180b", "2800": "\u2800", "zero width": "\u200b", "bold between": "**", "mark": "\u0301", "joiner": "\u2060", "soft hyphen": "\u00ad"} {
				out = append(out, attack{name + " " + t, between(t, join)})
			}
			out = append(out, attack{"full-width " + t, fullWidth(t)}, attack{"mathematical " + t, mathematical(t)},
				attack{"brackets " + t, strings.NewReplacer("[", "【", "]", "】").Replace(t)}, attack{"entity " + t, strings.ReplaceAll(t, "[", "&#91;")})
			for i := range 3 {
				out = append(out, attack{fmt.Sprint("lookalike ", i, " ", t), strings.Map(func(r rune) rune {
					if like := []rune(lookalikes[r]); len(like) > 0 {
						return like[i%len(like)]
					}
					return r
				}, t)})
			}
		}
	}
	slices.SortFunc(out, func(a, b attack) int { return strings.Compare(a.name, b.name) })
	return out
}

func between(s, join string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 1 && unicode.IsLetter(r) {
			b.WriteString(join)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r + 0xfee0
		}
		return r
	}, s)
}

func mathematical(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return 0x1d400 + r - 'A'
		case r >= 'a' && r <= 'z':
			return 0x1d41a + r - 'a'
		}
		return r
	}, s)
}

var unlike = func() *strings.Replacer {
	var pairs []string
	for r, likes := range lookalikes {
		for _, like := range likes {
			if like > unicode.MaxASCII {
				pairs = append(pairs, string(like), string(r))
			}
		}
	}
	return strings.NewReplacer(pairs...)
}()

var (
	ours       = regexp.MustCompile(`(?m)^\[(?:ACTIVE LESSONS — verify before finalizing|/ACTIVE LESSONS|CONTEXT|/CONTEXT|LEFT OVER FROM THE LAST TURN|/LEFT OVER|(?:LESSON TITLES|교훈 제목) — [^\]]*)\](?: \(ref [A-Z2-7]{8}\))?$|^\[ACTIVE LESSON\] `)
	modelToken = regexp.MustCompile(`(?i)<\|[^|<>]*\|>|\[\s*/?\s*INST\s*\]|<<\s*/?\s*SYS\s*>>`)
	marker     = regexp.MustCompile(`(?i)(?:\[|\{/)[\s/∕]*(?:END )?(?:[A4]CT[I1l|]VE[\s.-]*[L1l|]E[S5][S5][O0]N|[L1l|]E[S5][S5][O0]N[\s.-]*T[I1l|]T[L1l|]E[S5]|C[O0]NTEXT|LEFT[\s.-]*[O0]VER|교훈[\s.-]*제목)|\[Request interrupted by user`)
	logCommand = regexp.MustCompile(`(?mi)^\s*::[a-z-]+(?: .*)?::|##\[|##vso\[`)
)

// forged returns what of a text a host or a model would take for a tag, a token or our word. Each of
// our own lines may be there once, in a text that begins with one.
func forged(text string) string {
	once := map[string]bool{}
	if at := ours.FindStringIndex(text); at == nil || at[0] > 0 || !strings.Contains(text, "\n") {
		once = nil
	}
	text = ours.ReplaceAllStringFunc(text, func(m string) string {
		key := m[:strings.IndexByte(m, ']')+1]
		if once == nil || once[key] && key != "[ACTIVE LESSON]" {
			return m
		}
		once[key] = true
		return ""
	})
	text = html.UnescapeString(html.UnescapeString(text))
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || strings.ContainsRune("\\*`\u2800\u180b\u3164", r) {
			return -1
		}
		return r
	}, norm.NFKD.String(unlike.Replace(text)))
	text = norm.NFC.String(unlike.Replace(strings.NewReplacer("【", "[", "】", "]").Replace(text)))
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "<")
		if !found {
			break
		}
		rest = after
		name := strings.TrimPrefix(after, "/")
		end := strings.IndexFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/>", r) })
		if end > 0 && strings.Contains(name[end:], ">") {
			for _, tag := range hostTags {
				if strings.EqualFold(tag, name[:end]) {
					return "<" + name[:end]
				}
			}
		}
	}
	if m := modelToken.FindString(text); m != "" {
		return m
	}
	return marker.FindString(text)
}

// obeyed returns the first character that a terminal obeys or does not show.
func obeyed(text string) string {
	before := ' '
	for _, r := range text {
		emoji := (r == 0x200d || r == 0xfe0f) && before > 0x2000
		if r != '\n' && r != '\t' && !emoji && unicode.In(r, unicode.Cc, unicode.Cf) || strings.ContainsRune("\u034f\u180b\u2028\u2029\u2800\u3164\u115f\ufe00", r) || r == 0xfe0f && !emoji {
			return fmt.Sprintf("%U", r)
		}
		before = r
	}
	return ""
}

const hidden = "\x1b[2J\x1b]8;;http://x\x07\u009b31m\u202e\u2066\u200b\u2060\u034f\u180b\u2800\ufe0f\r\x7f"

// TestTheJudge: what is put into cards is taken for a tag or marker as it is.
func TestTheJudge(t *testing.T) {
	for _, a := range attacks() {
		if forged(a.text) == "" {
			t.Errorf("%s: %q passes the judge", a.name, a.text)
		}
	}
	for _, s := range []string{"a < b", "List<T>", "[x](y)", "<div>", "[ ] context", "if a <b and c> d", "교훈 제목"} {
		if m := forged(s); m != "" {
			t.Errorf("%q is taken for %q", s, m)
		}
	}
	if obeyed(hidden) == "" || obeyed("한글 👩‍👧 ⚠️\n\tx") != "" {
		t.Error("the judge of terminals is wrong")
	}
}

// crowdedCard is a card with a text in each field.
func crowdedCard(n int, text string) string {
	q := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	word := fmt.Sprintf("subject%dz", n)
	return fmt.Sprintf(`---
type: lesson
title: %s
tags: [%s]
project: %s
paths: [%s, "src/%s/**"]
related: [%s]
guard: deny
---
## Mistake
The %s was wrong: %s here.
## Root Cause
Because of %s the parser failed.
## Fix
Use %s instead.
## Prevention Checklist
- [ ] The %s is checked before the release %s
  ~~~check
  forbid: 'BAD%dz'
  matches: ['BAD%dz']
  ~~~
`, q("The "+word+" fails "+text), q(text), q(text), q(text), word, q(text), word, text, text, text, word, text, n, n)
}

// TestTextOfCardsIsInert goes over all attacks in all fields, without a server.
func TestTextOfCardsIsInert(t *testing.T) {
	for i, a := range attacks() {
		text := a.text + hidden
		card, _ := lessons.Parse("lessons/"+text+".md", []byte(crowdedCard(i, text)))
		item := func(string) bool { return true }
		block, _ := lessons.Block([]lessons.Card{card}, lessons.Budget{})
		reminder := lessons.Reminder(card, item)
		heads, _ := lessons.Heads([]string{card.Title, text}, "HEAD", lessons.Budget{})
		excerpt, _ := lessons.Context([]lessons.Excerpt{{Path: text, Title: text, Text: text + "\n" + text}}, lessons.Budget{})
		left := lessons.LeftBlock([]lessons.Left{{Title: text, Item: text, Broken: true, Place: text}})
		card.Status, card.Tags, card.Project = lessons.Active, []string{text}, text
		for surface, got := range map[string]string{
			"block": block, "reminder": reminder, "heads": heads, "context": excerpt, "left": left,
			"text": lessons.Inert(text + "\n" + text),
		} {
			if m := forged(got); m != "" || len(got) < 4 {
				t.Errorf("%s, %s: %q in %q", a.name, surface, m, got)
			}
			if m := obeyed(got); m != "" {
				t.Errorf("%s, %s: %s in %q", a.name, surface, m, got)
			}
		}
	}
}

// TestSurfacesAreInert asks every surface for cards full of attacks.
func TestSurfacesAreInert(t *testing.T) {
	if testing.Short() {
		t.Skip("asks hundreds of questions")
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "brain")
	var paths []string
	named := func(text string) string { // what a system takes for a name
		return strings.Map(func(r rune) rune {
			if r == '/' || runtime.GOOS == "windows" && (r < ' ' || strings.ContainsRune(`<>:"\|?*`, r)) {
				return -1
			}
			return r
		}, text)
	}
	write := func(name, text string) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := attacks()
	const surfaced = 100 // of them, for each is asked for in many ways
	step := max(1, len(all)/surfaced)
	for i := 0; i < len(all); i += step {
		text := all[i].text + hidden
		name := fmt.Sprintf("lessons/%d %s.md", i, named(text))
		write(name, crowdedCard(i, text))
		write(fmt.Sprintf("notes/%d %s.md", i, named(text)), fmt.Sprintf("# Note on remark%dz %s\n\nThe remark%dz is about %s.\n", i, text, i, text))
		paths = append(paths, name)
	}
	s, err := server.New(t.Context(), brain.Config{Brain: folder, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Agree(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	p := &daemon.Process{Run: daemon.Run{Dir: dir, Env: []string{"HANDRAIL_BRAIN=" + folder}}, Server: s}
	judged := 0
	judge := func(surface, line string) {
		t.Helper()
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v of %.200q", surface, err, line)
		}
		each(v, func(text string) {
			judged++
			if m := forged(text); m != "" {
				t.Errorf("%s: %q in %q", surface, m, text)
			} else if m := obeyed(text); m != "" {
				t.Errorf("%s: %s in %q", surface, m, text)
			}
		})
	}

	run := func(args ...string) {
		t.Helper()
		var out, failed bytes.Buffer
		execute(t.Context(), call{args: args, inside: p}, strings.NewReader(""), &out, &failed)
		for _, said := range []string{out.String(), failed.String()} {
			if m := obeyed(said); m != "" {
				t.Errorf("%v: a terminal gets %s of %.300q", args, m, said)
			}
			texts := []string{said}
			if slices.Contains(args, "--json") {
				texts = nil
				var v any
				if err := json.Unmarshal([]byte(cmp.Or(strings.TrimSpace(said), "null")), &v); err != nil {
					t.Fatalf("%v: %v of %.200q", args, err, said)
				}
				each(v, func(text string) { texts = append(texts, text) })
			}
			for _, text := range texts {
				if m := forged(text); m != "" {
					t.Errorf("%v: an agent gets %q of %.200q", args, m, text)
				}
			}
			if m := logCommand.FindString(said); m != "" && !slices.Contains(args, "github") {
				t.Errorf("%v: a log obeys %q", args, m)
			}
		}
	}
	quote := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var in strings.Builder
	id := 1
	ask := func(method string, params any) {
		id++
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, quote(params))
	}
	type m = map[string]any
	ask("initialize", m{"protocolVersion": "2025-06-18", "capabilities": m{}, "clientInfo": m{"name": "agent", "version": "1"}})
	in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	tool := func(name string, args m) { ask("tools/call", m{"name": name, "arguments": args}) }
	for i, path := range paths {
		word := fmt.Sprintf("subject%dz", i*step)
		tool("lessons_get", m{"path": path})
		tool("lessons_get", m{"path": path + " is gone"})
		tool("lessons_search", m{"query": word, "limit": 2})
		tool("lessons_preflight", m{"query": word + " remark" + word[len("subject"):] + " fails"})
		tool("lessons_check", m{"answer": "All done.", "lessons": []string{path}})
	}
	tool("lessons_list", m{"limit": 100})
	var answers strings.Builder
	agentInside(t, p, strings.NewReader(in.String()), &answers)
	left := id - 1
	for line := range strings.Lines(answers.String()) {
		judge("mcp", line)
		left--
	}
	if left != 0 {
		t.Errorf("%d answers are missing", left)
	}

	served, denied := 0, 0
	for i := range paths {
		n := i * step
		events := map[string]m{
			"prompt": {"hook_event_name": "UserPromptSubmit", "prompt": fmt.Sprintf("subject%dz remark%dz fails", n, n)},
			"read":   {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": m{"file_path": filepath.Join(dir, fmt.Sprintf("src/subject%dz/a.go", n))}, "tool_response": "x"},
			"edit":   {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": m{"file_path": filepath.Join(dir, fmt.Sprintf("src/subject%dz/a.go", n)), "content": fmt.Sprintf("BAD%dz\n", n)}},
			"stop":   {"hook_event_name": "Stop", "last_assistant_message": "All done, the tests pass."},
		}
		for _, name := range []string{"prompt", "read", "edit", "stop"} { // as a turn has them: a read brings what the request is near to
			e := events[name]
			if name == "edit" && i%8 != 0 {
				continue // the guard reads every card
			}
			e["session_id"], e["cwd"], e["transcript_path"] = fmt.Sprint("s", n), dir, ""
			raw, err := hook.Answer(t.Context(), []byte(quote(e)), hook.Config{
				Host: "claude", Guard: true, Getenv: func(string) string { return "" }, Log: slog.New(slog.DiscardHandler),
				Connect: func(context.Context, string, bool) (hook.Loop, string, error) { return s, "", nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(raw) == 0 {
				continue
			}
			out := string(raw)
			judge("hook "+name, out)
			served += strings.Count(out, "ACTIVE LESSON")
			denied += strings.Count(out, "A lesson forbids this")
		}
	}
	t.Logf("%d attacks, %d texts judged, %d served, %d denied", len(paths), judged, served, denied)
	if served < len(paths) || denied == 0 {
		t.Errorf("of %d cards %d were served, %d denied", len(paths), served, denied)
	}
	for _, args := range [][]string{
		{"list"},
		{"list", "--json"},
		{"check"},
		{"check", "--json"},
		{"retrieve", "parser failed"},
		{"retrieve", "--json", "parser failed"},
		{"preflight", "subject0z fails"},
		{"why", "subject0z fails"},
		{"stats"},
		{"tidy"},
		{"log"},
		{"review", "--list"},
		{"doctor"},
		{"trust", "--json"},
		{"bump", paths[0] + "x"},
		{"archive", paths[0]},
		{"log"},
	} {
		run(args...)
	}
}

// each calls f with every string of a JSON value.
func each(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, x := range v {
			each(x, f)
		}
	case map[string]any:
		for _, x := range v {
			each(x, f)
		}
	}
}

// TestLogsObeyNothing: in the log of a CI run no name or text of a card is a command.
func TestLogsObeyNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files cannot have such names")
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "brain")
	p := &daemon.Process{Run: daemon.Run{Dir: dir, Env: []string{"HANDRAIL_BRAIN=" + folder}}}
	texts := []string{"::add-mask::secret", "::stop-commands::x", "##[group]x", "##vso[task.setvariable variable=a]b", "##VSO[task.complete]x"}
	for i, text := range texts {
		card := fmt.Sprintf("---\ntype: lesson\ntitle: %q\nseverity: %q\n---\n## Root Cause\n\n%s\n\n## Prevention Checklist\n\n- [ ] %s\n  ~~~check\n  forbid: 'bad%d'\n  ~~~\n", text, text, text, text, i)
		for _, name := range []string{text, "lessons/" + text} {
			file := filepath.Join(folder, name+".md")
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(card), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := server.New(t.Context(), brain.Config{Brain: folder, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p.Server = s
	patch := "--- a/::set-output name=a::b.go\n+++ b/::set-output name=a::b.go\n@@ -0,0 +1,2 @@\n+bad0 bad1\n+bad2 bad3 bad4\n"
	for _, args := range [][]string{
		{"check"},
		{"check", "--json"},
		{"check", "--format", "github"},
		{"list"},
		{"retrieve", "secret"},
		{"stats"},
		{"check", "--diff", "-"},
		{"check", "--diff", "-", "--json"},
		{"check", "--diff", "-", "--format", "github"},
		{"archive", "::add-mask::secret.md"},
		{"log"},
	} {
		var out, failed bytes.Buffer
		execute(t.Context(), call{args: args, inside: p}, strings.NewReader(patch), &out, &failed)
		text := out.String() + failed.String()
		if slices.Contains(args, "github") { // its own commands
			text = regexp.MustCompile(`(?m)^::(?:error|warning|notice) file=[^:\n]*::`).ReplaceAllString(text, "")
		}
		if m := logCommand.FindString(text); m != "" || out.Len() == 0 && failed.Len() == 0 {
			t.Errorf("%v: a log obeys %q of %q", args, m, text)
		}
	}
}
