package trust

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/side"
)

// What the histories of a brain's repositories say: how far they were read, and what others wrote since.

// settle notes in the record how far history was read, and which addresses are the person's. What
// others commit from then on is new.
func (k *Keeper) settle(ctx context.Context, r *Record, points map[string]Point) {
	r.Seen, r.New = points, nil
	r.Emails = slices.Sorted(maps.Keys(emails(ctx, k.Brain.Root(), r.Emails)))
}

// files returns all files that speak.
func (k *Keeper) files(ctx context.Context) (out []string) {
	err := k.Brain.Walk(ctx, func(rel string, _ fs.FileInfo) error { out = append(out, rel); return nil }, func(string, error) {})
	if err != nil {
		k.Log.Warn("the brain cannot be listed", "brain", k.Brain.Root(), "err", err)
	}
	return out
}

// maxHeads is how many ends of history are remembered of a repository: its branches that a person
// goes back to.
const maxHeads = 50

// points returns where the histories of the brain's repositories are, by their folders, after
// those that were read before.
func (k *Keeper) points(ctx context.Context, before map[string]Point) map[string]Point {
	out := map[string]Point{}
	for top := range byRepository(k.Brain.Root(), k.files(ctx)) {
		moves := moving(k.at(top))
		p := Point{Heads: slices.Clone(before[top].Heads), Log: logOf(k.at(top))}
		head, err := git.Output(ctx, k.at(top), "rev-parse", "--verify", "--quiet", "HEAD")
		if err == nil { // else there is no commit yet
			head = strings.TrimSpace(head)
			if i := slices.Index(p.Heads, head); i >= 0 {
				p.Heads = slices.Delete(p.Heads, i, i+1)
			} else if n := len(p.Heads) - 1; n >= 0 {
				if _, err := git.Output(ctx, k.at(top), "merge-base", "--is-ancestor", p.Heads[n], head); err == nil {
					p.Heads = p.Heads[:n] // it goes on
				}
			}
			p.Heads = append(p.Heads, head)
			p.Heads = p.Heads[max(0, len(p.Heads)-maxHeads):]
		}
		if moves || moving(k.at(top)) {
			p.Log = unread
		}
		out[top] = p
	}
	return out
}

func (k *Keeper) at(top string) string { return filepath.Join(k.Brain.Root(), filepath.FromSlash(top)) }

// unread stands for git's log where it cannot be told how far it was read.
const unread = "unread"

// moving reports whether git moves HEAD now: it writes the log before. One that died left its lock.
func moving(dir string) bool {
	top, ok := find.Repository(dir)
	lock, err := os.Stat(filepath.Join(find.GitDir(top), "HEAD.lock"))
	return ok && err == nil && time.Since(lock.ModTime()) < authorsTimeout
}

// logOf returns what changes with every commit and pull, and while something is being merged: size
// and time of git's log of HEAD, or of its index where no log is kept.
func logOf(dir string) string {
	top, ok := find.Repository(dir)
	if !ok {
		return ""
	}
	var out []string
	for _, name := range []string{filepath.Join("logs", "HEAD"), "index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		info, err := os.Stat(filepath.Join(find.GitDir(top), name))
		if err == nil && (name != "index" || len(out) == 0) {
			out = append(out, fmt.Sprint(name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	return strings.Join(out, " ")
}

// strangers returns who wrote what the person neither committed nor made with Handrail, most
// files first, and who wrote each file.
func (k *Keeper) strangers(ctx context.Context) ([]Written, map[string]Author, error) {
	files := k.files(ctx)
	authors, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: files, Emails: k.record().Emails})
	if err != nil {
		return nil, nil, err
	}
	made, counts := k.made(), map[string]int{}
	for _, f := range files {
		a, committed := authors[f]
		if !committed {
			if made[f] != "" {
				src, err := k.Brain.Read(f)
				a.Own = err == nil && made[f] == side.Sum(src)
			}
			authors[f] = a
		}
		if !a.Own {
			counts[a.String()]++
		}
	}
	out := []Written{}
	for _, who := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Written{who, counts[who]})
	}
	slices.SortStableFunc(out, func(a, b Written) int { return -cmp.Compare(a.Files, b.Files) })
	return out, authors, nil
}

// Edited returns how many of these files Handrail made and another hand changed since.
func (k *Keeper) Edited(files []string) (n int) {
	made := k.made()
	for _, f := range files {
		if src, err := k.Brain.Read(f); err == nil && made[f] != "" && made[f] != side.Sum(src) {
			n++
		}
	}
	return n
}

// made returns the SHA-256 of the last text of each file that Handrail made and nobody else changed.
func (k *Keeper) made() map[string]string {
	rows, err := k.Journal.Rows()
	if err != nil {
		k.Log.Warn("nobody knows which cards were made here", "err", err)
	}
	out := map[string]string{}
	for _, r := range rows {
		from := cmp.Or(r.From, r.Path)
		goesOn := r.Before == "" && r.From == "" || out[from] == r.Before && r.Before != ""
		if !r.Failed && r.After != "" && goesOn {
			out[r.Path] = r.After
		}
	}
	return out
}

// maxBrought is how many texts of a file by others are remembered: on branches that a person may go
// back to.
const maxBrought = 100

// readOn reads what was committed since the last time, and notes what others wrote of it. Where
// that cannot be known it stays unread. The caller holds mu.
func (k *Keeper) readOn() {
	ctx, r := context.Background(), k.last.record
	if r.Team || !r.Ground.trusts() {
		return
	}
	points, files := k.points(ctx, r.Seen), k.files(ctx) // before the look: what comes meanwhile is read the next time
	if slices.ContainsFunc(slices.Collect(maps.Values(points)), func(p Point) bool { return p.Log == unread }) {
		return
	}
	authors, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: files, Since: r.Seen, Emails: r.Emails})
	if err == nil && len(r.New) > 0 {
		// Of files that others brought before, another text may be theirs, too: one from between two looks.
		again := Question{Dir: k.Brain.Root(), Files: slices.Collect(maps.Keys(r.New)), Emails: r.Emails}
		var older map[string]Author
		older, err = Authors(ctx, again)
		maps.Copy(authors, older)
	}
	if err != nil {
		k.last.failed = time.Now()
		k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
		return
	}
	brought := ours(r.New)
	for rel, a := range authors {
		src, err := k.Brain.Read(rel)
		t := Text{side.Sum(src), a.String()}
		if err == nil && !a.Own && r.Texts[rel] != t.Sum && !slices.Contains(brought[rel], t) {
			brought[rel] = append(slices.Clone(brought[rel]), t)
			brought[rel] = brought[rel][max(0, len(brought[rel])-maxBrought):]
		}
	}
	_ = k.update(func(r *Record) { r.Seen, r.New = points, brought })
	k.last.record = k.record()
}
