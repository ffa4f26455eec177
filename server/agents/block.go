package agents

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	blockBegin = "<!-- handrail:begin (kept by \"handrail setup instructions\") -->"
	blockEnd   = "<!-- handrail:end -->"
	// instructionsHead makes VS Code and Copilot read the file with every request.
	instructionsHead = "---\napplyTo: \"**\"\n---\n\n"
)

// instructions returns a file with a managed block: what is between the markers is ours,
// everything else is not touched.
func instructions(name, titles, head string) file {
	titles = strings.ReplaceAll(titles, "<!--", "<!- -") // a card cannot end the block
	return file{
		name: name,
		use:  Instructions,
		edit: func(src []byte) ([]byte, error) {
			eol := "\n"
			if bytes.Contains(src, []byte("\r\n")) {
				eol = "\r\n"
			}
			block := strings.ReplaceAll(blockBegin+"\n"+titles+"\n"+blockEnd, "\n", eol)
			from, to, err := blockIn(src)
			switch {
			case err != nil:
				return nil, err
			case titles == "":
				return removeBlock(src)
			case from >= 0:
				return slices.Concat(src[:from], []byte(block), src[to:]), nil
			case len(bytes.TrimSpace(src)) == 0:
				return []byte(head + block + "\n"), nil
			}
			sep := eol + eol
			if bytes.HasSuffix(src, []byte("\n")) {
				sep = eol
			}
			return slices.Concat(src, []byte(sep+block+eol)), nil
		},
		without: removeBlock,
		empty: func(src []byte) bool {
			return len(bytes.TrimSpace(src)) == 0 || string(bytes.TrimSpace(src)) == strings.TrimSpace(head)
		},
	}
}

// blockIn returns where the block stands; from is -1 when there is none.
func blockIn(src []byte) (from, to int, err error) {
	from = bytes.Index(src, []byte(blockBegin))
	end := bytes.Index(src, []byte(blockEnd))
	if from < 0 && end < 0 {
		return -1, -1, nil
	}
	if from < 0 || end < from || bytes.Count(src, []byte(blockBegin)) > 1 {
		return 0, 0, fmt.Errorf("%w: its markers do not match", ErrUnreadable)
	}
	return from, end + len(blockEnd), nil
}

func removeBlock(src []byte) ([]byte, error) {
	from, to, err := blockIn(src)
	if err != nil || from < 0 {
		return src, err
	}
	rest := src[to:]
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	before := src[:from]
	if trimmed := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r")); bytes.HasSuffix(trimmed, []byte("\n")) || len(rest) > 0 {
		before = trimmed // the blank line that set it off
	}
	return slices.Concat(before, rest), nil
}
