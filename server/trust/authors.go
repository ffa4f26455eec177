package trust

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/side"
)

// Author is who wrote the text of a file last.
type Author struct {
	Name, Email string
	Own         bool   // git's identity here
	Blob        string // git.Blob of the text in HEAD, "" where it has none
}

// String returns the author as commits name them.
func (a Author) String() string {
	if a.Email == "" {
		return a.Name
	}
	return strings.TrimSpace(a.Name + " <" + a.Email + ">")
}

// authorsTimeout bounds a look at history, which a repository may have a lot of.
const authorsTimeout = 10 * time.Second

// Question asks who wrote files of a brain.
type Question struct {
	Dir    string           // the brain's folder
	Files  []string         // by slash path in it
	Since  map[string]Point // only what was committed since, by the repository's folder in the brain
	Emails []string         // the person's, beside those of git's settings
}

// Authors returns who committed each of some files last, by slash path. What was never committed
// is missing. A file in a repository of its own, such as a submodule, is judged by the history of
// that one. A text that a merge made, one under way too, is the person's only where nobody else
// wrote a part of it.
//
// An author is what a commit says. Git proves none of it, and neither does Authors.
func Authors(ctx context.Context, q Question) (map[string]Author, error) {
	ctx, cancel := context.WithTimeout(ctx, authorsTimeout)
	defer cancel()
	out := map[string]Author{}
	own := map[string]bool{}
	for top, files := range byRepository(q.Dir, q.Files) {
		if len(own) == 0 {
			own = emails(ctx, q.Dir, q.Emails)
		}
		found, err := authors(ctx, filepath.Join(q.Dir, filepath.FromSlash(top)), files, q.Since[top].Heads, own)
		if err != nil {
			return nil, err
		}
		for name, a := range found {
			out[path.Join(top, name)] = a
		}
	}
	return out, nil
}

// byRepository returns files by the folder in dir of the repository that holds them, "." for the
// one around; those of none are left out.
func byRepository(dir string, files []string) map[string][]string {
	out, tops := map[string][]string{}, map[string]string{}
	for _, file := range files {
		if top := topOf(dir, path.Dir(file), tops); top != "" {
			out[top] = append(out[top], strings.TrimPrefix(file, top+"/"))
		}
	}
	return out
}

// topOf returns the folder in dir of the repository that a folder in dir belongs to, "." for the
// one around and "" for none. It remembers the answers in tops.
func topOf(dir, folder string, tops map[string]string) string {
	top, known := tops[folder]
	if known {
		return top
	}
	switch {
	case folder == ".":
		if _, ok := find.Repository(dir); ok {
			top = "."
		}
	case find.IsTop(filepath.Join(dir, filepath.FromSlash(folder))):
		top = folder
	default:
		top = topOf(dir, path.Dir(folder), tops)
	}
	tops[folder] = top
	return top
}

// emails returns the person's addresses in lower case: those that git's settings of the user and
// of the system name, and some more. A repository's own settings count only where those name none:
// an archive may hold a repository with its settings.
func emails(ctx context.Context, dir string, more []string) map[string]bool {
	lines, _ := git.Output(ctx, dir, "config", "--show-scope", "--get-all", "user.email") // fails where there is none
	out, here := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(strings.ToLower(lines)) {
		scope, email, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch {
		case email == "":
		case scope == "local" || scope == "worktree":
			here[email] = true
		default:
			out[email] = true
		}
	}
	if len(out) == 0 {
		out = here
	}
	for _, email := range more {
		out[strings.ToLower(email)] = true
	}
	return out
}

// authors is Authors in one repository.
func authors(ctx context.Context, dir string, files, since []string, own map[string]bool) (map[string]Author, error) {
	authors := map[string]Author{}
	heads, err := heads(ctx, dir)
	if err != nil || len(heads) == 0 {
		return authors, err // without an error there is no commit yet
	}
	blobs, err := committed(ctx, dir, heads, files)
	if err != nil || len(blobs) == 0 {
		return authors, err
	}
	missing := map[string]bool{}
	for name, blob := range blobs {
		if blob == linked {
			authors[name] = Author{Name: "?"}
		} else {
			missing[name] = true
		}
	}
	shallow, err := git.Output(ctx, dir, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	cut := strings.TrimSpace(shallow) != "false" // where history is cut off, a commit has the files of all before it
	merges := map[string]map[string]bool{}       // files by the commits that were merged
	if len(heads) > 1 {
		merges[strings.Join(heads, " ")] = maps.Clone(missing)
	}
	for _, commit := range since {
		heads = append(heads, "^"+commit)
	}
	err = history(ctx, dir, heads, missing, func(name string, a Author, parents string) bool {
		if cut && parents == "" {
			a = Author{Name: "?"}
		}
		a.Own, a.Blob = own[strings.ToLower(a.Email)], blobs[name]
		authors[name] = a
		if a.Own && strings.Contains(parents, " ") {
			if merges[parents] == nil {
				merges[parents] = map[string]bool{}
			}
			merges[parents][name] = true
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for name := range missing { // a history that does not tell, or nothing since
		if len(since) == 0 {
			authors[name] = Author{Name: "?"}
		}
	}
	for merged, names := range merges {
		revisions := strings.Fields(merged)
		if base, err := git.Output(ctx, dir, append([]string{"merge-base", "--octopus"}, revisions...)...); err == nil { // else they have nothing in common
			revisions = append(revisions, "^"+strings.TrimSpace(base))
		}
		err := history(ctx, dir, revisions, names, func(name string, a Author, parents string) bool {
			other := !own[strings.ToLower(a.Email)] || cut && parents == ""
			if other {
				authors[name] = a
			}
			return other
		})
		if err != nil {
			return nil, err
		}
	}
	return authors, nil
}

// linked stands for the hash of a file below a link to another repository that is not there: git knows nothing of it.
const linked = "linked"

// heads returns what the work tree was made of: HEAD, and what is being merged into it. It
// returns none where there is no commit yet, or where something is called .git and is none.
func heads(ctx context.Context, dir string) ([]string, error) {
	if _, err := git.Output(ctx, dir, "rev-parse", "--git-dir"); err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			err = nil
		}
		return nil, err
	}
	var out []string
	top, _ := find.Repository(dir)
	gitDir := find.GitDir(top)
	_, err := os.Stat(filepath.Join(gitDir, "reftable")) // where names of commits are no files
	files := err != nil && gitDir != ""
	for _, name := range []string{"HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"} {
		if _, err := os.Stat(filepath.Join(gitDir, name)); files && name != "HEAD" && err != nil {
			continue // git need not be asked
		}
		if hash, err := git.Output(ctx, dir, "rev-parse", "--verify", "--quiet", name); err == nil {
			out = append(out, strings.TrimSpace(hash))
		} else if name == "HEAD" {
			return nil, nil
		}
	}
	return out, nil
}

// gitlink is the mode of a link to another repository in a list of files.
const gitlink = "160000 "

// committed returns those of some files that a commit has, with git's hash of their text in the first head.
func committed(ctx context.Context, dir string, heads, files []string) (map[string]string, error) {
	known, links := map[string]string{}, []string{}
	for i, head := range heads {
		list, err := git.Output(ctx, dir, "ls-tree", "-r", "-z", head, "--", ".")
		if err != nil {
			return nil, err
		}
		for line := range strings.SplitSeq(list, "\x00") {
			about, name, _ := strings.Cut(line, "\t")
			if strings.HasPrefix(about, gitlink) {
				links = append(links, name+"/")
			}
			if _, again := known[name]; i == 0 {
				known[name] = about[strings.LastIndexByte(about, ' ')+1:]
			} else if !again {
				known[name] = ""
			}
		}
	}
	out := map[string]string{}
	for _, name := range files {
		if blob, ok := known[name]; ok {
			out[name] = blob
		} else if slices.ContainsFunc(links, func(link string) bool { return strings.HasPrefix(name, link) }) {
			out[name] = linked
		}
	}
	return out, nil
}

// history tells of files which commits made them, the last first, with the author and the
// parents, until tell has heard enough of each; it leaves those in missing of which it has not.
// A merge counts where it made a text that none of its parents has: "-c".
func history(
	ctx context.Context, dir string, revisions []string, missing map[string]bool,
	tell func(name string, a Author, parents string) bool,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix, err := git.Output(ctx, dir, "rev-parse", "--show-prefix") // --relative leaves the names of merges as they are
	if err != nil {
		return err
	}
	prefix = strings.TrimSuffix(prefix, "\n")
	mark := rand.Text() // no name of a file can begin with it
	args := []string{
		"log", "-c", "--ignore-missing", "--no-renames", "--no-mailmap", "--no-notes",
		"--name-only", "-z", "--format=" + mark + "%P%n%ae%n%an",
	}
	cmd := git.Command(ctx, dir, append(append(args, revisions...), "--", ".")...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git log in %s: %w", dir, err)
	}
	in := bufio.NewReader(out)
	var now Author
	var parents string
	var readErr error
	for len(missing) > 0 && readErr == nil {
		var token string
		token, readErr = in.ReadString(0)
		token = strings.TrimLeft(strings.TrimSuffix(token, "\x00"), "\n")
		if commit, ok := strings.CutPrefix(token, mark); ok {
			now = Author{}
			parents, commit, _ = strings.Cut(commit, "\n")
			now.Email, now.Name, _ = strings.Cut(commit, "\n")
		} else if name, ok := strings.CutPrefix(token, prefix); ok && missing[name] && tell(name, now, parents) {
			delete(missing, name)
		}
	}
	timedOut := ctx.Err()
	if readErr == nil {
		cancel() // the rest is of no use
	}
	err = cmd.Wait()
	if timedOut != nil {
		return fmt.Errorf("git log in %s: %w", dir, timedOut)
	}
	if len(missing) > 0 && (err != nil || !errors.Is(readErr, io.EOF)) {
		return fmt.Errorf("git log in %s: %w", dir, errors.Join(err, readErr))
	}
	return nil
}

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

// maxHeads is how many ends of history are remembered of a repository: its branches that a person goes back to.
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

// maxBrought is how many texts of a file by others are remembered: on branches that a person may go back to.
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
	brought, trails := ours(r.New), map[string]map[string]*trail{}
	for rel, a := range authors {
		src, err := k.Brain.Read(rel)
		t := Text{side.Sum(src), a.String()}
		if err == nil && !a.Own && r.Texts[rel] != t.Sum && !slices.Contains(brought[rel], t) && !k.spoke(ctx, rel, trails) {
			brought[rel] = append(slices.Clone(brought[rel]), t)
			brought[rel] = brought[rel][max(0, len(brought[rel])-maxBrought):]
		}
	}
	_ = k.update(func(r *Record) { r.Seen, r.New = points, brought })
	k.last.record = k.record()
}

// spoke reports whether what others committed as a file is a card that spoke before, which they renamed or counted.
// What was approved stays so. It keeps trails by the repository's folder. The caller holds mu.
func (k *Keeper) spoke(ctx context.Context, rel string, all map[string]map[string]*trail) bool {
	r, top := k.last.record, topOf(k.Brain.Root(), path.Dir(rel), k.last.tops)
	if heads := r.Seen[top].Heads; all[top] == nil && len(heads) > 0 {
		all[top] = k.trails(ctx, top, heads[len(heads)-1])
	}
	name := strings.TrimPrefix(rel, top+"/")
	t := all[top][name]
	if t == nil || t.commit == "" {
		return false
	}
	old := path.Join(top, t.name)
	if r.Texts[old] == "" && len(r.New[old]) == 0 {
		return true
	}
	was, err := git.Output(ctx, k.at(top), "show", t.commit+":./"+t.name)
	now, err2 := git.Output(ctx, k.at(top), "show", "HEAD:./"+name)
	sum := side.Sum([]byte(was))
	switch {
	case err != nil || err2 != nil:
		return false
	case k.follows(old, r.Texts[old], sum):
		return k.approve(map[string][]byte{rel: []byte(now)}) == nil
	}
	return !slices.ContainsFunc(r.New[old], func(t Text) bool { return k.follows(old, t.Sum, sum) })
}

// trail is where the text of a file stood before others renamed or counted it.
type trail struct {
	commit, name string
	ends         bool
}

// trails returns where the texts of files come from that others committed since a commit, by name in HEAD; no commit
// where they wrote in one.
func (k *Keeper) trails(ctx context.Context, top, since string) map[string]*trail {
	out, now, own := map[string]*trail{}, map[string]*trail{}, emails(ctx, k.Brain.Root(), k.last.record.Emails)
	log, err := git.Output(ctx, k.at(top), "log", "--first-parent", "-m", "-M", "-I^(occurrences|last-seen): [0-9-]+$", "--numstat", "-z",
		"--relative", "--diff-filter=d", "--format=%x01%P%x09%ae", since+"..HEAD")
	if err != nil {
		k.Log.Warn("what others renamed waits", "brain", k.Brain.Root(), "err", err)
	}
	for commit := range strings.SplitSeq(log, "\x01") {
		rows := strings.Split(commit, "\x00")
		line, email, _ := strings.Cut(rows[0], "\t")
		parents := strings.Fields(line)
		for i := 1; i < len(rows); i++ {
			row := strings.SplitN(strings.TrimSpace(rows[i]), "\t", 3) // counts of lines, the name; two names follow where it is another
			from, to := row[len(row)-1], row[len(row)-1]
			if len(row) == 2 && i+2 < len(rows) {
				from, to, i = rows[i+1], rows[i+2], i+2
			}
			t := now[to]
			if t == nil {
				t = &trail{}
				now[to], out[to] = t, cmp.Or(out[to], t)
			}
			switch {
			case t.ends:
			case len(parents) < 2 && own[strings.ToLower(email)]: // whatever came before
				t.ends = true
			case len(parents) == 0 || row[0] != "0" || row[1] != "0":
				t.commit, t.ends = "", true
			default:
				t.commit, t.name = parents[0], from
				delete(now, to)
				now[from] = t
			}
		}
	}
	return out
}
