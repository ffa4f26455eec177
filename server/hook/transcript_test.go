package hook

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTranscripts(t *testing.T) {
	for name, want := range map[string]string{
		"claude":  "I look at the dispatcher first.\n\nThe new handler is in place; a test sends the command from a chat that is not on the list.",
		"vscode":  "The allowlist is checked before any command runs.",
		"copilot": "The allowlist is checked before any command runs.",
		"codex":   "Done as asked.",
	} {
		tail, err := readTranscript("../../testdata/hooks/transcripts/" + name + ".jsonl")
		if got, _ := lastAnswer(tail); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got := withoutHooks([]byte(`{"type":"hook_success","stdout":"(ref AAAAAAAA)"}` + "\nkept\n")); string(got) != "kept\n" {
		t.Errorf("what a hook printed counts as received: %s", got)
	}
	if _, err := readTranscript(t.TempDir()); !errors.Is(err, errNotAFile) {
		t.Errorf("a folder: %v", err)
	}
	big := filepath.Join(t.TempDir(), "big.jsonl")
	if err := os.WriteFile(big, append(bytes.Repeat([]byte("x"), maxTranscript+100), []byte("\n"+`{"role":"assistant","content":"end"}`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	tail, err := readTranscript(big)
	answer, begun := lastAnswer(tail)
	if err != nil || len(tail) != maxTranscript || answer != "end" {
		t.Errorf("%d bytes, %v", len(tail), err)
	}
	if begun {
		t.Error("what was handed over before the end of a long turn would count as lost")
	}
	asked := []byte(`{"role":"user","content":"go on"}` + "\n")
	if _, begun := lastAnswer(append(asked, tail[len(asked):]...)); !begun {
		t.Error("a turn that is all there is not believed")
	}
}

func TestReceiptsOfATranscript(t *testing.T) {
	s := &stub{}
	stop := `{"hook_event_name":"Stop","session_id":"s","turn_id":"t","model":"m","last_assistant_message":"Done as  asked.","transcript_path":"../../testdata/hooks/transcripts/codex.jsonl"}`
	if _, err := Answer(t.Context(), []byte(stop), config(s, nil)); err != nil || !s.answer.Transcript || !slices.Equal(s.answer.Receipts, []string{"TTGAPIU4"}) {
		t.Errorf("%+v, %v", s.answer, err)
	}
	late := strings.Replace(stop, `"Done as  asked."`, `"what the host has not written yet"`, 1)
	if _, err := Answer(t.Context(), []byte(late), config(s, nil)); err != nil || s.answer.Transcript {
		t.Errorf("a transcript without the answer proves nothing: %+v, %v", s.answer, err)
	}
	gone := strings.Replace(stop, "codex.jsonl", "gone.jsonl", 1)
	if _, err := Answer(t.Context(), []byte(gone), config(s, nil)); err != nil || s.answer.Transcript {
		t.Errorf("a transcript that is gone proves nothing: %+v, %v", s.answer, err)
	}
}

// TestReceiptsThatNobodyPromised holds that a host whose transcript is not known to hold
// what hooks hand over is believed once it shows a receipt, and never accused before.
func TestReceiptsThatNobodyPromised(t *testing.T) {
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	for text, want := range map[string][]string{
		`{"role":"user","content":"add a command"}`: nil,
		`{"role":"user","content":"[ACTIVE LESSONS \u2014 verify before finalizing]\n[/ACTIVE LESSONS] (ref AAAABBBB)\nadd a command"}`: {"AAAABBBB"},
	} {
		if err := os.WriteFile(file, []byte(text+"\n"+`{"role":"assistant","content":"done"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for host, payload := range map[string]string{
			"cursor": `{"hook_event_name":"afterAgentResponse","conversation_id":"c","generation_id":"g","text":"done","transcript_path":%q}`,
			"vscode": `{"hook_event_name":"Stop","timestamp":"2026-11-21T09:00:00Z","session_id":"s","last_assistant_message":"done","transcript_path":%q}`,
		} {
			s := &stub{}
			c := config(s, nil)
			c.Host = host
			if _, err := Answer(t.Context(), fmt.Appendf(nil, payload, file), c); err != nil {
				t.Fatal(err)
			}
			if s.answer.Answer != "done" || s.answer.Transcript != (want != nil) || !slices.Equal(s.answer.Receipts, want) {
				t.Errorf("%s, %s: %+v", host, text, s.answer)
			}
		}
	}
}
