package triggers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handrail/lessons/terms"
	"handrail/triggers/heard"
	"handrail/triggers/leaks"
)

// Friction shows where a conversation goes round in circles without a word of complaint: the
// person asks for nearly the same again and again, or a tool fails on the same file over and
// over.

const (
	// nearSame is the share of content words from which two prompts ask for the same.
	nearSame = 0.5
	// circles is how many make a circle: two are a second try.
	circles = 3
	// maxAsked bounds the prompts of a conversation that are compared, maxAskedWords the
	// features of each.
	maxAsked      = 30
	maxAskedWords = 200
	// twice is within what time the same words are one prompt that came by two ways.
	twice = 10 * time.Second
	// oneCall is within what time the same failure is one call that two hooks tell of: an
	// agent needs longer to try again.
	oneCall = time.Second / 2
	// minAsked is how many content words a prompt needs, minTopic how many of them must say
	// what it is about: "run the tests and commit" is asked for every hour.
	minAsked, minTopic = 3, 2
	// maxPrompt bounds a prompt that is compared with others, in bytes.
	maxPrompt = 8000
)

// Friction is what a conversation must remember for it. It holds no word that was said, so
// that it may be kept: only their sums.
type Friction struct {
	Asked  []Asked `json:"asked,omitempty"` // the last prompts, oldest first
	Streak Streak  `json:"streak,omitzero"`
}

// Empty reports whether nothing is remembered.
func (f Friction) Empty() bool { return len(f.Asked) == 0 && f.Streak == (Streak{}) }

// Equal reports whether two remember the same.
func (f Friction) Equal(o Friction) bool {
	return f.Streak == o.Streak && slices.EqualFunc(f.Asked, o.Asked, func(a, b Asked) bool { return a.At.Equal(b.At) && slices.Equal(a.Words, b.Words) })
}

// Asked is a prompt by its content words.
type Asked struct {
	At    time.Time `json:"at"`
	Words []uint32  `json:"words"` // in order
	text  string    // as written, while the process lives
}

// Streak is how often in a row one tool has failed on one file.
type Streak struct {
	Of    string    `json:"of,omitempty"` // names both
	Count int       `json:"count,omitempty"`
	At    time.Time `json:"at,omitzero"` // of the last failure
}

// Step is a tool call that an agent has made, of whatever kind.
type Step struct {
	At          time.Time
	SessionID   string
	Tool        string
	Files       []string // it worked on
	Command     string   // it ran
	Failed      bool
	Interrupted bool // by somebody: it says nothing about the tool
	Output      string
}

func (e Step) meta() (time.Time, string) { return e.At, e.SessionID }

// asked notes a prompt and returns those before it that asked for nearly the same.
func (s *session) asked(e Message) (before []Asked) {
	words, ok := askedFor(e.Text)
	if !ok || e.SessionID == "" {
		return nil
	}
	f := &s.friction
	for _, a := range f.Asked {
		if e.At.Sub(a.At) < twice && slices.Equal(a.Words, words) {
			return nil
		}
		if jaccard(a.Words, words) >= nearSame {
			before = append(before, a)
		}
	}
	f.Asked = append(slices.Clone(f.Asked), Asked{At: e.At, Words: words, text: clipRunes(strings.TrimSpace(e.Text), maxQuote)})
	f.Asked = f.Asked[max(0, len(f.Asked)-maxAsked):]
	return before
}

// repeated describes a prompt that asks for what was asked before. Each of the others must
// be near this one: a topic that drifts from prompt to prompt is work that goes on.
func (d *Detector) repeated(s *session, e Message, before []Asked) (Candidate, bool) {
	if len(before) < circles-1 || leaks.Found(e.Text) {
		return Candidate{}, false
	}
	before = slices.DeleteFunc(before, func(a Asked) bool { return leaks.Found(a.text) })
	if len(before) < circles-1 {
		return Candidate{}, false
	}
	// It takes as many more before it is said again.
	s.friction.Asked = slices.DeleteFunc(s.friction.Asked, func(a Asked) bool {
		return slices.ContainsFunc(before, func(b Asked) bool { return slices.Equal(a.Words, b.Words) }) || a.At.Equal(e.At)
	})
	c := Candidate{Trigger: Repeated, Title: firstLine(e.Text), Files: e.Files}
	c.Evidence = []string{fmt.Sprintf("%d×: %s", len(before)+1, firstLine(e.Text))}
	var quotes []string
	for _, a := range before {
		if a.text != "" {
			quotes = append(quotes, quoteOf(clipRunes(a.text, maxQuote/circles)))
			c.Evidence = append(c.Evidence, firstLine(a.text))
		}
	}
	c.Situation = strings.Join(append(quotes, quoteOf(clipRunes(strings.TrimSpace(e.Text), maxQuote/circles))), "\n\n")
	c.Evidence = append(c.Evidence, s.context()...)
	if len(c.Files) == 0 {
		c.Files = slices.Clone(s.edited)
	}
	return c, true
}

// stepped watches for a tool that fails on the same file, or with the same command, again
// and again. Any other step ends the row, and so does one that somebody interrupted.
func (d *Detector) stepped(s *session, e Step) (Candidate, bool) {
	row := &s.friction.Streak
	of, target := e.names()
	switch {
	case !e.Failed || e.Interrupted || target == "" || e.SessionID == "":
		*row = Streak{}
		return Candidate{}, false
	case row.Of == of && e.At.Sub(row.At) < oneCall:
		return Candidate{}, false
	case row.Of == of:
		row.Count++
	default:
		*row = Streak{Of: of, Count: 1}
	}
	row.At = e.At.Round(0)
	if row.Count != circles || leaks.Found(e.Command) {
		return Candidate{}, false
	}
	said := excerptOf(e.Output)
	c := Candidate{Trigger: RetryLoop, Files: e.Files[:min(len(e.Files), 1)]}
	c.Title = e.Tool + " " + filepath.Base(target)
	if e.Command != "" {
		c.Title = target
	}
	if why := failureTitle(said); why != "" {
		c.Title += ": " + why
	}
	c.Evidence = []string{fmt.Sprintf("%d×: %s %s", circles, e.Tool, target)}
	c.Situation = fmt.Sprintf("%d× `%s` `%s`", circles, e.Tool, strings.ReplaceAll(target, "`", "'"))
	if said != "" {
		c.Evidence = append(c.Evidence, said)
		c.Situation += "\n\n" + fenced(said)
	}
	if s.request != "" {
		c.Situation = quoteOf(s.request) + "\n\n" + c.Situation
	}
	return c, true
}

// names returns the sum of what a step was made with and on, and the latter.
func (e Step) names() (of, target string) {
	if target = strings.Join(strings.Fields(e.Command), " "); target == "" && len(e.Files) > 0 {
		target = e.Files[0]
	}
	sum := sha256.Sum256([]byte(e.Tool + "\x00" + target))
	return hex.EncodeToString(sum[:8]), target
}

// askedFor returns the sums of a prompt's content words, in order; ok is false when it says
// too little to be compared. A Korean word counts by its pairs of syllables, for its ending
// and the spaces around it vary.
func askedFor(text string) (sums []uint32, ok bool) {
	text = terms.Normalize(text)
	if len(text) > maxPrompt {
		return nil, false
	}
	content, topic := 0, 0
	for _, w := range terms.Words(heard.OwnWords(text)) {
		word := w.Text
		if w.Class == terms.Hangul {
			word = koreanStem(word)
		}
		if w.Stop || word == "" || askedFiller[word] {
			continue
		}
		content++
		if !routine[word] {
			topic++
		}
		if w.Class != terms.Hangul {
			sums = append(sums, sumOf(word))
			continue
		}
		syllables := []rune(word)
		if len(syllables) == 1 {
			sums = append(sums, sumOf(word))
		}
		for i := range syllables[:len(syllables)-1] {
			sums = append(sums, sumOf(string(syllables[i:i+2])))
		}
	}
	slices.Sort(sums)
	sums = slices.Compact(sums)
	return sums, content >= minAsked && topic >= minTopic && len(sums) <= maxAskedWords
}

func sumOf(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32()
}

// jaccard returns the share of words that two ordered sets have in common.
func jaccard(a, b []uint32) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}

// koreanOrders are endings that ask for something in one tone or another.
var koreanOrders = []string{
	"해주십시오", "해주세요", "해주시겠어요", "해줄래", "해줘요", "해줘", "해봐", "해라", "합시다", "하자", "하세요", "해야지", "해야돼", "해야해",
	"주십시오", "주세요", "줄래", "줘요", "줘", "봐줘", "봐요", "봐", "달라고", "라고", "다고",
}

func koreanStem(word string) string {
	for _, end := range koreanOrders {
		if rest, ok := strings.CutSuffix(word, end); ok {
			return rest
		}
	}
	return word
}

// askedFiller are words that a prompt has whatever it asks for, as terms.Words gives them.
var askedFiller = fold("again now still also really quick actual instead try tri sure great good first next last time back same one two yet more look see let know think right want would could hi hey guy " +
	"다시 또 좀 제발 이거 그거 저거 이건 그건 이제 지금 아직 여전히 계속 그냥 한번 빨리 그럼 그러면 그리고 근데 그런데 해 하 줄 수 것 거 안 못 잘 더 꼭 부탁 부탁드립니다 부탁해 방금 아까 일단 자꾸 왜 진짜")

// routine are words for what is asked for many times a day.
var routine = fold("run test commit push pull merg build deploy lint format review continu go proceed start stop restart check fix add updat chang make creat remov write explain show fail pass work file code branch pr unit " +
	"커밋 푸시 테스트 빌드 배포 머지 실행 돌려 돌리 확인 계속 진행 고쳐 고치 수정 추가 작성 설명 보여 알려 만들 만들어 파일 코드 브랜치 리뷰 린트 시작 변경")

func fold(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func quoteOf(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

func fenced(text string) string {
	return "```text\n" + strings.ReplaceAll(text, "```", "'''") + "\n```"
}
