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

// episodes is their folder: a file of JSON lines for each day, which keepLedger alone changes. Nothing of it
// is searched, injected or written to the brain.
type episodes string

// file returns the file of a moment's day. Their names are in the order of the days.
func (e episodes) file(at time.Time) string {
	return filepath.Join(string(e), at.UTC().Format(time.DateOnly)+".jsonl")
}

// oldest returns the first file that is kept.
func (e episodes) oldest(now time.Time) string { return e.file(now.UTC().AddDate(0, 0, -episodeDays)) }

// files returns all of them, oldest first.
func (e episodes) files() ([]string, error) {
	entries, err := os.ReadDir(string(e))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the episodes: %w", err)
	}
	var out []string
	for _, f := range entries {
		if day, err := time.Parse(time.DateOnly+".jsonl", f.Name()); err == nil {
			out = append(out, e.file(day))
		}
	}
	return out, nil
}

// prune forgets the days that are too old.
func (e episodes) prune(now time.Time) error {
	files, err := e.files()
	for _, f := range files {
		if f < e.oldest(now) {
			err = errors.Join(err, os.Remove(f))
		}
	}
	return err
}

// read returns the episodes of a file. A line that is none is passed over.
func (e episodes) read(file string) ([]Episode, error) {
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read episodes: %w", err)
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

// change makes a file's episodes what change makes of them, as a whole or not at all; a day without any has no file.
func (e episodes) change(file string, change func([]Episode) []Episode) error {
	list, err := e.read(file)
	if err != nil {
		return err
	}
	if list = change(list); len(list) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget episodes: %w", err)
		}
		return nil
	}
	before, _ := os.ReadFile(file)
	var out bytes.Buffer
	for _, x := range list {
		line, err := json.Marshal(x)
		if err != nil {
			return fmt.Errorf("write an episode: %w", err)
		}
		if !bytes.Contains(before, line) {
			line = leaks.KeepJSON(line)
		}
		out.Write(append(line, '\n'))
	}
	err = os.MkdirAll(string(e), 0o700)
	if err == nil {
		err = os.WriteFile(file+".new", out.Bytes(), 0o600) //nolint:forbidigo // side data, not a card
	}
	if err == nil {
		err = os.Rename(file+".new", file) //nolint:forbidigo // side data, not a card
	}
	if err != nil {
		return fmt.Errorf("write episodes: %w", err)
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
	s.later(func() {
		asked = strings.TrimSpace(leaks.Redact(asked))
		if runes := []rune(asked); len(runes) > maxAsked {
			asked = string(runes[:maxAsked]) + "…"
		}
		s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Asked = asked; return true })
	})
}

// endEpisode notes what came of a turn, or that more came of it. A turn without a card, a
// file and a test has nothing to tell.
func (s *Server) endEpisode(id string) {
	if !s.notes() {
		return
	}
	s.later(func() {
		row, ok := s.state.Turns.Get(id)
		x := episodeOf(row)
		if !ok || row.Aside || row.Asked == "" || len(x.Files)+len(x.Cards) == 0 && x.Tests == "" {
			return
		}
		err := s.episodes.change(s.episodes.file(x.At), func(list []Episode) []Episode {
			switch i := slices.IndexFunc(list, func(o Episode) bool { return o.ID == id }); {
			case i >= 0:
				list[i] = x
			case !row.Noted: // else a person deleted it
				list = append(list, x)
			}
			return list
		})
		if err = errors.Join(err, s.episodes.prune(s.now())); err != nil {
			s.log.Warn("episodes are not as they should be", "turn", id, "err", err)
		}
		s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Noted = true; return !row.Noted })
	})
}

// episodeOf returns what is known of a turn.
func episodeOf(row ledger.Turn) Episode {
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
	s.noted(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := s.episodes.files()
	if err != nil {
		return nil, err
	}
	out := []Episode{}
	for _, file := range files {
		if file < s.episodes.oldest(s.now()) {
			continue
		}
		list, err := s.episodes.read(file)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(list, func(x Episode) bool { return r.ID != "" && r.ID != x.ID })...)
	}
	if r.ID != "" && len(out) == 0 {
		return nil, fmt.Errorf("episode %q: %w", r.ID, ErrUnknownEpisode)
	}
	slices.SortFunc(out, func(a, b Episode) int { return cmp.Or(-a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	if r.Limit > 0 {
		out = out[:min(r.Limit, len(out))]
	}
	return out, nil
}

// ForgetEpisodes deletes episodes for good, all of those that are named or, when one of them
// is not there (ErrUnknownEpisode), none.
func (s *Server) ForgetEpisodes(ctx context.Context, ids []string) error {
	if !s.owner {
		return fmt.Errorf("forget episodes: %w", lessons.ErrBusy) // the owner may be writing to the same file
	}
	all, err := s.Episodes(ctx, EpisodesRequest{})
	if err != nil {
		return fmt.Errorf("forget episodes: %w", err)
	}
	files := map[string]bool{}
	for _, id := range ids {
		i := slices.IndexFunc(all, func(x Episode) bool { return x.ID == id })
		if i < 0 {
			return fmt.Errorf("forget episode %q: %w", id, ErrUnknownEpisode)
		}
		files[s.episodes.file(all[i].At)] = true
	}
	forgotten := make(chan error, 1)
	s.later(func() {
		var err error
		for file := range files {
			err = errors.Join(err, s.episodes.change(file, func(list []Episode) []Episode {
				return slices.DeleteFunc(list, func(x Episode) bool { return slices.Contains(ids, x.ID) })
			}))
		}
		for _, id := range ids { // what the ledger remembers for it goes too
			s.state.Turns.Change(id, func(a *ledger.Turn) bool { a.Asked, a.Files = "", nil; return true })
		}
		forgotten <- err
	})
	select {
	case err := <-forgotten:
		return err
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
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
