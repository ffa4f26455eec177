package hook

// Copilot CLI, and Copilot as VS Code runs it: content/copilot/reference/hooks-reference.md
// of github/docs. Under camel case names the payload is camel case. The way to the model at
// each prompt is userPromptTransformed; what userPromptSubmitted says is dropped. preToolUse
// is registered for the guard alone: if such a hook fails, the tool is denied. A hook cannot speak to the
// person. The same runtime reads hooks with Pascal case names too; VS Code needs those, and
// here they are passed over.
func copilot() *host {
	return &host{
		name: "copilot", title: "Copilot", receipts: true,
		is: func(p payload, getenv func(string) string) bool {
			if p.has("hook_event_name") {
				return p.has("timestamp") && getenv("COPILOT_HOOK_DIR") != "" || p.has("tool_result") || p.has("stop_reason") || p.has("initial_prompt") || p.has("error_context")
			}
			return p.has("transformedPrompt") || p.has("sessionId") && !p.has("hookEventName")
		},
		events: map[string]spec{
			"sessionStart":          {kind: sessionBegins, context: true},
			"userPromptTransformed": {kind: promptSent, context: true},
			"preToolUse":            {kind: toolGuarded, guards: asksAndDenies},
			"postToolUse":           {kind: toolEnded, context: true},
			"postToolUseFailure":    {kind: toolEnded},
			"agentStop":             {kind: turnFinished},
		},
		tools: map[string]use{
			"view": reads, "grep": reads, "rg": reads, "glob": reads,
			"create": edits, "edit": edits, "str_replace_editor": edits, "apply_patch": edits, "bash": runs, "powershell": runs,
		},
		own: func(h *host, p payload, e *event) {
			e.request = p.text("transformedPrompt")
			if e.name == "" { // the payload does not say which event it is
				e.name = copilotEvent(p)
			}
			input := p.object("toolArgs")
			if input == nil && p.text("toolArgs") != "" { // a patch as it is
				input = payload{"input": p["toolArgs"]}
			}
			h.readAction(p, e, p.text("toolName"), input)
			switch e.name {
			case "postToolUse":
				text := p.anyText("toolResult")
				kind := p.object("toolResult").text("resultType")
				e.Interrupted = kind == "denied" || kind == "rejected"
				e.ended(text, exitIn(text), kind == "failure" || e.refusedEdit(text))
				e.changed(input, nil)
			case "postToolUseFailure":
				text := p.anyText("error")
				e.ended(text, exitIn(text), true)
			}
		},
		write: func(e event, r reply) any {
			switch {
			case r.guarded.Decision != "":
				return map[string]string{"permissionDecision": string(r.guarded.Decision), "permissionDecisionReason": r.guarded.Reason}
			case r.context == "":
				return nil
			case e.name == "userPromptTransformed":
				return map[string]string{"modifiedTransformedPrompt": r.context + "\n\n" + e.request}
			}
			return map[string]string{"additionalContext": r.context}
		},
	}
}

// copilotEvent tells an event by what its payload holds.
func copilotEvent(p payload) string {
	switch {
	case p.has("transformedPrompt"):
		return "userPromptTransformed"
	case p.has("toolResult"):
		return "postToolUse"
	case p.has("toolName") && p.has("error"):
		return "postToolUseFailure"
	case p.has("toolName"):
		return "preToolUse"
	case p.has("stopReason") && !p.has("agentName"):
		return "agentStop"
	case p.has("source"):
		return "sessionStart"
	}
	return ""
}
