package triggers

import "sync"

// A complaint says that something fails again, still or over and over, that a fix did not
// hold or broke something else, that work was undone, or that the same thing has to be
// said once more. A failure told for the first time is none: it is a request like any
// other, and there is no lesson in it yet.
var (
	englishComplaints = sync.OnceValue(func() grammar { return load("complaint", "en") })
	koreanComplaints  = sync.OnceValue(func() grammar { return load("complaint", "ko") }) // also where English words are mixed in
)

// A request to record asks that what just happened be kept as a lesson: by that word, as
// a mistake not to be made again, or by a bare "record this". Recording something else
// (a video, a log line, a setting) is work like any other. Its phrases name a lesson; its
// marks only point at "this" or at a mistake, which may as well be data of the program.
var (
	englishRequests = sync.OnceValue(func() grammar { return load("record", "en") })
	koreanRequests  = sync.OnceValue(func() grammar { return load("record", "ko") })
)

// maxEvidence is how much of a sentence is shown, in characters, when no phrase in it says
// it alone.
const maxEvidence = 120

// fewWords is how many words a sentence needs to be judged by them: "nope" says nothing.
const fewWords = 3

// Classify judges a message by its text alone: which trigger it is, and the words that
// make it so, as written. A request to record wins over a complaint. ok is false when the
// message is neither.
func Classify(text string) (t Trigger, evidence string, ok bool) {
	s := sentences(text)
	for _, g := range []func() grammar{englishRequests, koreanRequests} {
		if e, ok := g().find(s); ok {
			return Record, e, true
		}
	}
	if len(s) == 0 {
		return "", "", false
	}
	score, loudest := weigh(s, complaintWeights())
	for _, g := range []func() grammar{koreanComplaints, englishComplaints} {
		if e, ok := g().find(s); ok {
			score += phraseWeight
			evidence = e
			break
		}
	}
	if score < complaintFloor {
		return "", "", false
	}
	if evidence == "" { // words alone
		if len(cutWords(s[loudest].norm)) < fewWords {
			return "", "", false
		}
		evidence = firstRunes(s[loudest].words(0, len(s[loudest].norm)), maxEvidence)
	}
	return Complaint, evidence, true
}
