package judge

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/postcheck/proof"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/watch"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// verdicts says what a turn did with the items of its cards, and what its commands proved.
func (s *Room) verdicts(ctx context.Context, f *brain.Footer, row ledger.Turn, r AnswerRequest, cards []lessons.Card) {
	session := cmp.Or(r.SessionID, row.Session)
	if r.Elsewhere {
		s.Deeds.Ran(session, brain.Elsewhere, "", nil)
	}
	deeds, known := s.Deeds.Deeds(session)
	t := postcheck.Turn{Deeds: deeds.Turn, Request: cmp.Or(row.Request, r.Request, deeds.Pasted), Answer: r.Answer, Asked: len(r.Lessons) > 0, Watched: r.Watched || known && len(deeds.Session)+len(deeds.Turn.Edits) > 0}
	t.Earlier = deeds.Session[:max(0, len(deeds.Session)-len(deeds.Turn.Commands))]
	if len(deeds.Files) > 0 {
		t.Edits = s.addFromGit(ctx, t.Edits, deeds.Files)
	}
	for _, c := range r.Changes {
		t.Edits = append(t.Edits, check.Edit{File: c.File, Added: brain.AddedBy(c), Removed: brain.AddedBy(triggers.Change{Added: c.Removed})})
	}
	t.Text = func(file string) string {
		if path, told := deeds.Paths[file]; told || !filepath.IsLocal(file) {
			return brain.TextOf(path)
		}
		return brain.TextOf(filepath.Join(filepath.Dir(s.Files.Root()), file))
	}
	t.Differs = func(file string) bool {
		out, err := git.Output(ctx, filepath.Dir(s.Files.Root()), "diff", "--name-only", "--diff-filter=M", "HEAD", "--", file)
		return err == nil && out != ""
	}
	own := s.ProjectPath(s.Files.Root()) + "/"
	t.Edits = slices.DeleteFunc(t.Edits, func(e check.Edit) bool { return strings.HasPrefix(e.File, own) }) // a card's examples break its own check
	for i, c := range r.Ran {
		t.Commands = append(t.Commands, check.Command{Line: c.Command, Failed: c.Failed, Seq: i + 1})
	}
	judged := postcheck.Judge(ctx, t, cards)
	s.withoutIgnored(ctx, t, cards, judged)
	for _, v := range judged {
		if v.State == postcheck.NotHere {
			continue
		}
		out := brain.Verdict{Path: v.Path, Title: v.Title, Item: v.Item.Text, Line: v.Item.Line, Severity: string(v.Severity), State: string(v.State), By: string(v.By), Place: placeOf(v.Place, deeds.Paths), Missing: brain.OrEmpty(v.Missing)}
		f.Verdicts = append(f.Verdicts, out)
	}
	f.Unaddressed = brain.Unaddressed(f.Verdicts)
	if known {
		heard := 0
		s.State.InSession(session, func(row *ledger.Session) { heard = row.Heard })
		told := len(deeds.Session) > 0 || r.Commands && len(deeds.Turn.Edits) > 0
		all := r.Watched && told && deeds.Turns == heard && !deeds.Cut
		for _, d := range proof.Doubts(r.Answer, deeds.Session, all, deeds.Pasted) {
			f.Doubts = append(f.Doubts, brain.Doubt{Kind: string(d.Claim.Kind), Text: d.Claim.Text, Why: d.Why, Command: d.Command})
		}
	}
	for _, e := range proof.Gather(deeds.Turn.Edits, deeds.Turn.Commands) {
		f.Evidence = append(f.Evidence, brain.Evidence{Kind: string(e.Kind), Command: e.Command, Failed: e.Failed, Stale: e.Stale})
	}
}

// placeOf finds a line again where it stands by now: further edits move it.
func placeOf(p postcheck.Place, paths map[string]string) *ledger.Place {
	if p == (postcheck.Place{}) {
		return nil
	}
	out := &ledger.Place{File: p.File, Path: paths[p.File], Line: p.Line.N, Text: strings.TrimSpace(p.Line.Text), Command: p.Command, Sentence: p.Sentence}
	text := brain.TextOf(out.Path)
	if text == "" || p.Line.Text == "" {
		return out
	}
	lines, same := strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == out.Text }
	if n := out.Line; n < 1 || n > len(lines) || !same(lines[n-1]) {
		out.Line = slices.IndexFunc(lines, same) + 1
	}
	return out
}

// addFromGit adds what git tells of files that were edited in a way that shows no lines, where they were as committed when the turn began.
func (s *Room) addFromGit(ctx context.Context, edits []check.Edit, files []string) []check.Edit {
	for _, f := range files {
		if hash, known := s.Git.AtStart(f); !known || hash != "" {
			continue
		}
		name := s.ProjectPath(f)
		i := slices.IndexFunc(edits, func(e check.Edit) bool { return e.File == name })
		patch, err := watch.GitOutput(ctx, filepath.Dir(f), "diff", "-U0", "--", f)
		if err != nil || i < 0 {
			continue
		}
		for _, c := range triggers.ParsePatch(patch) {
			for _, line := range brain.AddedBy(c) {
				line.Text = leaks.Redact(line.Text)
				edits[i].Added = append(edits[i].Added, line)
			}
		}
	}
	return edits
}

// maxLeft bounds the items that lead the next request.
const maxLeft = 3

// keepLeft keeps what a turn left broken or open for the next request of its conversation, each item once. A card of
// which an item was broken that is not told so may come again.
func (s *Room) keepLeft(id string, r AnswerRequest, f brain.Footer) {
	if len(r.Lessons) > 0 {
		return
	}
	fell := map[string]bool{}
	s.State.InSession(id, func(row *ledger.Session) {
		row.Left = nil
		for _, u := range f.Unaddressed {
			if u.By != string(postcheck.ByAnswer) && len(row.Left) < maxLeft && lessons.Severity(u.Severity).Rank() > 0 && row.Lead(u.Path, u.Item) {
				row.Left = append(row.Left, u)
			} else if u.State == string(postcheck.Broken) {
				fell[u.Path] = true
			}
		}
	})
	s.State.Forget(id, fell)
}

// IgnoreRequest says of a line that it may break an item. Without a path it only asks for
// the list. The card stays as it is.
type IgnoreRequest struct {
	Path   string `json:"path,omitempty" names:"card"` // of the card
	Item   string `json:"item,omitempty"`              // as its verdict has it
	File   string `json:"file,omitempty"`              // as cards name it
	Text   string `json:"text,omitempty"`              // of the line, as the verdict's place has it
	Reason string `json:"reason,omitempty"`            // why, up to 300 characters; not needed with off
	Off    bool   `json:"off,omitempty"`               // the line counts again
}

// IgnoreHere leaves a line out of later verdicts on one item, or lets it count again, and
// returns all such lines, newest first.
func (s *Room) IgnoreHere(_ context.Context, r IgnoreRequest) ([]ledger.Ignored, error) {
	if r.Path != "" {
		rel, err := s.Files.Rel(r.Path)
		if err != nil {
			return nil, fmt.Errorf("ignore a line: %w", err)
		}
		for field, value := range map[string]string{"item": r.Item, "file": r.File, "text": r.Text} {
			if strings.TrimSpace(value) == "" {
				return nil, &brain.RequestError{Field: field, Need: brain.NeedText}
			}
		}
		row := ledger.Ignored{Path: rel, Item: r.Item, File: r.File, Text: r.Text, Reason: strings.Join(strings.Fields(r.Reason), " ")}
		if n := utf8.RuneCountInString(row.Reason); !r.Off && (n == 0 || n > lessons.MaxReason) {
			return nil, &brain.RequestError{Field: "reason", Value: brain.Head(row.Reason, 80), Need: brain.NeedReason}
		}
		s.State.Ignore(row, r.Off)
	}
	return s.State.Ignored(), nil
}

// withoutIgnored judges again, without the lines that may break it, each item that such a line
// breaks: another line may break it as well.
func (s *Room) withoutIgnored(ctx context.Context, t postcheck.Turn, cards []lessons.Card, verdicts []postcheck.Verdict) {
	for i, v := range verdicts {
		ignored := func(file, text string) bool {
			return s.State.Ignores(ledger.Ignored{Path: v.Path, Item: v.Item.Text, File: file, Text: text})
		}
		if v.State != postcheck.Broken || v.Place.File == "" || !ignored(v.Place.File, v.Place.Line.Text) {
			continue
		}
		rest := t
		rest.Edits = slices.Clone(t.Edits)
		for k, e := range rest.Edits {
			rest.Edits[k].Added = slices.DeleteFunc(slices.Clone(e.Added), func(l check.Line) bool { return ignored(e.File, l.Text) })
		}
		own := slices.DeleteFunc(slices.Clone(cards), func(c lessons.Card) bool { return c.Path != v.Path })
		for _, again := range postcheck.Judge(ctx, rest, own) {
			if again.Item.Line == v.Item.Line {
				verdicts[i] = again
			}
		}
	}
}
