package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/git"
	"handrail/lessons/journal"
)

// ErrUntrusted says that others wrote files of the brain, and that the person was not asked
// about it yet, or said no. ErrUnknown is one of which nobody knows where its files come from.
var (
	ErrUntrusted = errors.New("the brain is not trusted")
	ErrUnknown   = fmt.Errorf("nobody knows who wrote its files: %w", ErrUntrusted)
)

// Config is what a Keeper works with.
type Config struct {
	Brain   *lessons.Brain
	Dir     string                         // of the brain's state
	Cards   func() iter.Seq[*lessons.Card] // the brain's
	Always  func(lessons.Card) bool        // whether a card comes with every request
	Review  func() bool                    // whether the person wants to see every change
	Journal *journal.Journal
	Log     *slog.Logger
	Now     func() time.Time
}

// Keeper says of one brain whether it may speak, and which of its files. It is safe for concurrent use.
type Keeper struct {
	Config
	book   *Book
	folder string        // what the brain's folder is
	wake   chan struct{} // holds one: files changed since the last look

	mu     sync.Mutex          // one look at history at a time; guards those below
	others []Written           // who wrote what is not known to be the person's; nil before a look
	judged map[string]judgment // of texts that the record does not hold, by path
	logged string              // what git's log of HEAD was like at the last look
	gone   int64               // changes of files before that look

	changes atomic.Int64           // of files, since the start
	last    atomic.Pointer[state]  // what was known a moment ago
	unkept  atomic.Pointer[Record] // what could not be written

	topsMu sync.Mutex
	tops   map[string]string // of folders: topOf
	topped int64             // changes of files before these were looked at
}

// state is the record as it was at a time.
type state struct {
	at time.Time
	Record
}

// judgment is whether a text is the person's own.
type judgment struct {
	sum string
	own bool
}

// Written says how many files of the brain somebody else wrote.
type Written struct {
	Author string `json:"author"` // as commits name them, with the address; "" where no commit has the files
	Files  int    `json:"files"`
}

// WaitReason says why a file needs more than the trust in its brain.
type WaitReason string

// The reasons.
const (
	WaitAlways  WaitReason = "always"  // it comes with every request
	WaitGuard   WaitReason = "guard"   // it may stop an action
	WaitChanged WaitReason = "changed" // the person wants to see every change
	WaitNew     WaitReason = "new"     // somebody else brought or changed it since
)

// Waiting is a file that speaks only once the person has approved its text.
type Waiting struct {
	Path   string     `json:"path"`
	Title  string     `json:"title"`
	Author string     `json:"author,omitempty"` // of its last commit
	Reason WaitReason `json:"reason"`
	Before string     `json:"before,omitempty"` // the text that was approved before
	Now    string     `json:"now"`
}

// Trust says whether the cards of a brain come without being asked for, and which wait.
type Trust struct {
	Trusted bool      `json:"trusted"`
	Ground  Ground    `json:"ground,omitempty"` // made, own, agreed or revoked
	Team    bool      `json:"team"`             // what others add speaks without a look
	Others  []Written `json:"others"`           // most files first
	Titles  []string  `json:"titles"`           // of cards that would speak, where the brain is not trusted
	Waiting []Waiting `json:"waiting"`          // by path
	Paused  time.Time `json:"paused,omitzero"`  // until when no card comes, whoever wrote it
}

// maxTitles is how many titles a question shows.
const maxTitles = 20

// Keep returns the Keeper of a brain. A brain that was moved or renamed takes its record along.
func Keep(c Config) *Keeper {
	k := &Keeper{Config: c, book: Open(c.Dir), folder: find.Identity(c.Brain.Root()), logged: logOf(c.Brain.Root()), wake: make(chan struct{}, 1)}
	if k.record().Ground != Unknown || k.folder == "" || strings.HasSuffix(k.folder, "-0") { // without the time it may be another's number
		return k
	}
	all, err := All(filepath.Dir(c.Dir))
	if err != nil {
		c.Log.Warn("nobody knows whether the brain was elsewhere", "err", err)
	}
	for _, r := range all {
		if r.Folder == k.folder {
			k.keep(func(now *Record) { *now = r })
			break
		}
	}
	return k
}

// record returns what is remembered of this very folder: another may stand in its place.
func (k *Keeper) record() Record {
	if r := k.unkept.Load(); r != nil {
		return *r
	}
	if r := k.book.Get(); r.Folder == k.folder {
		return r
	}
	return Record{}
}

// update changes the record.
func (k *Keeper) update(f func(*Record)) error {
	defer k.last.Store(nil)
	return k.book.Update(func(r *Record) { k.change(r, f) })
}

func (k *Keeper) change(r *Record, f func(*Record)) {
	if r.Folder != k.folder {
		*r = Record{Texts: map[string]string{}}
	}
	before := r.Ground
	f(r)
	r.Brain, r.Folder = k.Brain.Root(), k.folder
	if r.Ground != before {
		r.At = k.Now()
	}
}

// keep is update for what can be found again: where it cannot be kept, this process remembers it.
func (k *Keeper) keep(f func(*Record)) {
	if err := k.update(f); err != nil {
		k.Log.Warn("trust not kept", "brain", k.Brain.Root(), "err", err)
		r := k.record()
		k.change(&r, f)
		k.unkept.Store(&r)
	}
}

// Distrust returns why the brain may not speak, nil where it may. Of a brain that the person
// neither made here nor said yes to, they must have committed every file, or made it with
// Handrail. It asks git once.
func (k *Keeper) Distrust(ctx context.Context) error {
	if find.Identity(k.Brain.Root()) != k.folder {
		return ErrUnknown // another folder was put in its place
	}
	switch k.record().Ground {
	case Made, Own, Agreed:
		return nil
	case Revoked:
		return ErrUntrusted
	case Unknown:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forgetMoved()
	if k.others == nil {
		points := k.points(ctx, nil)
		others, known, err := k.strangers(ctx)
		if err != nil {
			k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
			if ctx.Err() == nil {
				k.others = []Written{{}}
			}
			return ErrUntrusted
		}
		if k.others = others; len(others) == 0 && known > 0 {
			k.keep(func(r *Record) { r.Ground = Own; k.settle(ctx, r, points) })
		}
	}
	switch {
	case len(k.others) == 0:
		return nil
	case len(k.others) == 1 && k.others[0].Author == "":
		return ErrUnknown
	}
	return ErrUntrusted
}

// Others returns the result of the last look of Distrust.
func (k *Keeper) Others() []Written {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.others)
}

// settle notes in the record how far history was read, and which addresses are the person's. What
// others commit from then on is new.
func (k *Keeper) settle(ctx context.Context, r *Record, points map[string]Point) {
	r.Seen, r.New = points, nil
	r.Emails = slices.Sorted(maps.Keys(emails(ctx, k.Brain.Root(), r.Emails)))
}

// files returns all files that speak.
func (k *Keeper) files(ctx context.Context) (out []string) {
	err := k.Brain.Walk(ctx, func(rel string, _ fs.FileInfo) error { out = append(out, rel); return nil }, nil)
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
		p := Point{Heads: slices.Clone(before[top].Heads), Log: logOf(k.at(top))}
		if head, err := git.Output(ctx, k.at(top), "rev-parse", "--verify", "--quiet", "HEAD"); err == nil { // else there is no commit yet
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
		out[top] = p
	}
	return out
}

func (k *Keeper) at(top string) string { return filepath.Join(k.Brain.Root(), filepath.FromSlash(top)) }

// logOf returns what changes with every commit and pull, and while something is being merged: size
// and time of git's log of HEAD, or of its index where no log is kept.
func logOf(dir string) string {
	top, ok := find.Repository(dir)
	if !ok {
		return ""
	}
	var out []string
	for _, name := range []string{filepath.Join("logs", "HEAD"), "index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		if info, err := os.Stat(filepath.Join(find.GitDir(top), name)); err == nil && (name != "index" || len(out) == 0) {
			out = append(out, fmt.Sprint(name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	return strings.Join(out, " ")
}

// forgetMoved forgets what history said where it went on since. A pull writes files before it
// moves HEAD: until then they look as if they were the person's. The caller holds mu.
func (k *Keeper) forgetMoved() {
	if now, changes := logOf(k.Brain.Root()), k.changes.Load(); now != k.logged || changes != k.gone {
		k.logged, k.gone, k.others, k.judged = now, changes, nil, nil
	}
}

// strangers returns who wrote what the person neither committed nor made with Handrail, most
// files first, and how many files there are.
func (k *Keeper) strangers(ctx context.Context) (out []Written, files int, err error) {
	all := k.files(ctx)
	authors, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: all, Emails: k.record().Emails})
	if err != nil {
		return nil, 0, err
	}
	made := k.made()
	counts := map[string]int{}
	for _, f := range all {
		a, committed := authors[f]
		if !committed {
			src, err := k.Brain.Read(f)
			a.Own = err == nil && made[f] == Sum(src)
		}
		if !a.Own {
			counts[a.String()]++
		}
	}
	return count(counts), len(all), nil
}

func count(counts map[string]int) []Written {
	out := []Written{}
	for _, who := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Written{who, counts[who]})
	}
	slices.SortStableFunc(out, func(a, b Written) int { return -cmp.Compare(a.Files, b.Files) })
	return out
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
		if !r.Failed && r.After != "" && (r.Before == "" && r.From == "" || out[from] == r.Before && r.Before != "") {
			out[r.Path] = r.After
		}
	}
	return out
}

// topOf returns the folder in the brain of the repository that has the history of a file, "." for
// the one around and "" for none.
func (k *Keeper) topOf(rel string) string {
	k.topsMu.Lock()
	defer k.topsMu.Unlock()
	if changes := k.changes.Load(); k.tops == nil || changes != k.topped {
		k.tops, k.topped = map[string]string{}, changes
	}
	return topOf(k.Brain.Root(), path.Dir(rel), k.tops)
}

// moment is how long what is known of histories counts as known: about as long as one request
// looks at the cards of a large brain.
const moment = time.Millisecond

// state returns the record once what was committed meanwhile is read.
func (k *Keeper) state() Record {
	if last := k.last.Load(); last != nil && time.Since(last.at) < moment {
		return last.Record
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.record()
	for top, p := range r.Seen {
		if p.Log != logOf(k.at(top)) {
			r = k.readOn()
			break
		}
	}
	k.last.Store(&state{time.Now(), r})
	return r
}

// Waits returns why a card or note needs more than the trust in its brain, "" where it does not: it
// comes with every request, it may stop an action, somebody else brought it, or the person wants
// to see every change.
func (k *Keeper) Waits(c *lessons.Card) WaitReason {
	switch {
	case c.Kind.IsCard() && c.Status != lessons.Active:
		return ""
	case c.Kind.IsCard() && c.Guard != "":
		return WaitGuard
	case c.Kind.IsCard() && k.Always(*c):
		return WaitAlways
	case c.Kind.IsCard() && k.Review():
		return WaitChanged
	case k.broughtBy(c.Path) != "":
		return WaitNew
	}
	return ""
}

// broughtBy returns who else brought the text that a file has since the person knew all, "" for
// nobody.
func (k *Keeper) broughtBy(rel string) string {
	r := k.state()
	if r.Team || r.Ground != Made && r.Ground != Own && r.Ground != Agreed {
		return ""
	}
	if top := k.topOf(rel); top != "" {
		if _, seen := r.Seen[top]; !seen {
			k.mu.Lock()
			r = k.readOn()
			k.mu.Unlock()
		}
	}
	if len(r.New[rel]) == 0 {
		return ""
	}
	src, err := k.Brain.Read(rel)
	if err != nil {
		return "" // gone a moment ago
	}
	for _, t := range slices.Backward(r.New[rel]) {
		if k.follows(rel, t.Sum, Sum(src)) {
			return t.By
		}
	}
	return ""
}

// maxBrought is how many texts of a file by others are remembered: on branches that a person may go
// back to.
const maxBrought = 100

// readOn reads what was committed since the last time, and notes what others wrote of it. Where
// that cannot be known it stays unread. The caller holds mu.
func (k *Keeper) readOn() Record {
	ctx := context.Background()
	r := k.record()
	if r.Team || r.Ground != Made && r.Ground != Own && r.Ground != Agreed {
		return r
	}
	points := k.points(ctx, r.Seen) // before the look: what comes meanwhile is read the next time
	authors, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: k.files(ctx), Since: r.Seen, Emails: r.Emails})
	if err != nil {
		k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
		return r
	}
	// Of files that others brought before, another text may be theirs, too: one from between two looks.
	var again []string
	for rel := range r.New {
		if _, told := authors[rel]; !told {
			again = append(again, rel)
		}
	}
	older, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: again, Emails: r.Emails})
	if err != nil {
		k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
		return r
	}
	maps.Copy(authors, older)
	brought := ours(r.New)
	for rel, a := range authors {
		src, err := k.Brain.Read(rel)
		if t := (Text{Sum(src), a.String()}); err == nil && !a.Own && r.Texts[rel] != t.Sum && !slices.Contains(brought[rel], t) {
			brought[rel] = append(slices.Clone(brought[rel]), t)
			brought[rel] = brought[rel][max(0, len(brought[rel])-maxBrought):]
		}
	}
	k.keep(func(r *Record) { r.Seen, r.New = points, brought })
	return k.record()
}

// Approved reports whether trust lets a card or note come without being asked for: by its text as
// it stands now, where it needs more than the trust in its brain.
func (k *Keeper) Approved(c *lessons.Card) bool {
	why := k.Waits(c)
	if why == "" {
		return true
	}
	if k.topOf(c.Path) == "" {
		return true
	}
	src, err := k.Brain.Read(c.Path)
	if err != nil {
		return false // gone a moment ago
	}
	sum, r := Sum(src), k.record()
	if r.Texts[c.Path] == sum {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.forgetMoved(); k.judged[c.Path].sum != sum {
		if why == WaitNew {
			k.note(c.Path, judgment{sum, k.follows(c.Path, r.Texts[c.Path], sum)})
		} else {
			k.judge(map[string][]byte{c.Path: src})
		}
	}
	return k.judged[c.Path] == judgment{sum, true}
}

func (k *Keeper) note(rel string, j judgment) {
	if k.judged == nil {
		k.judged = map[string]judgment{}
	}
	k.judged[rel] = j
}

// judge approves the texts that are the person's own, of some cards and of all others that were
// not looked at: one look at history costs as much as many. The caller holds mu.
func (k *Keeper) judge(texts map[string][]byte) {
	r := k.record()
	for c := range k.Cards() {
		special := c.Status == lessons.Active && (c.Guard != "" || k.Always(*c) || k.Review())
		if texts[c.Path] != nil || !special {
			continue
		}
		src, err := k.Brain.Read(c.Path)
		if sum := Sum(src); err == nil && r.Texts[c.Path] != sum && k.judged[c.Path].sum != sum {
			texts[c.Path] = src
		}
	}
	authors, err := Authors(context.Background(), Question{Dir: k.Brain.Root(), Files: slices.Collect(maps.Keys(texts)), Emails: r.Emails})
	if err != nil {
		k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
		return
	}
	for rel, src := range texts {
		sum := Sum(src)
		a, committed := authors[rel]
		follows := k.follows(rel, r.Texts[rel], sum)
		k.note(rel, judgment{sum, !committed || a.Own || follows})
		if !follows && (!a.Own || a.Blob != git.Blob(src)) { // what is not committed may be a pull's
			delete(texts, rel)
		}
	}
	if len(texts) == 0 {
		return
	}
	if err := k.approve(texts); err != nil {
		k.Log.Warn("an approved card is not remembered", "err", err)
	}
}

// follows reports whether a text of a file is another, or Handrail itself made it of that as a
// person wanted: a counter, a status, an item.
func (k *Keeper) follows(rel, other, sum string) bool {
	if other == sum || other == "" {
		return other != ""
	}
	rows, err := k.Journal.Rows()
	if err != nil {
		return false
	}
	for _, row := range slices.Backward(rows) {
		if row.Path == rel && row.After == sum && !row.Failed && sum != other {
			sum = row.Before
		}
	}
	return sum == other
}

// approve lets texts speak, by path, and keeps them to show what changes.
func (k *Keeper) approve(texts map[string][]byte) error {
	for _, src := range texts {
		if _, err := k.Journal.Keep(src); err != nil {
			k.Log.Warn("the next change of a card will be shown without the text before", "err", err)
		}
	}
	return k.update(func(r *Record) {
		for rel, src := range texts {
			r.Texts[rel] = Sum(src)
		}
	})
}

// Look says who else wrote the brain's files, and which wait.
func (k *Keeper) Look(ctx context.Context) (Trust, error) {
	out := Trust{Trusted: k.Distrust(ctx) == nil, Titles: []string{}, Waiting: []Waiting{}}
	others, _, err := k.strangers(ctx)
	if errors.Is(err, exec.ErrNotFound) { // without git nobody knows
		others, err = append([]Written{}, k.Others()...), nil
	}
	if err != nil {
		return Trust{}, fmt.Errorf("look who wrote the cards: %w", err)
	}
	r := k.record()
	if out.Trusted { // what no commit has counts as the person's
		others = slices.DeleteFunc(others, func(w Written) bool { return w.Author == "" })
	}
	out.Ground, out.Team, out.Others = r.Ground, r.Team, others
	for c := range k.Cards() {
		if !out.Trusted && c.Status == lessons.Active && len(out.Titles) < maxTitles {
			out.Titles = append(out.Titles, c.Title)
		}
	}
	waiting := k.Waiting()
	paths := make([]string, len(waiting))
	for i, c := range waiting {
		paths[i] = c.Path
	}
	authors, err := Authors(ctx, Question{Dir: k.Brain.Root(), Files: paths, Emails: r.Emails})
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		return Trust{}, fmt.Errorf("look who wrote the cards: %w", err)
	}
	for _, c := range waiting {
		src, err := k.Brain.Read(c.Path)
		if err != nil {
			continue // gone a moment ago
		}
		before, _ := k.Journal.Kept(r.Texts[c.Path]) // without it the whole card is new
		out.Waiting = append(out.Waiting, Waiting{
			Path: c.Path, Title: c.Title, Author: authors[c.Path].String(), Reason: k.Waits(&c), Before: string(before), Now: string(src),
		})
	}
	return out, nil
}

// Waiting returns the cards and notes that do not speak for want of an approval, by path. Of a
// note it has the path and the name alone.
func (k *Keeper) Waiting() (out []lessons.Card) {
	brought, seen := k.record().New, map[string]bool{}
	for c := range k.Cards() {
		if _, is := brought[c.Path]; is {
			seen[c.Path] = true
		}
		if !k.Approved(c) {
			out = append(out, *c)
		}
	}
	for rel := range brought {
		note := lessons.Card{Path: rel, Title: strings.TrimSuffix(path.Base(rel), path.Ext(rel))}
		if _, err := k.Brain.Stat(rel); err == nil && !seen[rel] && !k.Approved(&note) {
			out = append(out, note)
		}
	}
	slices.SortFunc(out, func(a, b lessons.Card) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Brought returns who brought files that wait since the person knew all, by name, and how many.
func (k *Keeper) Brought() (who []string, files int) {
	for _, c := range k.Waiting() {
		by := k.broughtBy(c.Path)
		if by == "" {
			continue
		}
		files++
		if name, _, _ := strings.Cut(by, " <"); !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	slices.Sort(who)
	return who, files
}

// Agree trusts the brain, and approves what waits, as it stands now. For a team it trusts what the
// others add from now on, too.
func (k *Keeper) Agree(ctx context.Context, team bool) error {
	before, points := k.record().Ground, k.points(ctx, nil)
	err := k.update(func(r *Record) {
		r.Ground, r.Team = Agreed, r.Team || team
		if before == Unknown || before == Revoked {
			k.settle(ctx, r, points)
		}
	})
	if err != nil {
		return err
	}
	// Handrail's own folder keeps the brain's there while git is on a branch without one.
	if err := k.Brain.Write(func(lessons.Writer) error { return nil }); err != nil {
		k.Log.Info("nothing can be written to the brain", "brain", k.Brain.Root(), "err", err)
	}
	var paths []string
	for _, c := range k.Waiting() {
		paths = append(paths, c.Path)
	}
	return k.Approve(ctx, paths)
}

// Approve lets files speak with the text that they have now.
func (k *Keeper) Approve(ctx context.Context, paths []string) error {
	texts := map[string][]byte{}
	for _, p := range paths {
		rel, err := k.Brain.Rel(p)
		if err != nil {
			return fmt.Errorf("approve a card: %w", err)
		}
		if texts[rel], err = k.Brain.Read(rel); err != nil {
			return fmt.Errorf("approve a card: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return k.approve(texts)
}

// Revoke takes the trust in the brain and every approval back.
func (k *Keeper) Revoke(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := k.update(func(r *Record) { *r = Record{Ground: Revoked} }); err != nil {
		return err
	}
	k.changes.Add(1)
	return nil
}

// Changed says that files of the brain are others than before.
func (k *Keeper) Changed() {
	k.changes.Add(1)
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Follow looks at the cards before a request needs to know, and at those that changed, until ctx ends.
func (k *Keeper) Follow(ctx context.Context) {
	for ctx.Err() == nil {
		if k.Distrust(ctx) == nil {
			k.Waiting()
		}
		select {
		case <-k.wake:
		case <-ctx.Done():
		}
	}
}

// Make marks a brain as one that this person made here, where it has no files yet: those that are
// there are somebody's.
func Make(brain *lessons.Brain, dir string) error {
	k := Keep(Config{Brain: brain, Dir: dir, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if k.record().Ground != Unknown || len(k.files(context.Background())) > 0 {
		return nil
	}
	return k.update(func(r *Record) { r.Ground = Made; k.settle(context.Background(), r, nil) })
}
