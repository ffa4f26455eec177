package brain

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/server/watch"
)

// Outdated is a card whose code is gone, or was rewritten, since its mistake was last seen.
type Outdated struct {
	Path   string `json:"path"`
	Title  string `json:"title"`
	Code   string `json:"code"`          // the file, symbol or commit that it names
	Gone   bool   `json:"gone,omitzero"` // else rewritten
	Commit string `json:"commit"`        // that did it, abbreviated
}

const (
	// rewritten is the share of a file's lines that is younger than the card.
	rewritten = 0.8
	// maxLost is how many symbols that are not found, and commits, are looked for in the history at a time.
	maxLost = 20
)

// freshness is what is known of the code that cards name, and of when.
type freshness struct {
	mu    sync.Mutex // held while git is asked
	head  string
	heads []*lessons.Card

	known atomic.Pointer[map[string]Outdated] // by path
}

// OutdatedCard returns what is known of a card's code without asking git.
func (s *Base) OutdatedCard(path string) (Outdated, bool) {
	if known := s.fresh.known.Load(); known != nil {
		o, ok := (*known)[path]
		return o, ok
	}
	return Outdated{}, false
}

// LookAfresh asks git what became of the code that the cards name, where a commit or a card is new
// since it was asked last. It takes a few milliseconds for each file that changed.
func (s *Base) LookAfresh(ctx context.Context) {
	f := &s.fresh
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := filepath.Dir(s.Files.Root())
	head, err := watch.GitOutput(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	heads := s.Index.Heads()
	if err != nil || s.Mine() || head == f.head && sameSlice(heads, f.heads) {
		return
	}
	f.head, f.heads = head, heads
	look := &look{ctx: ctx, dir: dir, but: ":(exclude)" + filepath.Base(s.Files.Root())}
	for _, h := range heads {
		if h.Status != lessons.Active || h.LastSeen.IsZero() {
			continue
		}
		c, err := s.Read(h.Path)
		if code := life.CodeOf(c); err == nil && len(code.Files)+len(code.Symbols)+len(code.Commits) > 0 {
			look.cards, look.code, look.symbols = append(look.cards, c), append(look.code, code), append(look.symbols, code.Symbols...)
		}
	}
	found := look.found()
	f.known.Store(&found)
}

// LookLater looks afresh in the background, once the index knows every card.
func (s *Base) LookLater() { s.later(s.ready, s.LookAfresh) }

// look asks git about cards, all of their symbols at once.
type look struct {
	ctx     context.Context
	dir     string
	but     string // pathspec that leaves the brain out
	cards   []lessons.Card
	code    []life.Code
	symbols []string
}

// git returns what git prints, "" where it cannot say.
func (l *look) git(args ...string) string {
	out, _ := watch.GitOutput(l.ctx, l.dir, args...)
	return strings.TrimSpace(out)
}

func (l *look) found() map[string]Outdated {
	has, lost := map[string]bool{}, 0
	if len(l.symbols) > 0 {
		args := []string{"grep", "-I", "-h", "-o", "-w", "-F"}
		for _, name := range l.symbols {
			args = append(args, "-e", name)
		}
		has = terms.Set(l.git(append(args, "HEAD", "--", ".", l.but)...))
	}
	out, touched := map[string]Outdated{}, l.touched()
	for i, c := range l.cards {
		since := after(c)
		o := Outdated{Path: c.Path, Title: c.Title}
		for _, file := range l.code[i].Files {
			if o.Commit == "" && touched[file] {
				o.Code = file
				o.Commit, o.Gone = l.file(file, since)
			}
		}
		for _, name := range l.code[i].Symbols {
			if o.Commit == "" && !has[name] && lost < maxLost {
				lost++
				o.Code, o.Gone = name, true
				o.Commit = l.git("log", "-1", since, "--format=%h", "-S"+name, "--", ".", l.but)
			}
		}
		for _, name := range l.code[i].Commits {
			if o.Commit == "" && lost < maxLost {
				lost++
				o.Code, o.Gone = name, true
				o.Commit = l.git("log", "-1", since, "--format=%h", "--fixed-strings", "--grep=This reverts commit "+name)
			}
		}
		if o.Commit != "" {
			out[c.Path] = o
		}
	}
	return out
}

// after is git's limit to the commits since the day after a card was last seen.
func after(c lessons.Card) string {
	return "--since=" + c.LastSeen.Time(time.Local).AddDate(0, 0, 1).Format(time.RFC3339)
}

// touched returns the files that some commit touched since the card was last seen that was so longest ago. All are asked
// for at once: most were not, and each question costs milliseconds.
func (l *look) touched() map[string]bool {
	out := map[string]bool{}
	oldest, args := lessons.Card{}, []string{"--"}
	for i, c := range l.cards {
		if len(l.code[i].Files) > 0 && (oldest.LastSeen.IsZero() || c.LastSeen.Compare(oldest.LastSeen) < 0) {
			oldest = c
		}
		args = append(args, l.code[i].Files...)
	}
	if len(args) > 1 {
		for file := range strings.SplitSeq(l.git(append([]string{"log", after(oldest), "--format=", "--name-only", "--relative", "-z"}, args...)...), "\x00") {
			out[strings.TrimSpace(file)] = true
		}
	}
	return out
}

// file returns the commit that removed or last changed a file that is not what it was; "" for one that is.
func (l *look) file(file, since string) (commit string, gone bool) {
	commit = l.git("log", "-1", since, "--format=%h", "--", file)
	if commit == "" {
		return "", false // nothing happened to it
	}
	if _, err := os.Lstat(filepath.Join(l.dir, filepath.FromSlash(file))); err != nil {
		return l.git("log", "-1", since, "--format=%h", "--diff-filter=D", "--", file), true
	}
	if l.git("log", "-1", strings.Replace(since, "--since", "--before", 1), "--format=%h", "--", file) == "" {
		return "", false // it is younger than the card
	}
	lines, old := 0, 0
	for line := range strings.Lines(l.git("blame", "-s", since, "HEAD", "--", file)) {
		lines++
		if strings.HasPrefix(line, "^") {
			old++
		}
	}
	if lines == 0 || float64(lines-old) < rewritten*float64(lines) {
		return "", false
	}
	return commit, false
}

// Outdate marks a card whose code changed.
func (s *Base) Outdate(c *lessons.Card) {
	if o, ok := s.OutdatedCard(c.Path); ok {
		c.Changed = o.Commit
	}
}
