// Package life computes the utility of cards, finds twins, and suggests
// what to tidy. It never changes a card.
package life

import (
	"math"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// Record is how a card was used.
type Record struct {
	Served      int // turns that were given the card
	Addressed   int // of them, the answer showed every item
	Unaddressed int // of them, it did not
	Recurred    int // sessions in which the mistake came back although the card was served
	LastUsed    lessons.Date
}

// The constants of the utility, as AgentGhost's skill memory measured them.
const (
	confidenceWeight = 0.5
	helpfulWeight    = 0.8
	verifiedBonus    = 0.3
	frequencyWeight  = 0.1
	frequencyCap     = 0.3
	staleAfter       = 5 // retrievals before a low rate of help counts against a card
	staleRate        = 0.35
	stalePenalty     = 0.5
	decisive         = 4 // outcomes before they count at all
	outcomeBase      = 0.4
	outcomeWeight    = 0.75
)

// Proven returns a factor for the outcomes of the turns that used a card: above 1 if most
// succeeded, below 1 if many failed, and 1 while there are too few.
func Proven(succeeded, failed int) float64 {
	n := succeeded + failed
	if n < decisive {
		return 1
	}
	return outcomeBase + outcomeWeight*float64(succeeded+1)/float64(n+2)
}

// Confidence of a card by who wrote it, 0 … 1.
const (
	curatedConfidence = 1.0
	autoConfidence    = 0.5
)

// Utility returns what a card is worth, by how often its mistake was seen and by what came of the turns that were
// given it, rounded to four places. The shares are smoothed (+1, +2), so a new card stands between a good one and a bad
// one. It only orders cards and changes none.
func Utility(c lessons.Card, r Record) float64 {
	confidence := curatedConfidence
	if c.Source == lessons.Auto {
		confidence = autoConfidence
	}
	rate := float64(r.Addressed+1) / float64(r.Served+2)
	often := min(math.Log(1+float64(c.Occurrences))*frequencyWeight, frequencyCap)
	u := confidence*confidenceWeight + rate*helpfulWeight + often
	if c.Verified {
		u += verifiedBonus
	}
	if r.Served >= staleAfter && rate < staleRate {
		u *= stalePenalty
	}
	return math.Round(u*Proven(max(0, r.Addressed-r.Recurred), r.Recurred)*1e4) / 1e4
}

// lastUse returns the day a card was last seen or served, zero when neither is known.
func lastUse(c lessons.Card, r Record) lessons.Date {
	if r.LastUsed.Time(time.UTC).After(c.LastSeen.Time(time.UTC)) {
		return r.LastUsed
	}
	return c.LastSeen
}
