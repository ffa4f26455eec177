package learn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/triggers"
)

func runGit(t *testing.T, dir, date string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// Of git's history comes what was reverted, with the reason; not what was mended, nor a revert of a revert.
func TestHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	d := newDisk(t)
	runGit(t, d.dir, "", "init", "-q")
	commit := func(date, subject, file, content string) {
		d.write(t, filepath.Join(d.dir, file), content)
		runGit(t, d.dir, date, "add", "-A")
		runGit(t, d.dir, date, "commit", "-qm", subject)
	}
	three := func(what string) string {
		return "first " + what + " line\nsecond " + what + " line\nthird " + what + " line\n"
	}
	commit("2023-05-01T10:00:00Z", "Print receipts", "receipt.go", three("printed"))
	runGit(t, d.dir, "2023-05-02T10:00:00Z", "revert", "--no-edit", "HEAD")
	commit("2026-11-01T10:00:00Z", "Begin", "queue.go", three("queued"))
	commit("2026-11-02T10:00:00Z", "Fix the queue's order", "queue.go", three("sorted"))
	commit("2026-11-05T10:00:00Z", "Fix the order once more", "queue.go", three("stable"))
	commit("2026-11-07T10:00:00Z", "Cache prices for a day", "price.go", three("cached"))
	runGit(t, d.dir, "2026-11-08T10:00:00Z", "revert", "--no-edit", "HEAD")
	runGit(t, d.dir, "2026-11-08T10:00:00Z", "commit", "-q", "--amend", "-m", "Revert \"Cache prices for a day\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.\n\nPrices change every hour.")
	r := d.find(t, nil)
	var got []string
	for _, c := range r.Candidates {
		if c.Trigger != string(triggers.RolledBack) || c.Seen[0].Host != "git" {
			t.Errorf("%+v", c)
		}
		got = append(got, c.Title)
	}
	want := []string{"Cache prices for a day"}
	if !slices.Equal(got, want) || r.Commits != 7 {
		t.Errorf("%d commits: %q, want %q", r.Commits, got, want)
	}
	if !strings.Contains(r.Candidates[0].Mistake+r.Candidates[0].Proof, "Prices change every hour") {
		t.Errorf("without the reason: %+v", r.Candidates[0])
	}
	if all := d.find(t, func(o *Options) { o.All = true }).Candidates; len(all) != 2 {
		t.Errorf("with all: %+v", all)
	}
}

// past is a history that git takes in at once: a commit an hour, each of one file.
type past struct {
	text  strings.Builder
	hours int
}

func (p *past) commit(author, message, file, content string) {
	p.hours++
	at := time.Date(2025, 9, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(p.hours) * time.Hour).Unix()
	fmt.Fprintf(&p.text, "commit refs/heads/main\nauthor %s <a@example.com> %d +0000\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", author, at, at, len(message), message)
	fmt.Fprintf(&p.text, "M 100644 inline %s\ndata %d\n%s\n", file, len(content), content)
}

// until lets other work go on.
func (p *past) until(hours int) {
	for p.hours < hours {
		p.commit("A", fmt.Sprint("Step ", p.hours), fmt.Sprintf("step%d.go", p.hours%50), fmt.Sprintf("// written in step %d\n", p.hours))
	}
}

// Of 10,000 commits come the fixes that tell what was wrong with lines of the last days, and what was reverted: no fix of old
// lines, of a document, of a bot, of no line, or whose message tells only what was done. What was read is not read again.
func TestLongHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	const why = "\n\nThe batch called `flush()` before queue.lock was held, so max_items and\nretryCount were read half written."
	var p past
	for i, f := range []struct {
		author, message, file string
		after                 int // in hours, what was written is mended
	}{
		{"A", "fix(queue): hold the lock" + why, "queue.go", 72},
		{"A", "Fix: count each order once" + why, "shop/order.go", 24},
		{"A", "hotfix!: take no order twice" + why, "shop/order.go", 300},
		{"A", "fix: sort the old queue" + why, "queue.go", 400},
		{"A", "fix: say what the queue does" + why, "docs/queue.md", 24},
		{"renovate[bot]", "fix(deps): update the queue" + why, "queue.go", 24},
		{"A", "fix: hold the lock\n\n- `flush()` of queue.lock\n- max_items and retryCount", "queue.go", 24},
		{"A", "fix: hold the lock again", "queue.go", 24},
		{"A", "Hold the lock" + why, "queue.go", 24},
		{"A", "Revert \"Sort the queue\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.", "queue.go", 24},
	} {
		p.until(900 * (i + 1))
		p.commit("A", fmt.Sprint("Write ", i), f.file, fmt.Sprintf("the first line of %d\nthe second line of %d\n", i, i))
		p.until(p.hours + f.after - 1)
		p.commit(f.author, f.message, f.file, fmt.Sprintf("the first line of %d\nthe second line of %d, mended\n", i, i))
	}
	p.commit("A", "fix: add the third line"+why, "queue.go", "the first line of 9\nthe second line of 9, mended\nthe third line of the queue\n")
	p.until(10_000)
	d := newDisk(t)
	runGit(t, d.dir, "", "init", "-q", "-b", "main")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = d.dir, strings.NewReader(p.text.String())
	cmd.Env = append(os.Environ(), "MALLOC_TRIM_THRESHOLD_=1000000000", "MALLOC_TOP_PAD_=16000000") // else it asks the system for memory 12 times a commit
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	all := func(o *Options) { o.All = true }
	r := d.find(t, all)
	var got []string
	for _, c := range r.Candidates {
		got = append(got, c.Title)
	}
	want := []string{"Sort the queue", "hotfix!: take no order twice", "Fix: count each order once", "fix(queue): hold the lock"}
	if !slices.Equal(got, want) || r.Commits != 10_000 {
		t.Fatalf("of %d commits %q, want %q", r.Commits, got, want)
	}
	c := r.Candidates[3]
	if c.Trigger != string(triggers.MendedSoon) || r.Candidates[0].Trigger != string(triggers.RolledBack) || len(c.Seen) != 2 || !strings.HasSuffix(c.Seen[0].Said, " Write 0") || !c.Seen[1].At.Equal(c.Seen[0].At.Add(72*time.Hour)) || !slices.Equal(c.Files, []string{"queue.go"}) ||
		!strings.Contains(c.Mistake, "queue.lock") || !strings.Contains(c.Proof, "+the second line of 0, mended") {
		t.Errorf("%+v", c)
	}
	memory := filepath.Join(d.home, "learned.json")
	raw, err := os.ReadFile(memory)
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, memory, strings.ReplaceAll(string(raw), "hold the lock", "hold what was read"))
	if again := d.find(t, all); again.New || again.Commits != 10_000 || again.Candidates[3].Title != "fix(queue): hold what was read" {
		t.Errorf("again: new %t, %d commits, %+v", again.New, again.Commits, again.Candidates)
	}
	ctx, cancel := context.WithCancel(t.Context())
	getenv := func(string) string { cancel(); return "" } // while it looks around
	if _, err := Find(ctx, Options{Project: d.dir, Home: d.home, Getenv: getenv}); !errors.Is(err, context.Canceled) {
		t.Errorf("an end that nobody minds: %v", err)
	}
}
