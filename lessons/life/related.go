package life

import (
	"cmp"
	"slices"

	"handrail/lessons"
)

const (
	// relatedCards is how many similar cards are linked, as ConnectAI's lesson network does.
	relatedCards = 3
	// relatedOverlap is the share of common words below which two cards have nothing to say
	// to each other.
	relatedOverlap = 0.08
	// relatedWords bounds how often a word may occur to bring two cards together; a commoner
	// one says nothing, and comparing all that hold it takes quadratic time.
	relatedWords = 200
)

// Related returns for each card the paths of those to be linked from it: the three most alike
// (by the share of common words), and the cards among whose three it is. Cards without any are
// missing. Archived and draft cards and those of other projects are never linked.
func Related(cards []lessons.Card) map[string][]string {
	cards = slices.DeleteFunc(slices.Clone(cards), func(c lessons.Card) bool { return c.Status != lessons.Active || !c.Kind.IsCard() })
	slices.SortFunc(cards, func(a, b lessons.Card) int { return cmp.Compare(a.Path, b.Path) })
	sets := vocabulary(cards, func(c lessons.Card) string {
		text := c.Title
		for _, t := range c.Tags {
			text += "\n" + t
		}
		for _, s := range c.Sections {
			text += "\n" + s.Text
		}
		return text
	})
	holders := map[int32][]int{}
	for i, s := range sets {
		for _, w := range s {
			holders[w] = append(holders[w], i)
		}
	}
	links := map[string]map[string]bool{}
	link := func(a, b string) {
		if links[a] == nil {
			links[a] = map[string]bool{}
		}
		links[a][b] = true
	}
	type near struct {
		card  int
		alike float64
	}
	for i, s := range sets {
		seen := map[int]bool{i: true}
		var all []near
		for _, w := range s {
			if len(holders[w]) > relatedWords {
				continue
			}
			for _, j := range holders[w] {
				if seen[j] || cards[i].Project != "" && cards[j].Project != "" && cards[i].Project != cards[j].Project {
					continue
				}
				seen[j] = true
				if o := jaccard(s, sets[j]); o >= relatedOverlap {
					all = append(all, near{j, o})
				}
			}
		}
		slices.SortFunc(all, func(a, b near) int { return cmp.Or(-cmp.Compare(a.alike, b.alike), cmp.Compare(a.card, b.card)) })
		for _, n := range all[:min(len(all), relatedCards)] {
			link(cards[i].Path, cards[n.card].Path)
			link(cards[n.card].Path, cards[i].Path)
		}
	}
	out := map[string][]string{}
	for path, to := range links {
		list := make([]string, 0, len(to))
		for p := range to {
			list = append(list, p)
		}
		slices.Sort(list)
		out[path] = list
	}
	return out
}
