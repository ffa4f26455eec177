package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

const (
	// maxBrains is how many brains speak in one conversation: those of its folders, and in a
	// repository of many projects the nearest ones of the files it works on.
	maxBrains = 3
	// maxTouched is how many files of one event are looked at.
	maxTouched = 20
	// keepTalk is how long it is known which brains speak in a conversation after its last new one.
	keepTalk = 30 * 24 * time.Hour
)

// listener is a brain that an event is told to.
type listener struct {
	brain, dir string
	env        []string // that the event's own environment lacks
	beside     bool     // another brain asks the person
}

// event is what every host's payload says of itself.
type event struct {
	Dir          string   `json:"cwd"`
	Folders      []string `json:"workspace_roots"`
	Roots        []string `json:"workspaceRoots"`
	Session      string   `json:"session_id"`
	Conversation string   `json:"conversation_id"`
	SessionID    string   `json:"sessionId"`
	Task         string   `json:"taskId"`
	Snake        string   `json:"hook_event_name"`
	Camel        string   `json:"hookEventName"`
	Plain        string   `json:"event"`
}

// listeners returns the brains that an event concerns, that of the conversation's first folder
// first and the person's own last, and how the payload calls the event. The nearest brain of the
// file touched last asks the person; the others only learn of it. Not ok means that the payload cannot be read here.
func listeners(raw []byte) (to []listener, name string, ok bool) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	var e event
	if json.Unmarshal(raw, &e) != nil {
		return nil, "", false
	}
	name = cmp.Or(e.Snake, e.Camel, e.Plain)
	if folders := append(e.Folders, e.Roots...); e.Dir == "" && len(folders) > 0 {
		e.Dir = folders[0]
	}
	if !filepath.IsAbs(e.Dir) {
		return nil, "", false
	}
	if named := os.Getenv("HANDRAIL_BRAIN"); named != "" {
		return []listener{{brain: named, dir: e.Dir}}, name, true
	}
	own, _ := find.Brain(e.Dir)
	t := openTalk(e.Session+e.Conversation+e.SessionID+e.Task, e.Dir)
	if own != "" && !slices.Contains(t.brains, own) { // the conversation begins, or its agent went to another folder
		t.touch(own)
	}
	for _, path := range touched(raw, e.Dir) {
		if brain, ok := find.Brain(path); ok {
			t.touch(brain)
		}
	}
	for _, brain := range t.brains {
		l := listener{brain: brain, dir: e.Dir, beside: t.last != brain}
		if len(t.brains) > 1 || brain != own {
			l.env = []string{"HANDRAIL_BRAIN=" + brain}
			if os.Getenv("HANDRAIL_PROJECT") == "" {
				l.env = append(l.env, "HANDRAIL_PROJECT="+find.Project(filepath.Dir(brain)))
			}
		}
		to = append(to, l)
	}
	if mine, ok := find.Mine(); ok && !slices.Contains(t.brains, mine) {
		to = append(to, listener{brain: mine, dir: e.Dir, env: []string{"HANDRAIL_BRAIN=" + mine}, beside: true})
	}
	return to, name, true
}

// talk is what is known of a conversation in one repository: the brains that speak in it, in the order in which
// they came, and the one touched last.
type talk struct {
	file   string
	brains []string
	last   string
}

// openTalk reads what is known of a conversation in the repository of a folder, or in a folder
// without one: hosts may call all their conversations the same, and one project's cards are not
// another's. Its file has a line for each time that the work went over to another brain.
func openTalk(session, folder string) *talk {
	if session == "" {
		return &talk{}
	}
	if top, ok := find.Repository(folder); ok {
		folder = top
	}
	t := &talk{file: filepath.Join(socket.Own().State, "talks", side.Name(8, session, folder))}
	data, err := os.ReadFile(t.file)
	if err != nil {
		return t // none yet
	}
	for line := range strings.Lines(string(data)) {
		brain := strings.TrimSuffix(line, "\n")
		if _, err := os.Stat(brain); err == nil {
			t.add(brain)
		}
	}
	return t
}

// add has a brain speak, if there is room for one more, and notes it as the last. Changed reports whether it was not.
func (t *talk) add(brain string) (changed bool) {
	if !slices.Contains(t.brains, brain) {
		if len(t.brains) == maxBrains {
			return false
		}
		t.brains = append(t.brains, brain)
	}
	changed = t.last != brain
	t.last = brain
	return changed
}

// touch notes that an event works on a file of a brain. Where it cannot be written the brain
// speaks at this event alone.
func (t *talk) touch(brain string) {
	if !t.add(brain) || t.file == "" || os.MkdirAll(filepath.Dir(t.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(t.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(brain + "\n")
	_ = f.Close()
	dir, before := filepath.Dir(t.file), time.Now().Add(-keepTalk)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

var (
	// pathKeys are the parameters of tools that hold a path, textKeys those whose words may be paths.
	pathKeys = []string{
		"file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "file", "dir_path", "files", "paths",
		"file_paths", "include", "workdir", "directory", "cwd",
	}
	textKeys = []string{"command", "cmd", "patch", "input", "prompt"}
)

// touched returns the folders of the files that an event says the agent or the person means.
func touched(raw []byte, dir string) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	s := search{dir: filepath.Clean(dir)}
	s.walk("", v)
	return s.found
}

// search collects folders.
type search struct {
	dir   string
	found []string
}

func (s *search) walk(key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if low := strings.ToLower(key); !strings.Contains(low, "response") && !strings.Contains(low, "result") && !strings.Contains(low, "output") {
				s.walk(key, v[key])
			}
		}
	case []any:
		for _, v := range v {
			s.walk(key, v)
		}
	case string:
		var inner map[string]any
		switch {
		case slices.Contains(pathKeys, key):
			if path, ok := find.FilePath(v); ok {
				v = path
			}
			s.add(s.dir, v)
		case strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil: // a host that writes a tool's parameters as text
			s.walk("", inner)
		case slices.Contains(textKeys, key):
			s.words(v)
		}
	}
}

// words looks for paths in a command, a patch or a sentence. A command may go to a folder first.
func (s *search) words(text string) {
	const patch, head = "*** Begin Patch", 4000 // bytes of a text that are looked at
	if strings.Contains(text, patch) {
		for line := range strings.Lines(text) {
			if _, file, ok := strings.Cut(line, " File: "); ok && strings.HasPrefix(line, "*** ") {
				s.add(s.dir, strings.TrimSpace(file))
			}
		}
		return
	}
	dir, cd := s.dir, false
	for _, word := range strings.FieldsFunc(text[:min(len(text), head)], func(r rune) bool { return strings.ContainsRune(" \t\n'\"`|&;<>()=,@", r) }) {
		if cd {
			dir = find.Absolute(s.dir, word)
		}
		if cd || strings.ContainsAny(word, `/\`) && !strings.HasPrefix(word, "-") {
			s.add(dir, word)
		}
		cd = word == "cd"
	}
}

// add adds the folder of a file, or a folder, if it is another one than the conversation's and
// is there or about to be made in one that is.
func (s *search) add(dir, path string) {
	path = find.Absolute(dir, filepath.FromSlash(path))
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		path = filepath.Dir(path)
	}
	if path != s.dir && len(s.found) < maxTouched && !slices.Contains(s.found, path) {
		s.found = append(s.found, path)
	}
}

// merge joins the answers of several brains: texts one after the other, and of two decisions the stricter one.
func merge(answers []string) string {
	answers = slices.DeleteFunc(answers, func(a string) bool { return strings.TrimSpace(a) == "" })
	if len(answers) < 2 {
		return strings.Join(answers, "")
	}
	all := map[string]any{}
	for _, a := range answers {
		var one map[string]any
		if json.Unmarshal([]byte(a), &one) == nil {
			join(all, one)
		}
	}
	joined, err := side.JSON(all, "", "")
	if err != nil {
		return answers[0]
	}
	return string(joined)
}

// strictness orders what hosts call a decision.
var strictness = []string{"allow", "approve", "ask", "block", "deny"}

func join(into, from map[string]any) {
	for key, v := range from {
		switch old := into[key].(type) {
		case nil:
			into[key] = v
		case map[string]any:
			if v, ok := v.(map[string]any); ok {
				join(old, v)
			}
		case string:
			v, _ := v.(string)
			switch a, b := slices.Index(strictness, old), slices.Index(strictness, v); {
			case a >= 0 || b >= 0:
				into[key] = strictness[max(a, b)]
			case old != v && v != "":
				into[key] = strings.TrimRight(old, "\n") + "\n\n" + v
			}
		}
	}
}
