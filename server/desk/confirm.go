package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Confirm records a lesson on a person's word. When a card says the same already it
// names that card and writes nothing. A candidate must clear the quality bar
// (*WeakError) unless it is saved as a draft; a person's own card below it is a draft. What an
// agent wishes to record (Auto) must clear it too, and is a draft until a person says more.
//
// An agent makes one draft of a conversation by itself; the person's own current message, or a
// click, allows more (ErrNotAsked) and may allow none (ErrForbidden).
//
// What was true when a candidate arose is looked at again: a card that has come to say the
// same is named as a twin is, files that are all gone are ErrStale (Fields.AllowGone), and a
// secret in what the person adds is a weakness, also of a draft.
func (s *Room) Confirm(ctx context.Context, r CreateRequest) (brain.Created, error) {
	var talk ledger.Session
	if r.Auto {
		s.birthMu.Lock() // two at once are two
		defer s.birthMu.Unlock()
		r = r.unconfirmed()
		talk = s.State.Conversation(r.SessionID)
	}
	var from *brain.Candidate
	if r.CandidateID != "" {
		c, err := s.Proposals.Find(r.CandidateID)
		if err != nil {
			return brain.Created{}, fmt.Errorf("record: %w", err)
		}
		from = &c
	}
	d, err := s.draft(r, from)
	if err != nil {
		return brain.Created{}, err
	}
	if twin, err := s.revalidate(ctx, d, r, from); err != nil {
		return brain.Created{}, err
	} else if twin != nil {
		return brain.Created{Path: twin.Path, DuplicateOf: twin.Path, Quarantined: brain.ReasonOf(*twin)}, nil
	}
	if d.Source == lessons.Auto && s.crowded() {
		return brain.Created{}, fmt.Errorf("record: %w", brain.ErrCrowd)
	}
	if r.Auto {
		if err := mayDraft(talk, r.Asked || from != nil); err != nil { // what waits is no new one
			return brain.Created{}, fmt.Errorf("draft: %w", err)
		}
	}
	weak := d.Card().Weaknesses()
	for _, it := range brain.ChecksOf(d.Card()) {
		weak = append(weak, it.Problems...)
	}
	if d.Status == "" && from == nil && len(weak) > 0 {
		d.Status = lessons.Drafted // a title alone helps nobody
	}
	if r.Auto || from != nil && d.Status != lessons.Drafted {
		if p, topic := d.Card().OnlyTopic(); topic && r.Auto {
			weak = append(weak, p)
		}
		if len(weak) > 0 {
			return brain.Created{}, &brain.WeakError{Problems: weak}
		}
	}
	rel := ""
	act := s.Begin("create")
	err = s.Do(act, func() error {
		named := d
		if d.Title == "" {
			named.Title = r.Language.Named(*from)[0].Title
		}
		rel = s.Files.NewPath(named)
		return act.Create(rel, d.Render())
	})
	if err != nil {
		return brain.Created{}, fmt.Errorf("create %s: %w", rel, err)
	}
	if r.Auto && from == nil {
		s.State.InSession(talk.ID, func(row *ledger.Session) { row.Drafts++ })
	}
	if from != nil {
		s.Proposals.Settle(from.ID)
	}
	made := brain.Created{Path: rel, EveryRequest: brain.IsBaseline(lessons.Card{Kind: d.Kind, Severity: d.Severity}), Nowhere: s.nowhere(d.Paths)}
	if d.Status == lessons.Drafted {
		made.Draft, made.Weak = true, weak
		for _, p := range weak {
			made.Lacks = append(made.Lacks, p.Code)
		}
	}
	return made, nil
}

// maxAuto is how many cards of agents, or from candidates, may stand that nobody verified or edited and whose mistake
// was seen once: with more of them nobody knows what the brain says, and the next waits for a tidy.
const maxAuto = 200

func (s *Room) crowded() bool {
	var auto []string
	for _, c := range s.Index.Heads() {
		if c.Source == lessons.Auto && !c.Verified && c.Occurrences <= 1 && (c.Status == lessons.Active || c.Status == lessons.Drafted) {
			auto = append(auto, c.Path)
		}
	}
	return len(auto) > maxAuto && len(auto)-s.Keeper.Edited(auto) > maxAuto
}

// texts are the fields of a request that a card has as text, by name.
func (r *CreateRequest) texts() map[string]*string {
	f := &r.Fields
	return map[string]*string{"title": &r.Title, "situation": &r.Situation, "mistake": &f.Mistake, "rootCause": &f.RootCause, "fix": &f.Fix, "appliesTo": &f.AppliesTo, "evidence": &f.Evidence}
}

// unconfirmed returns a request as one that no person stands behind may be carried out.
// What an agent quotes has passed through its terminal, so secrets are taken out.
func (r CreateRequest) unconfirmed() CreateRequest {
	r.Fields.Status, r.Fields.Checklist = lessons.Drafted, slices.Clone(r.Fields.Checklist)
	for i, item := range r.Fields.Checklist {
		r.Fields.Checklist[i] = leaks.Redact(item)
	}
	for _, text := range r.texts() {
		*text = leaks.Redact(*text)
	}
	return r
}

// revalidate looks again at what a draft rests on, and returns the card that says the same: as the candidate that it comes from, or as itself.
func (s *Room) revalidate(ctx context.Context, d lessons.Draft, r CreateRequest, from *brain.Candidate) (twin *lessons.Card, err error) {
	if from != nil {
		if len(from.Files) > 0 && !r.Fields.AllowGone && len(s.Present(from.Files)) == 0 {
			return nil, fmt.Errorf("record %q: %w", from.ID, &lessons.PathError{Path: from.Files[0], Err: brain.ErrStale})
		}
		if held := secretsIn(r); len(held) > 0 {
			return nil, &brain.WeakError{Problems: held}
		}
	}
	if r.Fields.AllowTwins {
		return nil, nil //nolint:nilnil // none is asked for
	}
	if from != nil { // a card may have come to say the same since the candidate arose
		if twin, ok := s.Titles().Twin(from.Title, ""); ok && twin.Path != from.Similar {
			return twin, nil
		}
	}
	return s.twinOf(ctx, d)
}

// secretsIn names the fields that hold what looks like a secret. What a candidate saw had
// them taken out when it arose; a person may paste one all the same.
func secretsIn(r CreateRequest) []lessons.Problem {
	texts, items := r.texts(), strings.Join(r.Fields.Checklist, "\n")
	texts["checklist"] = &items
	var out []lessons.Problem
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if leaks.Found(*texts[name]) {
			out = append(out, lessons.Problem{Code: lessons.HoldsSecret, Severity: lessons.Error, Args: []string{name}})
		}
	}
	return out
}

// maxScoped is up to how many files of a candidate become the paths of its card: more say that it is about none of them.
const maxScoped = 5

// draft gathers what is known of a new card: what the caller says, then what the candidate saw.
func (s *Room) draft(r CreateRequest, from *brain.Candidate) (lessons.Draft, error) {
	f := r.Fields
	d := lessons.Draft{
		Title: strings.TrimSpace(r.Title), Kind: f.Kind, Severity: f.Severity, Status: f.Status, Project: f.Project,
		Tags: f.Tags, Paths: f.Paths, On: lessons.DateOf(s.Now()), Language: string(r.Language),
		Sections: map[lessons.SectionName]string{},
	}
	if r.Auto || from != nil {
		d.Source = lessons.Auto
	}
	situation := r.Situation
	if c := from; c != nil {
		situation, d.Seen = cmp.Or(situation, c.Situation), c.Talks()
		named := r.Language.Named(*c)[0]
		switch {
		case !c.Untitled:
			d.Title = cmp.Or(d.Title, named.Title)
		case d.Title == named.Title || d.Title == c.Title:
			d.Title = "" // what it is listed by
		}
		f.Mistake, f.Fix, f.Evidence = cmp.Or(f.Mistake, named.Mistake), cmp.Or(f.Fix, c.Fix), cmp.Or(f.Evidence, named.Proof)
		d.Language = cmp.Or(c.Language, d.Language) // the words in it are the conversation's
		if d.Kind == lessons.Note {
			d.Kind = c.Kind
		}
		if len(f.Checklist) == 0 {
			f.Checklist = c.Items()
		}
		if len(d.Paths) == 0 && len(c.Rules) == 0 && len(c.Files) <= maxScoped { // what a card is about is what it is held against
			d.Paths = slices.DeleteFunc(slices.Clone(c.Files), func(f string) bool {
				return !filepath.IsLocal(filepath.FromSlash(f)) || strings.ContainsAny(f, "*?[]{}\\")
			})
		}
	}
	if r.Auto { // an agent quotes what it saw
		var shown []string
		f.Mistake, shown = lessons.Prose(f.Mistake)
		f.Evidence = strings.Join(append(shown, f.Evidence), "\n\n")
	}
	if d.Title == "" && (from == nil || f.Status != lessons.Drafted) {
		return d, &brain.WeakError{Problems: []lessons.Problem{{Code: lessons.MissingTitle, Severity: lessons.Error}}}
	}
	if d.Kind == lessons.Note {
		d.Kind = lessons.Lesson
	}
	if err := cmp.Or(lessons.OneOf("kind", d.Kind, lessons.Kinds()), lessons.OneOf("severity", d.Severity, lessons.Severities()),
		lessons.OneOf("source", d.Source, lessons.Sources()), lessons.OneOf("status", d.Status, lessons.Statuses())); err != nil {
		return d, err
	}
	if d.Severity == "" && isHabit(d, f.Checklist) {
		d.Severity = lessons.High // it comes with every request, unless the person says otherwise
	}
	items := ""
	for _, it := range f.Checklist {
		it, check, has := strings.Cut(strings.ReplaceAll(it, "\r", ""), "```check\n")
		it = strings.Join(strings.Fields(it), " ")
		if it != "" {
			items += "- [ ] " + postcheck.Mark(it, f.Evidence+f.Fix) + "\n"
		}
		check, _, _ = strings.Cut(check, "```")
		if it != "" && has {
			items += "  ```check\n  " + strings.ReplaceAll(strings.TrimRight(check, "\n "), "\n", "\n  ") + "\n  ```\n"
		}
	}
	for name, text := range map[lessons.SectionName]string{
		lessons.Situation: situation, lessons.Mistake: f.Mistake, lessons.RootCause: f.RootCause, lessons.Fix: f.Fix, lessons.AppliesTo: f.AppliesTo,
		lessons.Prevention: items, lessons.Evidence: f.Evidence,
	} {
		text = strings.TrimSpace(text)
		if text != "" {
			d.Sections[name] = text
		}
	}
	return d, nil
}

// isHabit reports whether a draft is a rule for any request: a policy or preference that
// names no topic, neither by tags and paths nor by a code word, so that no request finds it.
func isHabit(d lessons.Draft, items []string) bool {
	return (d.Kind == lessons.Policy || d.Kind == lessons.Preference) && len(d.Tags)+len(d.Paths) == 0 &&
		!slices.ContainsFunc(terms.Words(strings.Join(append(items, d.Title), "\n")), func(t terms.Term) bool { return t.Class == terms.Code })
}

// twinOf returns the card that says what a draft says: by its title, or in nearly the same words.
func (s *Room) twinOf(ctx context.Context, d lessons.Draft) (*lessons.Card, error) {
	if twin, ok := s.Titles().Twin(d.Title, ""); ok && d.Title != "" {
		return twin, nil
	}
	card := d.Card()
	hits, err := s.Found(ctx, brain.RetrieveRequest{Query: brain.FullText(card), All: true}, brain.MaxLessons)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() || h.Card.Status == lessons.Archived {
			continue
		}
		if other, err := s.Read(h.Card.Path); err == nil && life.Same(card, other) {
			return &other, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// An agent may draft one lesson of a conversation on its own. More of them, or one that the person has said not to
// make, is work that only the person's own current message starts, or a click. The words count as hooks and editors
// hand them over: what an agent says that the person said does not.

// mayDraft is the guard before an agent's draft: ErrForbidden, or ErrNotAsked for one more.
func mayDraft(c ledger.Session, clicked bool) error {
	switch {
	case clicked || c.Intent == heard.Asks:
		return nil
	case c.Intent == heard.Forbids:
		return brain.ErrForbidden
	case c.Drafts > 0 && !c.Invited:
		return brain.ErrNotAsked
	}
	return nil
}

// Template is a new card to be filled in in an editor, in three parts that follow each other. No file holds it yet.
type Template struct {
	Path    string `json:"path"`    // where the editor may save it: among the drafts
	Head    string `json:"head"`    // the frontmatter, without a title
	Snippet string `json:"snippet"` // in the syntax of LSP: the title, the root cause and the checklist, a tab stop each
	Rest    string `json:"rest"`    // the other sections
}

// Template returns a card that says what is known of it, for a person to say the rest. Title, root cause and checklist
// of r are not used. A kind or severity that does not exist is a *RequestError.
func (s *Room) Template(r CreateRequest) (Template, error) {
	mark := "x" + rand.Text() // no text of a person holds it, and YAML needs no quotes around it
	r.Title, r.Fields.Status = mark, lessons.Drafted
	d, err := s.draft(r, nil)
	if err != nil {
		return Template{}, err
	}
	why, check := lessons.RootCause, lessons.Prevention
	snippet := fmt.Sprintf("# ${1:<%s>}\n\n## %s\n\n${2:%s}\n\n## %s\n\n- [ ] ${3:%s}\n", r.Language.Say(say.WhatWentWrong),
		why.Heading(d.Language), why.Placeholder(d.Language), check.Heading(d.Language), strings.Replace(check.Placeholder(d.Language), "- [ ] ", "", 1))
	d.Sections[why], d.Sections[check] = mark, mark
	gap := "\n\n" + mark + "\n"
	drop := strings.NewReplacer("title: "+mark+"\n", "", "\n## "+why.Heading(d.Language)+gap, "", "\n## "+check.Heading(d.Language)+gap, "")
	head, rest, _ := strings.Cut(drop.Replace(string(d.Render())), "# "+mark+"\n")
	path := s.Files.NewPath(lessons.Draft{Title: r.Language.Say(say.NewLesson), Status: lessons.Drafted})
	return Template{Path: path, Head: head, Snippet: snippet, Rest: rest}, nil
}
