package inbox

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

func empty(t *testing.T) *Inbox {
	t.Helper()
	s := ledger.InMemory()
	return &Inbox{
		Candidates: ledger.NewTable[Candidate](s, "candidates"), Dismissed: ledger.NewTable[time.Time](s, "dismissed"),
		Settled: ledger.NewTable[time.Time](s, "settled"), Now: time.Now, Changed: func() {},
	}
}

// TestTwoAtOnceJoin: of one conversation and one title, whoever comes first.
func TestTwoAtOnceJoin(t *testing.T) {
	b := empty(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			b.Add(Candidate{ID: fmt.Sprint("id", i), Trigger: "complaint", Title: "The export has no BOM", SessionID: "s", At: b.Now(), Evidence: []string{fmt.Sprint(i)}})
		})
	}
	wg.Wait()
	if list := b.Waiting(); len(list) != 1 || list[0].Times != 8 || len(list[0].Evidence) != 8 {
		t.Errorf("%+v", list)
	}
}

// TestOneSettles: a candidate expires, is dismissed or recorded once, by whoever is first.
func TestOneSettles(t *testing.T) {
	b := empty(t)
	b.Candidates.Put("id", Candidate{ID: "id", Title: "old", At: b.Now().Add(-2 * Life)})
	var wg sync.WaitGroup
	var told atomic.Int32
	b.Changed = func() { told.Add(1) }
	for range 4 {
		wg.Go(func() { b.Waiting() })
		wg.Go(func() { b.Settle("id") })
	}
	wg.Wait()
	if told.Load() != 1 || !b.Settled.Has("id") {
		t.Errorf("%d times", told.Load())
	}
}

// TestSeenAgainWhileItExpires: what joins a candidate between the look at the list and its end keeps it there.
func TestSeenAgainWhileItExpires(t *testing.T) {
	b := empty(t)
	now := time.Now()
	b.Candidates.Put("id", Candidate{ID: "id", At: now.Add(-2 * Life)})
	b.Now = func() time.Time { // is asked after the list was read
		b.Candidates.Change("id", func(c *Candidate) bool { c.At = now; return true })
		return now
	}
	b.sweep()
	if list := b.all(); len(list) != 1 {
		t.Errorf("it expired: %v", list)
	}
}

// TestTwinsJoin: what a person says again in other words is seen once more, in any conversation; the opposite and another mistake are not.
func TestTwinsJoin(t *testing.T) {
	b := empty(t)
	day := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	add := func(id, trigger, said string, days int) bool {
		c := Candidate{ID: id, Trigger: trigger, Title: said, SessionID: id, At: day.AddDate(0, 0, days), Evidence: []string{said}}
		if trigger == "constraint" || trigger == "preference" {
			c.Rules = []string{said}
		}
		b.Now = func() time.Time { return c.At }
		_, joined := b.Add(c)
		return joined
	}
	for _, c := range []struct {
		id, trigger, said string
		joins             bool
	}{
		{"a", "constraint", "never push to the release branch", false},
		{"b", "constraint", "please don't push directly to the release branch", true},
		{"a", "constraint", "never push to the release branch", true},
		{"c", "preference", "always push to the release branch", false},
		{"d", "complaint", "the invoice export lost its header row again", false},
		{"e", "record", "record this: the invoice export lost the header row", true},
		{"f", "complaint", "the invoice import lost its currency again", false},
		{"g", "complaint", "it still fails", false},
		{"h", "complaint", "it still fails", false},
		{"i", "correction", "why didn't you ask zebra?", false},
		{"j", "correction", "why didnt you ask zebra just now", true},
		{"k", "correction", "do not add fixtures", false},
		{"l", "correction", "do not add fixtures", true},
		{"m", "correction", "never update fixtures please", true},
		{"n", "correction", "why are the fixtures empty?", false},
		{"o", "constraint", "never rename the ledger tables", false},
		{"p", "correction", "don't rename ledger tables", true}, // which breaks the rule
	} {
		if joined := add(c.id, c.trigger, c.said, len(b.all())); joined != c.joins {
			t.Errorf("%s: %q joined %v", c.id, c.said, joined)
		}
	}
	list := b.all()
	for _, c := range list {
		if c.ID == "a" && (c.Times != 3 || len(c.Seen) != 3 || len(c.Rules) != 1 || fmt.Sprint(c.Days()) != "[2026-11-20 2026-11-21]") {
			t.Errorf("%+v, %v", c, c.Days())
		}
	}
	if len(list) != 10 {
		t.Errorf("%d wait", len(list))
	}
}

// TestOneOfManyIsNoTwin: what is like one of many sightings tells of another mistake.
func TestOneOfManyIsNoTwin(t *testing.T) {
	b := empty(t)
	add := func(id, said string) bool {
		_, joined := b.Add(Candidate{ID: id, Trigger: "correction", Title: said, Untitled: true, SessionID: id, At: b.Now(), Evidence: []string{said}, Seen: []Sighting{{Said: said, Talk: id, Host: "h"}}})
		return joined
	}
	add("a", "you painted the outer fence, not the shed")
	for i, said := range []string{"you painted the outer fence", "why did you paint the outer fence?", "you're painting the outer fence", "you painted the outer fence first", "the outer fence is painted, not the shed, whose price is wrong"} {
		if !add(fmt.Sprint("b", i), said) {
			t.Errorf("%q is another", said)
		}
	}
	if add("c", "the price of the shed is wrong") {
		t.Error("one sighting joins another mistake")
	}
}

// TestTitleAndItem: a title is a rule that holds outside of its conversation, and the item that comes of it has the person's reason.
func TestTitleAndItem(t *testing.T) {
	for said, want := range map[string]string{
		"never edit the mirror. It is made anew each night. Run the generator": "never edit the mirror: It is made anew each night",
		"the port is 3000 instead of 8080":                                     "-",
		"do not touch that":                                                    "",
		"you rewrote the whole of the parser":                                  "",
	} {
		c := Of(triggers.Candidate{Trigger: triggers.Correction, Title: heard.Headline(said), Mistake: "> " + said, Evidence: []string{said}})
		switch items := c.Items(); {
		case c.Untitled != (want == ""):
			t.Errorf("%q: untitled is %v", c.Title, c.Untitled)
		case len(want) > 1 && (len(items) != 1 || items[0] != want):
			t.Errorf("%q: items %q", c.Title, items)
		}
	}
}
