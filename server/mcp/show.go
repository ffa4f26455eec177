package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	words "github.com/handrail-dev/handrail/server/say"
)

func (c *call) showPreflight(p deliver.Preflight) string {
	later := c.Locale.Say(textCheckLater, p.AnswerID)
	switch {
	case p.Block == "" && p.Context == "":
		return c.Locale.Say(textNothingServed)
	case p.Block == "":
		later = ""
	}
	return words.Joined("\n\n", p.Block, p.Context, later)
}

func (c *call) showFooter(f brain.Footer) string {
	if len(f.Lessons) == 0 {
		return c.Locale.Say(textNothingToSee)
	}
	var lines []string
	for _, d := range c.Locale.Worded(f).Doubts {
		lines = append(lines, lessons.Visible(d.Said))
	}
	for _, v := range f.Verdicts {
		if v.State == "said" {
			lines = append(lines, c.Locale.Say(textOnlySaid, lessons.Visible(v.Item)))
		}
	}
	if len(f.Unaddressed) == 0 {
		return strings.Join(append(lines, c.Locale.Say(textAllShown)), "\n")
	}
	for _, u := range f.Unaddressed {
		lines = append(lines, fmt.Sprintf("- [ ] %s (%s:%d)", lessons.Visible(u.Item), lessons.Visible(u.Path), u.Line))
	}
	return strings.Join(append(lines, c.Locale.Say(textAddress)), "\n")
}

func (c *call) hits(hits []brain.Hit) (lines []string) {
	for i, h := range hits {
		status := ""
		if h.Status != "" {
			status = c.Locale.Status(h.Status)
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, words.Joined(" · ", lessons.Visible(h.Title), lessons.Visible(h.Path), status)))
		if excerpt := strings.Join(strings.Fields(h.Excerpt), " "); excerpt != "" {
			lines = append(lines, "   "+lessons.Visible(excerpt))
		}
	}
	return lines
}

func (c *call) showCards(cards []brain.Card) string {
	lines := []string{c.Locale.Say(textCards, len(cards))}
	for _, card := range cards {
		lines = append(lines, fmt.Sprintf("- %s · %s · %s, %d×, %s, %s", lessons.Visible(card.Title), lessons.Visible(card.Path),
			card.Severity, card.Occurrences, cmp.Or(card.LastSeen, "-"), card.Status))
	}
	if len(cards) == 0 {
		lines[0] = c.Locale.Say(textNoCards)
	}
	return strings.Join(lines, "\n")
}

func (c *call) showWaiting(waiting []brain.Candidate) string {
	var lines []string
	for _, w := range waiting {
		lines = append(lines, fmt.Sprintf("- %s · %s · %s", w.ID, lessons.Visible(w.Title), w.At.Format(time.DateOnly)))
		for _, seen := range slices.Concat(w.Evidence, w.Files) {
			lines = append(lines, "   "+lessons.Visible(strings.Join(strings.Fields(seen), " ")))
		}
	}
	return cmp.Or(c.under(textWaits, lines), c.Locale.Say(textNoCards))
}

// under returns lines under a head, "" where there are none.
func (c *call) under(head text, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return c.Locale.Say(head) + ":\n" + strings.Join(lines, "\n")
}

type text = words.Text

// What a session itself has to say. Sentences about cards and brains are the server's.
var (
	textNotAnObject = text{"The arguments must be one JSON object, as the tool's schema says.", "인자는 도구의 스키마대로 JSON 객체 하나여야 합니다."}
	textWrongType   = text{"The argument %q must be of the JSON type %s.", "인자 %q은(는) JSON %s 타입이어야 합니다."}
	textMissing     = text{"The argument %q is missing: %s.", "인자 %q이(가) 없습니다: %s."}

	textNeedTitle = text{"name the mistake in a few words", "실수를 몇 마디로 적어 주세요"}

	textNothingServed = text{"No lesson speaks to this request. Go on without.", "이 요청에 맞는 교훈이 없습니다. 그대로 진행하세요."}
	textCheckLater    = text{"When the answer is written, pass it to lessons_check with answerId %q.", "답변을 쓴 뒤 answerId %q와 함께 lessons_check에 넘기세요."}
	textNothingFound  = text{"Nothing in the brain has these words. Try others, or lessons_list.", "brain에 이 말이 나오는 글이 없습니다. 다른 말로 찾거나 lessons_list를 쓰세요."}
	textLessons       = text{"Lessons", "교훈"}
	textNotes         = text{"Notes", "노트"}
	textNoCards       = text{"No card matches.", "해당하는 카드가 없습니다."}
	textCards         = text{"Cards, those seen last first: %d", "카드 %d개, 최근 것부터"}
	textWaits         = text{"Waiting for the person's word. Draft one with lessons_draft and its id", "사용자의 결정을 기다리는 것. lessons_draft에 id를 넣어 초안을 쓸 수 있습니다"}
	textCutOff        = text{"The text is longer; %d of its %d bytes are shown. The file has the rest.", "글이 더 깁니다. 전체 %[2]d바이트 가운데 %[1]d바이트만 보입니다. 나머지는 파일에 있습니다."}
	textNothingToSee  = text{"No lesson was served for this answer, so there is nothing to check.", "이 답변에 쓰인 교훈이 없어 확인할 것이 없습니다."}
	textOnlySaid      = text{"Only the answer says so: %s", "답변에만 있는 항목: %s"}
	textAllShown      = text{"Nothing that applies is left open.", "해당하는 항목 가운데 남은 것이 없습니다."}
	textAddress       = text{"Address each item in the work or in the answer, or say why it does not apply.", "각 항목을 작업이나 답변에 반영하거나, 해당하지 않는 이유를 적으세요."}
	textDrafted       = text{"Draft written: %[1]s. It is put before no request until the person makes it active: by saving it in the editor, or with \"handrail review promote %[1]s\". Tell them.", "초안을 썼습니다: %[1]s. 사용자가 편집기에서 저장하거나 \"handrail review promote %[1]s\"로 활성화하기 전에는 어떤 요청에도 쓰이지 않습니다. 사용자에게 알려 주세요."}
	textQuarantined   = text{"The card %q says the same and was put away as wrong (%s), so nothing was written. Tell the person, who alone can bring it back.", "같은 내용의 카드 %q이(가) 틀린 카드로 보관되어 있어(%s) 쓰지 않았습니다. 사용자에게 알려 주세요. 되살리는 것은 사용자만 할 수 있습니다."}
	textTwin          = text{"The card %q says the same, so nothing was written. Read it with lessons_get, and tell the person that it happened again.", "같은 내용의 카드 %q이(가) 이미 있어 쓰지 않았습니다. lessons_get으로 읽고, 같은 일이 또 있었다고 사용자에게 알려 주세요."}
)

func say(t text, args ...any) error { return words.Said{Text: t, Args: args} }
