package index

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"
)

// warmed waits until the frequent words of what is searched are unpacked, and returns the
// view that this is so of.
func warmed(t *testing.T, x *Index) *view {
	t.Helper()
	l := &x.pic.store.lists
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); runtime.Gosched() {
		search(t, x, "note") // of the segments as they have been merged by now
		l.mu.Lock()
		v, done := l.view, true
		for _, s := range v.snapshot.Segments() {
			done = done && (s.FullSize() < warmDocs || l.warmed[s.Id()])
		}
		l.mu.Unlock()
		if done {
			return v
		}
	}
	t.Fatal("nothing was unpacked before it was asked for")
	return nil
}

// stands returns the view that was searched last, and how many postings are unpacked.
func (l *lists) stands() (*view, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view, l.held
}

func TestFrequentWordsAreUnpackedBeforeTheyAreAskedFor(t *testing.T) {
	dir := t.TempDir()
	for i := range warmBrain { // words of which each is rarer than the one before
		text := "# Note\n\n"
		for w := range 20 {
			if i%(w+1) == 0 {
				text += fmt.Sprintf("word%dq ", w)
			}
		}
		write(t, dir, fmt.Sprintf("n%04d.md", i), text)
	}
	x := opened(t, dir, Config{Dir: t.TempDir()})
	defer x.Close()
	<-x.Ready()
	l := &x.pic.store.lists
	for {
		v := warmed(t, x)
		_, held := l.stands()
		if paths := search(t, x, "word1q word5q word9q"); len(paths) == 0 {
			t.Error("nothing is found")
		}
		if view, now := l.stands(); view != v {
			continue // segments were merged meanwhile
		} else if now != held {
			t.Errorf("a search unpacked %d postings", now-held)
		}
		break
	}
	write(t, dir, "new.md", "# New\n\nword1q justnow")
	syncNow(t, x, "new.md")
	if paths := search(t, x, "justnow word1q"); len(paths) == 0 || paths[0] != "new.md" {
		t.Errorf("the new note is not first: %v", paths)
	}

	x.cancel()
	x.wg.Wait()
	l.view, l.byTerm, l.held = nil, nil, 0
	const budget = warmBrain / 2
	if err := x.warm(context.Background(), budget); err != nil {
		t.Fatal(err)
	}
	if _, held := l.stands(); held < budget || held > budget+2*warmBrain {
		t.Errorf("%d postings are held, of %d", held, budget)
	}
	if frequent, rare := l.known("note"), l.known("word19q"); frequent == nil || !frequent.unpacked || rare != nil && rare.unpacked {
		t.Error("not the most frequent word was unpacked")
	}
}

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

// TestDamageThatUnpackingMeets holds that it is an error, and locks nobody out.
func TestDamageThatUnpackingMeets(t *testing.T) {
	x := brainOf(t, sample)
	x.mu.Lock()
	whole := x.pic
	x.pic = &picture{store: &store{}, heads: whole.heads} // panics when it is read
	x.mu.Unlock()
	if err := x.warm(t.Context(), warmHeld); err == nil {
		t.Error("nothing was met")
	}
	if !x.mu.TryLock() {
		t.Fatal("the index is still locked")
	}
	x.pic = whole
	x.mu.Unlock()
}
