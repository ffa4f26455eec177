package lessons

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

var nasty = map[string]string{
	"plain":        "---\ntype: lesson\noccurrences: 3\nlast-seen: 2026-01-01\n---\n# A\n",
	"comments":     "---\ntype: lesson # kind\noccurrences: 3   # how often\nlast-seen: \"2026-01-01\" # quoted\n# end\n---\n# A\n",
	"crlf":         "---\r\ntype: lesson\r\noccurrences: 3\r\nlast-seen: 2026-01-01\r\n---\r\n# A\r\n",
	"bom":          "\xef\xbb\xbf---\ntype: lesson\noccurrences: 3\nlast-seen: 2026-01-01\n---\n# A\n",
	"trailing":     "---\ntype: lesson   \noccurrences:   3   \nlast-seen: 2026-01-01\t\n---   \n# A   \n",
	"quoted key":   "---\n\"occurrences\": '3'\n'last-seen': 2026-01-01\n---\n",
	"block scalar": "---\nnote: |\n  occurrences: 99\n  last-seen: never\noccurrences: 3\nlast-seen: 2026-01-01\n---\n",
	"anchors":      "---\nbase: &b {x: 1}\nmore:\n  <<: *b\noccurrences: 3\nlast-seen: 2026-01-01\n---\n",
	"duplicate":    "---\noccurrences: 1\noccurrences: 3\nlast-seen: 2026-01-01\n---\n",
	"flow":         "---\n{type: lesson, occurrences: 3, last-seen: 2026-01-01}\n---\n",
	"no value":     "---\noccurrences: 3\nlast-seen:\n---\n",
	"body fakes":   "---\noccurrences: 3\nlast-seen: 2026-01-01\n---\noccurrences: 7\n---\nlast-seen: x\n",
	"unknown keys": "---\nzz: [1, {a: b}]\noccurrences: 3\nlast-seen: 2026-01-01\nemoji: \"🙂\"\n---\n",
	"invalid utf8": "---\noccurrences: 3\nlast-seen: 2026-01-01\n---\n\xff\xfe\n",
	"no final eol": "---\noccurrences: 3\nlast-seen: 2026-01-01\n---",
}

func TestBumpChangesOnlyTwoLines(t *testing.T) {
	on := Date{2026, 11, 21}
	for name, src := range nasty {
		out, err := Bump([]byte(src), on)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c, _ := Parse("lessons/a.md", out); c.Occurrences != 4 || c.LastSeen != on {
			t.Errorf("%s: read back %d, %s", name, c.Occurrences, c.LastSeen)
		}
		before, after := strings.SplitAfter(src, "\n"), strings.SplitAfter(string(out), "\n")
		if len(before) != len(after) {
			t.Errorf("%s: %d lines became %d:\n%s", name, len(before), len(after), out)
			continue
		}
		for i := range before {
			if before[i] != after[i] && !strings.Contains(before[i], "occurrences") && !strings.Contains(before[i], "last-seen") {
				t.Errorf("%s: line %d changed from %q to %q", name, i+1, before[i], after[i])
			}
		}
		// Undoing the two values gives back the very bytes.
		back := strings.Replace(string(out), "4", "3", 1)
		if !strings.Contains(src, "last-seen:\n") && name != "duplicate" {
			back = strings.Replace(back, on.String(), "2026-01-01", 1)
			if back != src {
				t.Errorf("%s: other bytes changed:\n%q\n%q", name, src, back)
			}
		}
	}
}

func TestBumpAddsWhatIsMissing(t *testing.T) {
	on := Date{2026, 11, 21}
	for _, c := range []struct{ name, src, want string }{
		{"no keys", "---\ntype: lesson\n---\n# A\n", "---\ntype: lesson\noccurrences: 2\nlast-seen: 2026-11-21\n---\n# A\n"},
		{"crlf", "---\r\ntype: lesson\r\n---\r\n# A\r\n", "---\r\ntype: lesson\r\noccurrences: 2\r\nlast-seen: 2026-11-21\r\n---\r\n# A\r\n"},
		{"no frontmatter", "# A\n", "---\noccurrences: 2\nlast-seen: 2026-11-21\n---\n# A\n"},
		{"empty frontmatter", "---\n---\n# A\n", "---\noccurrences: 2\nlast-seen: 2026-11-21\n---\n# A\n"},
		{"empty file", "", "---\noccurrences: 2\nlast-seen: 2026-11-21\n---\n"},
		{"bom", "\xef\xbb\xbf# A\n", "\xef\xbb\xbf---\noccurrences: 2\nlast-seen: 2026-11-21\n---\n# A\n"},
	} {
		out, err := Bump([]byte(c.src), on)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, out, err, c.want)
		}
	}
}

func TestEditRefusesWhatItCannotKeep(t *testing.T) {
	for name, src := range map[string]string{
		"open":     "---\ntype: lesson\n# A\n",
		"not yaml": "---\ntype: [lesson\n---\n",
		"a list":   "---\n- a\n---\n",
		"alias":    "---\na: &n 3\noccurrences: *n\n---\n",
		"flow":     "---\n{type: lesson}\n---\n",
	} {
		if out, err := Bump([]byte(src), Date{2026, 1, 1}); !errors.Is(err, ErrFrontmatter) {
			t.Errorf("%s: %q, %v, want ErrFrontmatter", name, out, err)
		}
	}
}

func TestSetStatus(t *testing.T) {
	on := Date{2026, 11, 21}
	src := "---\ntype: lesson # k\nstatus: draft # s\n---\n# A\n"
	archived, err := SetStatus([]byte(src), Archived, on)
	if want := "---\ntype: lesson # k\nstatus: archived # s\narchived-at: 2026-11-21\n---\n# A\n"; err != nil || string(archived) != want {
		t.Fatalf("archive: %q, %v", archived, err)
	}
	active, err := SetStatus(archived, Active, on)
	if want := "---\ntype: lesson # k\nstatus: active # s\n---\n# A\n"; err != nil || string(active) != want {
		t.Fatalf("restore: %q, %v", active, err)
	}
	same, err := SetStatus(active, Active, on)
	if err != nil || !bytes.Equal(same, active) {
		t.Errorf("restoring an active card changed it: %q, %v", same, err)
	}
}

// onlyTheseLines reports whether after differs from before in lines of the keys alone.
func onlyTheseLines(before, after string, keys ...string) bool {
	about := func(l string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(l, k) })
	}
	rest := func(s string) string {
		var kept []string
		for l := range strings.SplitAfterSeq(s, "\n") {
			if !about(l) {
				kept = append(kept, l)
			}
		}
		return strings.Join(kept, "")
	}
	return rest(before) == rest(after)
}

func FuzzEdit(f *testing.F) {
	for _, s := range nasty {
		f.Add([]byte(s))
	}
	on := Date{2026, 11, 21}
	f.Fuzz(func(t *testing.T, src []byte) {
		if out, err := Bump(src, on); err == nil {
			if fm, _ := splitFrontmatter(src); fm.closed && !onlyTheseLines(string(src), string(out), "occurrences", "last-seen") {
				t.Fatalf("bump of %q gave %q", src, out)
			}
			if !bytes.HasSuffix(out, bytes.TrimPrefix(tail(src), bom)) {
				t.Fatalf("bump of %q touched the body: %q", src, out)
			}
		}
		for _, st := range Statuses() {
			out, err := SetStatus(src, st, on)
			if err != nil {
				continue
			}
			if fm, _ := splitFrontmatter(src); fm.closed && !onlyTheseLines(string(src), string(out), "status", "archived-at") {
				t.Fatalf("status %s of %q gave %q", st, src, out)
			}
		}
	})
}

func tail(src []byte) []byte {
	_, rest := splitFrontmatter(src)
	return rest
}

// TestQuarantineAndBack: whatever the reason says and however the card is written, lifting
// leaves no line of it, and a second reason takes the first one's place.
func TestQuarantineAndBack(t *testing.T) {
	cards := map[string]string{
		"plain":   "---\ntype: lesson # a comment\nstatus: active\n---\n# A\n",
		"crlf":    "---\r\ntype: lesson\r\n---\r\n# A\r\n",
		"bare":    "# A\n",
		"archive": "---\ntype: lesson\nstatus: archived\narchived-at: 2026-01-01\n---\n# A\n",
	}
	for name, src := range cards {
		for _, reason := range []string{"plain words", `says "no": 'never' \ # not`, "true", "it's", "틀린 내용", strings.Repeat("x", MaxReason)} {
			first, err := SetQuarantine([]byte(src), "for 'another' \"reason\"")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out, err := SetQuarantine(first, reason)
			if err != nil {
				t.Fatalf("%s, %q: %v", name, reason, err)
			}
			if c, problems := Parse("lessons/a.md", out); c.Status != Quarantined || c.Quarantine != reason || !c.ArchivedAt.IsZero() ||
				slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == UnknownKey || p.Code == BadValue }) {
				t.Errorf("%s, %q: %+v, %+v\n%s", name, reason, c, problems, out)
			}
			if strings.Count(string(out), "quarantine-reason") != 1 {
				t.Errorf("%s, %q:\n%s", name, reason, out)
			}
			lifted, err := SetStatus(out, Active, Date{})
			if c, _ := Parse("lessons/a.md", lifted); err != nil || c.Status != Active || strings.Contains(string(lifted), "quarantine") || strings.Contains(src, "# a comment") && string(lifted) != src {
				t.Errorf("%s, %q: %v\n%s", name, reason, err, lifted)
			}
		}
	}
}
