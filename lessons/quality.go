package lessons

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// Weaknesses returns what keeps a card below the quality bar: a root cause that is missing or still the template's, no
// concrete checklist item, a title that is a piece of chat. A candidate without any may become a card. A policy or a
// preference needs no root cause: somebody laid it down, and nothing has to have gone wrong.
func (c Card) Weaknesses() []Problem {
	var out []Problem
	switch {
	case c.Untitled:
		out = append(out, Problem{Code: MissingTitle, Severity: Warning})
	case saysNothing(c.Title):
		out = append(out, Problem{Line: 1, Code: MissingTitle, Severity: Warning})
	case !isPersonsTitle(c.Title), c.Source == Auto && !IsTitle(c.Title):
		out = append(out, Problem{Line: 1, Code: ChatTitle, Severity: Warning, Args: []string{c.Title}})
	}
	cause := c.Section(RootCause)
	if saysNothing(cause.Text) && c.Kind != Policy && c.Kind != Preference {
		out = append(out, Problem{Line: cause.Line, Code: MissingRootCause, Severity: Warning})
	}
	if !slices.ContainsFunc(c.Items, func(it Item) bool { return isConcrete(it.Text) }) {
		out = append(out, Problem{Line: c.Section(Prevention).Line, Code: MissingChecklist, Severity: Warning})
	}
	return out
}

// Card returns what a draft says, as a card.
func (d Draft) Card() Card {
	c, _ := Parse("lessons/draft.md", d.Render())
	return c
}

// OnlyTopic returns the problem of a card whose title is but a topic. Its first item may say more.
func (c Card) OnlyTopic() (Problem, bool) {
	if c.Untitled || len(c.Items) == 0 || !IsTopic(c.Title) {
		return Problem{}, false
	}
	return Problem{Line: 1, Code: TopicTitle, Severity: Hint, Args: []string{c.Title, c.Items[0].Text}}, true
}

var commentPattern = lazyregexp.New(`(?s)<!--.*?(-->|$)`)

// WithoutComments returns markdown without its HTML comments: what a template asks for, and nothing that a card says.
func WithoutComments(markdown string) string {
	if !strings.Contains(markdown, "<!--") {
		return markdown
	}
	return commentPattern().ReplaceAllString(markdown, "")
}

// emptyAnswers are what people write where they have nothing to say.
var emptyAnswers = map[string]bool{
	"": true, "none": true, "n/a": true, "na": true, "tbd": true, "todo": true, "unknown": true, "?": true, "-": true, "…": true, "...": true,
	"tba": true, "fixme": true, "xxx": true, "not sure": true, "to be determined": true, "to be done": true, "same as above": true, "see above": true, "nothing": true,
	"unclear": true, "dont know": true, "don't know": true, "i don't know": true, "no idea": true, "not known": true, "cause unknown": true, "unknown cause": true, "to be found": true, "n.a": true,
	"잘 모름": true, "모르겠음": true, "모르겠다": true, "잘 모르겠음": true, "잘 모르겠다": true, "알 수 없음": true, "원인 불명": true, "원인불명": true, "원인 모름": true, "불명": true, "확인 필요": true, "확인 중": true, "파악 중": true,
	"없음": true, "모름": true, "미정": true, "추후 작성": true, "작성 예정": true, "작성 필요": true, "해당 없음": true, "해당없음": true, "위와 같음": true, "나중에": true,
}

// blanks are what a form leaves to be filled in: <cause>, [why it happened], {{cause}}.
var blanks = lazyregexp.New(`^(?:<[^<>]*>|\[[^\[\]]*\]|\{\{?[^{}]*\}?\}|_{3,})$`)

func saysNothing(markdown string) bool {
	text := strings.TrimLeft(oneLine(WithoutComments(markdown)), "-+ ")
	text = strings.ToLower(strings.Trim(text, " .!*_:"))
	return emptyAnswers[text] || blanks().MatchString(strings.TrimSpace(oneLine(markdown)))
}

// vagueWords alone make no item checkable.
var vagueWords = terms.Set("be care caution sure attent pay remember better test check think next time good code mistak avoid try twice doubl cautious quality " +
	"조심 주의 확인 신중 잘 꼼꼼 꼼꼼히 실수 테스트 조심하기 주의하기 확인하기 생각")

// isConcrete reports whether an item names something that can be checked: an
// identifier, or a word that says more than "be careful" together with another.
func isConcrete(item string) bool {
	if saysNothing(item) {
		return false
	}
	named, said := 0, 0
	for _, t := range terms.Words(item) {
		switch {
		case t.Class == terms.Code:
			return true
		case t.Stop:
		case vagueWords[t.Text]:
			said++
		default:
			named++
			said++
		}
	}
	return named >= 1 && said >= 2
}

// invisible names the invisible characters of a file, which could hide instructions.
func invisible(src []byte) (Problem, bool) {
	var found []string
	line, at := 1, 0
	for i, r := range strings.TrimPrefix(string(src), string(bom)) {
		if r == '\n' {
			line++
		}
		if r < utf8.RuneSelf && r >= 0x20 || r == utf8.RuneError || i == 0 && r == 0xfeff || !isInvisible(r) || r == 0x200d {
			continue // the zero-width joiner is part of many emoji
		}
		if at == 0 {
			at = line
		}
		name := fmt.Sprintf("U+%04X", r)
		if len(found) < 5 && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return Problem{}, false
	}
	return Problem{Line: at, Code: InvisibleText, Severity: Warning, Args: []string{strings.Join(found, ", ")}}, true
}
