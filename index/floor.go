package index

import "math/bits"

// The floor decides whether a match certainly speaks to a query. It looks at relevance
// before any boost.
const (
	floorShare = 0.30
	floorNorm  = 0.12
)

// speaks reports whether a match clears the floor.
func (r ranking) speaks(m match) bool {
	return m.share >= floorShare && m.norm >= floorNorm && bits.OnesCount64(m.matched) >= min(2, len(r.units))
}
