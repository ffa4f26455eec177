package index

import (
	"math/rand"
	"testing"
)

func TestPackedPostings(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 6 {
		type posting struct {
			id     uint32
			impact uint16
			places uint64
		}
		var want []posting
		for id, gap := uint32(0), 1+rng.Intn(900); id < 3*runSpan; id += uint32(1 + rng.Intn(gap)) {
			p := posting{id, uint16(1 + rng.Intn(1000)), 1 << rng.Intn(placeBits)}
			switch rng.Intn(4) {
			case 0:
				p.places = everywhere
			case 1:
				p.places |= 1 << rng.Intn(placeBits)
			}
			want = append(want, p)
		}
		packer := newPacker(len(want))
		for _, p := range want {
			packer.add(p.id, p.impact, p.places)
		}
		got := packer.postings()
		if got.n != len(want) || len(got.runs) != 3 {
			t.Fatalf("%d postings in %d runs, not %d in 3", got.n, len(got.runs), len(want))
		}
		for i, p := range want {
			if impact, places := got.impact(p.id), got.places(p.id); impact != p.impact || places != p.places {
				t.Fatalf("document %d has %d in %b, not %d in %b", p.id, impact, places, p.impact, p.places)
			}
			if next := p.id + 1; (i+1 == len(want) || want[i+1].id > next) && got.impact(next) != 0 {
				t.Fatalf("document %d is in it", next)
			}
		}
	}
}
