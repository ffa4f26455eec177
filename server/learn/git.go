package learn

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// history is what git's history told.
type history struct {
	Commits    int               `json:"commits"`
	At         int64             `json:"at"` // of the last one, in seconds since 1970
	Candidates []inbox.Candidate `json:"candidates"`
}

const (
	// maxCommits and maxLog bound what is read of a history, in commits and bytes, maxLooked the commits that are looked into
	// and maxPatch what is read of each, and of what was written before it.
	maxCommits, maxLog  = 10_000, 32 << 20
	maxLooked, maxPatch = 50, 1 << 20
	// mendedWithin is how soon a fix comes that says of lines that they were a mistake, minNames how many names of code its
	// message has that tells what was wrong. Of such fixes a reader kept three of four, of any in four repositories none.
	mendedWithin, minNames = 14 * 24 * time.Hour, 4
)

var (
	header   = lazyregexp.New(`(?s)^([0-9a-f]{40,64}) (\d{1,12}) ([^\n]*)\n(.*?)\x00(.*)$`)
	reverted = lazyregexp.New(`(?m)^This reverts commit [0-9a-f]{7,64}\.?$`)
	fixes    = lazyregexp.New(`(?i)^(?:hot|bug)?fix(?:\([^)]*\))?!?: `)
	// apart begins what is no prose of a message: a list, a heading, code, a trailer.
	apart    = lazyregexp.New("(?m)^\\s*(?:[-*•#>|<!]|\\d+[.)]\\s|[A-Z][A-Za-z]+(?:-[A-Za-z]+)+:|https?:|```)")
	named    = lazyregexp.New("`[^`\n]+`|\\w+\\(\\)|\\w*[a-z]\\w*[A-Z_]\\w*|\\w+_\\w+|[a-zA-Z]\\w*\\.[a-zA-Z]\\w+")
	machines = lazyregexp.New(`(?i)\[bot\]|dependabot|renovate`)
	// unwritten matches files that nobody writes line by line, and documents; telling a line that can be told from others.
	unwritten = lazyregexp.New(`(?i)\.(?:md|mdx|rst|txt|lock|po|snap|svg|csv)$|\.pb\.\w+$|_pb2?\.\w+$|lock\.(?:json|ya?ml)$|(?:^|/)(?:package\.json|go\.(?:sum|mod)|(?:vendor|dist|locales?|generated|gen)/.*)$`)
	telling   = lazyregexp.New(`(?:[\pL\pN][^\pL\pN]*){8}`)
)

// commit is one of git's, with the lines that it changed where they were asked for.
type commit struct {
	hash, author, subject, body string
	at                          time.Time
	changes                     []triggers.Change // files as git names them
}

// history returns what was taken back by git, or mended within days. It is read anew where HEAD has moved.
func (p *project) history(since time.Time, was memory) (history, string, error) {
	last, err := git.Output(p.ctx, p.roots[0].top, "log", "-1", "--format=%H %ct")
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
	commits, err := p.log(maxLog, since, "HEAD", "--", p.part)
	out.Commits = len(commits)
	commits = slices.DeleteFunc(commits, func(c commit) bool { return !c.reverts() && !c.tells() })
	for _, c := range commits[:min(len(commits), maxLooked)] {
		found, failed := p.look(c)
		out.Candidates, err = append(out.Candidates, found...), errors.Join(err, failed)
	}
	return out, key, err
}

// reverts reports whether a commit takes another one back.
func (c commit) reverts() bool {
	return strings.HasPrefix(c.subject, `Revert "`) && !strings.HasPrefix(c.subject, `Revert "Revert "`) && reverted().MatchString(c.body)
}

// tells reports whether a commit is a fix whose message begins with what was wrong, by the names of it.
func (c commit) tells() bool {
	words := c.body
	if at := apart().FindStringIndex(words); at != nil {
		words = words[:at[0]]
	}
	names := slices.Compact(slices.Sorted(slices.Values(named().FindAllString(words, -1))))
	return len(names) >= minNames && fixes().MatchString(c.subject) && !machines().MatchString(c.author) && !reverted().MatchString(c.body)
}

// look returns what comes of a commit that takes another one back, or mends lines that were written not long before.
func (p *project) look(c commit) (out []inbox.Candidate, err error) {
	made, err := p.log(maxPatch, time.Time{}, "-p", "-U0", "-n1", c.hash, "--", p.part)
	if err != nil || len(made) == 0 {
		return nil, err
	}
	c.changes = made[0].changes
	e := triggers.Event{Kind: triggers.Rollback, At: c.at, Text: "revert: " + c.subject + "\n\n" + strings.TrimSpace(reverted().ReplaceAllString(c.body, ""))}
	var before []inbox.Sighting
	if !c.reverts() {
		by, err := p.wrote(c)
		if by.hash == "" {
			return nil, err
		}
		e.Text = c.subject + "\n\n" + c.body
		before = []inbox.Sighting{{At: by.at, Said: leaks.Redact(by.hash[:8] + " " + by.subject), Host: fromGit}}
	}
	for _, ch := range c.changes {
		if name, ok := p.name(filepath.Join(p.roots[0].top, filepath.FromSlash(ch.File))); ok && (c.reverts() || !unwritten().MatchString(ch.File)) {
			ch.File = name
			e.Changes, e.Files = append(e.Changes, ch), append(e.Files, name)
		}
	}
	for _, found := range triggers.NewDetector(triggers.Options{}).Observe(e).Candidates {
		from := inbox.From(found, fromGit, "")
		if len(before) > 0 {
			from.Trigger = string(triggers.MendedSoon)
		}
		from.Seen = append(before, from.Seen...)
		out = append(out, from)
	}
	return out, nil
}

// wrote returns the commit, not long before a fix, that wrote a line which the fix took out.
func (p *project) wrote(fix commit) (commit, error) {
	out, files := fix.lines()
	if len(out) == 0 {
		return commit{}, nil
	}
	before, err := p.log(maxPatch, fix.at.Add(-mendedWithin), append([]string{"-p", "-U0", fix.hash + "~", "--"}, files...)...)
	for _, c := range before {
		for _, ch := range c.changes {
			if slices.ContainsFunc(ch.Added, func(l string) bool { return out[ch.File+"\x00"+strings.TrimSpace(l)] }) {
				return c, err
			}
		}
	}
	return commit{}, err
}

// lines returns the lines that a commit took out for good and that can be told from others, each with its file, and where to look for them.
func (c commit) lines() (out map[string]bool, files []string) {
	out = map[string]bool{}
	for _, ch := range c.changes {
		if unwritten().MatchString(ch.File) {
			continue
		}
		files = append(files, ":(literal)"+ch.File)
		for _, l := range ch.Removed {
			if telling().MatchString(l) {
				out[ch.File+"\x00"+strings.TrimSpace(l)] = true
			}
		}
		for _, l := range ch.Added {
			delete(out, ch.File+"\x00"+strings.TrimSpace(l))
		}
	}
	return out, files
}

// log returns what git's log tells of a time, the last commit first, in as many bytes.
func (p *project) log(most int64, since time.Time, args ...string) (out []commit, err error) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	ask := []string{"log", "--no-merges", "-n", strconv.Itoa(maxCommits), "--since=@" + strconv.FormatInt(max(0, since.Unix()), 10) + " +0000", "--src-prefix=a/", "--dst-prefix=b/", "--format=%x00commit %H %ct %aN%n%B%x00"}
	cmd := git.Command(ctx, p.roots[0].top, append(ask, args...)...)
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(pipe, most))
	cancel()
	_ = cmd.Wait() // it was told to end
	for part := range strings.SplitSeq(string(text), "\x00commit ") {
		if m := header().FindStringSubmatch(part); m != nil { // else it was cut short
			seconds, _ := strconv.ParseInt(m[2], 10, 64) // it is all digits
			subject, body, _ := strings.Cut(strings.TrimSpace(m[4]), "\n")
			out = append(out, commit{m[1], m[3], subject, strings.TrimSpace(body), time.Unix(seconds, 0), triggers.ParsePatch(m[5])})
		}
	}
	return out, errors.Join(err, p.ctx.Err())
}
