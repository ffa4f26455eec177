package triggers

import (
	"sync"
	"unicode/utf8"
)

// A complaint says that something fails again, still or over and over, that a fix did not
// hold or broke something else, that work was undone, or that the same thing has to be
// said once more. A failure told for the first time is none: it is a request like any
// other, and there is no lesson in it yet.
//
// A request to record asks that what just happened be kept as a lesson: by that word, as
// a mistake not to be made again, or by a bare "record this". Recording something else
// (a video, a log line, a setting) is work like any other. Its phrases name a lesson; its
// marks only point at "this" or at a mistake, which may as well be data of the program.
//
// A correction says that something an agent said, did or assumed is not so, and mostly
// what is. Changing one's mind, or answering a question with no, corrects nothing.
var grammars = [len(spoken)]func() []grammar{
	inBoth("complaint"), inBoth("record"), inBoth("correction"),
}

// inBoth loads the grammars of a trigger when they are first needed, Korean first, which
// has English words mixed in.
func inBoth(trigger string) func() []grammar {
	return sync.OnceValue(func() []grammar { return []grammar{load(trigger, "ko"), load(trigger, "en")} })
}

const (
	// maxEvidence is how much of a sentence is shown, in characters, when no phrase in it
	// says it alone.
	maxEvidence = 120
	// A correction is as long as a sentence and no longer than a page, in characters; a
	// Hangul syllable counts as two.
	minCorrection = 20
	maxCorrection = 2000
)

// Classify judges a message by its text alone: which trigger it is, and the words that
// make it so, as written. ok is false when the message is none. It knows no secret; see
// [Detector.Classify].
func Classify(text string) (t Trigger, evidence string, ok bool) {
	j := judge(text)
	return j.trigger, j.evidence, j.trigger != ""
}

// Classify is [Classify] without the messages of which nothing is kept because they hold a
// secret.
func (d *Detector) Classify(text string) (t Trigger, evidence string, ok bool) {
	j := d.judge(text)
	return j.trigger, j.evidence, j.trigger != ""
}

// judgement is what a message says by its text alone.
type judgement struct {
	trigger  Trigger // "" when none
	evidence string
	rules    []rule // that it lays down as well
}

// judge leaves out what a secret stands in: a correction and a rule are quoted at length.
func (d *Detector) judge(text string) judgement {
	j := judge(text)
	switch j.trigger {
	case Correction, Preference, Constraint:
		if d.redact.finds(text) {
			return judgement{}
		}
	}
	return j
}

// judge decides on one trigger. What went wrong goes before what shall be from now on: a
// message that does both is a complaint, a request to record or a correction, whichever it
// sounds like most, and its rules go with it.
func judge(text string) judgement {
	s := sentences(text)
	if len(s) == 0 {
		return judgement{}
	}
	var j judgement
	j.trigger, j.evidence = spokenIn(text, s)
	if sized(text) {
		j.rules = rulesOf(s)
	}
	if j.trigger == "" && len(j.rules) > 0 {
		j.trigger, j.evidence = ruleTrigger(j.rules), clipRunes(j.rules[0].sentence, maxEvidence)
	}
	return j
}

// spokenIn returns the trigger that a message sounds like most, or "".
func spokenIn(text string, s []said) (t Trigger, evidence string) {
	m := learned()
	score, loudest := m.weigh(s)
	best := -1
	for i, t := range spoken {
		if score[i]+phraseWeight[i] < m.floor[i] || t == Correction && !correctionSized(text) {
			continue
		}
		words, found := phraseOf(grammars[i](), s)
		if found {
			score[i] += phraseWeight[i]
		} else {
			words = firstRunes(s[loudest[i]].words(0, len(s[loudest[i]].norm)), maxEvidence)
		}
		if score[i] >= m.floor[i] && (best < 0 || score[i] > score[best]) {
			best, evidence = i, words
		}
	}
	if best < 0 {
		return "", ""
	}
	return spoken[best], evidence
}

// phraseOf returns the words by which a grammar finds its trigger in a text.
func phraseOf(in []grammar, text []said) (evidence string, ok bool) {
	for _, g := range in {
		if e, ok := g.find(text); ok {
			return e, true
		}
	}
	return "", false
}

func correctionSized(text string) bool {
	n := utf8.RuneCountInString(text)
	if n > maxCorrection {
		return false
	}
	for _, r := range text {
		if isSyllable(r) {
			n++
		}
	}
	return n >= minCorrection
}
