package hook

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/triggers"
)

// maxChanged bounds the lines that are read of one call.
const maxChanged = 2000

// maxOriginal bounds a file that is about to be written anew, in bytes.
const maxOriginal = 1 << 20

// changesOf returns what happened to the lines of files, as a tool's answer or else its input tells it: hunks (Claude Code), a patch (Codex), old and new
// text (Gemini CLI, Copilot, Cursor, VS Code), or a file's whole text.
func (e *event) changesOf(input, response payload) []triggers.Change {
	var out []triggers.Change
	hunks := func(file string, raw json.RawMessage) {
		var list []struct {
			NewStart int      `json:"newStart"` // line of the file after the change
			Lines    []string `json:"lines"`
		}
		if !unmarshal(raw, &list) || len(list) == 0 || file == "" {
			return
		}
		c := triggers.Change{File: absolute(e.Dir, file)}
		var numbers []int
		known := true
		for _, h := range list {
			at := h.NewStart
			known = known && at > 0
			for _, l := range h.Lines {
				if c.Line(l); len(c.Added) > len(numbers) {
					numbers = append(numbers, at)
				}
				if !strings.HasPrefix(l, "-") {
					at++
				}
			}
		}
		if known {
			c.Lines = numbers
		}
		out = append(out, c)
	}
	hunks(response.text("filePath"), response["structuredPatch"])
	if diff := response.object("bashEditDiff"); diff != nil {
		files := diff.objects("files")
		for _, f := range files[:min(len(files), maxFiles)] {
			hunks(f.text("filePath"), f["hunks"])
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, n := range []string{"patch", "input", "command"} {
		if t := input.text(n); strings.Contains(t, patchStart) {
			return patchChanges(t, e.Dir)
		}
	}
	names := []string{"file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path"}
	file := input.text(names...)
	one := func(p payload) {
		was, is := p.text("old_string", "oldString", "old_str", "old_text"), p.text("new_string", "newString", "new_str", "new_text", "new_source")
		if name := p.text(names...); name != "" {
			file = name
		}
		if file != "" && was+is != "" {
			out = append(out, triggers.Between(absolute(e.Dir, file), was, is))
		}
	}
	one(input)
	parts := input.objects("edits", "replacements") // a host has one of them
	for _, p := range parts[:min(len(parts), maxFiles)] {
		one(p)
	}
	if text := input.text("content", "file_text", "contents"); len(out) == 0 && text != "" && file != "" {
		out = append(out, triggers.Between(absolute(e.Dir, file), response.text("originalFile", "originalContent"), text))
	}
	return out
}

// planned returns what a tool is about to do, or did, to the lines of files. A file that is written as
// a whole is held against what it has now, unless the host told what it had; one that cannot be read, or is too long to
// compare, is left out.
func (e *event) planned() []triggers.Change {
	changes := e.Changes
	if !e.toldWas {
		response, in := payload{}, e.input
		if file := in.text("file_path", "filePath", "path"); e.use == edits && file != "" && in.text("content", "file_text", "contents") != "" {
			old, err := os.ReadFile(absolute(e.Dir, file))
			if err != nil && !errors.Is(err, fs.ErrNotExist) || len(old) > maxOriginal {
				return nil
			}
			response["originalFile"], _ = json.Marshal(string(old)) // a string always becomes JSON
		}
		changes = e.changesOf(in, response)
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c triggers.Change) bool { return len(c.Removed) >= maxChanged })
}

// patchChanges reads a patch in Codex's format.
func patchChanges(patch, dir string) []triggers.Change {
	var out []triggers.Change
	for l := range strings.Lines(patch) {
		l = strings.TrimRight(l, "\r\n")
		if m := patchedFile().FindStringSubmatch(l); m != nil {
			if len(out) == maxFiles {
				break
			}
			out = append(out, triggers.Change{File: absolute(dir, m[1]+m[2])})
			continue
		}
		if len(out) > 0 && !strings.HasPrefix(l, "***") {
			out[len(out)-1].Line(l)
		}
	}
	return out
}
