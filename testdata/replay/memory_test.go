package replay

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// turnsOf and cardsOf are the conversation and the brain that the goal is set for: mostTokens of
// whole cards on average, in estimated tokens, beside as much for titles; and mostAgain cards of a
// hundred conversations that come again, which only those may whose mistake the person says to have
// fallen again.
const (
	turnsOf    = 20
	cardsOf    = 60
	mostTokens = 1300
	mostAgain  = 21
)

var (
	titles  = regexp.MustCompile(`(?m)^\[LESSON TITLES[^\n]*\n(?:- [^\n]*\n?)*`)
	notes   = regexp.MustCompile(`(?s)\[CONTEXT\].*?\[/CONTEXT\]`)
	heading = regexp.MustCompile(`(?m)^(?:\d+\.|\[ACTIVE LESSON\]) .* · (lessons/\S+\.md)$`)
)

// given counts what one conversation was given whole.
type given struct {
	prompts, actions int // cards
	repeats          []string
	tokens, titles   int // as lessons.CountTokens counts them
}

func countGiven(got []Got) (n given) {
	seen := map[string]bool{}
	for _, g := range got {
		for _, m := range titles.FindAllString(g.Context, -1) {
			n.titles += lessons.CountTokens(m)
		}
		whole := notes.ReplaceAllString(titles.ReplaceAllString(g.Context, ""), "")
		n.tokens += lessons.CountTokens(whole)
		for _, m := range heading.FindAllStringSubmatch(whole, -1) {
			if g.Event == "UserPromptSubmit" {
				n.prompts++
			} else {
				n.actions++
			}
			if seen[m[1]] {
				n.repeats = append(n.repeats, m[1])
			}
			seen[m[1]] = true
		}
	}
	return n
}

// TestWholeCards plays the first turns of long conversations to a brain that has the cards of
// their repository.
func TestWholeCards(t *testing.T) {
	var all []given
	begun := map[string]bool{} // some conversations are in two files
	for _, s := range Sessions(t) {
		if len(s.Turns) < turnsOf || begun[s.Turns[0].Prompt] {
			continue
		}
		begun[s.Turns[0].Prompt] = true
		dir := filepath.Join(t.TempDir(), path.Base(s.Repo)) // a repository's own name tells nothing
		Brain(t, dir, s.Repo, cardsOf)
		s.Turns = s.Turns[:turnsOf]
		n := countGiven(Start(t, dir).Play(s))
		t.Logf("%-28.28s %-40.40s cards %2d at prompts, %2d at actions, repeats %d, tokens %d, of titles %d", s.Repo, s.Name, n.prompts, n.actions, len(n.repeats), n.tokens, n.titles)
		all = append(all, n)
	}
	var sum given
	for _, n := range all {
		sum.prompts, sum.actions, sum.repeats = sum.prompts+n.prompts, sum.actions+n.actions, append(sum.repeats, n.repeats...)
		sum.tokens, sum.titles = sum.tokens+n.tokens, sum.titles+n.titles
	}
	slices.SortFunc(all, func(a, b given) int { return a.tokens - b.tokens })
	t.Logf("%d conversations: cards %.1f at prompts, %.1f at actions, repeats %d of %d; tokens %d on average, half %d, most %d; titles %d",
		len(all), float64(sum.prompts)/float64(len(all)), float64(sum.actions)/float64(len(all)), len(sum.repeats), sum.prompts+sum.actions,
		sum.tokens/len(all), all[len(all)/2].tokens, all[len(all)-1].tokens, sum.titles/len(all))
	if sum.tokens > mostTokens*len(all) || 100*len(sum.repeats) > mostAgain*len(all) {
		t.Errorf("want %d tokens at most, and %d cards of 100 conversations again", mostTokens, mostAgain)
	}
}
