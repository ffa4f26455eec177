package ledger

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/triggers"
)

const (
	maxTalks    = 64   // conversations
	maxLines    = 2000 // of a turn, added and removed
	maxCommands = 200  // of a conversation
	maxLine     = 400  // bytes of a line
	maxCommand  = 2000 // bytes of a command: what stands behind a commit's message counts
	maxOutput   = 4 << 10
)

// Deeds are what is known of a conversation: the edits and commands of its turn, and all of its commands.
type Deeds struct {
	Turn    check.Deeds
	Session []check.Command   // oldest first, those of earlier turns too
	Files   []string          // files of the turn whose lines are not known
	Paths   map[string]string // of each file that was edited: where it is
	Pasted  string            // what the person wrote in the turn
	Turns   int               // of the conversation, as far as they were told to this process
	Cut     bool              // commands are left out of Session
}

// Book has the conversations of a process. It may be used by several goroutines.
type Book struct {
	redact func(string) string

	mu   sync.Mutex // guards rows and what they point to
	rows *simplelru.LRU[string, *row]
}

type row struct {
	deeds Deeds
	lines int
	seq   int
}

// NewBook returns an empty Book. redact takes secrets out of all that it keeps.
func NewBook(redact func(string) string) *Book {
	rows, _ := simplelru.NewLRU[string, *row](maxTalks, nil) // it refuses a size of 0
	return &Book{redact: redact, rows: rows}
}

// in changes what is known of a conversation; there is none without a name.
func (b *Book) in(session string, change func(*row)) {
	if session == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rows.Get(session)
	if !ok {
		r = &row{}
		b.rows.Add(session, r)
	}
	change(r)
}

// Begin notes that a person wrote: a turn begins.
func (b *Book) Begin(session, text string) {
	text = b.redact(head(text, 8*maxOutput))
	b.in(session, func(r *row) {
		r.deeds, r.lines = Deeds{Session: r.deeds.Session, Pasted: text, Turns: r.deeds.Turns + 1, Cut: r.deeds.Cut}, 0
	})
}

// Edited notes an edit: the files, and what is known of their lines. name says how cards name a file.
func (b *Book) Edited(session string, files []string, changes []triggers.Change, name func(file string) string) {
	b.in(session, func(r *row) {
		r.seq++
		for _, c := range changes {
			e := r.edit(name(c.File), c.File)
			e.Removed = r.take(e.Removed, b.lines(c.Removed), nil)
			e.Added = r.take(e.Added, b.lines(c.Added), c.Lines)
		}
		for _, f := range files {
			if !slices.ContainsFunc(changes, func(c triggers.Change) bool { return c.File == f }) {
				r.edit(name(f), f)
				r.deeds.Files = With(r.deeds.Files, f)
			}
		}
	})
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
		line := check.Line{Text: head(l, maxLine)}
		if i < len(numbers) {
			line.N = numbers[i]
		}
		to = append(to, line)
	}
	return to
}

// Ran notes a command that ended. failed is nil where its outcome is not known.
func (b *Book) Ran(session, command, output string, failed *bool) {
	if command == "" {
		return
	}
	tail := func(text string, most int) string { return strings.ToValidUTF8(text[max(0, len(text)-most):], "") } // how it ended stands at the end
	// Cut once more than is kept, since of half a secret nobody would know what it is.
	output = tail(b.redact(tail(output, 2*maxOutput)), maxOutput)
	if len(command) > maxCommand {
		command = shell.WithoutDocuments(command)
	}
	c := check.Command{Line: head(b.redact(head(command, 2*maxCommand)), maxCommand), Output: output, Failed: failed}
	b.in(session, func(r *row) {
		r.seq++
		c.Seq = r.seq
		d := &r.deeds
		d.Cut = d.Cut || len(d.Session) == maxCommands
		d.Session = last(append(d.Session, c), maxCommands)
		d.Turn.Commands = last(append(d.Turn.Commands, c), maxCommands)
	})
}

// Deeds returns what is known of a conversation; ok is false where nothing is.
func (b *Book) Deeds(session string) (d Deeds, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rows.Peek(session)
	if !ok {
		return d, false
	}
	d = r.deeds
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
