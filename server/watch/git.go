package watch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/triggers"
)

const (
	// gitTimeout bounds one call of git; what it would have told is then not known.
	gitTimeout = 5 * time.Second
	// maxTracked bounds the files one turn follows.
	maxTracked = 500
	// maxHashed is the largest file that is hashed, and how much of a patch is read, in bytes.
	maxHashed = 1 << 20
	// confirmAfter is how long a file that is back is looked at again before that is told: git
	// writes files first, and why it did so later.
	confirmAfter = 300 * time.Millisecond
)

// Git notices rollbacks: revert and reset by the log git keeps of HEAD, restored files by
// their content, since git writes no line for those. The zero one follows nothing.
type Git struct {
	Host
	now    func() time.Time
	report func(triggers.Event)
	watch  *notifier // nil when nothing is watched

	followMu sync.Mutex      // guards asked; one folder is taken up at a time
	asked    map[string]bool // folders of editors and conversations

	look chan struct{} // there are suspects

	mu       sync.Mutex // guards what follows, but not a repository's size, which only run touches
	repos    []*repository
	agents   map[string]*agent // by conversation
	order    []string          // conversations, the last heard of at the end
	suspects map[string]suspect
	turn     int               // counts the looks at what differed
	dirty    map[string]string // hashes at the last turn's start of files that differed from the index
	seen     map[string]bool   // folders watched for edited files
}

// Start calls report with each rollback in what Follow names, its files by absolute path.
func (g *Git) Start(h Host, now func() time.Time, report func(triggers.Event)) {
	w, err := notify(h)
	if err != nil {
		h.Log.Warn("rollbacks are not noticed", "err", err)
		return
	}
	g.Host, g.now, g.report, g.watch = h, now, report, w
	g.seen, g.agents, g.suspects, g.asked = map[string]bool{}, map[string]*agent{}, map[string]suspect{}, map[string]bool{}
	g.look = make(chan struct{}, 1)
	h.Go(func() {
		defer w.Close() //nolint:errcheck // nothing is lost with a watch
		g.run()
	})
}

func (g *Git) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-g.Ctx.Done():
			return
		case ev := <-g.watch.Events:
			if r := g.repositoryOf(ev.Name); r != nil {
				g.readLog(r)
			} else if r := g.repositoryOf(filepath.Join(ev.Name, "HEAD")); r != nil { // the first commit makes the folder of its log
				_ = g.watch.Add(ev.Name) // gone again
				g.readLog(r)             // what was written before it was watched
			} else if g.Tracks(ev.Name) {
				g.changed(ev.Name)
			}
		case err := <-g.watch.Errors:
			g.Log.Warn("watching git", "err", err)
			for _, r := range g.followed() {
				g.readLog(r)
			}
		case <-g.look:
			timer.Reset(settleLimit) // several files are restored together
		case <-timer.C:
			if g.checkReturned() {
				timer.Reset(confirmAfter)
			}
		}
	}
}

// readLog reads the lines that were added to a log and reports what they undo.
func (g *Git) readLog(r *repository) {
	f, err := os.Open(r.log)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return
	}
	if info.Size() < r.size { // rewritten by expiry: what it says is history
		r.size = info.Size()
		return
	}
	added := make([]byte, info.Size()-r.size)
	if _, err := f.ReadAt(added, r.size); err != nil && !errors.Is(err, io.EOF) {
		g.Log.Warn("git log of HEAD not read", "file", r.log, "err", err)
		return
	}
	end := bytes.LastIndexByte(added, '\n') + 1 // a line still being written waits
	r.size += int64(end)
	for line := range bytes.Lines(added[:end]) {
		e, ok := triggers.ParseReflog(line)
		if last := len(line) == end; ok && (last || e.Verdict() != triggers.Moved) {
			g.judge(r, e)
		}
		end -= len(line)
	}
}

// judge finds out what the log line leaves open and reports a rollback.
func (g *Git) judge(r *repository, e triggers.Entry) {
	g.mu.Lock()
	ev := triggers.Event{Kind: triggers.Rollback, At: g.now(), SessionID: g.caller("")}
	ev.ByAgent = ev.SessionID != ""
	g.mu.Unlock()
	switch e.Verdict() {
	case triggers.No:
		return
	case triggers.Moved:
		// To where no ref holds what was there. "--soft" leaves every file as it was: the usual way to redo a commit, and only a sign.
		if r.keeps(g.Ctx, e) {
			return
		}
		ev.Soft = !r.filesMoved(g.Ctx, e)
		// Asked last: where git has written more, the files show a later state, and a reset that was followed at once by a commit was most likely the way to that commit.
		if info, err := os.Stat(r.log); err != nil || info.Size() != r.size {
			return
		}
	}
	files, _ := GitOutput(g.Ctx, r.tree, "diff", "--name-only", "-z", e.Old, e.New)
	subject, _ := GitOutput(g.Ctx, r.tree, "log", "-1", "--format=%s", e.Old)
	ev.Text, ev.Files = strings.TrimSpace(e.Message+"\n"+strings.TrimSpace(subject)), r.absolute(files)
	if patch, err := GitOutput(g.Ctx, r.tree, "diff", "-U0", e.Old, e.New); err == nil {
		ev.Changes = triggers.ParsePatch(strings.ToValidUTF8(patch[:min(len(patch), maxHashed)], ""))
		for i, c := range ev.Changes {
			ev.Changes[i].File = filepath.Join(r.tree, filepath.FromSlash(c.File))
		}
	}
	g.report(ev)
}

// keeps reports whether a ref still holds what HEAD left. The branch that moved may not say so yet: git writes the log first.
func (r *repository) keeps(ctx context.Context, e triggers.Entry) bool {
	branch, _ := GitOutput(ctx, r.tree, "symbolic-ref", "--quiet", "HEAD") // fails where there is none
	if r.holds(ctx, e.Old, strings.TrimSpace(branch)) {
		return true
	}
	_, err := GitOutput(ctx, r.tree, "merge-base", "--is-ancestor", e.Old, e.New)
	return err == nil
}

// filesMoved reports whether the files that differ between the two commits now stand
// as in the new one, which a soft or mixed reset does not do.
func (r *repository) filesMoved(ctx context.Context, e triggers.Entry) bool {
	out, err := GitOutput(ctx, r.tree, "diff", "--name-only", "-z", e.Old, e.New)
	changed := r.absolute(out)
	if err != nil || len(changed) == 0 {
		return false
	}
	_, err = GitOutput(ctx, r.tree, append([]string{"diff", "--quiet", e.New, "--"}, changed[:min(len(changed), maxTracked)]...)...)
	return err == nil
}

func (r *repository) absolute(zeroSeparated string) (out []string) {
	for name := range strings.SplitSeq(zeroSeparated, "\x00") {
		if name != "" {
			out = append(out, filepath.Join(r.tree, filepath.FromSlash(name)))
		}
	}
	return out
}

// GitOutput runs one git command in dir and returns what it printed, within five seconds.
func GitOutput(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	return git.Output(ctx, dir, args...)
}

// maxLately bounds the files that changed lately: each is held against the globs of every card, and a commit of thousands
// of files, such as a first import, says of none of them that somebody works on it.
const maxLately = 200

// ChangedLately returns the newest of the files below a folder that the last commits of its branch changed, relative to
// it; none where that cannot be told.
func (g *Git) ChangedLately(ctx context.Context, dir string) []string {
	out, _ := GitOutput(ctx, dir, "log", "-n", "30", "--format=", "--name-only", "--relative", "-z")
	files := strings.FieldsFunc(out, func(r rune) bool { return r == 0 || r == '\n' })
	files = files[:min(len(files), maxLately)]
	slices.Sort(files)
	return slices.Compact(files)
}
