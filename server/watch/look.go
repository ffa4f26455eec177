package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/triggers"
)

const (
	// maxLooked bounds the files of a look, maxLookedText their texts in bytes, and maxRed the failing runs of a conversation at which was looked.
	maxLooked     = 200
	maxLookedText = 1 << 20
	maxRed        = 8
	// unread stands for a text that is too long, or none: no file's text is like it.
	unread = "\x00"
	// clockStep is how far a file's time may lie behind the clock: systems stamp files by the last tick.
	clockStep = 10 * time.Millisecond
)

// look is what a work tree held at a moment beside its last commit. It is at hand when done is closed.
type look struct {
	done  chan struct{}
	run   string
	r     *repository       // nil where none is followed there
	head  string            // the commit
	texts map[string]string // by absolute path: files that differ from it, "" where one is gone
}

// Failed looks, in the background, at the work tree in which an agent's run of tests has failed, unless it did so when the same run failed before.
func (g *Git) Failed(session, run, dir string) {
	if g.watch == nil || session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.agent(session)
	if slices.ContainsFunc(a.red, func(l *look) bool { return l.run == run }) {
		return
	}
	l := &look{run: run, done: make(chan struct{})}
	a.red = append(a.red, l)
	a.red = a.red[max(0, len(a.red)-maxRed):]
	g.Go(func() {
		defer close(l.done)
		g.take(l, dir)
	})
}

// AwaitLook waits a moment for the last look at a conversation's work tree, so that what its agent does next is no part of it.
func (g *Git) AwaitLook(session string, within time.Duration) {
	g.mu.Lock()
	var last *look
	if a := g.agents[session]; a != nil && len(a.red) > 0 {
		last = a.red[len(a.red)-1]
	}
	g.mu.Unlock()
	if last == nil {
		return
	}
	select {
	case <-last.done:
	case <-time.After(within):
	case <-g.Ctx.Done():
	}
}

// Passed has tell called, in the background, with the lines that changed between an agent's failing run of tests and this one that passed; it
// reports whether there was a look at the first.
func (g *Git) Passed(session, run, dir string, tell func([]triggers.Change)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.agents[session]
	if a == nil {
		return false
	}
	i := slices.IndexFunc(a.red, func(l *look) bool { return l.run == run })
	if i < 0 {
		return false
	}
	before := a.red[i]
	a.red = slices.Delete(slices.Clone(a.red), i, i+1)
	g.Go(func() {
		after := &look{}
		g.take(after, dir)
		select {
		case <-before.done:
			tell(g.between(before, after, session))
		case <-g.Ctx.Done():
		}
	})
	return true
}

// take looks at the work tree that holds a folder, by one call of git.
func (g *Git) take(l *look, dir string) {
	g.followMu.Lock() // a conversation's folder may be about to be followed
	r := g.holder(filepath.Join(dir, "x"))
	g.followMu.Unlock()
	if r == nil {
		return
	}
	out, err := GitOutput(g.Ctx, r.tree, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return
	}
	l.r, l.texts = r, map[string]string{}
	size := 0
	for line := range strings.SplitSeq(out, "\x00") {
		if head, ok := strings.CutPrefix(line, "# branch.oid "); ok {
			l.head = head
		}
		// The name is the last of 9 fields of a changed file, of 11 of one in conflict, of 2 of a new one.
		n := map[string]int{"1": 9, "u": 11, "?": 2}[line[:min(len(line), 1)]]
		if fields := strings.SplitN(line, " ", n); n > 0 && len(fields) == n && len(l.texts) < maxLooked {
			file := filepath.Join(r.tree, filepath.FromSlash(fields[n-1]))
			l.texts[file] = textOf(file)
			if size += len(l.texts[file]); size > maxLookedText {
				l.texts[file] = unread
			}
		}
	}
}

// between returns what changed between two looks, as lines: in files that were written since the turn of a conversation began, and that no other
// one reported since. Where the commit is another by now, what came with it cannot be told from the rest.
func (g *Git) between(before, after *look, session string) []triggers.Change {
	if before.r == nil || after.r == nil || before.r.tree != after.r.tree || before.head != after.head {
		return nil
	}
	var out []triggers.Change
	var fresh []string // as committed at the first look
	for file, is := range after.texts {
		switch was, known := before.texts[file]; {
		case known && (was == is || was == unread || is == unread) || !g.mayBeOf(file, session):
		case known:
			out = append(out, triggers.Between(file, was, is))
		default:
			fresh = append(fresh, file)
		}
	}
	for file, was := range before.texts {
		if _, differs := after.texts[file]; differs || was == unread || !g.mayBeOf(file, session) {
			continue
		}
		if is := textOf(file); is != unread { // as committed by now
			out = append(out, triggers.Between(file, was, is))
		}
	}
	out = append(out, g.committed(after, fresh)...)
	slices.SortFunc(out, func(a, b triggers.Change) int { return strings.Compare(a.File, b.File) })
	return out
}

// committed returns how files of a look differ from the commit.
func (g *Git) committed(l *look, files []string) (out []triggers.Change) {
	if len(files) == 0 {
		return nil
	}
	patch, _ := GitOutput(g.Ctx, l.r.tree, append([]string{"diff", "-U0", "HEAD", "--"}, files...)...)
	for _, c := range triggers.ParsePatch(patch) {
		c.File = filepath.Join(l.r.tree, filepath.FromSlash(c.File))
		out = append(out, c)
	}
	for _, f := range files {
		if l.texts[f] != unread && !slices.ContainsFunc(out, func(c triggers.Change) bool { return c.File == f }) { // git does not know it
			out = append(out, triggers.Between(f, "", l.texts[f]))
		}
	}
	return out
}

// mayBeOf reports whether a file may be the work of a conversation's turn: it was written since that began, and no other conversation says it was its.
func (g *Git) mayBeOf(file, session string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.agents[session]
	if a == nil {
		return false
	}
	info, err := os.Lstat(file)
	if err == nil && info.ModTime().Before(a.began.Add(-clockStep)) {
		return false
	}
	by, e := g.editedBy(file)
	return e == nil || by == session || e.at.Before(a.began)
}

// textOf returns the text of a file for a look.
func textOf(file string) string {
	hash, text, err := contentOf(file)
	if err != nil || text == "" && hash != absent && hash != emptyBlob {
		return unread
	}
	return text
}

// emptyBlob is git's hash of an empty file.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
