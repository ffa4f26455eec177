package triggers

import (
	"bytes"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
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
	if !found || len(fields) < 3 || !hash().Match(fields[0]) || !hash().Match(fields[1]) {
		return Entry{}, false
	}
	return Entry{Old: string(fields[0]), New: string(fields[1]), Message: strings.ToValidUTF8(string(msg), "\uFFFD")}, true
}

// Verdict says whether a log line is a rollback, or what else has to be known.
type Verdict int

// The verdicts.
const (
	No    Verdict = iota // nothing, or what only the files can tell: a reset to the same commit, a stash
	Yes                  // a revert
	Moved                // a reset: a rollback where no ref holds Old and the files went back too (not --soft)
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
	case op != "reset" || strings.Trim(e.Old, "0") == "" || e.Old == e.New:
		return No
	}
	return Moved
}
