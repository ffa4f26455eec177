package triggers

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// message judges what a person wrote. What is plain raises a candidate.
func (d *Detector) message(s *session, e Event) ([]Candidate, *Hint) {
	j := d.Judge(e.Text, e.Context)
	s.Turn++
	s.asking = ""
	h := Hint{
		Turn: s.Turn, Trigger: Trigger(j.Kind), Words: clipRunes(strings.TrimSpace(e.Text), maxQuote), Why: j.Evidence,
		Request: s.request, Files: e.Files,
	}
	if j.Undo {
		s.undo = undo{s.Turn, h.Words, s.request}
	}
	rule := j.Strength == heard.Plain && (j.Kind == heard.Preference || j.Kind == heard.Constraint)
	if j.Strength != heard.Plain || rule { // it is a request, whatever else it is
		s.request = h.Words
		defer func() { s.lately = nil }()
	}
	if d.opt.Broken != nil && j.Kind != "" && !rule {
		if broken := d.opt.Broken(e.Text, j); broken != "" { // it agrees with a hint
			h.Trigger = Correction
			c := s.spoken(h)
			c.Title, c.Rules = broken, []string{broken}
			return []Candidate{c}, nil
		}
	}
	var waits *Hint
	switch {
	case rule: // what was done before has no part in it
		return []Candidate{h.laidDown(j.Rules)}, nil
	case j.Strength == heard.Hint:
		h.Terms = topicOf(e.Text)
		if c := s.hinted(&h); c != nil {
			return c, nil
		}
		waits = &h
		if rule := h.ruling(); d.opt.Weak && (h.Trigger == Correction || rule != "") {
			c := s.spoken(h)
			c.Weak, c.Likely = true, j.Likely || rule != ""
			if rule != "" {
				c.Title, c.Rules = rule, []string{rule}
			}
			return []Candidate{c}, waits
		}
	case j.Strength == heard.Plain:
		c := s.spoken(h)
		switch {
		case len(j.Rules) == 0:
		case j.Kind == heard.Record:
			c.Kind, c.Rules = kindOf(j.Rule), slices.Clone(j.Rules)
		default: // what fell has a rule from now on
			c.Trigger = Trigger(j.Rule)
			c.ruled(j.Rules)
		}
		return []Candidate{c}, nil
	}
	return nil, waits
}

// kindOf returns the kind of card that a rule makes.
func kindOf(k heard.Kind) lessons.Kind {
	if k == heard.Constraint {
		return lessons.Policy
	}
	return lessons.Preference
}

// laidDown makes the candidate of standing rules.
func (h Hint) laidDown(rules []string) Candidate {
	c := Candidate{Trigger: h.Trigger, Files: h.Files, Korean: korean(h.Words), Evidence: slices.Clone(rules), Situation: quoteOf(h.Words)}
	c.ruled(rules)
	return c
}

// ruled has a candidate lay down rules.
func (c *Candidate) ruled(rules []string) {
	c.Kind = kindOf(heard.Kind(c.Trigger))
	for _, r := range rules {
		c.Rules = append(c.Rules, cmp.Or(heard.Bare(r), r))
	}
	c.Title = c.Rules[0]
}

// spoken makes the candidate of a message.
func (s *session) spoken(h Hint) Candidate {
	if h.Trigger == Constraint { // a demand
		return h.laidDown([]string{h.Why})
	}
	about := topicOf(h.about())
	// A request to record that says what it is about, in no word of what was asked before: nothing that was done in between has a part in it.
	if h.Trigger == Record && h.Request != "" && len(about) >= fewTerms && jaccard(about, topicOf(h.Request)) == 0 {
		h.Request = ""
		return new(session).spoken(h)
	}
	shown := h.Words
	if strings.Contains(shown, "\n") || utf8.RuneCountInString(shown) > maxTitle {
		shown = h.Why // the sentence that tells
	}
	c := Candidate{Trigger: h.Trigger, Files: h.Files, Evidence: append([]string{shown}, s.context()...), Korean: korean(h.Words + h.Request), Mistake: quoteOf(h.Words)}
	if len(c.Files) == 0 {
		c.Files = slices.Clone(s.lately)
	}
	if h.Request != "" {
		c.Situation = quoteOf(h.Request)
	}
	if s.failed != nil {
		c.Mistake += "\n\n" + fenced(s.failed.shown())
		c.Command, c.Test = firstLine(s.failed.shown()), failedTest(s.failed.excerpt())
	}
	if made := diffOf(s.work.in(h.Turn-1, c.Files)); made != "" && h.Trigger != Record { // what was said of it was made in the turn before
		c.Mistake += "\n\n" + made
	}
	switch about := h.about(); {
	case len(strings.Fields(about)) > 1:
		c.Title = about
	case s.failed != nil && (h.Request == "" || h.Trigger == Record):
		c.Title = firstLine(s.failed.shown())
	default:
		c.Title = firstLine(cmp.Or(h.Request, h.Words))
	}
	return c
}

// about returns what a message says that it is about. A complaint's own words make a poor title: what it is about was said before. A
// request to record often says it itself, behind its colon or around the request, a correction what is right.
func (h Hint) about() string {
	switch h.Trigger {
	case Record:
		lead, rest, found := strings.Cut(strings.Join(strings.Fields(h.Words), " "), h.Why)
		if !found {
			return ""
		}
		if _, what, ok := strings.Cut(h.Why, ": "); ok && strings.Trim(what, edgeMarks) != "" {
			return strings.Trim(what, edgeMarks)
		}
		return firstLine(strings.Trim(lead+" "+rest, edgeMarks))
	case Correction:
		return heard.Headline(h.Words)
	}
	return ""
}

// ordered matches what stands before the rule where an agent's rules are to say it.
var ordered = lazyregexp.New(`(?i)^.*?\b(?:rules?|instructions)\b.*? (?:to|that) (?:specif\w+ )?(?:to |that )?`)

// ruling returns the rule that an agent's own rules are to say: the first sentence that binds, of no document.
func (h Hint) ruling() string {
	if h.Trigger != Record || len(h.Words) > maxQuote || strings.HasPrefix(strings.ToLower(h.Why), "make sure") { // that another text says it
		return ""
	}
	for _, s := range Sentences(h.Words) {
		if rule := heard.Bare(ordered().ReplaceAllString(s, "")); RuleOf(rule).Binds() || RuleOf(s).Binds() {
			return rule
		}
	}
	return ""
}

// context is what the session holds that may explain a candidate.
func (s *session) context() []string {
	var out []string
	if s.failed != nil {
		out = append(out, s.failed.shown())
	}
	if len(s.lately) > 0 {
		out = append(out, strings.Join(s.lately, ", "))
	}
	return out
}
