package learn

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

var (
	speaker = lazyregexp.New(`(?m)^_\*\*(User|Assistant|Agent)(?: \([^\n]*\))?\*\*_$`)
	// editedFile matches where a transcript of Cursor or Copilot names a file that was changed.
	editedFile = lazyregexp.New("(?m)(?:Edit file: |Apply patch for |^Created? |- filePath: `)([^\\s`<]+)")
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
		for _, f := range editedFile().FindAllStringSubmatch(said.Text, -1) {
			file := filepath.FromSlash(f[1])
			if !filepath.IsAbs(file) {
				file = filepath.Join(t.dir, file)
			}
			input, _ := json.Marshal(map[string]string{"file_path": file})
			t.told(payload{"hook_event_name": str("PostToolUse"), "permission_mode": str(""), "tool_name": str("Edit"), "tool_input": input, "tool_response": json.RawMessage("{}")})
		}
	}
	return nil
}

// Said is what somebody said in SpecStory's markdown, in order: the person, or an agent with what it did.
type Said struct {
	User bool
	Text string
}

// Spoken returns what was said in SpecStory's markdown.
func Spoken(text string) (out []Said) {
	at := speaker().FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		said := Said{text[m[2]:m[3]] == "User", strings.TrimSpace(text[m[1]:end])}
		if said.User {
			said.Text = strings.TrimSpace(strings.TrimSuffix(said.Text, "---"))
		}
		out = append(out, said)
	}
	return out
}
