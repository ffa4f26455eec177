package index

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"
)

// warmed waits until the frequent words of an index are unpacked.
func warmed(t *testing.T, x *Index) *lists {
	t.Helper()
	l := &x.pic.store.lists
	for until := time.Now().Add(time.Minute); time.Now().Before(until); runtime.Gosched() {
		l.mu.Lock()
		done := l.warmed != nil
		l.mu.Unlock()
		if done {
			return l
		}
	}
	t.Fatal("nothing was unpacked before it was asked for")
	return nil
}

// holds returns how many postings are unpacked.
func (l *lists) holds() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// frequentBrain has notes with words of which each is rarer than the one before.
func frequentBrain(t *testing.T) *Index {
	t.Helper()
	dir := t.TempDir()
	for i := range 2 * warmDocs {
		text := "# Note\n\n"
		for w := range 20 {
			if i%(w+1) == 0 {
				text += fmt.Sprintf("word%dq ", w)
			}
		}
		write(t, dir, fmt.Sprintf("n%03d.md", i), text)
	}
	x := opened(t, dir, Config{Dir: t.TempDir()})
	t.Cleanup(func() { x.Close() })
	<-x.Ready()
	return x
}

func TestFrequentWordsAreUnpackedBeforeTheyAreAskedFor(t *testing.T) {
	x := frequentBrain(t)
	l := warmed(t, x)
	held := l.holds()
	if paths := search(t, x, "word1q word3q word5q"); len(paths) == 0 {
		t.Error("nothing is found")
	}
	if now := l.holds(); now != held {
		t.Errorf("a search unpacked %d postings", now-held)
	}
	// A few new files are no reason to look through all words again, and are found.
	write(t, x.cfg.Brain.Root(), "new.md", "# New\n\nword1q justnow")
	syncNow(t, x, "new.md")
	if paths := search(t, x, "justnow word1q"); len(paths) == 0 || paths[0] != "new.md" {
		t.Errorf("the new note is not first: %v", paths)
	}
	l.mu.Lock()
	cold := l.view.cold.Load()
	l.mu.Unlock()
	if cold {
		t.Error("one new note asks for all words to be unpacked")
	}
}

func TestUnpackingKeepsToItsBudget(t *testing.T) {
	x := frequentBrain(t)
	l := warmed(t, x)
	l.mu.Lock()
	l.view, l.byTerm, l.held = nil, nil, 0
	l.mu.Unlock()
	const budget = 1000
	if err := x.warm(context.Background(), budget); err != nil {
		t.Fatal(err)
	}
	if held := l.holds(); held < budget || held > budget+4*warmDocs {
		t.Errorf("%d postings are held", held)
	}
	if frequent, rare := l.known("word0q"), l.known("word19q"); frequent == nil || !frequent.unpacked || rare != nil && rare.unpacked {
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
		packer, grown := newPacker(len(want)), postings{}
		for _, p := range want {
			packer.add(p.id, p.impact, p.places)
			grown.add(p.id, p.impact, p.places)
		}
		for name, got := range map[string]postings{"packed": packer.postings(), "grown": grown} {
			if got.n != len(want) || len(got.runs) != 3 {
				t.Fatalf("%s: %d postings in %d runs, not %d in 3", name, got.n, len(got.runs), len(want))
			}
			for i, p := range want {
				if impact, places := got.impact(p.id), got.places(p.id); impact != p.impact || places != p.places {
					t.Fatalf("%s: document %d has %d in %b, not %d in %b", name, p.id, impact, places, p.impact, p.places)
				}
				if next := p.id + 1; (i+1 == len(want) || want[i+1].id > next) && got.impact(next) != 0 {
					t.Fatalf("%s: document %d is in it", name, next)
				}
			}
		}
	}
}
