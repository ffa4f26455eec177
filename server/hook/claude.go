package hook

import (
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Claude Code: https://code.claude.com/docs/en/hooks. Snake case, a permission mode, context
// for the model in hookSpecificOutput alone; a bare additionalContext delivers nothing. A
// command that fails is told by PostToolUseFailure, whose error begins "Exit code N".
func claude() *host {
	return &host{
		name: "claude", title: "Claude Code", receipts: true, compacts: true,
		is: func(p payload, _ func(string) string) bool {
			return p.text("hook_event_name") != "" && p.text("session_id") != "" && (p.has("permission_mode") || p.has("transcript_path")) && !p.has("turn_id")
		},
		events: map[string]spec{
			"SessionStart":       {kind: sessionBegins, context: true},
			"UserPromptSubmit":   {kind: promptSent, context: true},
			"PreToolUse":         {kind: toolAsked, context: true, guards: asksAndDenies},
			"PostToolUse":        {kind: toolEnded, context: true},
			"PostToolUseFailure": {kind: toolEnded, context: true},
			"Stop":               {kind: turnFinished, notice: true},
		},
		tools: map[string]use{
			"Read": reads, "Grep": reads, "Glob": reads, "LS": reads, "NotebookRead": reads, "LSP": reads,
			"Edit": edits, "Write": edits, "MultiEdit": edits, "NotebookEdit": edits,
			"Bash": runs, "PowerShell": runs,
		},
		own: func(h *host, p payload, e *event) {
			if notification().MatchString(e.Text) {
				e.name = "" // the host's own message about a task in the background: the turn goes on
				return
			}
			h.readAction(p, e, p.text("tool_name"), p.object("tool_input"))
			switch e.name {
			case "PostToolUse":
				printed := ""
				if e.use == runs {
					printed = p.anyText("tool_response")
				}
				e.ended(printed, new(0), false) // it does not fire for a command that fails
				response := p.object("tool_response")
				e.changed(e.input, response)
				if response.has("backgroundTaskId") {
					e.ExitCode = nil // it still runs
				}
			case "PostToolUseFailure":
				text := p.text("error")
				e.ended(text, exitIn(text), true)
			}
		},
		write: specificOutput,
	}
}

// notification matches a prompt that Claude Code sends itself. Text beside it is a person's.
var notification = lazyregexp.New(`(?s)^\s*<task-notification>.*</task-notification>\s*$`)

// specific is the part of an answer that Claude Code and those who follow it give to the
// model.
type specific struct {
	HookEventName     string        `json:"hookEventName"`
	AdditionalContext string        `json:"additionalContext,omitempty"`
	Decision          lessons.Guard `json:"permissionDecision,omitempty"`
	Reason            string        `json:"permissionDecisionReason,omitempty"`
}

// specificReply is an answer in Claude Code's form. No other member is ever printed: some
// hosts refuse what they do not know.
type specificReply struct {
	HookSpecificOutput *specific `json:"hookSpecificOutput,omitempty"`
	SystemMessage      string    `json:"systemMessage,omitempty"`
}

func specificOutput(e event, r reply) any {
	if r == (reply{}) {
		return nil
	}
	out := specificReply{SystemMessage: r.notice}
	if r.context != "" || r.guarded.Decision != "" {
		out.HookSpecificOutput = &specific{HookEventName: e.name, AdditionalContext: r.context, Decision: r.guarded.Decision, Reason: r.guarded.Reason}
	}
	return out
}
