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

	"handrail/lessons/lazyregexp"
	"handrail/lessons/side"
)

const (
	// maxTranscript is how much of a transcript's end is read: a long turn with its tool
	// results, and still a few milliseconds.
	maxTranscript = 4 << 20
	// maxAnswer bounds the answer that is taken from it.
	maxAnswer = 256 << 10
)

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
	if info.Size() > maxTranscript {
		if _, err := f.Seek(-maxTranscript, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, maxTranscript))
}

// holdsTurn reports whether the end of a transcript reaches back to what the person said
// last. What was handed over in a longer turn may stand before it.
func holdsTurn(tail []byte) bool {
	if len(tail) < maxTranscript {
		return true
	}
	for line := range bytes.Lines(tail) {
		var e entry
		if json.Unmarshal(line, &e) == nil {
			if who, text := e.says(); who == "user" && text != "" {
				return true
			}
		}
	}
	return false
}

// holdsAnswer reports whether a transcript has come as far as the answer that the host told of. A host may write its last
// lines when the hook has read them.
func holdsAnswer(tail []byte, answer string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Contains(plain(lastAnswer(tail)), plain(answer))
}

// hookRecord matches lines in which a host notes what a hook printed. They say nothing
// about what the model got.
var hookRecord = lazyregexp.New(`"type": ?"(?:hook_success|hook_error\w*|hook\.(?:start|end))"`)

func withoutHooks(tail []byte) []byte {
	var out []byte
	for line := range bytes.Lines(tail) {
		if !hookRecord.Match(line[:min(len(line), 2000)]) {
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

// lastAnswer returns what the agent has said since the person spoke last, "" when that
// cannot be told.
func lastAnswer(tail []byte) string {
	var said []string
	size := 0
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0 && size < maxAnswer; i-- {
		var e entry
		if json.Unmarshal(lines[i], &e) != nil {
			continue
		}
		who, text := e.says()
		if who == "user" && text != "" {
			break
		}
		if who == "assistant" && text != "" {
			said = append(said, text)
			size += len(text)
		}
	}
	slices.Reverse(said)
	return strings.Join(said, "\n\n")
}

// says returns who speaks in an entry, and the words that are meant for the other.
func (e entry) says() (who, text string) {
	switch {
	case e.IsMeta:
		return "", ""
	case e.Message != nil && (e.Type == "assistant" || e.Type == "user"):
		return e.Type, words(e.Message.Content)
	case e.Payload != nil && e.Payload.Type == "message":
		return e.Payload.Role, words(e.Payload.Content)
	case e.Data != nil && e.Type == "assistant.message":
		return "assistant", words(e.Data.Content)
	case e.Data != nil && e.Type == "user.message":
		return "user", words(e.Data.Content)
	case e.Role == "assistant" || e.Role == "user":
		return e.Role, words(e.Content)
	}
	return "", ""
}

// words returns the text of a message: a string, or its parts that are text.
func words(raw json.RawMessage) string {
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
		if (p.Type == "text" || p.Type == "output_text" || p.Type == "input_text") && p.Text != "" {
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
