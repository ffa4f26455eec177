package postcheck

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"handrail/lessons"
)

// weightsText is learned by TestFit: a fact, and what it adds to the log odds that an item is shown.
//
//go:embed weights.txt
var weightsText string

// The facts of an item and a turn. Shares are of the item's mass, from 0 to 1.
const (
	always   = iota
	inOne    // how much stands in one place
	anywhere // how much stands somewhere
	heaviest // the word that weighs most stands somewhere
	denied   // how much is only ever denied or put off
	done     // of what an item forbids: how much is said
	gone     // of what an item forbids: how much is denied
	work     // lines of code in the answer and the edits, as a logarithm
	crossed  // item and answer are in two languages
	unnamed  // how many of the item's identifiers stand nowhere
	unread   // places, as a logarithm: long texts hold words by chance
	factsCount
)

var factNames = [factsCount]string{"always", "in-one", "anywhere", "heaviest", "denied", "done", "gone", "work", "crossed", "unnamed", "unread"}

// vector has a number for each fact.
type vector [factsCount]float64

func (v *vector) dot(w *vector) (sum float64) {
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

// shown reports whether the facts say that an item is shown.
func (v *vector) shown() bool { return v[inOne] >= half && v.dot(weights()) >= shownAt }

// weights reads the weights once.
var weights = sync.OnceValue(func() *vector {
	var w vector
	for line := range strings.Lines(weightsText) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if i := slices.Index(factNames[:], name); i >= 0 {
			w[i], _ = strconv.ParseFloat(number, 64) // the file is learned, and held by a test
		}
	}
	return &w
})

const (
	// aboutIt is the share of a card's title that must stand in one place for the turn to be about the card: on real pairs two items in three then apply, of
	// cards that were served one in ten.
	aboutIt = 0.6
	// shownAt is what the log odds of "shown" must reach. Most of what real answers leave out they do not speak of at all (TestFit, whole repositories left out).
	shownAt = 0.8
	// half of an item must stand in one place: a paraphrase keeps as much.
	half = 0.5
)

// about is what a turn has to do with a card.
type about struct {
	title float64 // the most of the card's title that stands in one place of the request, the answer or the deeds
	tag   bool    // one of the card's tags stands somewhere: a person said what the card applies to
	paths int     // 1: a file of the card's paths was touched; -1: none of them was; 0: not known
}

// here reports whether the card speaks of what was done.
func (a about) here() bool { return a.scoped() || a.paths == 0 && a.title >= aboutIt }

// scoped reports whether a person said so, by paths or tags.
func (a about) scoped() bool { return a.paths > 0 || a.paths == 0 && a.tag }

// aboutOf looks for the title, the tags and the paths of a card in a turn, as it was read, and in its request.
func aboutOf(t Turn, c lessons.Card, rarity func(string) float64, readings ...*reading) about {
	var a about
	title := understand(c.Title, rarity)
	var tags []unit
	for _, tag := range c.Tags {
		if !strings.EqualFold(tag, c.Project) {
			tags = append(tags, understand(tag, rarity).units...)
		}
	}
	for _, r := range readings {
		_, said := r.best(r.said, title)
		_, off := r.best(r.denied, title)
		a.title = max(a.title, said, off)
		a.tag = a.tag || slices.ContainsFunc(tags, func(u unit) bool { return !u.general && r.has(r.said, u, 0, len(r.places)) })
	}
	if len(c.Paths) == 0 {
		return a
	}
	a.paths = -1
	touched := make([]string, len(t.Edits))
	for i, e := range t.Edits {
		touched[i] = e.File
	}
	if !t.Watched {
		a.paths = 0
		touched = append(touched, files(t.Answer)...)
	}
	if _, ok := lessons.MatchPaths(c.Paths, touched); ok {
		a.paths = 1
	}
	return a
}

// maxFiles bounds the names of files that are looked for in an answer.
const maxFiles = 200

// files returns what looks like the names of files in an answer.
func files(answer string) []string {
	var out []string
	for w := range strings.FieldsSeq(answer[:min(len(answer), maxAnswer)]) {
		w = strings.Trim(w, "`*_()[]{}<>\"',;:.")
		if i := strings.LastIndexByte(w, '.'); i > 0 && i < len(w)-1 && len(w)-i <= 6 && len(out) < maxFiles {
			out = append(out, strings.TrimPrefix(w, "./"))
		}
	}
	return out
}

// has reports whether a unit stands among places from … to.
func (r *reading) has(in map[string][]int, u unit, from, to int) bool {
	if within(in[u.names[0]], from, to) {
		return true
	}
	for _, n := range u.names[1:] {
		if !within(in[n], from, to) {
			return false
		}
	}
	return len(u.names) > 1
}

// best returns the place that holds most of an item, and how much; -1 without any.
func (r *reading) best(in map[string][]int, w wish) (at int, share float64) {
	at = -1
	seen := map[int]bool{}
	for _, u := range w.units {
		if u.general && !w.units[w.heavy].general { // "check" stands everywhere, and says nothing alone
			continue
		}
		for _, n := range u.names {
			for _, p := range in[n] {
				if seen[p] {
					continue
				}
				seen[p] = true
				sum := 0.0
				for _, v := range w.units {
					if r.has(in, v, p, r.places[p].until) {
						sum += v.mass
					}
				}
				if sum /= w.total; sum > share {
					at, share = p, sum
				}
			}
		}
	}
	return at, share
}

// look gathers the facts of an item, the place that shows most of it, one that denies it, and the words that stand nowhere.
func (r *reading) look(w wish) (v vector, at, no int, missing []string) {
	v = vector{always: 1, unread: math.Log1p(float64(len(r.places))) / 5}
	lines := r.code
	for _, p := range r.places {
		if p.by == byLine {
			lines++
		}
	}
	v[work] = math.Log1p(float64(lines)) / 5
	if prose := r.hangul + r.latin; prose > 0 && w.hangul != (r.hangul*3 >= r.latin) {
		v[crossed] = 1
	}
	shown := r.said
	if w.forbids { // "the token is not logged" is what it asks for
		shown = r.either()
	}
	at, v[inOne] = r.best(shown, w)
	no, _ = r.best(r.denied, w)
	barred := 0.0
	natives, nowhere := 0.0, 0.0
	for i, u := range w.units {
		said := r.has(r.said, u, 0, len(r.places))
		off := r.has(r.denied, u, 0, len(r.places))
		if u.barred {
			barred += u.mass
			switch {
			case off:
				v[gone] += u.mass
			case said:
				v[done] += u.mass
			}
		}
		switch {
		case said || off && u.barred:
			v[anywhere] += u.mass / w.total
			if i == w.heavy {
				v[heaviest] = 1
			}
		case off:
			v[denied] += u.mass / w.total
		default:
			missing = append(missing, u.surface)
		}
		if u.native {
			natives++
			if !said && !off {
				nowhere++
			}
		}
	}
	if natives > 0 {
		v[unnamed] = nowhere / natives
	}
	if barred > 0 {
		v[done], v[gone] = v[done]/barred, v[gone]/barred
	}
	return v, at, no, missing
}

// judge decides by words whether an item that applies is shown. loose: no person
// said what its card applies to, so that it is never open: of imported rules whose title the turn speaks of, one open item in eight was one.
func (r *reading) judge(t Turn, w wish, loose bool, out *Verdict) {
	if len(w.units) == 0 {
		return
	}
	if r.whole[w.key] {
		out.State, out.By = Kept, byAnswer
		return
	}
	gap := t.Watched && !w.forbids && lacks(out.Item.Text, t.Deeds) // whatever the answer tells
	v, at, no, missing := r.look(w)
	switch {
	case v.shown() && !gap:
		out.State = Kept
		if w.forbids && no >= 0 {
			at = no
		}
		if at >= 0 {
			out.By, out.Place = r.places[at].by, r.places[at].where
		}
	case loose, t.Watched && !gap: // too little is known to say
	default:
		out.State, out.By, out.Missing = Open, byAnswer, missing
		if t.Watched {
			out.By, out.Missing = byLine, nil
		}
		if no >= 0 && v[denied] > 0 {
			out.Place = r.places[no].where
		}
	}
}
