package life

import (
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/testdata/many"
)

// cardsToMeasure is the size of a brain that a team fills in years.
const cardsToMeasure = 12000

func manyCards() []lessons.Card {
	cards := make([]lessons.Card, 0, cardsToMeasure)
	for path, text := range many.Cards(cardsToMeasure) {
		c, _ := lessons.Parse(path, []byte(text))
		cards = append(cards, c)
	}
	return cards
}

func BenchmarkTwins(b *testing.B) {
	cards := manyCards()
	for b.Loop() {
		if len(Twins(cards)) == 0 {
			b.Fatal("no twins")
		}
	}
}

func BenchmarkTidy(b *testing.B) {
	cards := manyCards()
	today := lessons.Date{Year: 2026, Month: 11, Day: 21}
	for b.Loop() {
		if len(Tidy(cards, func(string) Record { return Record{} }, today)) == 0 {
			b.Fatal("nothing to tidy")
		}
	}
}
