package desk

import (
	"html"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// steering matches what a lesson has no use for: words to a model in place of its reader, a
// host's or our own marks around what is no host's and not ours, and orders to run what is
// fetched. They are few on purpose: they mark lines for a person, and stop nothing.
var steering = []struct{ words, pattern string }{
	{"instruction prompt rule message", `(?i)\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|system|your|all)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules|messages)\b`},
	{"you are", `(?i)\byou are (?:now |actually )?(?:an? |the )?(?:AI|LLM|assistant|language model|chatbot|Claude|ChatGPT|GPT|Copilot|Gemini|Codex)\b`},
	{"tell inform mention reveal", `(?i)\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|reveal|revealing)\b[^.\n]{0,30}\b(?:the |your )?(?:user|person|human|developer)\b`},
	{"지시 명령 프롬프트 규칙", `(?:이전|위의|위|앞의|앞선|모든|기존)\s*(?:지시|명령|프롬프트|규칙)[^.\n]{0,12}(?:무시|잊)`},
	{"사용자", `사용자(?:에게|한테)[^.\n]{0,16}(?:말하지|알리지|보여\s*주지)\s*(?:마|말)`},
	{"<", `(?i)</?(?:system|system-reminder|assistant|human|tool_result|tool_use|function_calls|function_results|hook_context|task-notification|user_query|antml:[a-z_]+)\b[^>\n]{0,40}>|<<\s*/?SYS\s*>>|<\|\s*/?\w{2,20}\s*\|>`},
	{"[", `(?i)\[\s*/?\s*(?:active\s+lessons?|lesson\s+titles|handrail|교훈\s+제목|INST)\b`},
	{"curl wget iwr invoke-", `(?i)\b(?:curl|wget|iwr|invoke-webrequest|invoke-restmethod)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby|iex|invoke-expression)\b`},
	{"curl wget", "(?i)\\b(?:(?:ba|z|da|k)?sh|source|eval|iex)\\b[^\\n]{0,12}(?:<\\(|\\$\\(|`)\\s*(?:curl|wget)\\b"},
	{"base64 powershell", `(?i)\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,80}\|\s*(?:(?:ba|z|da|k)?sh|python3?|node|perl)\b|\bpowershell\b[^\n]{0,80}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}`},
	{"http", `(?i)\b(?:run|execute)\s+(?:(?:the\s+|this\s+|a\s+)?(?:script|command|file|installer|code)\s+(?:at|from|in|on)\s+)?["'<]?https?://`},
}

var steeringPatterns = func() (out []lazyregexp.Regexp) {
	for _, s := range steering {
		out = append(out, lazyregexp.New(s.pattern))
	}
	return out
}()

// steers returns what of a line looks as if it were there to steer an agent, "" for nothing.
func steers(line string) string {
	line = html.UnescapeString(terms.Normalize(line))
	lower := strings.ToLower(line)
	for i, s := range steering {
		for word := range strings.FieldsSeq(s.words) {
			if strings.Contains(lower, word) {
				if found := steeringPatterns[i]().FindString(line); found != "" {
					return found
				}
				break
			}
		}
	}
	return ""
}

// Suspects returns the lines of a card that a person should see before an agent does: InjectionSuspect and SecretInCard.
func Suspects(src []byte) (out []lessons.Problem) {
	secrets := leaks.Find(string(src))
	line, at := 0, 0
	for text := range strings.Lines(string(src)) {
		line++
		at += len(text)
		if found := steers(text); found != "" {
			out = append(out, lessons.Problem{Line: line, Code: brain.InjectionSuspect, Severity: lessons.Warning, Args: []string{found}})
		}
		if len(secrets) > 0 && secrets[0].From < at {
			out = append(out, lessons.Problem{Line: line, Code: brain.SecretInCard, Severity: lessons.Warning})
			for len(secrets) > 0 && secrets[0].From < at {
				secrets = secrets[1:]
			}
		}
	}
	return out
}
