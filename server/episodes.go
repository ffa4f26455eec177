package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handrail/lessons"
	"handrail/server/ledger"
	"handrail/triggers/leaks"
)

const (
	// episodeDays is how long an episode is kept.
	episodeDays = 90
	// maxAsked is how much of a request an episode quotes, in characters: enough to know it
	// again.
	maxAsked = 1000
	// maxRedactedAsk is how much of it is looked through for secrets, in bytes; more, since
	// what is taken out makes room.
	maxRedactedAsk = 8 * maxAsked
	// maxEpisodeJobs bounds what waits to be noted. A request never waits for a note.
	maxEpisodeJobs = 256
)

// Episode is what came of one turn.
type Episode struct {
	ID    string    `json:"id"` // answer id of the turn
	At    time.Time `json:"at"` // when it began
	Agent string    `json:"agent,omitempty"`
	Asked string    `json:"asked"`           // the request, without secrets and cut short
	Files []string  `json:"files"`           // that it named or changed
	Tests string    `json:"tests,omitempty"` // how its tests ended: passed, failed; absent when none ran since the last edit
	Cards []string  `json:"cards"`           // paths of the cards that it was given
}

// The outcomes of an Episode's tests.
const (
	testsPassed = "passed"
	testsFailed = "failed"
)

// episodes keeps them: a file of JSON lines for each day, in the state folder. Nothing of it
// is searched, injected or written to the brain.
type episodes struct {
	dir  string
	jobs chan func() // what is to be noted, in order; nil where another process owns the state

	mu sync.Mutex // one change of a file at a time
}

// run notes what is due until the Server closes, and forgets what is too old.
func (e *episodes) run(s *Server, now time.Time) {
	prune := func(now time.Time) {
		if err := e.prune(now); err != nil {
			s.log.Warn("old episodes are not forgotten", "err", err)
		}
	}
	prune(now)
	daily := time.NewTicker(24 * time.Hour)
	defer daily.Stop()
	for {
		select {
		case job := <-e.jobs:
			job()
		case <-daily.C:
			prune(s.now())
		case <-s.ctx.Done():
			for len(e.jobs) > 0 {
				(<-e.jobs)()
			}
			return
		}
	}
}

// later has something noted; it reports whether there is room for it.
func (e *episodes) later(job func()) bool {
	select {
	case e.jobs <- job:
		return true
	default:
		return false
	}
}

// flush waits until everything that happened so far is noted.
func (e *episodes) flush(ctx, life context.Context) error {
	if e.jobs == nil {
		return nil
	}
	done := make(chan struct{})
	select {
	case e.jobs <- func() { close(done) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-life.Done():
		return life.Err()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-life.Done():
		return life.Err()
	}
}

// dayOf names the file of an episode.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// oldest returns the first day that is kept.
func oldest(now time.Time) string { return dayOf(now.UTC().AddDate(0, 0, -episodeDays)) }

// days returns the days that have episodes, oldest first.
func (e *episodes) days() ([]string, error) {
	entries, err := os.ReadDir(e.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the episodes: %w", err)
	}
	var out []string
	for _, f := range entries {
		day, ok := strings.CutSuffix(f.Name(), ".jsonl")
		if _, err := time.Parse(time.DateOnly, day); ok && err == nil {
			out = append(out, day)
		}
	}
	return out, nil
}

func (e *episodes) file(day string) string { return filepath.Join(e.dir, day+".jsonl") }

// prune forgets the days that are too old.
func (e *episodes) prune(now time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	days, err := e.days()
	if err != nil {
		return err
	}
	var errs []error
	for _, day := range days {
		if day < oldest(now) {
			errs = append(errs, os.Remove(e.file(day)))
		}
	}
	return errors.Join(errs...)
}

// read returns the episodes of a day. A line that is none is passed over.
func (e *episodes) read(day string) ([]Episode, error) {
	src, err := os.ReadFile(e.file(day))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the episodes of %s: %w", day, err)
	}
	var out []Episode
	for line := range bytes.Lines(src) {
		var x Episode
		if json.Unmarshal(line, &x) == nil && x.ID != "" {
			x.Files, x.Cards = orEmpty(x.Files), orEmpty(x.Cards)
			out = append(out, x)
		}
	}
	return out, nil
}

// change makes a day's episodes what change makes of them; a day without any has no file.
func (e *episodes) change(day string, change func([]Episode) []Episode) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	list, err := e.read(day)
	if err != nil {
		return err
	}
	list = change(list)
	if len(list) == 0 {
		if err := os.Remove(e.file(day)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the episodes of %s: %w", day, err)
		}
		return nil
	}
	var out bytes.Buffer
	for _, x := range list {
		line, err := json.Marshal(x)
		if err != nil {
			return fmt.Errorf("write an episode: %w", err)
		}
		out.Write(append(line, '\n'))
	}
	return replaceFile(e.file(day), out.Bytes())
}

// replaceFile writes a file of the state as a whole or not at all.
func replaceFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("make the folder of %s: %w", name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*") // for the user alone to read
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name) //nolint:forbidigo // side data, not a card
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(f.Name()))
	}
	return nil
}

// notes reports whether what comes of turns is kept: by the process that has the state.
func (s *Server) notes() bool { return s.owner && s.extras.on().Episodes }

// beginEpisode notes what a turn was asked. Taking secrets out takes longer than a request
// may wait, and nothing is put on the disk before.
func (s *Server) beginEpisode(id, asked string) {
	if !s.notes() || strings.TrimSpace(asked) == "" {
		return
	}
	asked = head(asked, maxRedactedAsk)
	ok := s.episodes.later(func() {
		asked = leaks.Redact(asked)
		if runes := []rune(strings.TrimSpace(asked)); len(runes) > maxAsked {
			asked = string(runes[:maxAsked]) + "…"
		}
		s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Asked = strings.TrimSpace(asked); return true })
	})
	if !ok {
		s.log.Info("a turn is not noted: too many wait", "turn", id)
	}
}

// endEpisode notes what came of a turn, or that more came of it. A turn without a card, a
// file and a test has nothing to tell.
func (s *Server) endEpisode(id string) {
	if !s.notes() {
		return
	}
	s.episodes.later(func() {
		row, ok := s.state.Turns.Get(id)
		if !ok || row.Aside || row.Asked == "" {
			return
		}
		x := s.episodeOf(row)
		if len(x.Files)+len(x.Cards) == 0 && x.Tests == "" {
			return
		}
		err := s.episodes.change(dayOf(x.At), func(list []Episode) []Episode {
			switch i := slices.IndexFunc(list, func(o Episode) bool { return o.ID == id }); {
			case i >= 0:
				list[i] = x
			case !row.Noted: // else a person deleted it
				list = append(list, x)
			}
			return list
		})
		if err != nil {
			s.log.Warn("a turn is not noted", "turn", id, "err", err)
			return
		}
		s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Noted = true; return true })
	})
}

// episodeOf returns what is known of a turn.
func (s *Server) episodeOf(row ledger.Turn) Episode {
	x := Episode{ID: row.ID, At: row.At, Agent: row.Agent, Asked: row.Asked, Files: orEmpty(row.Files), Cards: []string{}}
	if passed, known := row.Tested(); known && passed {
		x.Tests = testsPassed
	} else if known {
		x.Tests = testsFailed
	}
	for _, h := range row.Served() {
		if row.Delivered(h.Path) {
			x.Cards = append(x.Cards, h.Path)
		}
	}
	return x
}

// EpisodesRequest selects episodes.
type EpisodesRequest struct {
	ID    string // one of them; "" for all
	Limit int    // 0 means all
}

// Episodes returns what came of the turns of the last 90 days, newest first. An ID that is
// not there is ErrUnknownEpisode.
func (s *Server) Episodes(ctx context.Context, r EpisodesRequest) ([]Episode, error) {
	if err := s.episodes.flush(ctx, s.ctx); err != nil {
		return nil, err
	}
	days, err := s.episodes.days()
	if err != nil {
		return nil, err
	}
	out := []Episode{}
	for _, day := range slices.Backward(days) {
		if day < oldest(s.now()) || r.Limit > 0 && len(out) >= r.Limit {
			break
		}
		list, err := s.episodes.read(day)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(list, func(a, b Episode) int { return cmp.Or(-a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
		for _, x := range list {
			if r.ID == "" || r.ID == x.ID {
				out = append(out, x)
			}
		}
	}
	if r.ID != "" && len(out) == 0 {
		return nil, fmt.Errorf("episode %q: %w", r.ID, ErrUnknownEpisode)
	}
	if r.Limit > 0 {
		out = out[:min(r.Limit, len(out))]
	}
	return out, nil
}

// ForgetEpisodes deletes episodes for good, all of those that are named or, when one of them
// is not there (ErrUnknownEpisode), none.
func (s *Server) ForgetEpisodes(ctx context.Context, ids []string) error {
	if s.episodes.jobs == nil {
		return fmt.Errorf("forget episodes: %w", lessons.ErrBusy) // the owner may be writing to the same file
	}
	all, err := s.Episodes(ctx, EpisodesRequest{})
	if err != nil {
		return fmt.Errorf("forget episodes: %w", err)
	}
	days := map[string]bool{}
	for _, id := range ids {
		i := slices.IndexFunc(all, func(x Episode) bool { return x.ID == id })
		if i < 0 {
			return fmt.Errorf("forget episode %q: %w", id, ErrUnknownEpisode)
		}
		days[dayOf(all[i].At)] = true
	}
	for day := range days {
		err := s.episodes.change(day, func(list []Episode) []Episode {
			return slices.DeleteFunc(list, func(x Episode) bool { return slices.Contains(ids, x.ID) })
		})
		if err != nil {
			return err
		}
	}
	for _, id := range ids { // what the ledger remembers for it goes too
		s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Asked, a.Files = "", nil; return true })
	}
	return nil
}

// fromEpisode fills in a request for a card with what an episode tells. What comes of it is
// a draft: a person has yet to say what is to be learned.
func (s *Server) fromEpisode(ctx context.Context, r CreateRequest) (CreateRequest, error) {
	list, err := s.Episodes(ctx, EpisodesRequest{ID: r.EpisodeID})
	if err != nil {
		return r, fmt.Errorf("make a card of a turn: %w", err)
	}
	x := list[0]
	r.Origin, r.Fields.Status = x.ID, lessons.Drafted
	if r.Situation == "" {
		var b strings.Builder
		for line := range strings.Lines(x.Asked) {
			b.WriteString("> " + strings.TrimRight(line, "\r\n") + "\n")
		}
		if len(x.Files) > 0 {
			b.WriteString("\n")
		}
		for _, f := range x.Files {
			b.WriteString("- `" + strings.ReplaceAll(f, "`", "'") + "`\n")
		}
		if how, ok := testsText[x.Tests]; ok {
			b.WriteString("\n" + r.Language.say(how) + "\n")
		}
		r.Situation = b.String()
	}
	return r, nil
}

var testsText = map[string]text{
	testsPassed: {"The tests passed.", "테스트는 통과했습니다."},
	testsFailed: {"The tests failed.", "테스트는 실패했습니다."},
}
