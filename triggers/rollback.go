package triggers

import (
	"bytes"
	"strings"
	"time"

	"handrail/lessons/lazyregexp"
)

// Entry is one line of the log git keeps of HEAD (.git/logs/HEAD).
type Entry struct {
	Old, New string // commit names; zeros when there was none
	Message  string // such as "reset: moving to HEAD~1"
}

var hash = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// ParseReflog reads one line; ok is false when it is not of git's form.
func ParseReflog(line []byte) (e Entry, ok bool) {
	head, msg, found := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte("\t"))
	fields := bytes.Fields(head)
	if !found || len(fields) < 3 || !hash.Match(fields[0]) || !hash.Match(fields[1]) {
		return Entry{}, false
	}
	return Entry{Old: string(fields[0]), New: string(fields[1]), Message: strings.ToValidUTF8(string(msg), "\uFFFD")}, true
}

// Verdict says whether a log line is a rollback, or what else has to be known.
type Verdict int

// The verdicts.
const (
	No            Verdict = iota
	Yes                   // a revert
	NeedsAncestor         // a reset: a rollback if New is an ancestor of Old and the files went back too (not --soft)
	NeedsWorktree         // a reset to the same commit: a rollback, a stash or nothing, which only the files can tell
)

// Verdict judges the line by what git writes for each operation (git 2.39; the words are
// not translated). Amending, merging, picking, switching, rebasing and making a work
// tree are no rollbacks.
func (e Entry) Verdict() Verdict {
	op, _, _ := strings.Cut(e.Message, ":")
	switch {
	case strings.HasPrefix(e.Message, `revert: Revert "Revert "`), strings.HasPrefix(e.Message, `revert: Reapply "`):
		return No // taking a rollback back
	case op == "revert":
		return Yes
	case op != "reset" || strings.Trim(e.Old, "0") == "":
		return No
	case e.Old == e.New:
		return NeedsWorktree
	}
	return NeedsAncestor
}

// returnWithin is how long after an agent's edit a file's return to its old content is
// taken for a rollback. Later it is more likely to be work that happens to agree.
const returnWithin = 30 * time.Minute

// Turn remembers what files held when a turn began and that an agent changed them since,
// so that a file which goes back is noticed however that was done: git restore, an
// editor's undo, a checkpoint. Content is named by any hash. A Turn is not safe for
// concurrent use.
type Turn struct {
	at    time.Time
	files map[string]*tracked
}

type tracked struct {
	start, now string // hashes
	edited     time.Time
}

// NewTurn begins a turn.
func NewTurn(at time.Time) *Turn { return &Turn{at: at, files: map[string]*tracked{}} }

// Start notes what a file held when the turn began. The first word counts.
func (t *Turn) Start(file, hash string) {
	if _, ok := t.files[file]; !ok {
		t.files[file] = &tracked{start: hash, now: hash}
	}
}

// Edited notes that an agent changed a file, and what it holds now. A file whose old
// content is not known is not followed.
func (t *Turn) Edited(file, hash string, at time.Time) {
	if f, ok := t.files[file]; ok {
		f.now, f.edited = hash, at
	}
}

// Tracks reports whether a file is followed.
func (t *Turn) Tracks(file string) bool {
	_, ok := t.files[file]
	return ok
}

// Returned reports whether a file is back at what it held when the turn began although an
// agent had changed it, and stops following it.
func (t *Turn) Returned(file, hash string, at time.Time) bool {
	f, ok := t.files[file]
	if !ok || f.edited.IsZero() || f.now == f.start || hash != f.start || at.Sub(f.edited) > returnWithin {
		return false
	}
	delete(t.files, file)
	return true
}
