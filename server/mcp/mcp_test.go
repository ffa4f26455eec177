package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/deliver"
	words "github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
)

const telegram = "lessons/telegram-allowlist.md"

func TestWhatAnAgentIsOffered(t *testing.T) {
	a := newAgent(t, setup{})
	tools := slices.SortedFunc(func(yield func(*sdk.Tool) bool) {
		for _, tool := range a.tools {
			if !yield(tool) {
				return
			}
		}
	}, func(x, y *sdk.Tool) int { return strings.Compare(x.Name, y.Name) })
	got, err := json.MarshalIndent(tools, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "tools.json")
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("tools/list changed; look, and run with -update (-want +got):\n%s", diff)
	}
	if list, err := json.Marshal(tools); err != nil || len(list) > 8<<10 {
		t.Errorf("tools/list has %d bytes, %v; an agent reads them in every turn", len(list), err)
	}
	if len(tools) > 8 {
		t.Errorf("%d tools; an agent reads each of them in every turn", len(tools))
	}
	for _, tool := range tools {
		if n := len(strings.Fields(tool.Description)); n > 40 {
			t.Errorf("%s is described in %d words", tool.Name, n)
		}
		if tool.Annotations.ReadOnlyHint == slices.Contains([]string{"lessons_draft", "note_add"}, tool.Name) {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	told, _, _ := strings.Cut(a.InitializeResult().Instructions, "\n\n") // without the titles
	if n := strings.Count(told, "\n") + 1; n > 5 {
		t.Errorf("the instructions have %d lines", n)
	}
}

// TestTitlesGoWithTheInstructions, in both versions of the protocol, and a title leads to its card.
func TestTitlesGoWithTheInstructions(t *testing.T) {
	for _, version := range []string{classic, newest} {
		a := newAgent(t, setup{version: version})
		told := a.InitializeResult().Instructions
		has(t, told, "lessons_preflight", "[LESSON TITLES", "lessons_get", "- Telegram remote execution must require allowlist\n")
		text, _ := a.call("lessons_get", map[string]any{"path": "Telegram remote execution must require allowlist"})
		has(t, text, "## Root Cause", "The allowlist is checked before any command runs")
	}
	if told := newAgent(t, setup{brain: "-"}).InitializeResult().Instructions; strings.Contains(told, "TITLES") {
		t.Errorf("without a brain: %s", told)
	}
}

func TestPreflightThenCheck(t *testing.T) {
	a := newAgent(t, setup{})
	text, out := a.call("lessons_preflight", map[string]any{"query": "add a telegram command that restarts the server", "files": []string{"bot/handlers/restart.go"}})
	has(t, text, "[ACTIVE LESSONS — verify before finalizing]", "The allowlist is checked before any command runs", out["answerId"].(string))

	answer := "The dispatcher looks the chat id up in the allowlist before any command runs, and a test sends the command from a chat that is not on the list."
	text, out = a.call("lessons_check", map[string]any{"answer": answer})
	has(t, text, "An unknown chat gets no reply that tells it a bot is listening", telegram+":")
	if n := len(out["unaddressed"].([]any)); n != 1 {
		t.Errorf("%d items are not addressed", n)
	}
	text, _ = a.call("lessons_check", map[string]any{"answer": answer + " An unknown chat gets no reply, so nothing tells it that a bot is listening."})
	has(t, text, "Nothing that applies is left open.")

	// A turn that was served nothing is not held against the cards of the one before.
	text, _ = a.call("lessons_preflight", map[string]any{"query": "where do penguins live?"})
	has(t, text, "No lesson speaks to this request")
	text, _ = a.call("lessons_check", map[string]any{"answer": answer})
	has(t, text, "No lesson was served for this answer")

	text, _ = a.call("lessons_check", map[string]any{"answer": "I wrote it as you asked.", "lessons": []string{telegram}})
	has(t, text, "The allowlist is checked before any command runs")
}

// TestACheckAfterTheDaemonEnded: the next one knows the turn, and hears of its words again.
func TestACheckAfterTheDaemonEnded(t *testing.T) {
	a := newAgent(t, setup{})
	a.call("lessons_preflight", map[string]any{"query": "add a telegram command that restarts the server"})
	a.mu.Lock()
	if err := a.loop.Close(); err != nil {
		t.Error(err)
	}
	a.loop = nil
	a.mu.Unlock()
	text, _ := a.call("lessons_check", map[string]any{"answer": "I wrote it."})
	has(t, text, "The allowlist is checked before any command runs")
}

func TestSearchFindsNotesToo(t *testing.T) {
	a := newAgent(t, setup{})
	text, out := a.call("lessons_search", map[string]any{"query": "telegram bot", "limit": 5})
	has(t, text, "Lessons:\n1. Telegram remote execution must require allowlist · "+telegram+" · active\n", "Notes:", "notes/bot-architecture.md")
	if len(out["lessons"].([]any))+len(out["notes"].([]any)) > 10 {
		t.Error("more hits than asked for")
	}
	_, draft := a.call("lessons_draft", wish())
	unasked, _ := a.call("lessons_search", map[string]any{"query": "restart command for every chat"})
	text, _ = a.call("lessons_search", map[string]any{"query": "restart command for every chat", "all": true})
	has(t, text, draft["path"].(string)+" · draft")
	if strings.Contains(unasked, draft["path"].(string)) {
		t.Errorf("a draft unasked: %s", unasked)
	}
	text, _ = a.call("lessons_search", map[string]any{"query": "zzzqqq"})
	has(t, text, "Try others")
}

func TestListBySourceAndKind(t *testing.T) {
	a := newAgent(t, setup{})
	a.call("lessons_draft", wish())
	text, out := a.call("lessons_list", map[string]any{"status": "draft"})
	has(t, text, "Cards, those seen last first: 1", "drafts/", "draft")
	if n := len(out["cards"].([]any)); n != 1 {
		t.Errorf("%d drafts", n)
	}
	for _, filter := range []map[string]any{{"source": "auto"}, {"status": "draft"}, {"limit": 1}} {
		if _, out := a.call("lessons_list", filter); len(out["cards"].([]any)) != 1 {
			t.Errorf("%v: %d cards", filter, len(out["cards"].([]any)))
		}
	}
	if _, out := a.call("lessons_list", map[string]any{"kind": "playbook"}); len(out["cards"].([]any)) == 0 {
		t.Error("no playbooks")
	}
	text, _ = a.call("lessons_list", map[string]any{"project": "nobody's"})
	has(t, text, "No card matches.")
}

func TestGetACardOrNote(t *testing.T) {
	a := newAgent(t, setup{})
	text, out := a.call("lessons_get", map[string]any{"path": telegram})
	has(t, text, "severity: high", "## Root Cause")
	if out["kind"] != "lesson" || out["truncated"] != false {
		t.Error(out["kind"], out["truncated"])
	}
	if _, out := a.call("lessons_get", map[string]any{"path": "notes/bot-architecture.md"}); out["kind"] != "" {
		t.Error("a note is", out["kind"])
	}
	a.put("notes/long.md", strings.Repeat("많은 글. ", 10_000))
	text, out = a.call("lessons_get", map[string]any{"path": "notes/long.md"})
	if out["truncated"] != true || len(text) > maxText+200 {
		t.Error(out["truncated"], len(text))
	}
	has(t, text, "The file has the rest.")
	a.put("notes/hidden.md", "a\u202eb\x1b[31m\tc\r\nd")
	text, _ = a.call("lessons_get", map[string]any{"path": "notes/hidden.md"})
	if text != "a\\u202eb\\x1b[31m\tc\nd" {
		t.Errorf("%q", text)
	}
}

func TestWhatThePersonKeepsOutIsNotRead(t *testing.T) {
	a := newAgent(t, setup{brain: "-"})
	a.put(".private/diary.md", "secret")
	a.put(".obsidian/x.md", "secret")
	if err := os.WriteFile(filepath.Join(a.dir, "outside.md"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".private/diary.md", ".obsidian/x.md", "../outside.md", filepath.Join(a.dir, "outside.md"), "x\x00.md", strings.Repeat("x", 5000)} {
		if said := a.refused("lessons_get", map[string]any{"path": path}); strings.Contains(said, "secret") || !strings.HasSuffix(said, ".") {
			t.Errorf("%q: %s", path, said)
		}
	}
}

// wish is what an agent passes to lessons_draft.
func wish() map[string]any {
	return map[string]any{
		"task": "Adding a /restart command", "mistake": "Restart command ran for every chat\nAnyone could restart the server.",
		"rootCause": "The handler was registered past the dispatcher's allowlist.", "solution": "Registered it with the dispatcher.",
		"checklist": []string{"Each command is registered with the dispatcher"}, "tags": []string{"telegram"}, "severity": "high",
	}
}

// TestAHookedAgentIsNotSentToTheTools that bring what its hooks bring.
func TestAHookedAgentIsNotSentToTheTools(t *testing.T) {
	a := newAgent(t, setup{opened: func(s *server.Server) {
		if _, err := s.Heads(t.Context(), deliver.HeadsRequest{SessionID: "hook", Host: "agent", Served: true}); err != nil {
			t.Error(err)
		}
	}})
	told := a.InitializeResult().Instructions
	has(t, told, "You need not call lessons_preflight or lessons_check.", "Call lessons_search")
	if strings.Contains(told, "Call lessons_preflight") {
		t.Error(told)
	}
}

func TestASearchKeepsToAKind(t *testing.T) {
	a := newAgent(t, setup{})
	_, policies := a.call("lessons_search", map[string]any{"query": "telegram bot", "kind": "policy"})
	for _, h := range policies["lessons"].([]any) {
		if h.(map[string]any)["kind"] != "policy" {
			t.Errorf("%v", h)
		}
	}
	_, found := a.call("lessons_search", map[string]any{"query": "telegram bot", "kind": "lesson", "limit": 1})
	if len(found["lessons"].([]any)) != 1 || len(found["notes"].([]any)) != 0 {
		t.Errorf("%v", found)
	}
}

func TestADraftIsNeverActiveBeforeAPersonSaysSo(t *testing.T) {
	a := newAgent(t, setup{})
	text, out := a.call("lessons_draft", wish())
	path := out["path"].(string)
	if path != "drafts/restart-command-ran-for-every-chat.md" {
		t.Error(path)
	}
	has(t, text, path, "handrail review promote "+path)
	card := a.file(path)
	has(t, card, "\nstatus: draft\n", "\nsource: auto\n", "\nseverity: high\n", "Registered it with the dispatcher.", "Adding a /restart command")
	text, _ = a.call("lessons_preflight", map[string]any{"query": "restart command ran for every chat"})
	if strings.Contains(text, path) {
		t.Errorf("a draft is served:\n%s", text)
	}
	for name, value := range map[string]any{"status": "active", "source": "curated", "allowTwins": true} {
		more := wish()
		more["mistake"], more[name] = "Another one entirely", value
		has(t, a.refused("lessons_draft", more), fmt.Sprintf("%q", name), "there are: ")
	}
	before := a.file(path)
	text, out = a.call("lessons_draft", wish())
	has(t, text, "says the same, so nothing was written")
	if out["duplicateOf"] != path || a.file(path) != before {
		t.Errorf("a twin: %v", out)
	}
}

// TestOneDraftByItself: a second one needs the person.
func TestOneDraftByItself(t *testing.T) {
	a := newAgent(t, setup{})
	another := func(mistake string) map[string]any {
		w := wish()
		w["mistake"] = mistake
		return w
	}
	a.call("lessons_preflight", map[string]any{"query": "record all the lessons"}) // as the agent says
	a.call("lessons_draft", wish())
	has(t, a.refused("lessons_draft", another("Logs named the token")), "asks for no more", "Do not call this again", "record these lessons")
}

// TestWhatWaitsIsDraftedInItsPlace: an agent may say the cause of what was seen, as often as something waits; it stays
// a draft.
func TestWhatWaitsIsDraftedInItsPlace(t *testing.T) {
	a := newAgent(t, setup{})
	a.call("lessons_draft", wish()) // the one by itself
	if text, _ := a.call("lessons_list", map[string]any{"waiting": true}); text != "No card matches." {
		t.Error(text)
	}
	for _, words := range []string{"parse the export by its header", "no, that is wrong: the export has no header, never skip its first line"} {
		if _, err := a.loop.Observe(t.Context(), triggers.Event{Kind: triggers.Message, SessionID: "other", Text: words}); err != nil {
			t.Fatal(err)
		}
	}
	text, out := a.call("lessons_list", map[string]any{"waiting": true})
	waiting, _ := out["waiting"].([]any)
	if len(waiting) != 1 {
		t.Fatalf("%v", out)
	}
	id := waiting[0].(map[string]any)["id"].(string)
	has(t, text, id, "never skip its first line")

	w := wish()
	w["title"], w["mistake"], w["candidate"] = "Never skip the first line of an export", "The first row was missing.", id
	_, out = a.call("lessons_draft", w)
	path, _ := out["path"].(string)
	has(t, a.file(path), "status: draft", "The handler was registered past the dispatcher's allowlist.")
	if text, _ := a.call("lessons_list", map[string]any{"waiting": true}); text != "No card matches." {
		t.Error(text)
	}
	w["title"] = "Something else altogether that is nothing of it"
	has(t, a.refused("lessons_draft", w), "That candidate is gone")
}

func TestADraftKeepsTheCheckOfAnItem(t *testing.T) {
	a := newAgent(t, setup{})
	w := wish()
	w["checklist"] = []string{"Commands go  through the dispatcher\r\n```check\r\nforbid: 'bot\\.Handle\\('\r\nmatches: ['bot.Handle(restart)']\r\n```\r\n", "Unknown chats get no reply"}
	_, out := a.call("lessons_draft", w)
	has(t, a.file(out["path"].(string)), "- [ ] Commands go through the dispatcher\n  ```check\n  forbid: 'bot\\.Handle\\('\n  matches: ['bot.Handle(restart)']\n  ```\n- [ ] Unknown chats")
}

func TestTheQualityBarSaysWhatToAdd(t *testing.T) {
	for _, c := range []struct {
		name   string
		change map[string]any
		locale words.Locale
		want   string
	}{
		{"no root cause", map[string]any{"rootCause": ""}, "", "The candidate is not a card yet: The card has no root cause; say why the mistake happened."},
		{"a vague item", map[string]any{"checklist": []string{"be careful"}}, "", "no concrete checklist item; say what to check next time."},
		{"in Korean", map[string]any{"rootCause": ""}, words.Korean, "근본 원인이 없습니다. 왜 실수가 생겼는지 적어 주세요."},
		{"no title", map[string]any{"mistake": " "}, "", `The argument "title" is missing: name the mistake in a few words.`},
		{"a check that misses its example", map[string]any{"checklist": []string{"Nothing sleeps\n```check\nforbid: 'sleep'\nmatches: ['wait()']\n```"}}, "", `its pattern does not match the example "wait()".`},
		{"a bad kind", map[string]any{"kind": "novel"}, "", `"kind" cannot be "novel"; use one of: lesson, playbook`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(t, setup{locale: c.locale})
			args := wish()
			for k, v := range c.change {
				args[k] = v
			}
			has(t, a.refused("lessons_draft", args), c.want)
			if _, err := os.Stat(filepath.Join(a.dir, ".brain", "drafts")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestBadArgumentsAreOneSentenceWithAWayOut(t *testing.T) {
	a := newAgent(t, setup{})
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"lessons_list", map[string]any{"source": "month"}, `"source" cannot be "month"; use one of: curated, auto.`},
		{"lessons_list", map[string]any{"kind": "x"}, `"kind" cannot be "x"; use one of: lesson, `},
		{"lessons_list", map[string]any{"source": "me"}, `"source" cannot be "me"; use one of: curated, auto.`},
		{"lessons_list", map[string]any{"status": "me"}, `use one of: active, archived, draft, quarantined.`},
		{"lessons_list", map[string]any{"limit": "ten"}, `The argument "limit" must be of the JSON type integer.`},
		{"lessons_list", map[string]any{"scop": "today"}, `There is no argument "scop"; there are: kind, source, status, project, limit, waiting.`},
		{"lessons_list", []string{"today"}, "The arguments must be one JSON object"},
		{"lessons_search", map[string]any{}, `The argument "query" is missing: words to look for, or a question.`},
		{"lessons_search", map[string]any{"query": []string{"a"}}, `The argument "query" must be of the JSON type string.`},
		{"lessons_preflight", nil, `The argument "query" is missing`},
		{"lessons_preflight", map[string]any{"query": "x", "files": "a.go"}, `The argument "files" must be of the JSON type array.`},
		{"lessons_get", map[string]any{"path": "lessons/nothing.md"}, `There is no file "lessons/nothing.md" in the brain.`},
		{"lessons_get", map[string]any{}, `The argument "path" is missing`},
		{"lessons_check", map[string]any{"answer": ""}, `The argument "answer" is missing`},
		{"lessons_check", map[string]any{"answer": "x"}, "Name the cards or the request instead."},
		{"lessons_check", map[string]any{"answer": "x", "answerId": "gone"}, "That answer is not known any more"},
	} {
		said := a.refused(c.tool, c.args)
		has(t, said, c.want)
		if strings.Contains(said, "\n") {
			t.Errorf("%s: more than a sentence: %s", c.tool, said)
		}
	}
	if _, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "lessons_sing"}); err == nil {
		t.Error("an unknown tool was called")
	}
	a.call("lessons_list", nil) // and it lives
}

func TestWithoutABrainTheToolsSaySoAndLookAgain(t *testing.T) {
	a := newAgent(t, setup{brain: "-", locale: words.Korean})
	for name, args := range map[string]map[string]any{
		"lessons_preflight": {"query": "x"}, "lessons_search": {"query": "x"}, "lessons_list": {}, "lessons_get": {"path": "a.md"},
		"lessons_check": {"answer": "x"}, "lessons_draft": wish(),
	} {
		has(t, a.refused(name, args), "brain 폴더가 없습니다", "handrail init")
	}
	a.put(telegram, "# The allowlist\n")
	text, _ := a.call("lessons_list", nil)
	has(t, text, telegram)
}

func TestTheBrainIsFoundInTheFoldersThatTheAgentNames(t *testing.T) {
	for _, version := range []string{classic, newest} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "my app", ".brain"), os.DirFS("../../testdata/brains/demo")); err != nil {
				t.Fatal(err)
			}
			folder := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "my app"))}).String()
			a := newAgent(t, setup{brain: "-", version: version, folders: []string{"https://example.com/", "file:///nowhere", folder}})
			text, _ := a.call("lessons_list", nil)
			has(t, text, telegram)
		})
	}
	a := newAgent(t, setup{brain: "-", folders: []string{"file:///nowhere"}})
	has(t, a.refused("lessons_list", nil), "There is no brain folder")
}

// stuck carries out no preflight until it is told to stop.
type stuck struct {
	began chan struct{}
	ended chan error
}

func (l stuck) do(next Do) Do {
	return func(ctx context.Context, folders []string, r Request) (Reply, error) {
		if r.Name != "lessons_preflight" {
			return next(ctx, folders, r)
		}
		l.began <- struct{}{}
		<-ctx.Done()
		l.ended <- ctx.Err()
		return Reply{}, ctx.Err()
	}
}

func TestACallThatIsTakenBackStops(t *testing.T) {
	l := stuck{began: make(chan struct{}), ended: make(chan error)}
	a := newAgent(t, setup{do: l.do})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-l.began
		a.call("lessons_list", nil) // others are answered meanwhile
		cancel()
	}()
	if _, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "lessons_preflight", Arguments: map[string]any{"query": "x"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	a.call("lessons_list", nil)
}

func TestTheSessionEndsInTheMiddleOfACall(t *testing.T) {
	l := stuck{began: make(chan struct{}), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	ended := make(chan error)
	go func() {
		ended <- Serve(ctx, Config{In: in, Out: io.Discard, Log: discard(), Do: l.do(nowhere)})
	}()
	go func() {
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lessons_preflight","arguments":{"query":"x"}}}`)
	}()
	<-l.began
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnAnswerOfFiveMegabytes(t *testing.T) {
	a := newAgent(t, setup{})
	answer := strings.Repeat(strings.Repeat("x", 9999)+"\n", 5<<20/10_000+1) + "The allowlist is checked before any command runs."
	text, out := a.call("lessons_check", map[string]any{"answer": answer, "lessons": []string{telegram}})
	if n := len(out["unaddressed"].([]any)); n == 0 || strings.Contains(text, "- [ ] The allowlist is checked") {
		t.Errorf("%d items: %s", n, text)
	}
	a.call("lessons_preflight", map[string]any{"query": answer})
}

func TestRequestsThatAreWrong(t *testing.T) {
	in := strings.Join([]string{
		``, `{"jsonrpc":"2.0","id":77,"result":{}}`, // an answer to nothing
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, // before initialize
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"notifications/nothing"}`,
		`{"jsonrpc":"2.0","id":4,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"x"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"ping"}`, // without the end of a line
	}, "\n")
	var out bytes.Buffer
	err := Serve(t.Context(), Config{In: strings.NewReader(in), Out: &out, Log: discard(), Version: "test", Do: nowhere})
	if err != nil {
		t.Error(err)
	}
	answers := map[string]map[string]any{}
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		answers[fmt.Sprint(m["id"])] = m
	}
	for _, id := range []string{"1", "4", "5", "6", "7", "8"} {
		if answers[id]["error"] == nil {
			t.Errorf("%s is answered with %v", id, answers[id])
		}
	}
	for _, id := range []string{"2", "9"} {
		if answers[id]["result"] == nil {
			t.Errorf("%s is answered with %v", id, answers[id])
		}
	}
}

// TestALineThatIsNoMessage ends the session.
func TestALineThatIsNoMessage(t *testing.T) {
	for _, line := range []string{`nonsense`, `{"jsonrpc":"2.0","id":"a","method":5}`, `"text"`, "\x00\xff", `{"jsonrpc":"2.0","id":3,"method":"ping"}{}`} {
		err := Serve(t.Context(), Config{In: strings.NewReader(line + "\n"), Out: io.Discard, Log: discard(), Version: "test", Do: nowhere})
		if err == nil {
			t.Errorf("%q passes for a message", line)
		}
	}
}

func TestTheEndOfTheInputWaitsForAnswers(t *testing.T) {
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lessons_list"}}`
	err := Serve(t.Context(), Config{
		In: strings.NewReader(in), Out: &out, Log: discard(), Version: "test",
		Do: func(_ context.Context, _ []string, r Request) (Reply, error) {
			return Reply{Text: "This is " + r.Name, Structure: json.RawMessage("{}")}, nil
		},
	})
	if err != nil {
		t.Error(err)
	}
	has(t, out.String(), "This is lessons_list")
}

// nowhere is where there is no brain.
func nowhere(context.Context, []string, Request) (Reply, error) { return Reply{}, lessons.ErrNoBrain }

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestNotes: what an agent notes is a line of the month's file, listed newest first and found by
// a search as a note, without secrets.
func TestNotes(t *testing.T) {
	a := newAgent(t, setup{})
	a.call("note_add", map[string]any{"text": "Moved the zeppelin cache", "outcome": "worked", "tags": []string{"ci"}})
	a.call("note_add", map[string]any{"text": "The token api_key=sk_live_51HxQ0aZb7GkPq93nVw was in the zeppelin log"})
	text, _ := a.call("note_list", map[string]any{})
	has(t, text, "- 2026-11-21 · worked · #ci · Moved the zeppelin cache", "was in the zeppelin log")
	if strings.Contains(text, "51HxQ0aZb7GkPq93nVw") || strings.Index(text, "log") > strings.Index(text, "cache") {
		t.Error(text)
	}
	_, found := a.call("lessons_search", map[string]any{"query": "zeppelin cache"})
	if notes := found["notes"].([]any); len(notes) != 1 || notes[0].(map[string]any)["path"] != "notes/2026-11.md" {
		t.Errorf("%v", found)
	}
	has(t, a.refused("note_add", map[string]any{"text": "x", "outcome": "fine"}), "worked, failed, mixed")
}
