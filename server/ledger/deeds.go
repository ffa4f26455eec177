// Package ledger keeps what conversations do: the lines that a turn changed and the commands that ran, as the hosts tell of them. It is what verdicts and
// evidence go by. All of it is in memory, bounded and without secrets; what a conversation did before the process began is not known.
package ledger

import (
	"container/list"
	"maps"
	"slices"
	"strings"
	"sync"

	"handrail/postcheck/check"
	"handrail/postcheck/proof"
)

const (
	maxSessions = 64
	maxLines    = 2000 // of a turn, added and removed
	maxCommands = 200  // of a conversation
	maxLine     = 400  // bytes of a line or a command
	maxOutput   = 4 << 10
)

// Change is what happened to the lines of a file.
type Change struct {
	File           string
	Removed, Added []string
	Lines          []int // of Added, in the file after the change; none where they are not known
}

// Deeds are what is known of a conversation: the edits and commands of its turn, and all of its commands.
type Deeds struct {
	Turn    check.Deeds
	Session []check.Command   // oldest first, those of earlier turns too
	Files   []string          // files of the turn whose lines are not known
	Paths   map[string]string // of each file that was edited: where it is
	Pasted  string            // what the person wrote in the turn
}

// Evidence returns what the commands of the turn proved.
func (d Deeds) Evidence() []proof.Evidence {
	return proof.Gather(d.Turn.Edits, d.Turn.Commands)
}

// Book has the conversations of a process. It may be used by several goroutines.
type Book struct {
	redact func(string) string

	mu    sync.Mutex // guards what follows
	rows  map[string]*list.Element
	order list.List // of *row, the last one used first
}

type row struct {
	session string
	deeds   Deeds
	lines   int
	seq     int
}

// New returns an empty Book. redact takes secrets out of all that it keeps.
func New(redact func(string) string) *Book { return &Book{redact: redact} }

// of returns the row of a conversation. The caller holds mu.
func (b *Book) of(session string) *row {
	if b.rows == nil {
		b.rows = map[string]*list.Element{}
	}
	if e, ok := b.rows[session]; ok {
		b.order.MoveToFront(e)
		return e.Value.(*row)
	}
	r := &row{session: session}
	b.rows[session] = b.order.PushFront(r)
	if len(b.rows) > maxSessions {
		last := b.order.Back()
		delete(b.rows, b.order.Remove(last).(*row).session)
	}
	return r
}

// Begin notes that a person wrote: a turn begins.
func (b *Book) Begin(session, text string) {
	if session == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.of(session)
	r.deeds.Turn, r.deeds.Files, r.deeds.Paths, r.lines = check.Deeds{}, nil, map[string]string{}, 0
	r.deeds.Pasted = b.redact(strings.ToValidUTF8(text[:min(len(text), 8*maxOutput)], ""))
}

// Edited notes an edit: the files, and what is known of their lines. name says how cards name a file.
func (b *Book) Edited(session string, files []string, changes []Change, name func(file string) string) {
	if session == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.of(session)
	r.seq++
	for _, c := range changes {
		e := r.edit(name(c.File), c.File)
		e.Removed = r.take(e.Removed, b.lines(c.Removed), nil)
		e.Added = r.take(e.Added, b.lines(c.Added), c.Lines)
	}
	for _, f := range files {
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.File == f }) {
			r.edit(name(f), f)
			if !slices.Contains(r.deeds.Files, f) {
				r.deeds.Files = append(r.deeds.Files, f)
			}
		}
	}
}

// lines takes the secrets out of lines, all at once: a key may stand on several.
func (b *Book) lines(lines []string) []string {
	lines = lines[:min(len(lines), maxLines)]
	if clean := strings.Split(b.redact(strings.Join(lines, "\n")), "\n"); len(clean) == len(lines) {
		return clean
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = b.redact(l)
	}
	return out
}

// edit returns the edit of a file that is under way.
func (r *row) edit(file, path string) *check.Edit {
	if r.deeds.Paths == nil {
		r.deeds.Paths = map[string]string{}
	}
	r.deeds.Paths[file] = path
	edits := &r.deeds.Turn.Edits
	i := slices.IndexFunc(*edits, func(e check.Edit) bool { return e.File == file })
	if i < 0 {
		i = len(*edits)
		*edits = append(*edits, check.Edit{File: file})
	}
	(*edits)[i].Seq = r.seq
	return &(*edits)[i]
}

// take adds lines as far as there is room.
func (r *row) take(to []check.Line, lines []string, numbers []int) []check.Line {
	for i, l := range lines {
		if r.lines >= maxLines {
			break
		}
		r.lines++
		line := check.Line{Text: strings.ToValidUTF8(l[:min(len(l), maxLine)], "")}
		if i < len(numbers) {
			line.N = numbers[i]
		}
		to = append(to, line)
	}
	return to
}

// Ran notes a command that ended. failed is nil where its outcome is not known.
func (b *Book) Ran(session, command, output string, failed *bool) {
	if session == "" || command == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.of(session)
	r.seq++
	command = b.redact(strings.ToValidUTF8(command[:min(len(command), maxLine)], ""))
	if len(output) > maxOutput { // how it ended stands at the end
		output = strings.ToValidUTF8(output[len(output)-maxOutput:], "")
	}
	d := &r.deeds
	c := check.Command{Line: command, Output: b.redact(output), Failed: failed, Seq: r.seq}
	d.Session = append(d.Session, c)
	d.Session = d.Session[max(0, len(d.Session)-maxCommands):]
	d.Turn.Commands = append(d.Turn.Commands, c)
	d.Turn.Commands = d.Turn.Commands[max(0, len(d.Turn.Commands)-maxCommands):]
}

// Deeds returns what is known of a conversation; ok is false where nothing is.
func (b *Book) Deeds(session string) (d Deeds, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.rows[session]
	if !ok {
		return d, false
	}
	d = e.Value.(*row).deeds
	d.Turn.Edits = slices.Clone(d.Turn.Edits)
	for i := range d.Turn.Edits {
		gone := map[string]int{}
		for _, l := range d.Turn.Edits[i].Removed {
			gone[l.Text]++
		}
		// What the turn added and took out again is not there.
		d.Turn.Edits[i].Added = slices.DeleteFunc(slices.Clone(d.Turn.Edits[i].Added), func(l check.Line) bool {
			gone[l.Text]--
			return gone[l.Text] >= 0
		})
	}
	d.Turn.Commands, d.Session, d.Files, d.Paths = slices.Clone(d.Turn.Commands), slices.Clone(d.Session), slices.Clone(d.Files), maps.Clone(d.Paths)
	return d, true
}
