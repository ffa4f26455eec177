package server

import (
	"cmp"
	"maps"
	"slices"

	"handrail/lessons/journal"
)

// merged is what a merge added to the counters of the card that stayed, so that its undo
// takes exactly that away again, whatever was counted since.
type merged struct {
	Act   string `json:"act"`
	From  string `json:"from"`
	Into  string `json:"into"`
	Usage usage  `json:"usage"` // of the card that went
}

func (m merged) key() string { return m.Act + " " + m.From }

// maxMerged bounds the merges that are remembered; of an older one the undo brings back the
// cards alone.
const maxMerged = 500

// moveUsage adds what is known of one card's use to another's.
func (s *Server) moveUsage(act, from, into string) {
	u, ok := s.state.usage.Delete(from)
	if !ok {
		return
	}
	m := merged{Act: act, From: from, Into: into, Usage: u}
	s.state.merged.Put(m.key(), m)
	s.changeUsage(into, func(v usage) usage { return v.with(u, 1) })
}

// unmerge takes what an act's merges added to a card's counters away again, and gives it back
// to the card it is of.
func (s *Server) unmerge(act string) {
	for _, m := range slices.Backward(s.merges()) {
		if m.Act != act {
			continue
		}
		s.changeUsage(m.Into, func(v usage) usage { return v.with(m.Usage, -1) })
		s.changeUsage(m.From, func(v usage) usage { return v.with(m.Usage, 1) })
		s.state.merged.Delete(m.key())
	}
}

// settleUndone catches up with what a process without the state took back.
func (s *Server) settleUndone(rows []journal.Row) {
	for _, r := range rows {
		if r.Undoes != "" {
			s.unmerge(r.Undoes)
			s.allow(r.Undoes)
		}
	}
}

// merges returns what merges added, oldest first.
func (s *Server) merges() []merged {
	return s.state.merged.All(merged.compare)
}

func (m merged) compare(o merged) int {
	return cmp.Or(cmp.Compare(m.Act, o.Act), cmp.Compare(m.From, o.From))
}

func (s *Server) changeUsage(path string, change func(usage) usage) {
	s.state.usage.Update(path, func(u *usage) {
		*u = change(*u)
		u.Path = path
	})
}

// with returns what is known of a card's use with another's added, or taken away by -1.
func (u usage) with(o usage, sign int) usage {
	u.Days, u.Recurred = maps.Clone(u.Days), slices.Clone(u.Recurred)
	if u.Days == nil {
		u.Days = map[string]tally{}
	}
	u.Trial.Given, u.Trial.Withheld = u.Trial.Given.plus(o.Trial.Given, sign), u.Trial.Withheld.plus(o.Trial.Withheld, sign)
	u.Before.add(o.Before.times(sign))
	for day, t := range o.Days {
		sum := u.Days[day]
		if sum.add(t.times(sign)); sum == (tally{}) {
			delete(u.Days, day)
		} else {
			u.Days[day] = sum
		}
	}
	if sign < 0 {
		for _, c := range o.Recurred { // one of two where both had it
			if i := slices.Index(u.Recurred, c); i >= 0 {
				u.Recurred = slices.Delete(u.Recurred, i, i+1)
			}
		}
		u.Last = u.lastServed()
		return u
	}
	u.Recurred = append(u.Recurred, o.Recurred...)
	u.Last = max(u.Last, o.Last)
	return u
}

// lastServed returns the last day of which a count is known that the card was served, "" for none.
func (u usage) lastServed() string {
	last := ""
	for day, t := range u.Days {
		if t.Served > 0 {
			last = max(last, day)
		}
	}
	return last
}
