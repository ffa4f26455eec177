package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
)

// TestUpkeepAgainChangesNothing at the ends of months and on both sides of the date line: a
// second tidy leaves every file as it is, whatever the hour, and nothing
// for the journal.
func TestUpkeepAgainChangesNothing(t *testing.T) {
	for _, when := range []time.Time{
		time.Date(2026, 8, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2026, 8, 31, 0, 0, 0, 0, time.FixedZone("Kiritimati", 14*3600)),
		time.Date(2028, 2, 29, 23, 59, 0, 0, time.FixedZone("Baker", -12*3600)),
		time.Date(2026, 12, 31, 23, 30, 0, 0, time.FixedZone("Seoul", 9*3600)),
	} {
		t.Run(when.Format(time.RFC3339), func(t *testing.T) {
			at := when
			old := func(title, day string) string {
				return fmt.Sprintf("---\ntype: lesson\nsource: auto\nlast-seen: %s\n---\n# %s\n\n## Fix\n\nThe queue of the worker is named in the settings.\n", day, title)
			}
			today := lessons.DateOf(when)
			edge := today.Time(time.UTC).AddDate(0, 0, -183) // half a year, in days
			w := newWorkspace(t, map[string]string{
				"lessons/kept.md": old("Kept to the day", edge.Format(time.DateOnly)),
				"lessons/gone.md": old("A day older than half a year", edge.AddDate(0, 0, -1).Format(time.DateOnly)),
				"lessons/a.md":    allowlist, "lessons/b.md": refused,
			}, func(c *Config) { c.Now = func() time.Time { return at } })
			plan, err := w.Tidy(ctx, TidyRequest{Apply: true})
			if err != nil || len(plan.Suggestions) != 1 || plan.Suggestions[0].Path != "lessons/gone.md" || plan.Suggestions[0].Reason != life.OneOff {
				t.Fatalf("%+v, %v", plan.Suggestions, err)
			}
			if c, err := w.Read("lessons/gone.md"); err != nil || c.ArchivedAt != today {
				t.Errorf("archived at %s, %v; want %s", c.ArchivedAt, err, today)
			}
			files := w.files(t)
			rows, err := w.Log(ctx, LogRequest{})
			if err != nil {
				t.Fatal(err)
			}
			year, month, day := when.Date()
			for _, later := range []time.Time{when, time.Date(year, month, day, 0, 0, 0, 0, when.Location()), time.Date(year, month, day, 23, 59, 59, 0, when.Location())} {
				at = later
				if plan, err := w.Tidy(ctx, TidyRequest{Apply: true}); err != nil || len(plan.Suggestions) != 0 {
					t.Errorf("tidy at %s: %+v, %v", later, plan, err)
				}
			}
			again, err := w.Log(ctx, LogRequest{})
			if err != nil || len(again) != len(rows) {
				t.Errorf("the journal has %d rows, then %d, %v", len(rows), len(again), err)
			}
			if diff := cmp.Diff(files, w.files(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
