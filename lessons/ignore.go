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
	// maxIgnored is how many lines of the list are obeyed: every path is held against each.
	maxIgnored = 100
)

// ErrIgnoreList says that not all of the list of ignored files is obeyed: it cannot be read, or
// has too many lines. What comes first is obeyed.
var ErrIgnoreList = errors.New("not all of " + ignoreFile + " is obeyed")

// IsIgnoreFile reports whether a path is the brain's list of ignored files.
func IsIgnoreFile(rel string) bool { return rel == ignoreFile }

func (b *Brain) isIgnored(rel string) bool {
	b.ignoreMu.Lock()
	defer b.ignoreMu.Unlock()
	return b.ignored.MatchesPath(rel)
}

// loadIgnore reads the list anew and returns why not all of it is obeyed.
func (b *Brain) loadIgnore() error {
	src, err := b.Read(ignoreFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrIgnoreList, err)
	}
	lines := strings.Split(string(src), "\n")
	if len(lines) > maxIgnored+1 { // one is behind the last line's end
		lines, err = lines[:maxIgnored], fmt.Errorf("%w: it has more than %d lines", ErrIgnoreList, maxIgnored)
	}
	b.ignoreMu.Lock()
	defer b.ignoreMu.Unlock()
	if b.ignored == nil || !bytes.Equal(src, b.ignoredText) {
		b.ignored, b.ignoredText = ignore.CompileIgnoreLines(lines...), src
	}
	return err
}
