package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/lessons/side"
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
	Dir     string                  // of the brain's state
	Cards   func() []*lessons.Card  // the heads of the brain's
	Always  func(lessons.Card) bool // whether a card comes with every request
	Review  func() bool             // whether the person wants to see every change
	Journal *journal.Journal
	Log     *slog.Logger
}

// Keeper says of one brain whether it may speak, and which of its files. It is safe for concurrent use.
type Keeper struct {
	Config
	book    *Book
	folder  string        // what the brain's folder is
	wake    chan struct{} // holds one: files changed since the last look
	changes atomic.Int64  // of files, since the start

	mu   sync.Mutex // one look at history at a time; guards what follows
	last look
}

// look is what is known at a time: the record for a moment, the rest until a file or a history changes. A pull writes
// files before it moves HEAD; until then they look as if they were the person's.
type look struct {
	at      time.Time
	record  Record
	changes int64               // of files, before it
	log     string              // what git's log of HEAD was like
	others  []Written           // who wrote what is not known to be the person's; nil before anybody asked
	judged  map[string]judgment // of texts that the record does not hold, by path
	tops    map[string]string   // of folders: topOf
	failed  time.Time           // when git could not be asked
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
	Title  string     `json:"title"`            // of a note its file's name
	Author string     `json:"author,omitempty"` // of its last commit; before Look, of who brought it since the person knew all
	Reason WaitReason `json:"reason"`
	Before string     `json:"before,omitempty"` // the text that was approved before; it and the next are for Look
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
	k := &Keeper{Config: c, book: Open(c.Dir), folder: find.Identity(c.Brain.Root()), wake: make(chan struct{}, 1)}
	// Without the time of the folder its number may be another's.
	if k.record().Ground != Unknown || k.folder == "" || strings.HasSuffix(k.folder, "-0") {
		return k
	}
	all, err := All(filepath.Dir(c.Dir))
	if err != nil {
		c.Log.Warn("nobody knows whether the brain was elsewhere", "err", err)
	}
	if i := slices.IndexFunc(all, func(r Record) bool { return r.Folder == k.folder }); i >= 0 {
		_ = k.update(func(now *Record) { *now = all[i] }) // what cannot be kept holds for this process
	}
	return k
}

// record returns what is remembered of this very folder: another may stand in its place.
func (k *Keeper) record() Record {
	if r := k.book.Get(); r.Folder == k.folder {
		return r
	}
	return Record{}
}

// update changes the record. Where it cannot be kept, this process remembers it. The caller holds mu.
func (k *Keeper) update(f func(*Record)) error {
	k.last.at = time.Time{}
	err := k.book.Update(func(r *Record) {
		if r.Folder != k.folder {
			*r = Record{Texts: map[string]string{}}
		}
		f(r)
		r.Folder = k.folder
	})
	if err != nil {
		k.Log.Warn("trust not kept", "brain", k.Brain.Root(), "err", err)
	}
	return err
}

// moment is how long what is known of histories counts as known: about as long as one request
// looks at the cards of a large brain.
const moment = time.Millisecond

// known returns what is known once what was committed meanwhile is read. The caller holds mu.
func (k *Keeper) known() *look {
	l, changes := &k.last, k.changes.Load()
	if changes == l.changes && time.Since(l.at) < moment {
		return l
	}
	if log := logOf(k.Brain.Root()); l.judged == nil || changes != l.changes || log != l.log {
		*l = look{changes: changes, log: log, judged: map[string]judgment{}, tops: map[string]string{}}
	}
	l.record = k.record()
	for top, p := range l.record.Seen {
		if p.Log != logOf(k.at(top)) {
			k.readOn()
			break
		}
	}
	l.at = time.Now()
	return l
}

// Distrust returns why the brain may not speak, nil where it may. Of a brain that the person neither made here nor said
// yes to, they must have committed every file, or made it with Handrail. It asks git once.
func (k *Keeper) Distrust(ctx context.Context) error {
	if find.Identity(k.Brain.Root()) != k.folder {
		return ErrUnknown // another folder was put in its place
	}
	if g := k.record().Ground; g.trusts() {
		return nil
	} else if g == Revoked {
		return ErrUntrusted
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.known()
	if now.others == nil {
		others, authors, err := k.strangers(ctx)
		var points map[string]Point
		if err == nil && len(others) == 0 && len(authors) > 0 { // again, for what came until histories were looked at
			points = k.points(ctx, nil)
			others, authors, err = k.strangers(ctx)
		}
		if err != nil {
			k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
			if ctx.Err() == nil {
				now.others = []Written{{}}
			}
			return ErrUntrusted
		}
		now.others = others
		if len(others) == 0 && len(authors) > 0 {
			_ = k.update(func(r *Record) { r.Ground = Own; k.settle(ctx, r, points) })
		}
	}
	switch {
	case len(now.others) == 0:
		return nil
	case len(now.others) == 1 && now.others[0].Author == "":
		return ErrUnknown
	}
	return ErrUntrusted
}

// Others returns the result of the last look of Distrust.
func (k *Keeper) Others() []Written {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.last.others)
}

// Approved reports whether trust lets a card or note come without being asked for.
func (k *Keeper) Approved(c *lessons.Card) bool { return k.Waits(c) == "" }

// Waits returns why a card or note waits for an approval of its text, "" where it does not.
func (k *Keeper) Waits(c *lessons.Card) WaitReason {
	why, _ := k.decide(c)
	return why
}

// special returns why a card needs an approval whoever brought it, "" where it does not: it may stop an action, it comes
// with every request, or the person wants to see every change.
func (k *Keeper) special(c *lessons.Card) WaitReason {
	switch {
	case !c.Kind.IsCard() || c.Status != lessons.Active:
		return ""
	case c.Guard != "":
		return WaitGuard
	case k.Always(*c):
		return WaitAlways
	case k.Review():
		return WaitChanged
	}
	return ""
}

// decide returns why a card or note waits, "" where it does not, and who else brought its text since the person knew all.
// A text speaks that nobody else brought, unless the card is special: then it must be the person's own. Else it must
// have been approved, or follow from such a text. What is in no repository nobody can bring.
func (k *Keeper) decide(c *lessons.Card) (why WaitReason, by string) {
	if c.Kind.IsCard() && c.Status != lessons.Active {
		return "", ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now, rel := k.known(), c.Path
	top := topOf(k.Brain.Root(), path.Dir(rel), now.tops)
	if top == "" {
		return "", ""
	}
	if _, seen := now.record.Seen[top]; !seen && time.Since(now.failed) > authorsTimeout { // else each card would ask in vain
		k.readOn()
	}
	r := now.record
	why = k.special(c)
	if why == "" && len(r.New[rel]) == 0 {
		return "", ""
	}
	src, err := k.Brain.Read(rel)
	if err != nil {
		return why, "" // gone a moment ago
	}
	sum := side.Sum(src)
	if !r.Team && r.Ground.trusts() {
		for _, t := range slices.Backward(r.New[rel]) {
			if by == "" && k.follows(rel, t.Sum, sum) {
				by = t.By
			}
		}
	}
	if why == "" && by == "" || r.Texts[rel] == sum {
		return "", ""
	}
	switch {
	case now.judged[rel].sum == sum:
	case why == "":
		now.judged[rel] = judgment{sum, k.follows(rel, r.Texts[rel], sum)}
	default:
		k.judge(map[string][]byte{rel: src})
	}
	if now.judged[rel] == (judgment{sum, true}) {
		return "", ""
	}
	return cmp.Or(why, WaitNew), by
}

// judge approves the texts that are the person's own, of some cards and of all other special ones that were
// not looked at: one look at history costs as much as many. The caller holds mu.
func (k *Keeper) judge(texts map[string][]byte) {
	r, judged := k.last.record, k.last.judged
	for _, c := range k.Cards() {
		if texts[c.Path] != nil || k.special(c) == "" {
			continue
		}
		src, err := k.Brain.Read(c.Path)
		if sum := side.Sum(src); err == nil && r.Texts[c.Path] != sum && judged[c.Path].sum != sum {
			texts[c.Path] = src
		}
	}
	question := Question{Dir: k.Brain.Root(), Files: slices.Collect(maps.Keys(texts)), Emails: r.Emails}
	authors, err := Authors(context.Background(), question)
	if err != nil {
		k.Log.Warn("nobody knows who wrote the cards", "brain", k.Brain.Root(), "err", err)
		return
	}
	for rel, src := range texts {
		a, committed := authors[rel]
		follows := k.follows(rel, r.Texts[rel], side.Sum(src))
		judged[rel] = judgment{side.Sum(src), !committed || a.Own || follows}
		if !follows && (!a.Own || a.Blob != git.Blob(src)) { // what is not committed may be a pull's
			delete(texts, rel)
		}
	}
	if len(texts) > 0 {
		_ = k.approve(texts)
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

// approve lets texts speak, by path, and keeps them to show what changes. The caller holds mu.
func (k *Keeper) approve(texts map[string][]byte) error {
	for _, src := range texts {
		if _, err := k.Journal.Keep(src); err != nil {
			k.Log.Warn("the next change of a card will be shown without the text before", "err", err)
		}
	}
	return k.update(func(r *Record) {
		for rel, src := range texts {
			r.Texts[rel] = side.Sum(src)
		}
	})
}

// Look says who else wrote the brain's files, and which wait.
func (k *Keeper) Look(ctx context.Context) (Trust, error) {
	out := Trust{Trusted: k.Distrust(ctx) == nil, Titles: []string{}, Waiting: []Waiting{}}
	others, authors, err := k.strangers(ctx)
	if errors.Is(err, exec.ErrNotFound) { // without git nobody knows
		others, err = append([]Written{}, k.Others()...), nil
	}
	if err != nil {
		return Trust{}, fmt.Errorf("look who wrote the cards: %w", err)
	}
	if out.Trusted { // what no commit has counts as the person's
		others = slices.DeleteFunc(others, func(w Written) bool { return w.Author == "" })
	}
	r := k.record()
	out.Ground, out.Team, out.Others = r.Ground, r.Team, others
	for _, c := range k.Cards() {
		if !out.Trusted && c.Status == lessons.Active && len(out.Titles) < maxTitles {
			out.Titles = append(out.Titles, c.Title)
		}
	}
	for _, w := range k.Waiting() {
		src, err := k.Brain.Read(w.Path)
		if err != nil {
			continue // gone a moment ago
		}
		before, _ := k.Journal.Kept(r.Texts[w.Path]) // without it the whole card is new
		w.Author, w.Before, w.Now = authors[w.Path].String(), string(before), string(src)
		out.Waiting = append(out.Waiting, w)
	}
	return out, nil
}

// Waiting returns the cards and notes that do not speak for want of an approval, by path.
func (k *Keeper) Waiting() (out []Waiting) {
	notes := ours(k.record().New)
	add := func(c *lessons.Card) {
		if why, by := k.decide(c); why != "" {
			out = append(out, Waiting{Path: c.Path, Title: c.Title, Author: by, Reason: why})
		}
	}
	for _, c := range k.Cards() {
		delete(notes, c.Path)
		add(c)
	}
	for rel := range notes {
		if _, err := k.Brain.Stat(rel); err == nil {
			add(&lessons.Card{Path: rel, Title: strings.TrimSuffix(path.Base(rel), path.Ext(rel))})
		}
	}
	slices.SortFunc(out, func(a, b Waiting) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Brought returns who brought files that wait since the person knew all, by name, and how many.
func (k *Keeper) Brought() (who []string, files int) {
	for _, w := range k.Waiting() {
		if w.Author == "" {
			continue
		}
		files++
		if name, _, _ := strings.Cut(w.Author, " <"); !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	slices.Sort(who)
	return who, files
}

// Agree trusts the brain, and approves what waits, as it stands now. For a team it trusts what the
// others add from now on, too.
func (k *Keeper) Agree(ctx context.Context, team bool) error {
	k.mu.Lock()
	before, points := k.record().Ground, k.points(ctx, nil)
	err := k.update(func(r *Record) {
		r.Ground, r.Team = Agreed, r.Team || team
		if !before.trusts() {
			k.settle(ctx, r, points)
		}
	})
	k.mu.Unlock()
	if err != nil {
		return err
	}
	// Handrail's own folder keeps the brain's there while git is on a branch without one.
	err = k.Brain.Write(func(lessons.Writer) error { return nil })
	if err != nil {
		k.Log.Info("nothing can be written to the brain", "brain", k.Brain.Root(), "err", err)
	}
	var paths []string
	for _, w := range k.Waiting() {
		paths = append(paths, w.Path)
	}
	return k.Approve(ctx, paths)
}

// Approve lets files speak with the text that they have now.
func (k *Keeper) Approve(ctx context.Context, paths []string) error {
	texts := map[string][]byte{}
	for _, p := range paths {
		rel, err := k.Brain.Rel(p)
		if err == nil {
			texts[rel], err = k.Brain.Read(rel)
		}
		if err != nil {
			return fmt.Errorf("approve a card: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.approve(texts)
}

// Revoke takes the trust in the brain and every approval back.
func (k *Keeper) Revoke(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k.changes.Add(1)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.update(func(r *Record) { *r = Record{Ground: Revoked} })
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

// Make marks a brain as one that this person made here, where it has no files yet: those that are there are somebody's.
func Make(brain *lessons.Brain, dir string) error {
	k := Keep(Config{Brain: brain, Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if k.record().Ground != Unknown || len(k.files(context.Background())) > 0 {
		return nil
	}
	return k.update(func(r *Record) { r.Ground = Made; k.settle(context.Background(), r, nil) })
}
