package server

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/postcheck"
	"handrail/postcheck/check"
	"handrail/postcheck/proof"
	"handrail/server/ledger"
	"handrail/server/watch"
	"handrail/triggers"
	"handrail/triggers/leaks"
)

// maxNoting bounds what waits for the ledger; who comes then waits too.
const maxNoting = 256

// keepLedger carries out what is noted, one after the other and beside the answers: secrets take time to look for.
func (s *Base) keepLedger() {
	for {
		select {
		case do := <-s.noting:
			do()
		case <-s.ctx.Done():
			for len(s.noting) > 0 {
				(<-s.noting)()
			}
			return
		}
	}
}

// noted waits until all that was told so far stands in the ledger.
func (s *Base) noted(ctx context.Context) {
	done := make(chan struct{})
	s.later(func() { close(done) })
	select {
	case <-done:
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
}

func (s *Base) later(do func()) {
	select {
	case s.noting <- do:
	case <-s.ctx.Done():
	}
}

// did notes in the ledger what a tool did.
func (s *hearRoom) did(e Event) {
	switch e.Kind {
	case EditEvent:
		if !e.Failed {
			s.later(func() { s.deeds.Edited(e.SessionID, e.Files, e.Changes, s.projectPath) })
		}
	case CommandEvent, TestEvent:
		s.later(func() { s.deeds.Ran(e.SessionID, e.Command, e.Output, e.HasFailed()) })
	case ToolEvent:
		if mayRun.MatchString(e.Tool) {
			s.later(func() { s.deeds.Ran(e.SessionID, elsewhere, "", nil) })
		}
	}
}

// mayRun matches tools that may run tests or push although they are no shell: another agent, a server's tool, a task.
var mayRun = lazyregexp.New(`(?i)agent|task$|mcp|__|terminal|shell|bash|exec|run|test|lint|build|error|problem|` +
	`diagnos|commit|push|git|pull_?request|workflow|command`)

// elsewhere stands in the ledger for what ran where nobody tells of it.
const elsewhere = "sub-agent"

// verdicts says what a turn did with the items of its cards, and what its commands proved.
func (s *judgeRoom) verdicts(ctx context.Context, f *Footer, row ledger.Turn, r AnswerRequest, cards []lessons.Card) {
	s.noted(ctx)
	session := cmp.Or(r.SessionID, row.Session)
	if r.Elsewhere {
		s.deeds.Ran(session, elsewhere, "", nil)
	}
	deeds, known := s.deeds.Deeds(session)
	t := postcheck.Turn{Deeds: deeds.Turn, Request: cmp.Or(row.Request, deeds.Pasted), Answer: r.Answer, Asked: len(r.Lessons) > 0, Watched: r.Watched || known && len(deeds.Session)+len(deeds.Turn.Edits) > 0}
	if len(deeds.Files) > 0 {
		t.Edits = s.unseen(ctx, t.Edits, deeds.Files)
	}
	for _, c := range r.Changes {
		t.Edits = append(t.Edits, check.Edit{File: c.File, Added: addedBy(c), Removed: addedBy(Change{Added: c.Removed})})
	}
	own := s.projectPath(s.brain.Root()) + "/"
	t.Edits = slices.DeleteFunc(t.Edits, func(e check.Edit) bool { return strings.HasPrefix(e.File, own) }) // a card's examples break its own check
	for i, c := range r.Ran {
		t.Commands = append(t.Commands, check.Command{Line: c.Command, Failed: c.Failed, Seq: i + 1})
	}
	judged := postcheck.Judge(ctx, t, cards)
	s.passOver(ctx, t, cards, judged)
	for _, v := range judged {
		if v.State == postcheck.NotHere {
			continue
		}
		out := Verdict{Path: v.Path, Title: v.Title, Item: v.Item.Text, Line: v.Item.Line, Severity: string(v.Severity), State: string(v.State), By: string(v.By), Place: placeOf(v.Place, deeds.Paths), Missing: orEmpty(v.Missing)}
		f.Verdicts = append(f.Verdicts, out)
	}
	f.Unaddressed = unaddressed(f.Verdicts)
	if known {
		heard := 0
		s.state.InSession(session, func(row *ledger.Session) { heard = row.Heard })
		told := len(deeds.Session) > 0 || r.Commands && len(deeds.Turn.Edits) > 0
		all := r.Watched && told && deeds.Turns == heard && !deeds.Cut
		for _, d := range proof.Doubts(r.Answer, deeds.Session, all, deeds.Pasted) {
			f.Doubts = append(f.Doubts, Doubt{Kind: string(d.Claim.Kind), Text: d.Claim.Text, Why: d.Why, Command: d.Command})
		}
	}
	for _, e := range deeds.Evidence() {
		f.Evidence = append(f.Evidence, Evidence{Kind: string(e.Kind), Command: e.Command, Failed: e.Failed, Stale: e.Stale})
	}
}

// unaddressed returns the broken and the open ones of some verdicts, gravest first.
func unaddressed(all []Verdict) []Verdict {
	out := []Verdict{}
	for _, v := range all {
		if v.State == string(postcheck.Broken) || v.State == string(postcheck.Open) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Verdict) int {
		return cmp.Or(strings.Compare(a.State, b.State), cmp.Compare(lessons.Severity(b.Severity).Rank(), lessons.Severity(a.Severity).Rank())) // "broken" before "open"
	})
	return out
}

// maxSource is the largest file that is looked through for a line, in bytes.
const maxSource = 1 << 20

// placeOf finds a line again where it stands by now: further edits move it.
func placeOf(p postcheck.Place, paths map[string]string) *Place {
	if p == (postcheck.Place{}) {
		return nil
	}
	out := &Place{File: p.File, Path: paths[p.File], Line: p.Line.N, Text: strings.TrimSpace(p.Line.Text), Command: p.Command, Sentence: p.Sentence}
	if out.Path == "" || p.Line.Text == "" {
		return out
	}
	if info, err := os.Stat(out.Path); err != nil || info.Size() > maxSource {
		return out
	}
	data, err := os.ReadFile(out.Path)
	if err != nil {
		return out
	}
	lines := bytes.Split(data, []byte("\n"))
	at := func(n int) bool { return n > 0 && n <= len(lines) && strings.TrimSpace(string(lines[n-1])) == out.Text }
	if !at(out.Line) {
		out.Line = 0
		for n := range lines {
			if at(n + 1) {
				out.Line = n + 1
				break
			}
		}
	}
	return out
}

// unseen adds what git tells of files that were edited in a way that shows no lines, where they were as committed when the turn began.
func (s *judgeRoom) unseen(ctx context.Context, edits []check.Edit, files []string) []check.Edit {
	for _, f := range files {
		if hash, known := s.git.AtStart(f); !known || hash != "" {
			continue
		}
		patch, err := watch.GitOutput(ctx, filepath.Dir(f), "diff", "-U0", "--", f)
		if err != nil {
			continue
		}
		name := s.projectPath(f)
		i := slices.IndexFunc(edits, func(e check.Edit) bool { return e.File == name })
		for _, c := range triggers.ParsePatch(patch) {
			for _, line := range addedBy(c) {
				if line.Text = leaks.Redact(line.Text); i >= 0 {
					edits[i].Added = append(edits[i].Added, line)
				}
			}
		}
	}
	return edits
}

const (
	// maxLeft bounds the items that lead the next request.
	maxLeft = 3
)

// leave keeps what a turn left broken or open for the next request of its conversation, each item once. A card of
// which an item was broken may come again.
func (s *judgeRoom) leave(id string, r AnswerRequest, f Footer) {
	if len(r.Lessons) > 0 {
		return
	}
	fell := map[string]bool{}
	s.state.InSession(id, func(row *ledger.Session) {
		row.Left = nil
		for _, u := range f.Unaddressed {
			if u.State == string(postcheck.Broken) {
				fell[u.Path] = true
			}
			if len(row.Left) < maxLeft && lessons.Severity(u.Severity).Rank() > 0 && row.Lead(u.Path, u.Item) {
				row.Left = append(row.Left, u)
			}
		}
	})
	s.state.Forget(id, fell)
}

// leftOver returns what the turn before left, to lead this request's block, and the cards it is of.
// A card that may not speak any more is left out.
func (s *deliverRoom) leftOver(id string) (text string, cards []string) {
	var last []Verdict
	s.state.InSession(id, func(row *ledger.Session) { last, row.Left = row.Left, nil })
	var left []lessons.Left
	for _, v := range last {
		if card, err := s.read(v.Path); err != nil || card.Status != lessons.Active || !s.speaks(&card) {
			continue
		}
		l := lessons.Left{Title: v.Title, Item: v.Item, Broken: v.State == string(postcheck.Broken)}
		if p := v.Place; p != nil && l.Broken {
			l.Place = p.String()
		}
		left, cards = append(left, l), append(cards, v.Path)
	}
	return lessons.LeftBlock(left), cards
}
