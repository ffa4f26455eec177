package postcheck

import (
	"cmp"
	"slices"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/postcheck/check"
)

const (
	// most is the share of a text that must stand in one place for it to be there: a paraphrase of an item keeps as much. Where that much of a card's title
	// stands in one place of a turn, two items in three apply on real pairs; of cards that were served, one in ten.
	most = 0.6
	// whole is the share that lines, names of files and commands must hold for an item to be kept: all of it, but for rounding.
	// With six tenths one in three was kept indeed, of real turns and cards, with this two in three.
	whole = 0.99
	// generalMass is what a verb weighs that says that something was done ("check", "add"), not what. Other words weigh 1.
	generalMass = 0.35
)

// unit is a significant word of an item.
type unit struct {
	surface string
	names   []string // of the word, then of its pieces, which will do if all are there
	mass    float64
	barred  bool // the item asks for it not to be done
	either  bool // the item itself denies it, or something of it
	undoes  bool // the item is of what is taken away
}

// subordinate words begin a clause that says when or of what an item holds: what it denies is no prohibition.
var subordinate = terms.Set("before after when whenever if while until unless that which who")

// understand returns what an item, a title or a tag speaks of.
func understand(text string) []unit {
	text = terms.Normalize(text)
	words := terms.Words(text)
	no, either := reached(text, words, negator, false), reached(text, words, negator, true)
	takesAway := slices.ContainsFunc(words, undoes)
	var out []unit
	main := true
	for i, t := range words {
		main = main && (i == 0 || !subordinate[t.Text])
		u := unit{surface: text[t.Start:t.End], mass: 1, barred: no[i] && main, either: either[i], undoes: takesAway}
		u.names = dictionary().names(t, u.surface)
		if t.Stop || negator(t) || slices.ContainsFunc(out, func(o unit) bool { return o.names[0] == u.names[0] }) {
			continue
		}
		if dictionary().general[u.names[0]] {
			u.mass = generalMass
		}
		out = append(out, u)
	}
	return out
}

// all reports whether the name of a unit is there, or all its pieces are.
func (u unit) all(there func(name string) bool) bool {
	return there(u.names[0]) || len(u.names) > 1 && !slices.ContainsFunc(u.names[1:], func(n string) bool { return !there(n) })
}

// at returns the rising places where a name of a unit stands as the item wants it: said, or also denied or taken away
// where the item denies it or is of that.
func (r *reading) at(u unit, name string) []int {
	if !u.either && !u.undoes {
		return r.said[name]
	}
	both := slices.Concat(r.said[name], r.undone[name])
	if u.either {
		both = append(both, r.denied[name]...)
	}
	slices.Sort(both)
	return both
}

// says reports whether a name is said somewhere.
func (r *reading) says(name string) bool { return len(r.said[name]) > 0 }

// best returns the place, of some, that holds most of an item, and how much of it.
func (r *reading) best(item []unit, from, to int) (at int, share float64) {
	for _, u := range item {
		for _, n := range u.names {
			for _, p := range r.at(u, n) {
				if p < from || p >= to {
					continue
				}
				sum, total := 0.0, 0.0
				for _, v := range item {
					total += v.mass
					if v.all(func(n string) bool { return within(r.at(v, n), p, window) }) {
						sum += v.mass
					}
				}
				if sum /= total; sum > share {
					at, share = p, sum
				}
			}
		}
	}
	return at, share
}

// look says how much of an item stands in one of some places, less what is only denied or put off, and less what it forbids and is only said: there the denial of one
// word is that of all. at is the place that shows most of it, no one that denies it or -1; missing is what stands nowhere.
func (r *reading) look(item []unit, from, to int) (share float64, at, no int, missing []string) {
	at, share = r.best(item, from, to)
	no = -1
	off, done, gone, total := 0.0, 0.0, false, 0.0
	for _, u := range item {
		total += u.mass
		said := u.all(func(n string) bool { return r.says(n) || (u.undoes || u.either) && len(r.undone[n]) > 0 })
		denied := u.all(func(n string) bool { return len(r.denied[n]) > 0 })
		switch {
		case u.barred && denied:
			gone = true
		case u.barred && said:
			done += u.mass
		case denied && !said && !u.either:
			off += u.mass
			no = r.denied[u.names[len(u.names)-1]][0]
		case !said:
			missing = append(missing, u.surface)
		}
	}
	if !gone {
		off += done
	}
	return share - off/max(total, 1), at, no, missing
}

// judge decides whether an item that applies is shown. loose: no person said what its card applies to, so that it is
// never open: of imported rules whose title the turn speaks of, one open item in eight was one.
func (r *reading) judge(t Turn, loose bool, out *Verdict) {
	marked := cmp.Or(out.Item.Marked, out.Item.Text)
	item, asked := understand(out.Item.Text), demandOf(marked)
	run := len(asked.runs) > 0 || asked.command != ""
	shown, end := r, r.ran
	switch {
	case len(item) == 0:
		return
	case t.Watched && asked.lacks(t.Edits): // whatever the answer tells
		if !loose {
			out.State, out.By = Open, byLine
		}
		return
	case t.Watched && run:
		if s, at := asked.ran(t); s == Kept && names(marked, at.Command) || s == Open && (!loose && t.changed(asked.when) || t.wrote(asked.when)) {
			out.State, out.By, out.Place = s, byCommand, at
			return
		}
	case asked.tests:
		shown = read(t.testing())
		end = len(shown.places)
	}
	if share, at, _, _ := shown.look(item, shown.deeds, end); share >= whole && !run && (isCode(shown.places[at].File) || asks("of-comments").MatchString(marked)) { // prose only repeats it
		out.State, out.Place = Kept, shown.places[at]
		out.By = out.Place.source()
		return
	}
	share, at, no, missing := r.look(item, 0, r.deeds)
	switch {
	case share >= most && no < 0:
		out.State, out.By, out.Place = Said, ByAnswer, r.places[at]
	case loose, t.Watched: // too little is known to say
	default:
		out.State, out.By, out.Missing = Open, ByAnswer, missing
		if no >= 0 {
			out.Place = r.places[no]
		}
	}
}

// testing returns what a turn did to tests, and which it ran.
func (t Turn) testing() Turn {
	t.Answer = ""
	t.Edits = slices.DeleteFunc(slices.Clone(t.Edits), func(e check.Edit) bool {
		return !isTest(e.File)
	})
	t.Commands = slices.DeleteFunc(slices.Clone(t.Commands), func(c check.Command) bool {
		_, ok := shell.Read(c.Line, c.Output, c.Failed).Tests("")
		return !ok
	})
	return t
}
