package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

const allowlist = `---
type: lesson
title: Telegram remote execution must require allowlist
applies-to: [telegram]
severity: high
occurrences: 3
last-seen: 2026-11-19
---

# Telegram remote execution must require allowlist

## Root Cause

Each handler was trusted to check the sender.

## Prevention Checklist

- [ ] The allowlist is checked before any command runs
- [ ] A test sends the command from an unknown chat
`

// now is the clock of these tests: a Saturday.
func now() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

// workspace is a brain in a folder of its own, and a Server over it.
type workspace struct {
	*Server
	dir string
	cfg Config
}

func newWorkspace(t *testing.T, files map[string]string, change ...func(*Config)) *workspace {
	t.Helper()
	w := &workspace{dir: t.TempDir()}
	brain := filepath.Join(w.dir, ".brain")
	for rel, text := range files {
		w.put(t, rel, text)
	}
	if err := os.MkdirAll(brain, 0o755); err != nil {
		t.Fatal(err)
	}
	side := t.TempDir()
	w.cfg = Config{Brain: brain, CacheDir: filepath.Join(side, "cache"), StateDir: filepath.Join(side, "state"), Now: now}
	for _, c := range change {
		c(&w.cfg)
	}
	w.open(t)
	t.Cleanup(func() { w.Close() })
	return w
}

func (w *workspace) open(t *testing.T) {
	t.Helper()
	s, err := New(context.Background(), w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	<-s.Ready()
	w.Server = s
}

func (w *workspace) put(t *testing.T, rel, text string) {
	t.Helper()
	path := filepath.Join(w.dir, ".brain", filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var ctx = context.Background()

func TestTheLoop(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server"})
	if err != nil || len(p.Lessons) != 1 || !strings.Contains(p.Block, "seen 3×") || p.Tokens == 0 {
		t.Fatalf("preflight %+v, %v", p, err)
	}
	f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "The handler checks the allowlist before it runs the command.", Locale: Korean})
	if err != nil || len(f.Unaddressed) != 1 || f.Unaddressed[0].Line != 19 {
		t.Fatalf("footer %+v, %v", f, err)
	}
	silent, err := w.Preflight(ctx, PreflightRequest{Query: "why do penguins huddle"})
	if err != nil || silent.Block != "" || silent.Context != "" || silent.Tokens != 0 {
		t.Fatalf("penguins get %+v, %v", silent, err)
	}
	// The turn that was given nothing is not checked against the cards of the turn before.
	if f, err := w.Answered(ctx, AnswerRequest{AnswerID: silent.AnswerID, Answer: "They keep warm."}); err != nil || f.Lessons == nil || f.Notes == nil || len(f.Lessons)+len(f.Unaddressed) != 0 {
		t.Errorf("the silent turn's footer is %+v, %v", f, err)
	}
	if _, err := w.Answered(ctx, AnswerRequest{AnswerID: "gone", Answer: "x"}); !errors.Is(err, ErrUnknownAnswer) {
		t.Errorf("an unknown answer: %v", err)
	}
}

func TestCandidateBecomesACardByAPersonsWord(t *testing.T) {
	w := newWorkspace(t, nil)
	var heard []string
	detach := w.Attach(Notify{Candidate: func(c Candidate) { heard = append(heard, c.Trigger) }})
	defer detach()
	c, err := w.raised(Event{Kind: MessageEvent, Text: "why does the export keep failing?"})
	if err != nil || c == nil || len(heard) != 1 {
		t.Fatalf("candidate %+v, %v; heard %v", c, err, heard)
	}
	if entries, err := os.ReadDir(w.Brain().Root()); err != nil || len(entries) != 0 {
		t.Errorf("a candidate wrote into the brain: %v, %v", entries, err)
	}
	var weak *WeakError
	if _, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID, Title: "The export loses its BOM"}); !errors.As(err, &weak) {
		t.Fatalf("a candidate without root cause: %v", err)
	}
	fields := CreateFields{RootCause: "The writer was replaced.", Checklist: []string{"The file starts with a UTF-8 BOM"}}
	made, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID, Title: "The export loses its BOM", Fields: fields})
	if err != nil || made.Path != "lessons/the-export-loses-its-bom.md" || len(w.Candidates()) != 0 {
		t.Fatalf("created %+v, %v; %d wait", made, err, len(w.Candidates()))
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "write the export file with a BOM"}); err != nil || !strings.Contains(p.Block, made.Path) {
		t.Errorf("the next request does not show it: %+v, %v", p, err)
	}
	twice, err := w.Confirm(ctx, CreateRequest{Title: "the export loses its BOM!", Fields: fields})
	if err != nil || twice.DuplicateOf != made.Path {
		t.Fatalf("a second card: %+v, %v", twice, err)
	}
	card, err := w.Bump(ctx, twice.DuplicateOf, "")
	if err != nil || card.Occurrences != 2 || card.LastSeen != "2026-11-21" {
		t.Errorf("bumped %+v, %v", card, err)
	}
	if _, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID, Title: "x", Fields: fields}); !errors.Is(err, ErrUnknownCandidate) {
		t.Errorf("a candidate confirmed twice: %v", err)
	}
}

func TestAnAgentsWishIsADraftUntilAPersonSaysMore(t *testing.T) {
	w := newWorkspace(t, nil)
	ctx := context.Background()
	wish := CreateRequest{Title: "Restarts need an allowlist", Auto: true, Fields: CreateFields{
		Status: lessons.Active, Mistake: "Anybody could restart the server.", RootCause: "The token=8f3a9c1e77d2 was trusted alone.",
	}}
	var weak *WeakError
	if _, err := w.Confirm(ctx, wish); !errors.As(err, &weak) || len(weak.Problems) != 1 || weak.Problems[0].Code != lessons.MissingChecklist {
		t.Errorf("without a checklist: %v", err)
	}
	wish.Fields.Checklist = []string{"The allowlist is checked before the restart runs"}
	made, err := w.Confirm(ctx, wish)
	if err != nil || made.Path != "drafts/restarts-need-an-allowlist.md" {
		t.Fatal(made, err)
	}
	text, err := os.ReadFile(filepath.Join(w.dir, ".brain", filepath.FromSlash(made.Path)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nstatus: draft\n", "\nsource: auto\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "8f3a9c1e77d2") {
		t.Errorf("a secret is in\n%s", text)
	}
	query := PreflightRequest{Query: "restart the server over the allowlist"}
	if p, err := w.Preflight(ctx, query); err != nil || p.Block != "" {
		t.Errorf("a draft is injected: %v, %v", p.Block, err)
	}
	if _, err := w.SetStatus(ctx, made.Path, lessons.Active); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Preflight(ctx, query); err != nil || p.Block == "" {
		t.Errorf("a promoted draft is not injected: %v", err)
	}
}

func TestDismissedStaysDismissed(t *testing.T) {
	w := newWorkspace(t, nil)
	say := func() *Candidate {
		c, err := w.raised(Event{Kind: MessageEvent, Text: "it broke again", At: now()})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := say()
	if c == nil {
		t.Fatal("no candidate")
	}
	if err := w.Proposals.Dismiss(c.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if c := say(); c != nil {
		t.Errorf("after a restart it came back: %+v", c)
	}
	if err := w.Proposals.Dismiss("none"); !errors.Is(err, ErrUnknownCandidate) {
		t.Errorf("dismissing nothing: %v", err)
	}
}

func TestAnswersAndCandidatesSurviveARestart(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	p, err := w.Preflight(ctx, PreflightRequest{Query: "telegram allowlist command"})
	if err != nil || p.Block == "" {
		t.Fatal(p, err)
	}
	c, err := w.raised(Event{Kind: MessageEvent, Text: "it broke again"})
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "Done, see the diff for what changed."}); err != nil || len(f.Lessons) != 1 {
		t.Errorf("footer %+v, %v", f, err)
	}
	if got := w.Candidates(); len(got) != 1 || got[0].ID != c.ID {
		t.Errorf("candidates %+v", got)
	}
}

func TestCards(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/today.md":    "---\nlast-seen: 2026-11-21\nproject: shop\n---\n# Today\n",
		"lessons/tomorrow.md": "---\nlast-seen: 2026-11-22\nstatus: archived\n---\n# Tomorrow\n",
		"lessons/week.md":     "---\nlast-seen: 2026-11-14\nsource: auto\napplies-to: [csv]\npaths: [\"db/**\"]\n---\n# Week\n",
		"lessons/old.md":      "---\nlast-seen: 2026-11-13\nproject: elsewhere\npaths: [\"**/*.sql\"]\n---\n# Old\n",
		"playbooks/never.md":  "# Never\n",
		"notes/note.md":       "# Note\n",
	})
	for _, c := range []struct {
		f    CardFilter
		want string
	}{
		{CardFilter{}, "tomorrow today week old never"},
		{CardFilter{Kind: lessons.Playbook}, "never"},
		{CardFilter{Status: lessons.Archived}, "tomorrow"},
		{CardFilter{Source: lessons.Auto}, "week"},
		{CardFilter{Project: "shop"}, "today"},
		{CardFilter{File: filepath.Join(w.dir, "db", "a.sql")}, "week"},
		{CardFilter{File: filepath.Join(w.dir, "web", "a.ts")}, ""},
		{CardFilter{Limit: 2}, "tomorrow today"},
	} {
		cards, err := w.Cards(ctx, c.f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, card := range cards {
			got = append(got, strings.TrimSuffix(filepath.Base(card.Path), ".md"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.f, got, c.want)
		}
	}
	var bad *RequestError
	if _, err := w.Cards(ctx, CardFilter{Source: "month"}); !errors.As(err, &bad) || len(bad.Allowed) != 2 {
		t.Errorf("an unknown source: %v", err)
	}
}

// TestDiagnoserGathersTitlesOnce holds that checking a card costs the same in a large
// brain as in a small one.
func TestDiagnoserGathersTitlesOnce(t *testing.T) {
	files := map[string]string{"lessons/twin.md": "# The last lesson\n"}
	for i := range 1000 {
		files[fmt.Sprintf("lessons/%04d.md", i)] = fmt.Sprintf("# Lesson number %d\n", i)
	}
	w := newWorkspace(t, files)
	diagnose := w.Diagnoser()
	src := []byte("# Last lesson\n")
	problems := diagnose("lessons/new.md", src)
	if !slices.ContainsFunc(problems, func(p lessons.Problem) bool {
		return p.Code == DuplicateTitle && slices.Equal(p.Args, []string{"lessons/twin.md"})
	}) {
		t.Errorf("the twin is not among %+v", problems)
	}
	if err := w.Close(); err != nil { // for the index allocates in the background too
		t.Fatal(err)
	}
	defer w.open(t) // for the one who closes it
	if n := testing.AllocsPerRun(10, func() { diagnose("lessons/new.md", src) }); n > 500 {
		t.Errorf("%.0f allocations for one file, beside 1001 cards", n)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "notes/n.md": "# N\n"})
	if _, err := w.Delete(ctx, "lessons/allow.md"); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "telegram allowlist command"}); err != nil || p.Block != "" {
		t.Errorf("a deleted card is injected: %+v, %v", p, err)
	}
	if done, err := w.Undo(ctx, UndoRequest{}); err != nil || len(done.Cards) != 1 || done.Cards[0].Path != "lessons/allow.md" {
		t.Errorf("undo: %+v, %v", done, err)
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "telegram allowlist command"}); err != nil || p.Block == "" {
		t.Errorf("the restored card is not injected: %+v, %v", p, err)
	}
	if _, err := w.Undo(ctx, UndoRequest{}); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("nothing to undo: %v", err)
	}
	for path, want := range map[string]error{"notes/n.md": ErrNotACard, "lessons/none.md": fs.ErrNotExist, "../x.md": lessons.ErrOutsideBrain} {
		if _, err := w.Delete(ctx, path); !errors.Is(err, want) {
			t.Errorf("delete %s: %v, want %v", path, err, want)
		}
	}
}

func TestIgnoredCardsAreSearchableButNotInjected(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	if _, err := w.SetStatus(ctx, "lessons/allow.md", lessons.Archived); err != nil {
		t.Fatal(err)
	}
	p, err := w.Preflight(ctx, PreflightRequest{Query: "telegram allowlist command"})
	if err != nil || p.Block != "" {
		t.Errorf("injected: %+v, %v", p, err)
	}
	r, err := w.Retrieve(ctx, RetrieveRequest{Query: "telegram allowlist command"})
	if err != nil || len(r.Lessons) != 0 {
		t.Errorf("found unasked: %+v, %v", r, err)
	}
	r, err = w.Retrieve(ctx, RetrieveRequest{Query: "telegram allowlist command", All: true})
	if err != nil || len(r.Lessons) != 1 || r.Lessons[0].Status != lessons.Archived {
		t.Errorf("not searchable: %+v, %v", r, err)
	}
}

// changes returns a channel on which the brain's changes are told.
func (w *workspace) changes(t *testing.T) <-chan Changed {
	t.Helper()
	ch := make(chan Changed, 1000)
	t.Cleanup(w.Attach(Notify{Changed: func(c Changed) { ch <- c }}))
	return ch
}

// until waits on the brain's changes until ok holds.
func (w *workspace) until(t *testing.T, ch <-chan Changed, what string, ok func() bool) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-ch:
		case <-limit:
			t.Fatalf("%s: not noticed", what)
		}
	}
}

func watching(c *Config) { c.Watch = true }

func TestChangesByOtherProgramsAreNoticed(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, watching)
	ch := w.changes(t)
	found := func(q, path string) func() bool {
		return func() bool {
			hits, err := w.Rank(ctx, RetrieveRequest{Query: q, Limit: 1})
			return err == nil && (len(hits) == 1 && hits[0].Path == path || path == "" && len(hits) == 0)
		}
	}
	// The watches are being set while the first change is made: it must be noticed either way.
	w.put(t, "lessons/new.md", "# Zanzibar\n")
	w.until(t, ch, "a new file", found("zanzibar", "lessons/new.md"))
	w.put(t, "deep/er/lessons/x.md", "# Quagga\n")
	w.until(t, ch, "a file in a new folder", found("quagga", "deep/er/lessons/x.md"))
	root := w.Brain().Root()
	temp := filepath.Join(root, "lessons", "new.md~")
	if err := os.WriteFile(temp, []byte("# Okapi\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temp, filepath.Join(root, "lessons", "new.md")); err != nil {
		t.Fatal(err)
	}
	w.until(t, ch, "a save by rename", found("okapi", "lessons/new.md"))
	if err := os.Rename(filepath.Join(root, "deep"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	w.until(t, ch, "a moved folder", found("quagga", "moved/er/lessons/x.md"))
	w.put(t, "moved/er/lessons/y.md", "# Bongo antelope\n")
	w.until(t, ch, "a file in a moved folder", found("bongo", "moved/er/lessons/y.md"))
	if err := os.RemoveAll(filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	w.until(t, ch, "a removed folder", found("quagga", ""))
	if err := os.Mkdir(filepath.Join(root, ".private"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "lessons", "new.md"), filepath.Join(root, ".private", "new.md")); err != nil {
		t.Fatal(err)
	}
	w.until(t, ch, "a file that is kept out from now on", found("okapi", ""))
	for i := range 500 {
		w.put(t, fmt.Sprintf("notes/%d.md", i), fmt.Sprintf("# checkout%d\n", i))
	}
	w.until(t, ch, "500 files at once", found("checkout499", "notes/499.md"))
}

func TestSecondProcessAnswersFromTheFiles(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	other, err := New(ctx, w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	<-other.Ready()
	if other.Owner() || !w.Owner() {
		t.Errorf("owners: first %v, second %v", w.Owner(), other.Owner())
	}
	if p, err := other.Preflight(ctx, PreflightRequest{Query: "telegram allowlist command"}); err != nil || p.Block == "" {
		t.Errorf("the second has no answer: %+v, %v", p, err)
	}
	if c, err := other.Bump(ctx, "lessons/allow.md", ""); err != nil || c.Occurrences != 4 {
		t.Errorf("the second cannot bump: %+v, %v", c, err)
	}
}

func TestDamagedStateIsMovedAside(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"rubbish": func([]byte) []byte { return []byte("not a database at all") },
		"begun":   func(b []byte) []byte { return b[:2*os.Getpagesize()] }, // reading past it faults
	} {
		t.Run(name, func(t *testing.T) { testDamagedState(t, harm) })
	}
}

func testDamagedState(t *testing.T, harm func([]byte) []byte) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(w.cfg.StateDir, "*", "state.db"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	src, err := os.ReadFile(found[0])
	if err == nil {
		err = os.WriteFile(found[0], harm(src), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if !w.Owner() {
		t.Error("a damaged state costs the index")
	}
	if aside, err := filepath.Glob(found[0] + ".corrupt-*"); err != nil || len(aside) != 1 {
		t.Errorf("the damaged file is gone: %v, %v", aside, err)
	}
}

func TestExplain(t *testing.T) {
	_, missing := New(ctx, Config{Brain: filepath.Join(t.TempDir(), "none")})
	for _, c := range []struct {
		err    error
		code   string
		en, ko string
	}{
		{missing, "no-brain", "There is no brain folder", "brain 폴더가 없습니다"},
		{&lessons.PathError{Path: "../x.md", Err: lessons.ErrOutsideBrain}, "outside-brain", `The path "../x.md" leads out of the brain.`, "brain 밖"},
		{&WeakError{Problems: []lessons.Problem{{Code: lessons.MissingRootCause}}}, "weak", "The card has no root cause", "근본 원인이 없습니다"},
		{&RequestError{Field: "scope", Value: "month", Allowed: []string{"today", "week", "all"}}, "bad-request", "today, week, all", "today, week, all"},
		{errors.New("boom"), "internal", "boom", "boom"},
	} {
		if got := Code(c.err); got != c.code {
			t.Errorf("Code(%v) = %q, want %q", c.err, got, c.code)
		}
		if got := English.Explain(c.err); !strings.Contains(got, c.en) {
			t.Errorf("English: %q lacks %q", got, c.en)
		}
		if got := Korean.Explain(c.err); !strings.Contains(got, c.ko) {
			t.Errorf("Korean: %q lacks %q", got, c.ko)
		}
	}
	for tag, want := range map[string]Locale{"ko": Korean, "ko-KR": Korean, "ko_KR.UTF-8": Korean, "en": English, "": English, "kok": English, "C": English} {
		if got := LocaleOf(tag); got != want {
			t.Errorf("LocaleOf(%q) = %s, want %s", tag, got, want)
		}
	}
}

// TestExcerptOfOtherKeys holds that what a note was found by is shown.
func TestExcerptOfOtherKeys(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"notes/a.md": "---\ntitle: Vercel\ndescription: How a site is deployed by the command line\n---\n\n" + strings.Repeat("Something else. ", 40) + "\n",
	})
	found, err := w.Retrieve(ctx, RetrieveRequest{Query: "command line deployment"})
	if err != nil || len(found.Notes) != 1 || found.Notes[0].Excerpt != "How a site is deployed by the command line" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestExcerptInOtherWords holds that the passage is shown that a note was found by, in
// whatever words: a synonym, a slip of the keyboard, two words written as one.
func TestExcerptInOtherWords(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"notes/a.md": "# Upkeep\n\n" + strings.Repeat("Something else. ", 40) + "\n\nThe cloudinary wordcount: 리액트 has its own.\n\n" + strings.Repeat("And more. ", 40) + "\n",
	})
	for _, query := range []string{"cloudniary", "word count", "react"} {
		found, err := w.Retrieve(ctx, RetrieveRequest{Query: query})
		if err != nil || len(found.Notes) != 1 || !strings.Contains(found.Notes[0].Excerpt, "wordcount") {
			t.Errorf("%q: %+v, %v", query, found.Notes, err)
		}
	}
}

func TestExcerpt(t *testing.T) {
	text := "# Title\n\nFirst paragraph about nothing.\n\n## Fix\n\nThe allowlist is checked here.\n\n" + strings.Repeat("Filler words go on. ", 40)
	if got := brain.Excerpt(text, []string{"allowlist"}, 60); !strings.Contains(got, "allowlist") || len(got) > 60 {
		t.Errorf("excerpt %q", got)
	}
	if got := brain.Excerpt("short", []string{"x"}, 60); got != "short" {
		t.Errorf("a short text became %q", got)
	}
	if got := brain.Excerpt(strings.Repeat("한글 ", 200), nil, 50); len(got) > 50 || !strings.HasSuffix(got, "…") {
		t.Errorf("excerpt %q", got)
	}
}

// raised observes an event and returns the candidate that it raises.
func (w *workspace) raised(e Event) (*Candidate, error) {
	seen, err := w.Observe(ctx, e)
	return seen.Candidate, err
}

// TestExcerptsEndWhereSomethingIsSaid cuts at sentences, at clauses where one sentence is too
// long, and never shows what a template asks for.
func TestExcerptsEndWhereSomethingIsSaid(t *testing.T) {
	long := "The export runs each night, writes a file for every customer, and mails them to the office before the first person comes in."
	for name, c := range map[string]struct {
		text  string
		words []string
		size  int
		want  string
	}{
		"whole sentences":       {"One is here. Two is here. Three is here and goes on.", nil, 30, "One is here. Two is here."},
		"the one with the word": {"One is here. Two is here. The allowlist is three. Four is here.", []string{"allowlist"}, 30, "The allowlist is three."},
		"a clause":              {long, nil, 80, "The export runs each night, writes a file for every customer…"},
		"korean sentences":      {"첫 문장이다. 둘째 문장이다. 셋째 문장은 훨씬 더 길게 이어진다.", nil, 50, "첫 문장이다. 둘째 문장이다."},
		"a korean clause":       {"배포 스크립트가 먼저 마이그레이션을 실행하고 그다음 서버를 재시작하면서 모든 연결을 끊어 버린다", nil, 90, "배포 스크립트가 먼저 마이그레이션을 실행하고…"},
		"no abbreviation":       {"Use a client, e.g. the one of the bot. Then wait for a long time and go on.", nil, 45, "Use a client, e.g. the one of the bot."},
		"no list mark":          {"1. Stop the bot.\n2. Copy the database to the other disk and wait.", nil, 20, "1. Stop the bot."},
		"no comment":            {"## Mistake\n\n<!-- What went\nwrong? -->\n\nIt ran twice.", nil, 40, "## Mistake\n\n\n\nIt ran twice."},
		"no comment when cut":   {"## Fix\n\n<!-- What put it right, in one sentence? -->\n\nThe lock is taken first. It is released last.", nil, 36, "## Fix\n\nThe lock is taken first."},
		"not a heading alone":   {"## Root Cause\n\n" + strings.Repeat("It ran twice. ", 9), nil, 44, "## Root Cause\n\nIt ran twice. It ran twice."},
		"no heading at the end": {"It ran twice.\n\n## Fix\n\n" + strings.Repeat("Take the lock. ", 9), nil, 30, "It ran twice."},
	} {
		if got := brain.Excerpt(c.text, c.words, c.size); got != c.want || len(got) > c.size {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
