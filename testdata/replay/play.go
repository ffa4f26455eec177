package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/hook"
)

// Player plays conversations to one brain, in a folder that it may change.
type Player struct {
	Server *server.Server
	Dir    string
	t      testing.TB
	now    time.Time
	calls  int
}

// Got is what one event got.
type Got struct {
	Turn    int    // of the session, from 0; -1 before the first
	Use     int    // of the turn, from 0; -1 where the event is no call
	Event   string // SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure or Stop
	Context string // for the model
	Line    string // for the person
}

// Start opens the brain dir/.brain with a state of its own. Its clock goes on by a minute with
// each request.
func Start(t testing.TB, dir string) *Player {
	t.Helper()
	p := &Player{Dir: dir, t: t, now: time.Now()}
	side := t.TempDir()
	s, err := server.New(context.Background(), brain.Config{
		Brain: filepath.Join(dir, ".brain"), CacheDir: side, StateDir: side, Now: func() time.Time { return p.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	<-s.Ready()
	if err := s.Agree(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	p.Server = s
	return p
}

// Play plays a conversation from its beginning to its end, and returns what each event got.
func (p *Player) Play(s Session) (got []Got) {
	p.t.Helper()
	id := path.Base(s.Repo) + "/" + s.Name
	send := func(turn, use int, event string, payload map[string]any) {
		p.t.Helper()
		g := p.Send(id, event, payload)
		g.Turn, g.Use = turn, use
		got = append(got, g)
	}
	send(-1, -1, "SessionStart", map[string]any{"source": "startup"})
	for i, turn := range s.Turns {
		p.now = p.now.Add(time.Minute)
		send(i, -1, "UserPromptSubmit", map[string]any{"prompt": turn.Prompt})
		for j, u := range turn.Uses {
			in, out := p.call(u)
			if in == nil {
				continue
			}
			p.calls++
			call := map[string]any{"tool_name": u.Tool, "tool_input": in, "tool_use_id": fmt.Sprintf("toolu_%d", p.calls)}
			send(i, j, "PreToolUse", call)
			switch {
			case u.Failed:
				call["error"] = "Exit code 1\n" + u.Output
				send(i, j, "PostToolUseFailure", call)
			default:
				p.done(u)
				call["tool_response"] = out
				send(i, j, "PostToolUse", call)
			}
		}
		if turn.Answer != "" {
			send(i, -1, "Stop", map[string]any{"last_assistant_message": turn.Answer})
		}
	}
	return got
}

// Send sends one event of Claude Code and returns what it got.
func (p *Player) Send(id, event string, payload map[string]any) Got {
	p.t.Helper()
	all := map[string]any{
		"session_id": id, "hook_event_name": event, "cwd": p.Dir, "permission_mode": "default",
		"transcript_path": filepath.Join(p.Dir, "none.jsonl"),
	}
	for k, v := range payload {
		all[k] = v
	}
	raw, err := json.Marshal(all)
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := hook.Answer(context.Background(), raw, hook.Config{
		Getenv: func(string) string { return "" }, Log: slog.New(slog.DiscardHandler),
		Connect: func(context.Context, string, bool) (hook.Loop, string, error) { return p.Server, "", nil },
	})
	if err != nil {
		p.t.Fatalf("%s: %v", event, err)
	}
	var reply struct {
		SystemMessage      string
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if len(bytes.TrimSpace(out)) > 0 {
		if err := json.Unmarshal(out, &reply); err != nil {
			p.t.Fatalf("%s: %v\n%s", event, err, out)
		}
	}
	return Got{Event: event, Context: reply.HookSpecificOutput.AdditionalContext, Line: reply.SystemMessage}
}

// file returns where a call's file lies. Old transcripts of Cursor do not name what was edited.
func (p *Player) file(u Use) string {
	return filepath.Join(p.Dir, filepath.FromSlash(first(u.File, "unnamed.txt")))
}

// call returns a call's input and what it answers, or nil where the transcript does not say
// enough. A file that is read or changed is there with what the call expects of it.
func (p *Player) call(u Use) (in, out map[string]any) {
	file := p.file(u)
	switch u.Tool {
	case "Bash":
		if u.Command == "" {
			return nil, nil
		}
		return map[string]any{"command": u.Command}, map[string]any{"stdout": u.Output, "stderr": "", "interrupted": false}
	case "Edit":
		if u.Old+u.New == "" {
			return nil, nil
		}
	case "Read", "Write":
		if u.File == "" {
			return nil, nil
		}
	default:
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if u.Tool != "Write" && (err != nil || !strings.Contains(string(text), u.Old)) {
		text = append(text, u.Old...)
		write(p.t, file, string(text))
	}
	switch u.Tool {
	case "Read":
		in = map[string]any{"file_path": file}
		out = map[string]any{"type": "text", "file": map[string]any{"filePath": file, "content": string(text)}}
	case "Edit":
		in = map[string]any{"file_path": file, "old_string": u.Old, "new_string": u.New}
		out = map[string]any{"filePath": file, "oldString": u.Old, "newString": u.New, "originalFile": string(text)}
	default:
		in = map[string]any{"file_path": file, "content": u.New}
		out = map[string]any{"filePath": file, "content": u.New, "type": "create"}
		if err == nil {
			out["type"], out["originalFile"] = "update", string(text)
		}
	}
	return in, out
}

// done changes the file that a call changes.
func (p *Player) done(u Use) {
	file := p.file(u)
	switch u.Tool {
	case "Edit":
		text, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) { // a patch may add a file
			p.t.Fatal(err)
		}
		write(p.t, file, strings.Replace(string(text), u.Old, u.New, 1))
	case "Write":
		write(p.t, file, u.New)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:forbidigo // a file of the replayed project, no card
		t.Fatal(err)
	}
}
