package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/side"
)

// maxTranscript is how much of a transcript's end is read: a long turn with its tool
// results, and still a few milliseconds.
const maxTranscript = 4 << 20

var errNotAFile = errors.New("not a regular file")

// readTranscript returns the end of a transcript.
func readTranscript(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would wait
		return nil, fmt.Errorf("%s: %w", name, errNotAFile)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTranscript), maxTranscript))
}

// hookRecord matches lines in which a host notes what a hook printed. They say nothing
// about what the model got.
var hookRecord = lazyregexp.New(`"type": ?"(?:hook_success|hook_error\w*|hook\.(?:start|end))"`)

func withoutHooks(tail []byte) []byte {
	var out []byte
	for line := range bytes.Lines(tail) {
		if !hookRecord().Match(line[:min(len(line), 2000)]) {
			out = append(out, line...)
		}
	}
	return out
}

// entry is a line of a transcript in any of the forms that hosts write. They are no stable
// interface, so whatever does not fit is passed over.
type entry struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	IsMeta  bool            `json:"isMeta"`
	Content json.RawMessage `json:"content"`
	Message *entry          `json:"message"` // Claude Code
	Payload *entry          `json:"payload"` // Codex
	Data    *entry          `json:"data"`    // Copilot, VS Code
}

// lastAnswer returns what the agent has said since the person spoke last; begun says that this is in the end of the transcript.
func lastAnswer(tail []byte) (answer string, begun bool) {
	var said []string
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0 && !begun; i-- {
		var e entry
		if json.Unmarshal(lines[i], &e) != nil {
			continue
		}
		who, text := e.says()
		begun = who == "user" && text != ""
		if who == "assistant" && text != "" {
			said = append(said, text)
		}
	}
	slices.Reverse(said)
	return strings.Join(said, "\n\n"), begun
}

// says returns who speaks in an entry, and the words that are meant for the other.
func (e *entry) says() (who, text string) {
	who, of := e.Role, e
	switch {
	case e.IsMeta:
		return "", ""
	case e.Message != nil:
		who, of = e.Type, e.Message
	case e.Payload != nil && e.Payload.Type == "message":
		who, of = e.Payload.Role, e.Payload
	case e.Data != nil && strings.HasSuffix(e.Type, ".message"):
		who, of = strings.TrimSuffix(e.Type, ".message"), e.Data
	}
	if who != "assistant" && who != "user" {
		return "", ""
	}
	return who, Words(of.Content)
}

// Words returns the text of a message in a transcript: a string, or its parts that are text.
func Words(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var out []string
	for _, p := range parts {
		if slices.Contains([]string{"", "text", "output_text", "input_text"}, p.Type) && p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}

func unmarshal(raw json.RawMessage, v any) bool { return len(raw) > 0 && json.Unmarshal(raw, v) == nil }

// digest names a call by its tool and input.
func digest(name string, input payload) string {
	if len(input) == 0 {
		return ""
	}
	parts := []string{name}
	for _, k := range slices.Sorted(maps.Keys(input)) {
		if k == "description" { // says what the call is for, and may be told in other words when it has ended
			continue
		}
		parts = append(parts, k, string(input[k]))
	}
	return side.Name(8, parts...)
}
