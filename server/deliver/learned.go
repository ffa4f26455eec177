package deliver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// learned answers a request that asks what was learned of late: the cards whose mistakes were seen since, and
// what waits for the person's word, also in a pause: it is asked for. It is empty for any other request.
func (s *Room) learned(r PreflightRequest) string {
	days := heard.AsksWhatWasLearned(r.Query)
	if days == 0 {
		return ""
	}
	since := lessons.DateOf(s.Now().AddDate(0, 0, 1-days))
	var lines []string
	cards := slices.DeleteFunc(s.Index.Cards(), func(c lessons.Card) bool {
		return !c.Kind.IsCard() || c.Status != lessons.Active || !c.For(r.Project) || c.LastSeen.Compare(since) < 0 || !s.Keeper.Approved(&c)
	})
	if len(cards) == 0 && s.Mine() { // the project's brain answers
		return ""
	}
	slices.SortFunc(cards, brain.NewestFirst)
	for _, c := range cards[:min(len(cards), maxLearned)] {
		lines = append(lines, "- "+lessons.Shown(c.Title)+" · "+lessons.Shown(c.Path))
	}
	text := fmt.Sprintf("[LEARNED SINCE %s — tell the person]\nLessons: %d. More that wait for the person (handrail review): %d.\n", since, len(cards), len(s.Candidates()))
	return text + strings.Join(append(lines, "[/LEARNED]"), "\n")
}

// maxLearned bounds the cards that an answer to what was learned names.
const maxLearned = 20
