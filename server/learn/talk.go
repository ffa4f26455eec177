package learn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/hook"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// payload is an event as the hooks of a host tell of it.
type payload = map[string]json.RawMessage

// str returns a string as a member of a payload.
func str(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // a string always becomes JSON
	return raw
}

var (
	// errElsewhere says that a conversation is about another project.
	errElsewhere = errors.New("a conversation of another project")
	// errForm says that a file is not of the form that its reader knows.
	errForm = errors.New("unknown form")
)

// talk takes a conversation as a transcript tells it, in order, to the signals.
type talk struct {
	host     string // as hooks know it
	title    string // as people call it
	id       string
	file     string
	of       *project
	dir      string           // where the agent works
	where    place            // that is
	at       time.Time        // of what is told next
	turn     []triggers.Event // the last one, from its message on, where it is to tell what it is about
	before   place            // where the turn before it was done
	detector *triggers.Detector
	found    []inbox.Candidate
	talks    int                // in which the person said something
	heard    string             // the id of the last of them
	edited   bool               // files were, since then
	calls    map[string]payload // begun and not ended, by their ids
	with     []Each
}

func newTalk(host, title, file string, of *project) *talk {
	id := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if id == "events" || id == "ui_messages" { // of Copilot and Cline, in a folder of its own
		id = filepath.Base(filepath.Dir(file))
	}
	return &talk{host: host, title: title, id: id, file: file, of: of, detector: triggers.NewDetector(triggers.Options{Weak: true, Broken: of.broken}), calls: map[string]payload{}}
}

// in notes where the agent works. It is an error where a conversation begins in another project; what is done there later,
// for a while, is passed over.
func (t *talk) in(dir string) error {
	if dir == "" {
		return nil
	}
	t.where = t.of.place(dir)
	if t.where == elsewhere && t.dir == "" {
		return errElsewhere
	}
	t.dir = dir
	return nil
}

// next goes on to a conversation of a file that holds several.
func (t *talk) next(id, dir string) error {
	if id != t.id {
		t.settle()
		t.id, t.dir, t.before = id, "", 0
		clear(t.calls)
	}
	return t.in(dir)
}

// prompt tells of what a person said.
func (t *talk) prompt(said string) {
	said = ownWords(said)
	if said == "" {
		return
	}
	for _, p := range t.calls { // what was open when the person spoke again was turned down
		t.refused(p)
	}
	clear(t.calls)
	t.observe(triggers.Event{Kind: triggers.Message, Text: said, Dir: t.dir})
}

// ended tells what came of a call that began, in more than what was asked for.
func (t *talk) ended(id string, more payload, tell func(payload)) {
	if call, begun := t.calls[id]; begun {
		delete(t.calls, id)
		maps.Copy(call, more)
		tell(call)
	}
}

// refused tells of a call that the person turned down.
func (t *talk) refused(p payload) {
	p["session_id"], p["cwd"] = str(t.id), str(t.dir)
	for _, e := range hook.Told(t.host, p) {
		if e.Kind == triggers.Edit {
			t.observe(triggers.Event{Kind: triggers.Rejected, Text: triggers.Denied, Files: e.Files})
		}
	}
}

// told tells of an event as the host's hook has it.
func (t *talk) told(p payload) {
	p["session_id"], p["cwd"] = str(t.id), str(t.dir)
	for _, e := range hook.Told(t.host, p) {
		t.observe(e)
	}
}

// maxHeld bounds what is kept of a command's output while a turn waits, in bytes.
const maxHeld = 64 << 10

// observe takes what was said or done to the signals. Of a conversation that is not in the project, but above it where others
// may lie too, it waits until the turn has told what it is about.
func (t *talk) observe(e triggers.Event) {
	if t.dir == "" {
		return
	}
	e.SessionID, e.At = t.host+"\x00"+t.id, t.at
	if e.Kind == triggers.Message {
		t.settle()
	}
	switch {
	case len(t.turn) > 0 || e.Kind == triggers.Message && t.where != here:
		e.Output = e.Output[max(0, len(e.Output)-maxHeld):]
		t.turn = append(t.turn, e)
	case t.where == here:
		t.hear(e)
	}
}

// settle ends a turn that waits: it is heard where all of it was done here, and nothing was elsewhere in the turn before it,
// of which the person may have spoken.
func (t *talk) settle() {
	now := place(0)
	for _, e := range t.turn {
		now |= t.of.done(e)
	}
	for _, e := range t.turn {
		if now == here && t.before&elsewhere == 0 && (e.Kind == triggers.Message || t.of.done(e) == here) {
			t.hear(e)
		}
	}
	t.turn, t.before = nil, now
}

// hear takes what was said or done here to the signals.
func (t *talk) hear(e triggers.Event) {
	if e.Kind == triggers.Message {
		first := t.talks == 0 || t.heard != t.id
		if first {
			t.heard, t.talks = t.id, t.talks+1
		}
		e.Context = heard.Context{First: first, Later: !first, Edited: !first && t.edited}
		t.edited = false
	}
	t.edited = t.edited || e.Kind == triggers.Edit
	e.Files = t.of.names(e.Files)
	kept := e.Changes[:0:0]
	for _, c := range e.Changes {
		if name, ok := t.of.name(c.File); ok {
			c.File = name
			kept = append(kept, c)
		}
	}
	e.Changes = kept
	seen := t.detector.Observe(e)
	if m := seen.Mended; m != nil {
		for i := range t.found {
			if t.found[i].ID == m.ID {
				t.found[i].Fix = m.Fix
			}
		}
	}
	before := len(t.found)
	for _, c := range seen.Candidates {
		said := ""
		if e.Kind == triggers.Message {
			said = Shown(e.Text)
		}
		t.found = append(t.found, inbox.From(c, t.title, said))
	}
	for _, each := range t.with {
		if each(t.title, e, t.found[before:]) != nil {
			return
		}
	}
}

// Shown returns a person's own words as they are shown: on one line, without secrets.
func Shown(text string) string {
	own, _ := heard.Apart(text)
	return say.Clip(leaks.Redact(strings.Join(strings.Fields(own), " ")), maxSaid)
}

// maxSaid bounds what is shown of a person's words, in characters.
const maxSaid = 240

// hostText matches what hosts write in a person's name: commands and what they printed, notes, instructions from files.
var hostText = lazyregexp.New(`^\s*(?:<(?:command-|local-command-|system-reminder|environment_context|user_instructions|task-notification|bash-)|` +
	`Caveat: |# AGENTS\.md instructions|\[Request interrupted|This session is being continued|<session_context>)`)

// ownWords returns what the person said of a prompt: "" for a host's own message, and nothing that Handrail put before it.
func ownWords(said string) string {
	if hostText().MatchString(said) {
		return ""
	}
	return strings.TrimSpace(injected().ReplaceAllString(said, ""))
}

// injected matches what Handrail put before a request: it is mined by nobody.
var injected = lazyregexp.New(`(?ms)^\[(?:ACTIVE LESSON|LESSON TITLES|교훈 제목|CONTEXT|LEFT OVER|HANDRAIL).*?` +
	`(?:^\[/(?:ACTIVE LESSONS|CONTEXT)\][^\n]*|\n\s*\n|\z)`)

// maxLine bounds a line of a transcript, in bytes: whatever is longer is the content of a large file.
const maxLine = 8 << 20

// lines calls with each line of a transcript that is a JSON object. One that is torn or too long is passed over. It is
// errForm where no line of many has anything to say: read reports whether one had.
func lines(r io.Reader, read func(line []byte) (known bool, err error)) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	seen, known := 0, 0
	for {
		part, prefix, err := in.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			if known == 0 && seen > 0 {
				return errForm
			}
			return nil
		case err != nil:
			return err
		case prefix || long != nil:
			if len(long) <= maxLine {
				long = append(long, part...)
			}
			if prefix {
				continue
			}
			part, long = long, nil
			if len(part) > maxLine {
				continue
			}
		}
		part = bytes.TrimSpace(part)
		if len(part) == 0 || part[0] != '{' {
			continue
		}
		seen++
		ok, err := read(part)
		if err != nil {
			return err
		}
		if ok {
			known++
		}
	}
}

// decoded is what lines calls, for lines of one form.
func decoded[T any](read func(T) (known bool, err error)) func(line []byte) (bool, error) {
	return func(line []byte) (bool, error) {
		var v T
		if json.Unmarshal(line, &v) != nil {
			return false, nil
		}
		return read(v)
	}
}

// objects is lines for a file that may hold one object instead.
func objects(r io.Reader, read func(raw []byte) (known bool, err error)) error {
	in := bufio.NewReaderSize(r, 4096)
	head, _ := in.Peek(4096)                                                                       // less where the file is short
	if first, _, many := bytes.Cut(head, []byte("\n")); many && len(bytes.TrimSpace(first)) == 1 { // "{" and a line
		raw, err := io.ReadAll(io.LimitReader(in, maxObject))
		if err != nil {
			return err
		}
		if known, err := read(raw); err != nil || known {
			return err
		}
		return errForm
	}
	return lines(in, read)
}

// maxObject bounds a conversation that is one object, in bytes: each processor reads one, in five times as much memory.
const maxObject = 24 << 20

// stamp reads a time as transcripts write it: a string, or milliseconds.
func stamp(raw json.RawMessage) time.Time {
	var t time.Time
	if json.Unmarshal(raw, &t) == nil {
		return t
	}
	var ms int64
	if json.Unmarshal(raw, &ms) == nil && ms > 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}
