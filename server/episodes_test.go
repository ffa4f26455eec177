package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"handrail/lessons"
)

func noting(c *Config) { c.Extras.Editor = &Extras{Episodes: true} }

func (w *workspace) episodeList(t *testing.T) []Episode {
	t.Helper()
	list, err := w.Episodes(ctx, EpisodesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEpisodes(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, noting, func(c *Config) { c.Now = func() time.Time { return at } })
	ask := func(session, query string, do ...Event) Preflight {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, SessionID: session, Agent: "Codex", Files: []string{w.dir + "/bot/telegram.go"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range do {
			e.SessionID = session
			w.happens(t, e)
		}
		return p
	}
	edit := Event{Kind: EditEvent, Files: []string{w.dir + "/bot/restart.go", w.dir + "/bot/telegram.go"}}
	p := ask("s1", restart+"\nfrom the telegram allowlist, password=hunter2hunter2", edit, red)
	w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "Not yet."})
	want := Episode{
		ID: p.AnswerID, At: at, Agent: "Codex", Asked: restart + "\nfrom the telegram allowlist, password=[redacted]",
		Files: []string{"bot/telegram.go", "bot/restart.go"}, Tests: "failed", Cards: []string{"lessons/allow.md"},
	}
	if diff := cmp.Diff([]Episode{want}, w.episodeList(t)); diff != "" {
		t.Error(diff)
	}

	// The agent goes on: the same turn, told anew. The next request ends one without an answer.
	green := green
	green.SessionID, edit.SessionID = "s1", "s1"
	w.happens(t, edit)
	w.happens(t, green)
	at = at.AddDate(0, 0, 1)
	second := ask("s1", "and where do penguins live?")
	want.Tests = "passed"
	if diff := cmp.Diff([]Episode{want}, w.episodeList(t)); diff != "" {
		t.Error(diff)
	}
	w.answered(t, AnswerRequest{AnswerID: second.AnswerID, Answer: "In the south."})
	if list := w.episodeList(t); len(list) != 2 || list[0].ID != second.AnswerID || list[0].Tests != "" {
		t.Errorf("%+v", list)
	}
	if one, err := w.Episodes(ctx, EpisodesRequest{Limit: 1}); err != nil || len(one) != 1 || one[0].ID != second.AnswerID {
		t.Errorf("the last one: %+v, %v", one, err)
	}

	// A draft by a person's word; nothing else of it is in the brain.
	made, err := w.Confirm(ctx, CreateRequest{EpisodeID: p.AnswerID, Title: "Restarts need the allowlist", Fields: CreateFields{Status: lessons.Active}})
	if err != nil {
		t.Fatal(err)
	}
	src := w.files(t)[made.Path]
	for _, has := range []string{"status: draft", "> " + restart + "\n> from the telegram allowlist, password=[redacted]\n", "- `bot/restart.go`\n", "The tests passed.\n"} {
		if !strings.Contains(src, has) {
			t.Errorf("the draft lacks %q:\n%s", has, src)
		}
	}
	if gone, err := w.Retract(ctx, RetractRequest{Origin: p.AnswerID}); err != nil || len(gone) != 1 || gone[0] != made.Path {
		t.Errorf("retracted %q, %v", gone, err)
	}
	if len(w.files(t)) != 1 {
		t.Errorf("the brain holds %v", w.files(t))
	}

	// What a person deletes stays deleted, whatever is heard of the turn later.
	if err := w.ForgetEpisodes(ctx, []string{p.AnswerID, "gone"}); !errors.Is(err, ErrUnknownEpisode) || len(w.episodeList(t)) != 2 {
		t.Errorf("with one that is not there: %v", err)
	}
	if err := w.ForgetEpisodes(ctx, []string{p.AnswerID}); err != nil {
		t.Fatal(err)
	}
	w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
	if list := w.episodeList(t); len(list) != 1 || list[0].ID != second.AnswerID {
		t.Errorf("%+v", list)
	}
	if _, err := w.Confirm(ctx, CreateRequest{EpisodeID: p.AnswerID, Title: "x"}); !errors.Is(err, ErrUnknownEpisode) {
		t.Errorf("a draft of it: %v", err)
	}

	// The secret was never on the disk.
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if found := holding(t, w.cfg.StateDir, "hunter2"); len(found) > 0 {
		t.Errorf("the secret stands in %q", found)
	}
	if found := holding(t, w.cfg.StateDir, "penguins"); len(found) == 0 {
		t.Error("the search finds nothing at all")
	}

	// After 90 days nothing is left, asked for or not.
	at = at.AddDate(0, 0, 90)
	w.open(t)
	if list := w.episodeList(t); len(list) != 1 {
		t.Errorf("on the last day: %+v", list)
	}
	at = at.AddDate(0, 0, 1)
	if list := w.episodeList(t); len(list) != 0 {
		t.Errorf("the day after: %+v", list)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.cfg.Extras = ExtraSettings{}
	w.open(t)
	if _ = w.episodeList(t); len(holding(t, string(w.episodes), "penguins")) > 0 {
		t.Error("the file is still there")
	}
}

// holding returns the files below a folder that hold a text.
func holding(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		if strings.Contains(string(src), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoEpisodes(t *testing.T) {
	ended := func(w *workspace, r PreflightRequest) {
		t.Helper()
		p, err := w.Preflight(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
	}
	cards := map[string]string{"lessons/allow.md": allowlist}

	w := newWorkspace(t, cards)
	ended(w, PreflightRequest{Query: restart})
	if list := w.episodeList(t); len(list) != 0 {
		t.Errorf("while they are off: %+v", list)
	}
	if err := w.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if found := holding(t, w.cfg.StateDir, restart); len(found) > 0 {
		t.Errorf("the request stands in %q", found)
	}
	w.SetExtras(ExtraSettings{Editor: &Extras{Episodes: true}})
	ended(w, PreflightRequest{Query: "where do penguins live?"})
	ended(w, PreflightRequest{Query: restart, Aside: true})
	if list := w.episodeList(t); len(list) != 0 {
		t.Errorf("of turns that came to nothing: %+v", list)
	}
	ended(w, PreflightRequest{Query: restart})
	if list := w.episodeList(t); len(list) != 1 {
		t.Errorf("turned on: %+v", list)
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{}})
	ended(w, PreflightRequest{Query: restart})
	w.SetExtras(ExtraSettings{Editor: &Extras{}})
	ended(w, PreflightRequest{Query: restart})
	if list := w.episodeList(t); len(list) != 2 {
		t.Errorf("the editor's word holds until it takes it back: %d", len(list))
	}

	second, err := New(ctx, w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	list, err := second.Episodes(ctx, EpisodesRequest{})
	if err != nil || len(list) != 2 {
		t.Errorf("a second process sees %+v, %v", list, err)
	}
	if err := second.ForgetEpisodes(ctx, []string{list[0].ID}); !errors.Is(err, lessons.ErrBusy) {
		t.Errorf("a second process deletes: %v", err)
	}
}
