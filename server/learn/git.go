package learn

import (
	"bufio"
	"context"
	"errors"
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
	At         int64             `json:"at"` // of the last one, in seconds since 1970
	Candidates []inbox.Candidate `json:"candidates"`
}

const (
	// maxCommits and maxPatch bound what is read: commits, and bytes of each.
	maxCommits = 10_000
	maxPatch   = 256 << 10
)

var (
	header   = lazyregexp.New(`(?s)^commit (\d{1,12})\n(.*)`)
	reverted = lazyregexp.New(`(?m)^This reverts commit [0-9a-f]{7,64}\.?$`)
)

// history returns what was taken back by git. It is read anew where HEAD has moved.
func (p *project) history(since time.Time, was memory) (history, string, error) {
	top := p.roots[0].top
	last, err := git.Output(p.ctx, top, "log", "-1", "--format=%H %ct")
	if err != nil { // no repository, or no commit yet
		return history{}, "", p.ctx.Err()
	}
	head, at, _ := strings.Cut(strings.TrimSpace(last), " ")
	key := head + since.Format(" 2006-01-02")
	if key == was.Head {
		return was.Git, key, nil
	}
	var out history
	out.At, _ = strconv.ParseInt(at, 10, 64) // it is all digits
	count := append([]string{"rev-list", "--count", "--no-merges", "-n", strconv.Itoa(maxCommits)}, after(since)...)
	commits, _ := git.Output(p.ctx, top, append(count, "HEAD", "--", p.part)...) // it is HEAD that was found
	out.Commits, _ = strconv.Atoi(strings.TrimSpace(commits))                    // 0 where it is stopped
	out.Candidates, err = p.reverts(since)
	return out, key, err
}

// after returns what has git leave out what is older.
func after(since time.Time) []string {
	if since.IsZero() {
		return nil
	}
	return []string{"--since=" + since.Format(time.RFC3339)}
}

// reverts returns what came of each commit of the project that takes another one back, the last first.
func (p *project) reverts(since time.Time) (out []inbox.Candidate, err error) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	args := append([]string{
		"log", "--no-merges", "-n", strconv.Itoa(maxCommits), "--grep=^This reverts commit ", "-p", "-U0",
		"--src-prefix=a/", "--dst-prefix=b/", "--format=%x00commit %at%n%B%x00",
	}, after(since)...)
	cmd := git.Command(ctx, p.roots[0].top, append(args, "--", p.part)...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	err = cmd.Start()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(pipe, 64<<10)
	detector := triggers.NewDetector(triggers.Options{})
	var e triggers.Event
	var patch strings.Builder
	tell := func() {
		for _, ch := range triggers.ParsePatch(patch.String()) {
			if name, ok := p.name(filepath.Join(p.roots[0].top, filepath.FromSlash(ch.File))); ok {
				ch.File = name
				e.Changes, e.Files = append(e.Changes, ch), append(e.Files, name)
			}
		}
		if e.Text != "" {
			for _, c := range detector.Observe(e).Candidates {
				out = append(out, inbox.From(c, fromGit, ""))
			}
		}
	}
	for err == nil {
		var part string
		part, err = upTo(r, 0, maxPatch)
		if m := header().FindStringSubmatch(part); m != nil { // else a patch, which may hold zeros
			tell()
			seconds, _ := strconv.ParseInt(m[1], 10, 64) // it is all digits
			e, patch = triggers.Event{Kind: triggers.Rollback, At: time.Unix(seconds, 0)}, strings.Builder{}
			subject, body, _ := strings.Cut(strings.TrimSpace(m[2]), "\n")
			if r := reverted().FindString(body); r != "" && strings.HasPrefix(subject, `Revert "`) && !strings.HasPrefix(subject, `Revert "Revert "`) {
				e.Text = "revert: " + subject + "\n\n" + strings.TrimSpace(strings.Replace(body, r, "", 1))
			}
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
	return out, errors.Join(err, p.ctx.Err())
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
