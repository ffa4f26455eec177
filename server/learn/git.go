package learn

import (
	"bufio"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/triggers"
)

// history is what git's history told.
type history struct {
	Commits    int               `json:"commits"`
	Candidates []inbox.Candidate `json:"candidates"`
}

const (
	// maxCommits and maxPatch bound what is read: commits, and bytes of each.
	maxCommits = 10_000
	maxPatch   = 256 << 10
	// mendedAfter and mendedWithin are how soon after a fix another one of the same lines says that the first was none.
	// What comes on the same day is mostly a review.
	mendedAfter, mendedWithin = 24 * time.Hour, 14 * 24 * time.Hour
	// mendedLines is how many lines of a fix must be mended again, mendedShare one in how many of them, and minLetters what a
	// line needs to be told from others.
	mendedLines, mendedShare = 3, 4
	minLetters               = 8
)

var (
	fixes    = lazyregexp.New(`(?i)\b(?:fix(?:e[sd])?|hotfix|bug(?:fix)?|regression)\b|수정|고침|버그|오류`)
	header   = lazyregexp.New(`(?s)^commit ([0-9a-f]{40,64}) (\d{1,12})\n(.*)`)
	reverted = lazyregexp.New(`(?m)^This reverts commit [0-9a-f]{7,64}\.?$`)
)

// commit is one of the history.
type commit struct {
	hash, subject, body string
	at                  time.Time
	changes             []triggers.Change
}

// history returns what was taken back by git, and what was mended and had to be mended again within days. It is read anew
// where HEAD has moved.
func (p *project) history(since time.Time, was memory) (history, string, error) {
	top := p.roots[0].top
	head, err := git.Output(p.ctx, top, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil { // no repository, or no commit yet
		return history{}, "", p.ctx.Err()
	}
	key := strings.TrimSpace(head) + since.Format(" 2006-01-02")
	if key == was.Head {
		return was.Git, key, nil
	}
	var out history
	detector := triggers.NewDetector(triggers.Options{})
	tell := func(c commit, what string) {
		var files []string
		for _, ch := range c.changes {
			files = append(files, ch.File)
		}
		e := triggers.Event{Kind: triggers.Rollback, At: c.at, Text: what, Files: files, Changes: c.changes}
		for _, found := range detector.Observe(e).Candidates {
			out.Candidates = append(out.Candidates, inbox.From(found, fromGit, ""))
		}
	}
	mends := newMends()
	err = p.commits(since, func(c commit) {
		out.Commits++
		if m := reverted.FindString(c.body); m != "" && strings.HasPrefix(c.subject, `Revert "`) && !strings.HasPrefix(c.subject, `Revert "Revert "`) {
			why := strings.TrimSpace(strings.Replace(c.body, m, "", 1))
			tell(c, "revert: "+c.subject+"\n\n"+why)
			return
		}
		if fixes.MatchString(c.subject) {
			if later, again := mends.of(c); again {
				tell(later, later.subject+"\n\n"+c.hash[:8]+" of "+c.at.Format(time.DateOnly)+" was to mend it: "+c.subject)
			}
		}
	})
	return out, key, err
}

// mends finds fixes of fixes. It is told of all that mend something, the last first.
type mends struct {
	out  map[uint64]int // lines that were taken out, by the last fix that did so
	list []commit
	told map[int]bool
}

func newMends() *mends { return &mends{out: map[uint64]int{}, told: map[int]bool{}} }

// of returns the fix that had to mend the lines of an earlier one again.
func (m *mends) of(c commit) (later commit, again bool) {
	lines, by := 0, map[int]int{}
	for _, ch := range c.changes {
		for _, l := range ch.Added {
			if s, ok := sum(ch.File, l); ok {
				lines++
				if i, ok := m.out[s]; ok {
					by[i]++
				}
			}
		}
	}
	for i, n := range by {
		apart := m.list[i].at.Sub(c.at)
		if n >= mendedLines && n*mendedShare >= lines && apart >= mendedAfter && apart <= mendedWithin && !m.told[i] {
			m.told[i] = true
			later, again = m.list[i], true
		}
	}
	m.list = append(m.list, c)
	for _, ch := range c.changes {
		for _, l := range ch.Removed {
			if s, ok := sum(ch.File, l); ok {
				m.out[s] = len(m.list) - 1
			}
		}
	}
	return later, again
}

var seed = maphash.MakeSeed()

func sum(file, line string) (uint64, bool) {
	line = strings.TrimSpace(line)
	letters := strings.Count(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t{}()[];,.:=<>\"'`+-*/|&!?#@", r) {
			return -1
		}
		return 'a'
	}, line), "a")
	return maphash.String(seed, file+"\x00"+line), letters >= minLetters
}

// commits calls with each commit of the project, the last first.
func (p *project) commits(since time.Time, each func(commit)) error {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	args := []string{"log", "--no-merges", "-n", strconv.Itoa(maxCommits), "-p", "-U0", "--src-prefix=a/", "--dst-prefix=b/", "--format=%x00commit %H %at%n%B%x00"}
	if !since.IsZero() {
		args = append(args, "--since="+since.Format(time.RFC3339))
	}
	cmd := git.Command(ctx, p.roots[0].top, append(args, "--", p.part)...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(pipe, 64<<10)
	var c commit
	var patch strings.Builder
	tell := func() {
		for _, ch := range triggers.ParsePatch(patch.String()) {
			if name, ok := p.name(filepath.Join(p.roots[0].top, filepath.FromSlash(ch.File))); ok {
				ch.File = name
				c.changes = append(c.changes, ch)
			}
		}
		if c.hash != "" {
			each(c)
		}
	}
	for err == nil {
		var part string
		part, err = upTo(r, 0, maxPatch)
		if m := header.FindStringSubmatch(part); m != nil { // else a patch, which may hold zeros
			tell()
			seconds, _ := strconv.ParseInt(m[2], 10, 64) // it is all digits
			c, patch = commit{hash: m[1], at: time.Unix(seconds, 0)}, strings.Builder{}
			c.subject, c.body, _ = strings.Cut(strings.TrimSpace(m[3]), "\n")
			continue
		}
		patch.WriteString(part[:max(0, min(len(part), maxPatch-patch.Len()))])
	}
	tell()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	cancel()
	_ = cmd.Wait() // it was told to end
	return errors.Join(err, p.ctx.Err())
}

// upTo reads up to a byte and returns at most n bytes of what stands before it.
func upTo(r *bufio.Reader, end byte, n int) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice(end)
		if err == nil {
			part = part[:len(part)-1]
		}
		b.Write(part[:max(0, min(len(part), n-b.Len()))])
		if !errors.Is(err, bufio.ErrBufferFull) {
			return b.String(), err
		}
	}
}
