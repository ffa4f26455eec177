package learn

import (
	"encoding/json"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

var (
	speaker = lazyregexp.New(`^_\*\*(User|Assistant|Agent)(?: \([^\n]*\))?\*\*_$`)
	// editedFile matches where a transcript of Cursor names a file that was changed, toolFile where one of Copilot names
	// the file of a tool: which tool, and whether it changes files, usedTool and changing tell.
	editedFile = lazyregexp.New("(?:Edit file: |Apply patch for )([^<`\n]+)")
	usedTool   = lazyregexp.New(`Tool use: \*\*(\w+)`)
	changing   = lazyregexp.New(`(?i)edit|replace|create|insert|write|patch`)
	toolFile   = lazyregexp.New("^(?:- filePath: `|\\s*\"file_path\": \")([^`\"]+)")
)

// fileTime is the time with which SpecStory's names of files begin.
const fileTime = "2006-01-02_15-04"

// SpecStory (2025 to 2026-11): .specstory/history/<time>-<title>.md in the repository, of Copilot, Cursor and Claude Code. Its
// markdown shows what tools did in a form for people: the person's words are taken, and the names of what was edited.
func readSpecStory(r io.Reader, t *talk) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxObject))
	if err != nil {
		return err
	}
	name := filepath.Base(t.file)
	t.at, err = time.Parse(fileTime, name[:min(len(name), len(fileTime))])
	if err != nil {
		return errForm
	}
	err = t.in(filepath.Dir(filepath.Dir(filepath.Dir(t.file))))
	if err != nil {
		return err
	}
	for _, said := range Spoken(string(raw)) {
		if said.User {
			t.at = t.at.Add(2 * time.Minute) // nobody knows; those of a turn stand together
			t.prompt(said.Text)
			continue
		}
		for f := range edited(said.Text) {
			file := filepath.FromSlash(f)
			if !filepath.IsAbs(file) {
				file = filepath.Join(t.dir, file)
			}
			input, _ := json.Marshal(map[string]string{"file_path": file})
			t.told(payload{"hook_event_name": str("PostToolUse"), "permission_mode": str(""), "tool_name": str("Edit"), "tool_input": input, "tool_response": json.RawMessage("{}")})
		}
	}
	return nil
}

// edited yields the files that an agent says it changed. One that it only read is none.
func edited(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		changes := false
		for line := range strings.Lines(text) {
			var m []string
			switch {
			case strings.Contains(line, "Edit file: ") || strings.Contains(line, "Apply patch for "):
				m = editedFile().FindStringSubmatch(line)
			case strings.Contains(line, "Tool use: **"):
				used := usedTool().FindStringSubmatch(line)
				changes = used != nil && changing().MatchString(used[1])
			case changes && strings.ContainsAny(line[:min(len(line), 20)], "-\""):
				m = toolFile().FindStringSubmatch(line)
			}
			if m != nil && !yield(strings.TrimSpace(m[1])) {
				return
			}
		}
	}
}

// Said is what somebody said in SpecStory's markdown, in order: the person, or an agent with what it did.
type Said struct {
	User bool
	Text string
}

// Spoken returns what was said in SpecStory's markdown.
func Spoken(text string) (out []Said) {
	begins, at := 0, 0
	ended := func() {
		if n := len(out); n > 0 {
			out[n-1].Text = strings.TrimSpace(text[begins:at])
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "_**") {
			if m := speaker().FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
				ended()
				begins, out = at+len(line), append(out, Said{User: m[1] == "User"})
			}
		}
		at += len(line)
	}
	ended()
	for i, said := range out {
		if said.User {
			out[i].Text = strings.TrimSpace(strings.TrimSuffix(said.Text, "---"))
		}
	}
	return out
}
