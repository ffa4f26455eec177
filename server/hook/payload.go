package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
)

// payload is a JSON object of which only what is asked for is read. A member of another
// type than expected is as good as absent.
type payload map[string]json.RawMessage

// text returns the first of the members that is a string with something in it.
func (p payload) text(names ...string) string {
	for _, n := range names {
		var s string
		if json.Unmarshal(p[n], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// has reports whether a member is there and not null.
func (p payload) has(name string) bool {
	raw, ok := p[name]
	return ok && string(raw) != "null"
}

// object returns the first of the members that is an object, or a string that holds one.
func (p payload) object(names ...string) payload {
	for _, n := range names {
		var o payload
		if json.Unmarshal(p[n], &o) == nil && o != nil {
			return o
		}
		if s := p.text(n); strings.HasPrefix(strings.TrimSpace(s), "{") && json.Unmarshal([]byte(s), &o) == nil {
			return o
		}
	}
	return nil
}

// texts returns a member that is a string or a list of strings.
func (p payload) texts(name string) []string {
	if s := p.text(name); s != "" {
		return []string{s}
	}
	var list []string
	if json.Unmarshal(p[name], &list) != nil {
		return nil
	}
	return list
}

// objects returns the objects of the members that are lists of some.
func (p payload) objects(names ...string) (all []payload) {
	for _, n := range names {
		var list []payload
		if unmarshal(p[n], &list) {
			all = append(all, list...)
		}
	}
	return all
}

// number returns a member that is a number, nil where it is none.
func (p payload) number(name string) (n *int) {
	if json.Unmarshal(p[name], &n) != nil {
		return nil
	}
	return n
}

// anyText returns a member that is text in whatever wrapping: a string, a list of parts
// with a text, an object with the usual names.
func (p payload) anyText(name string) string { return flatten(p[name], 0) }

func flatten(raw json.RawMessage, depth int) string {
	if len(raw) == 0 || depth > 4 {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	var o payload
	if json.Unmarshal(raw, &list) != nil && json.Unmarshal(raw, &o) == nil {
		for _, n := range []string{"stdout", "stderr", "output", "aggregated_output", "text", "textResultForLlm", "text_result_for_llm", "llmContent", "content", "result", "error", "message"} {
			list = append(list, o[n])
		}
	}
	var parts []string
	for _, item := range list {
		if t := flatten(item, depth+1); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n")
}

// use is what a tool does with files.
type use int

const (
	unknownUse use = iota
	reads
	edits
	runs // a command
)

// maxFiles bounds how many files of one call are looked at.
const maxFiles = 20

// readAction reads a tool call: its name says what it does, its input on what.
func (h *host) readAction(p payload, e *event, name string, input payload) {
	e.use, e.Tool, e.input = h.tools[name], name, input
	e.Interrupted = string(p["is_interrupt"]) == "true"
	e.CallID = p.text("tool_use_id", "toolUseId", "tool_call_id")
	if e.CallID == "" { // without a name of its own a call is known by what it asks for
		e.CallID = digest(name, input)
	}
	if d := input.text("workdir", "directory", "dir_path", "cwd"); d != "" && e.use == runs {
		e.Dir = absolute(e.Dir, d)
	}
	switch e.use {
	case runs:
		e.Command = input.text("command", "cmd")
		if list := input.texts("command"); len(list) > 1 { // bash -lc "…"
			e.Command = list[len(list)-1]
		}
		if strings.HasPrefix(strings.TrimSpace(e.Command), patchStart) {
			e.use, e.Files, e.Command = edits, patched(e.Command, e.Dir), ""
		}
	case reads, edits:
		e.Files = filesOf(input, e.Dir)
	case unknownUse:
	}
}

const patchStart = "*** Begin Patch"

var patchedFile = lazyregexp.New(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$`)

// patched returns the files that a patch in Codex's format changes.
func patched(patch, dir string) []string {
	var out []string
	for _, m := range patchedFile().FindAllStringSubmatch(patch, maxFiles) {
		out = append(out, absolute(dir, m[1]+m[2]))
	}
	return out
}

// filesOf returns the files that a tool's input names, whatever the parameter is called.
func filesOf(input payload, dir string) []string {
	var names []string
	for _, n := range []string{"file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "file", "dir_path", "files", "paths", "file_paths", "include"} {
		names = append(names, input.texts(n)...)
	}
	for _, part := range input.objects("edits", "replacements") {
		names = append(names, part.text("file_path", "filePath", "path"))
	}
	var out []string
	for _, n := range []string{"patch", "input", "command"} {
		if t := input.text(n); strings.Contains(t, patchStart) {
			out = append(out, patched(t, dir)...)
		}
	}
	for _, n := range names {
		if path, ok := find.FilePath(n); ok {
			n = path
		}
		if n != "" && len(out) < maxFiles {
			out = append(out, absolute(dir, filepath.FromSlash(n)))
		}
	}
	return out
}

// shows is a command that only shows files, or goes to a folder.
const shows = `\s*(?:cd|cat|bat|head|tail|less|more|nl|wc|ls|tree|find|fd|grep|egrep|rg|ag|awk|stat|file|diff|sed\s+-n|git\s+(?:diff|show|log|status|blame|grep))\b(?:[^>;&]|2>(?:&1|/dev/null))*`

// reader matches lines of such commands.
var reader = lazyregexp.New(`^` + shows + `(?:(?:&&|;)` + shows + `)*$`)

// commandFiles returns the files that a command or a sentence names, and whether the
// command only reads them: some agents have no other tool for it.
func commandFiles(command, dir string) (files []string, onlyReads bool) {
	words := strings.FieldsFunc(command[:min(len(command), 4000)], func(r rune) bool { return strings.ContainsRune(" \t\n'\"`|&;<>()=,@", r) })
	for _, w := range words {
		if len(files) == maxFiles {
			break
		}
		if strings.HasPrefix(w, "-") || !strings.ContainsAny(w, "./\\") || filepath.Clean(w) == "." {
			continue
		}
		file := absolute(dir, w)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	return files, reader().MatchString(command)
}

// exitPattern matches how hosts tell an exit status in a tool's text.
var exitPattern = lazyregexp.New(`(?i)\b(?:exit(?:ed)?(?: with)?(?: exit)? (?:code|status)|exited with)[:\s]+(-?\d+)`)

// exitIn returns the exit status that a tool's text tells of in its first or last lines;
// what stands between is the program's own.
func exitIn(text string) *int {
	const edge = 300 // bytes: two or three lines
	for _, part := range []string{text[:min(len(text), edge)], text[max(0, len(text)-edge):]} {
		if m := exitPattern().FindStringSubmatch(part); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				return &n
			}
		}
	}
	return nil
}

// refusedEdit reports whether a tool's text says that an edit came to nothing, where the host
// has no other way to say so. What was read or printed may begin with anything.
func (e *event) refusedEdit(text string) bool { return e.use == edits && refused().MatchString(text) }

var refused = lazyregexp.New(`(?i)^\s*(?:error\b|✗|failed\b|could not |cannot |unable to )`)

// changed notes what the tool did to the lines of files.
func (e *event) changed(input, response payload) {
	if e.Failed || e.Interrupted {
		return
	}
	e.Changes, e.toldWas = e.changesOf(input, response), response.has("originalContent") || response.has("type")
	if e.use != runs {
		return
	}
	e.wrote = nil // by the shell
	for _, c := range e.Changes {
		e.wrote = append(e.wrote, c.File)
	}
	if len(e.wrote) > 0 || response.has("bashEditDiff") {
		return
	}
	for _, name := range shell.Read(e.Command, "", nil).Writes() {
		file := absolute(e.Dir, filepath.FromSlash(name))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && len(e.wrote) < maxFiles && !slices.Contains(e.wrote, file) {
			e.wrote = append(e.wrote, file)
		}
	}
}

// ended notes how a command ended.
func (e *event) ended(output string, exit *int, failed bool) {
	e.Output, e.ExitCode = output, exit
	e.Failed = failed || exit != nil && *exit != 0
}
