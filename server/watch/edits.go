package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/triggers"
)

const (
	// maxContents bounds the earlier contents of a file that are known again.
	maxContents = 16
	// maxText is the largest file whose lines can be told after it went back, in bytes, and
	// maxTexts in how many files of a conversation.
	maxText  = 64 << 10
	maxTexts = 32
	// returnWithin is how long after an agent's edit a file's return to an earlier content is taken for a rollback
	// where no agent did it. Later it is more likely to be work that happens to agree.
	returnWithin = 30 * time.Minute
	// maxFollowed bounds the conversations that are followed.
	maxFollowed = 16
	// absent stands for the hash of a file that is not there.
	absent = "absent"
)

// agent is what is followed of one conversation. A prompt, of this one or another, takes nothing of it away.
type agent struct {
	files map[string]*edited
	calls map[string]bool // tool calls under way
	tells bool            // its host says when one begins
	began time.Time       // its turn
	red   []*look         // at failing runs of tests, oldest first
}

// edited is a file that an agent changed. Contents are named by git's hash.
type edited struct {
	was   []string // what it held before each edit, oldest first
	now   string   // what the agent made of it
	text  string   // the same, "" where it is too long
	at    time.Time
	heads int64       // how much of HEAD's log was written by then
	stat  fs.FileInfo // at the last look, nil where it was not there
}

// suspect is a file that may be back at an earlier content.
type suspect struct {
	by   string // the conversation whose agent was at work then, "" for a person
	seen bool   // it was back at the last look; git may not have written yet why
}

// StartTurn remembers, in the background, which files already differ from git's index, so that
// what a file held before an agent changed it is known. The calls of the conversation have ended.
func (g *Git) StartTurn(session string) {
	repos := g.followed()
	if g.watch == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if session != "" {
		a := g.agent(session)
		clear(a.calls)
		a.began = g.now()
	}
	if len(repos) == 0 {
		return
	}
	g.dirty, g.turn = nil, g.turn+1
	turn := g.turn
	g.Go(func() {
		dirty := map[string]string{}
		for _, r := range repos {
			out, _ := GitOutput(g.Ctx, r.tree, "diff", "--name-only", "-z")
			for i, f := range r.absolute(out) {
				if h, _, err := contentOf(f); i < maxTracked && err == nil {
					dirty[f] = h
				}
			}
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.turn == turn {
			g.dirty = dirty
		}
	})
}

// AtStart returns git's hash of what a file held when the turn began, "" where that was what
// the index has; known is false while git has not told, or could not.
func (g *Git) AtStart(file string) (hash string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dirty[file], g.dirty != nil
}

// Tracks reports whether an agent has edited a file.
func (g *Git) Tracks(file string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, e := g.editedBy(file)
	return e != nil
}

// editedBy returns the conversation that changed a file last. The caller holds mu.
func (g *Git) editedBy(file string) (session string, last *edited) {
	for id, a := range g.agents {
		if e := a.files[file]; e != nil && (last == nil || e.at.After(last.at)) {
			session, last = id, e
		}
	}
	return session, last
}

// agent returns what is followed of a conversation; the one that was heard of least lately makes
// room. The caller holds mu.
func (g *Git) agent(session string) *agent {
	g.order = append(slices.DeleteFunc(g.order, func(id string) bool { return id == session }), session)
	if g.agents[session] == nil {
		g.agents[session] = &agent{files: map[string]*edited{}, calls: map[string]bool{}}
	}
	if len(g.order) > maxFollowed {
		delete(g.agents, g.order[0])
		g.order = g.order[1:]
		works := map[string]bool{}
		for _, a := range g.agents {
			for f := range a.files {
				works[filepath.Dir(f)] = true
			}
		}
		for dir := range g.seen {
			if !works[dir] {
				delete(g.seen, dir)
				_ = g.watch.Remove(dir)
			}
		}
	}
	return g.agents[session]
}

// CallBegun notes that an agent asked for an edit or a command: files that go back now go by it.
func (g *Git) CallBegun(session, call string) {
	if g.watch == nil || session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.agent(session)
	a.calls[call], a.tells = true, true
}

// CallEnded notes that it ended, and looks for files that it changed.
func (g *Git) CallEnded(session, call string) {
	if g.watch == nil || session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	acting := g.agents[session]
	if acting == nil {
		return
	}
	delete(acting.calls, call)
	for _, a := range g.agents {
		for f, e := range a.files {
			info, _ := os.Lstat(f) // nil: it is gone
			if (info == nil) != (e.stat == nil) || info != nil && (info.Size() != e.stat.Size() || !info.ModTime().Equal(e.stat.ModTime())) {
				if s, ok := g.suspects[f]; !ok || s.by == "" && !acting.tells {
					g.suspect(f, session)
				}
			}
		}
	}
}

// suspect has a file looked at soon. The caller holds mu.
func (g *Git) suspect(file, by string) {
	g.suspects[file] = suspect{by: by}
	select {
	case g.look <- struct{}{}:
	default:
	}
}

// changed notes that a file was written or removed. Whoever has a call under way did it.
func (g *Git) changed(file string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.suspects[file]; !known {
		g.suspect(file, g.caller(file))
	}
}

// caller returns the conversation that has a call under way, first that which edited the file. The caller holds mu.
func (g *Git) caller(file string) string {
	if id, _ := g.editedBy(file); id != "" && len(g.agents[id].calls) > 0 {
		return id
	}
	for _, id := range slices.Backward(g.order) {
		if len(g.agents[id].calls) > 0 {
			return id
		}
	}
	return ""
}

// Edited follows files an agent changed: what they held before, and what they hold now.
func (g *Git) Edited(session string, files []string) {
	if g.watch == nil || session == "" {
		return
	}
	for _, f := range files {
		now, text, err := contentOf(f)
		if err != nil {
			continue
		}
		var heads int64
		if r := g.holder(f); r != nil {
			if info, err := os.Stat(r.log); err == nil {
				heads = info.Size()
			}
		}
		start, _ := g.AtStart(f)
		if !g.Tracks(f) && (start == "" || start == now) { // the same: it was edited before git told of it
			out, _ := GitOutput(g.Ctx, filepath.Dir(f), "ls-files", "-s", "--", filepath.Base(f))
			start = absent
			if fields := strings.Fields(out); len(fields) > 3 { // mode, hash, stage, name
				start = fields[1]
			}
		}
		g.mu.Lock()
		a := g.agent(session)
		e := a.files[f]
		switch {
		case e == nil && len(a.files) >= maxTracked:
			g.mu.Unlock()
			continue
		case e == nil:
			e = &edited{was: []string{start}}
			if _, other := g.editedBy(f); other != nil { // whose now may be this edit: the system tells before the host
				e.was = append(slices.Clone(other.was), other.now)
			}
			a.files[f] = e
		case now != e.now && slices.Contains(e.was, now): // the agent edits it back itself
			g.suspect(f, session)
			g.mu.Unlock()
			continue
		}
		e.becomes(now, text, g.now())
		e.heads = heads
		for _, a := range g.agents {
			if other := a.files[f]; other != nil {
				other.stat, _ = os.Lstat(f)
			}
		}
		delete(g.suspects, f) // that was it
		a.forgetTexts()
		g.see(filepath.Dir(f))
		g.mu.Unlock()
	}
}

// becomes notes a new content.
func (e *edited) becomes(hash, text string, at time.Time) {
	if e.now != "" && e.now != hash {
		e.was = append(e.was, e.now)
		e.was = e.was[max(0, len(e.was)-maxContents):]
	}
	e.now, e.text, e.at = hash, text, at
}

// forgetTexts drops the texts of the files that were edited longest ago.
func (a *agent) forgetTexts() {
	var with []*edited
	for _, e := range a.files {
		if e.text != "" {
			with = append(with, e)
		}
	}
	if len(with) > maxTexts {
		slices.MinFunc(with, func(x, y *edited) int { return x.at.Compare(y.at) }).text = ""
	}
}

// see watches a folder of edited files. The caller holds mu.
func (g *Git) see(dir string) {
	if g.seen[dir] || len(g.seen) >= maxTracked {
		return
	}
	if err := g.watch.Add(dir); err != nil {
		g.Log.Warn("edited files not followed", "dir", dir, "err", err)
		return
	}
	g.seen[dir] = true
}

// checkReturned reports the files whose content is an earlier one again where that is a loss,
// and tells whether it wants to look again.
func (g *Git) checkReturned() (again bool) {
	g.mu.Lock()
	suspects := g.suspects
	g.suspects = map[string]suspect{}
	g.mu.Unlock()
	told := map[string]*triggers.Event{}
	for f, s := range suspects {
		now, text, err := contentOf(f)
		g.mu.Lock()
		_, e := g.editedBy(f)
		if e == nil || err != nil {
			g.mu.Unlock()
			continue
		}
		e.stat, _ = os.Lstat(f)
		back := now != e.now && slices.Contains(e.was, now)
		if !back && now != absent { // made by a command, a formatter, a person
			e.becomes(now, text, e.at)
		}
		old := *e
		g.mu.Unlock()
		loss := held
		if back {
			loss = g.lossOf(f, old, now)
		}
		switch {
		case loss == held || s.by == "" && g.now().Sub(old.at) > returnWithin:
			continue
		case !s.seen:
			g.mu.Lock()
			if newer, is := g.suspects[f]; !is || newer.by == "" { // the system may tell late, when the call has ended
				g.suspects[f] = suspect{s.by, !is}
			}
			g.mu.Unlock()
			again = true
			continue
		}
		soft := loss == stashed || now == absent
		key := fmt.Sprint(s.by, soft)
		if told[key] == nil {
			told[key] = &triggers.Event{Kind: triggers.Rollback, At: g.now(), SessionID: s.by, ByAgent: s.by != "", Soft: soft}
		}
		ev := told[key]
		ev.Files = append(ev.Files, f)
		if old.text != "" && (text != "" || now == absent) {
			ev.Changes = append(ev.Changes, triggers.Between(f, old.text, text))
		}
		g.mu.Lock()
		for _, a := range g.agents {
			if e := a.files[f]; e != nil {
				e.now, e.text = now, text
			}
		}
		g.mu.Unlock()
	}
	for _, ev := range told {
		slices.Sort(ev.Files)
		slices.SortFunc(ev.Changes, func(a, b triggers.Change) int { return strings.Compare(a.File, b.File) })
		g.report(*ev)
	}
	return again
}

// loss says what became of lines that are not in a file any more.
type loss int

const (
	held    loss = iota // a branch or a tag has them: another checkout brings them back
	stashed             // they were put aside
	lost
)

// lossOf says whether what an agent made of a file is lost now that the file holds an earlier
// content. It is not where HEAD moved there, and a ref holds where it came from.
func (g *Git) lossOf(file string, e edited, now string) loss {
	r := g.holder(file)
	if r == nil {
		return lost
	}
	name, err := filepath.Rel(r.tree, file)
	if err != nil {
		return lost
	}
	name = filepath.ToSlash(name)
	if e.now != absent && r.blob(g.Ctx, "refs/stash", name) == e.now {
		return stashed
	}
	heads := r.headsSince(e.heads)
	if len(heads) == 0 || r.blob(g.Ctx, "HEAD", name) != now {
		return lost // it was taken out of the work tree, not left behind
	}
	for _, h := range heads {
		if r.blob(g.Ctx, h, name) != now && r.holds(g.Ctx, h, "") {
			return held
		}
	}
	return lost
}

// maxHeads bounds the places where HEAD was that are looked at, the last first.
const maxHeads = 10

// headsSince returns the commits that HEAD was at since its log had a size.
func (r *repository) headsSince(size int64) (heads []string) {
	log, err := os.ReadFile(r.log)
	if err != nil || int64(len(log)) < size {
		return nil
	}
	for line := range strings.Lines(string(log[size:])) {
		if e, ok := triggers.ParseReflog([]byte(line)); ok && e.Old != e.New && !slices.Contains(heads, e.Old) {
			heads = append(heads, e.Old)
		}
	}
	slices.Reverse(heads)
	return heads[:min(len(heads), maxHeads)]
}

// blob returns the hash that a commit has for a file, that of no file where it has none.
func (r *repository) blob(ctx context.Context, commit, name string) string {
	out, _ := GitOutput(ctx, r.tree, "rev-parse", "--verify", "--quiet", commit+":"+name)
	return cmp.Or(strings.TrimSpace(out), absent)
}

// holds reports whether a branch or a tag other than one has a commit.
func (r *repository) holds(ctx context.Context, commit, other string) bool {
	out, _ := GitOutput(ctx, r.tree, "for-each-ref", "--contains="+commit, "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags")
	return slices.ContainsFunc(strings.Fields(out), func(name string) bool { return name != other })
}

// holder returns the repository whose work tree a file is in.
func (g *Git) holder(file string) (best *repository) {
	for _, r := range g.followed() {
		if rel, err := filepath.Rel(r.tree, file); err == nil && filepath.IsLocal(rel) && (best == nil || len(r.tree) > len(best.tree)) {
			best = r
		}
	}
	return best
}

// contentOf returns the name git gives a file's content (SHA-1 over "blob SIZE\0" and the bytes),
// so that it can be compared with git's without reading objects, and the text where it is short.
func contentOf(file string) (hash, text string, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, "", nil
	}
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHashed {
		return "", "", fmt.Errorf("hash %s: not a small regular file", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	if len(data) <= maxText && slices.Index(data, 0) < 0 {
		text = string(data)
	}
	return git.Blob(data), text, nil
}
