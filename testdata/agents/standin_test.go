package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// standIn plays the part of the vendors' models, which cannot run here: it speaks their four protocols and follows rules. What it proves is that
// an instruction reaches the model and that what the model does about it arrives; not that a real model would do it.
type standIn struct {
	*httptest.Server
	rules []rule

	mu   sync.Mutex
	seen []request
}

// rule is what the stand-in does in a turn of which When matches the text: it calls the tool that Call names, or says Say. The first that fits
// and was not followed in this turn is.
type rule struct {
	When *regexp.Regexp
	Call string // the name of a tool ends with it
	In   map[string]any
	Say  string
}

// request is one as the stand-in got it, in a form that all protocols share.
type request struct {
	Path  string
	Turn  string // what came since the last answer, as text
	Calls []call // that were made since
	Tools []string
}

type call struct {
	Tool string
	In   map[string]any
}

// reply is what the stand-in answers.
type reply struct {
	text string
	call *call
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// requests returns those since the nth.
func (s *standIn) requests(n int) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request{}, s.seen[n:]...)
}

func (s *standIn) answer(r request) reply {
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	for _, rule := range s.rules {
		if !rule.When.MatchString(r.Turn) {
			continue
		}
		if rule.Call == "" {
			return reply{text: rule.Say}
		}
		for _, tool := range r.Tools {
			c := call{tool, rule.In}
			if strings.HasSuffix(tool, rule.Call) && !contains(r.Calls, c) {
				return reply{text: "Let me see.", call: &c}
			}
		}
	}
	return reply{text: "Done."}
}

func contains(list []call, c call) bool {
	for _, other := range list {
		if other.Tool == c.Tool && reflect.DeepEqual(normal(other.In), normal(c.In)) {
			return true
		}
	}
	return false
}

// normal returns a value as JSON knows it.
func normal(v any) (out any) {
	raw, _ := json.Marshal(v)
	_ = json.Unmarshal(raw, &out)
	return out
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var in map[string]any
	_ = json.Unmarshal(body, &in) // a request without a body has none
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/messages"):
		s.anthropic(w, in)
	case strings.HasSuffix(path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	case strings.HasSuffix(path, "/responses"):
		s.openAI(w, in)
	case strings.HasSuffix(path, "/chat/completions"):
		s.chat(w, in)
	case strings.Contains(path, ":streamGenerateContent"), strings.Contains(path, ":generateContent"):
		s.gemini(w, path, in)
	case strings.Contains(path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":10}`)
	default:
		fmt.Fprint(w, `{"data":[],"models":[]}`)
	}
}

// turn gathers what came since the last answer that called no tool.
type turn struct {
	text  strings.Builder
	calls []call
}

func (t *turn) answered() { *t = turn{} }

// list, object and str read JSON that may be of any form.
func list(v any) []any            { l, _ := v.([]any); return l }
func object(v any) map[string]any { o, _ := v.(map[string]any); return o }
func str(v any) string            { s, _ := v.(string); return s }

// textOf returns all text in a value.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		var b strings.Builder
		for _, e := range v {
			b.WriteString(textOf(e))
		}
		return b.String()
	case map[string]any:
		return textOf(v["text"]) + textOf(v["content"]) + textOf(v["output"]) + textOf(v["error"])
	}
	return ""
}

// events writes server-sent events, each named by its type.
func events(w http.ResponseWriter, named bool, list ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		raw, _ := json.Marshal(e)
		if named {
			fmt.Fprintf(w, "event: %s\n", e["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
}

// obj makes an object of a type.
func obj(kind string, kv ...any) map[string]any {
	o := map[string]any{"type": kind}
	for i := 0; i < len(kv); i += 2 {
		o[kv[i].(string)] = kv[i+1]
	}
	return o
}

func (s *standIn) anthropic(w http.ResponseWriter, in map[string]any) {
	var t turn
	for _, m := range list(in["messages"]) {
		m := object(m)
		if m["role"] != "assistant" {
			t.text.WriteString(textOf(m["content"]))
			continue
		}
		var calls []call
		for _, part := range list(m["content"]) {
			if part := object(part); part["type"] == "tool_use" {
				calls = append(calls, call{str(part["name"]), object(part["input"])})
			}
		}
		t.calls = append(t.calls, calls...)
		if len(calls) == 0 {
			t.answered()
		}
	}
	var tools []string
	for _, tool := range list(in["tools"]) {
		tools = append(tools, str(object(tool)["name"]))
	}
	a := s.answer(request{"/messages", t.text.String(), t.calls, tools})
	content := []map[string]any{obj("text", "text", a.text)}
	reason := "end_turn"
	if a.call != nil {
		content, reason = append(content, obj("tool_use", "id", fmt.Sprintf("toolu_%d", len(s.requests(0))), "name", a.call.Tool, "input", a.call.In)), "tool_use"
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 5}
	message := obj("message", "id", "msg_1", "role", "assistant", "model", in["model"], "content", []any{}, "usage", usage)
	if in["stream"] != true {
		message["content"], message["stop_reason"] = content, reason
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	out := []map[string]any{obj("message_start", "message", message)}
	for i, c := range content {
		begin, delta := obj("text", "text", ""), obj("text_delta", "text", c["text"])
		if c["type"] == "tool_use" {
			raw, _ := json.Marshal(c["input"])
			begin, delta = obj("tool_use", "id", c["id"], "name", c["name"], "input", map[string]any{}), obj("input_json_delta", "partial_json", string(raw))
		}
		out = append(out, obj("content_block_start", "index", i, "content_block", begin), obj("content_block_delta", "index", i, "delta", delta), obj("content_block_stop", "index", i))
	}
	events(w, true, append(out, obj("message_delta", "delta", map[string]any{"stop_reason": reason}, "usage", usage), obj("message_stop"))...)
}

func (s *standIn) openAI(w http.ResponseWriter, in map[string]any) {
	var t turn
	for _, m := range list(in["input"]) {
		switch m := object(m); {
		case m["type"] == "function_call":
			var args map[string]any
			_ = json.Unmarshal([]byte(str(m["arguments"])), &args)
			t.calls = append(t.calls, call{str(m["namespace"]) + str(m["name"]), args})
		case m["role"] == "assistant" && str(object(list(m["content"])[0])["text"]) != "Let me see.\n":
			t.answered()
		default:
			t.text.WriteString(textOf(m))
		}
	}
	names := map[string][2]string{} // as a rule knows it → namespace and name
	var tools []string
	add := func(space, name string) {
		tools, names[space+name] = append(tools, space+name), [2]string{space, name}
	}
	for _, tool := range list(in["tools"]) {
		tool := object(tool)
		for _, inner := range list(tool["tools"]) {
			add(str(tool["name"]), str(object(inner)["name"]))
		}
		if len(list(tool["tools"])) == 0 {
			add("", str(tool["name"]))
		}
	}
	a := s.answer(request{"/responses", t.text.String(), t.calls, tools})
	id := fmt.Sprintf("%d", len(s.requests(0)))
	response := map[string]any{"id": "resp_" + id, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
	item := obj("message", "id", "msg_"+id, "role", "assistant", "content", []any{obj("output_text", "text", a.text)})
	if a.call != nil {
		raw, _ := json.Marshal(a.call.In)
		item = obj("function_call", "id", "fc_"+id, "call_id", "call_"+id, "name", names[a.call.Tool][1], "arguments", string(raw))
		if space := names[a.call.Tool][0]; space != "" {
			item["namespace"] = space
		}
	}
	events(w, true, obj("response.created", "response", response), obj("response.output_item.done", "output_index", 0, "item", item), obj("response.completed", "response", response))
}

// chat is the protocol of chat completions, which most agents speak to models of other vendors.
func (s *standIn) chat(w http.ResponseWriter, in map[string]any) {
	var t turn
	for _, m := range list(in["messages"]) {
		m := object(m)
		calls := list(m["tool_calls"])
		for _, c := range calls {
			f := object(object(c)["function"])
			var args map[string]any
			_ = json.Unmarshal([]byte(str(f["arguments"])), &args)
			t.calls = append(t.calls, call{str(f["name"]), args})
		}
		if m["role"] != "assistant" {
			t.text.WriteString(textOf(m["content"]))
		} else if len(calls) == 0 {
			t.answered()
		}
	}
	var tools []string
	for _, tool := range list(in["tools"]) {
		tools = append(tools, str(object(object(tool)["function"])["name"]))
	}
	a := s.answer(request{"/chat/completions", t.text.String(), t.calls, tools})
	message, reason := map[string]any{"role": "assistant", "content": a.text}, "stop"
	if a.call != nil {
		raw, _ := json.Marshal(a.call.In)
		f := map[string]any{"name": a.call.Tool, "arguments": string(raw)}
		message["tool_calls"], reason = []any{obj("function", "index", 0, "id", fmt.Sprintf("call_%d", len(s.requests(0))), "function", f)}, "tool_calls"
	}
	out := map[string]any{"id": "c", "created": 1, "model": in["model"], "usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
	part := func(name string, m map[string]any, reason any) map[string]any {
		o := map[string]any{"object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, name: m, "finish_reason": reason}}}
		for k, v := range out {
			o[k] = v
		}
		return o
	}
	if in["stream"] != true {
		_ = json.NewEncoder(w).Encode(part("message", message, reason))
		return
	}
	events(w, false, part("delta", message, nil), part("delta", map[string]any{}, reason))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (s *standIn) gemini(w http.ResponseWriter, path string, in map[string]any) {
	var t turn
	for _, m := range list(in["contents"]) {
		m := object(m)
		var calls []call
		for _, part := range list(m["parts"]) {
			part := object(part)
			if c := object(part["functionCall"]); c != nil {
				calls = append(calls, call{str(c["name"]), object(c["args"])})
			} else if m["role"] != "model" {
				t.text.WriteString(textOf(part["text"]) + textOf(object(object(part["functionResponse"])["response"])))
			}
		}
		t.calls = append(t.calls, calls...)
		if m["role"] == "model" && len(calls) == 0 {
			t.answered()
		}
	}
	var tools []string
	for _, tool := range list(in["tools"]) {
		for _, f := range list(object(tool)["functionDeclarations"]) {
			tools = append(tools, str(object(f)["name"]))
		}
	}
	a := s.answer(request{path, t.text.String(), t.calls, tools})
	parts := []any{map[string]any{"text": a.text}}
	if a.call != nil {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": a.call.Tool, "args": a.call.In}})
	}
	out := map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
	if strings.Contains(path, ":stream") {
		events(w, false, out)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}
