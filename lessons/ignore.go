package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"
)

const (
	ignoreFile = ".handrailignore"
	// maxIgnored is how many patterns of the list are obeyed, maxIgnoreFile how much of it is read, in bytes.
	maxIgnored    = 1000
	maxIgnoreFile = 64 << 10
)

// ErrIgnoreList says that not all of the list of ignored files is obeyed: it is no regular
// file, or has too many patterns or bytes. What comes first is obeyed.
var ErrIgnoreList = errors.New("not all of " + ignoreFile + " is obeyed")

// ignoreRule is one line of the list of ignored files.
type ignoreRule struct {
	literal string // stands in every path that it matches
	keeps   bool   // a line with "!"
	match   *ignore.GitIgnore
}

// ignoreList is the list of ignored files as it was read.
type ignoreList struct {
	src   []byte
	rules []ignoreRule
	err   error // why not all of it is obeyed
}

// IsIgnoreFile reports whether a path is the brain's list of ignored files.
func IsIgnoreFile(rel string) bool { return rel == ignoreFile }

func (b *Brain) isIgnored(rel string) bool {
	b.ignoreMu.Lock()
	rules := b.ignored.rules
	b.ignoreMu.Unlock()
	ignored := false
	for _, r := range rules { // the last that matches counts
		if r.keeps == ignored && strings.Contains(rel, r.literal) && r.match.MatchesPath(rel) {
			ignored = !ignored
		}
	}
	return ignored
}

// loadIgnore reads the list anew and returns why not all of it is obeyed.
func (b *Brain) loadIgnore() error {
	src, err := b.Read(ignoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrIgnoreList, err)
	}
	b.ignoreMu.Lock()
	defer b.ignoreMu.Unlock()
	if err != nil || !bytes.Equal(src, b.ignored.src) || b.ignored.err != nil {
		b.ignored = ignoreList{src: src, err: err}
		b.ignored.compile()
	}
	return b.ignored.err
}

func (l *ignoreList) compile() {
	text := l.src
	if len(text) > maxIgnoreFile {
		text = text[:1+bytes.LastIndexByte(text[:maxIgnoreFile], '\n')]
		l.err = fmt.Errorf("%w: it has %d bytes, more than %d", ErrIgnoreList, len(l.src), maxIgnoreFile)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.Trim(line, " ")
		rest, keeps := strings.CutPrefix(line, "!")
		if keeps && strings.IndexAny(rest, "!#") == 0 {
			rest = rest[1:] // as the library drops a second mark
		}
		if rest == "" {
			continue
		}
		if len(l.rules) == maxIgnored {
			l.err = fmt.Errorf("%w: it has more than %d patterns", ErrIgnoreList, maxIgnored)
			return
		}
		l.rules = append(l.rules, ignoreRule{literalIn(rest), keeps, ignore.CompileIgnoreLines(rest)})
	}
}

// literalIn returns the longest part of a pattern that stands in every path it matches, ""
// where that cannot be told.
func literalIn(pattern string) (longest string) {
	if strings.ContainsAny(pattern, `\[](){}|+^$`) { // the library passes them on to a regular expression
		return ""
	}
	for part := range strings.FieldsFuncSeq(strings.TrimLeft(pattern, "!#"), func(r rune) bool { return r == '*' || r == '/' }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
