package lessons

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// Draft is a card that is not written yet.
type Draft struct {
	Title    string   // a comment asks for it when empty
	Kind     Kind     // Lesson when empty
	Severity Severity // Medium when empty
	Source   Source   // Curated when empty
	Status   Status   // Active when empty
	Project  string
	Tags     []string
	Paths    []string
	On       Date   // becomes last-seen
	Seen     int    // in so many conversations; 1 when empty
	Language string // "ko" for Korean headings, else English
	Sections map[SectionName]string
}

// ValueError reports a field of a draft or of a request whose value is not allowed, and which are, or what it needs instead.
type ValueError struct {
	Field, Value string
	Allowed      []string
	Need         Need // where the values that are allowed cannot be listed
}

// Need says what a field takes.
type Need string

func (e *ValueError) Error() string {
	if e.Need != "" {
		return fmt.Sprintf("%s: %q, need %s", e.Field, e.Value, e.Need)
	}
	return fmt.Sprintf("%s: %q is not one of %s", e.Field, e.Value, strings.Join(e.Allowed, ", "))
}

// OneOf returns a *ValueError for a value of a field that is not allowed, nil for an empty one.
func OneOf[T ~string](field string, v T, allowed []T) error {
	if v == "" || slices.Contains(allowed, v) {
		return nil
	}
	return &ValueError{Field: field, Value: string(v), Allowed: names(allowed)}
}

// koreanHeadings are the template's headings in Korean.
var koreanHeadings = map[SectionName]string{
	Situation: "상황", Mistake: "실수 / 위험", RootCause: "근본 원인", Fix: "해결", Prevention: "예방 체크리스트", AppliesTo: "적용 대상", Evidence: "증거",
}

// placeholders is what an empty section of the template asks for, as a comment that no
// reader of the rendered card sees and that the quality bar takes for empty.
var placeholders = map[SectionName][2]string{
	Situation:  {"What was being done?", "무엇을 하고 있었나요?"},
	Mistake:    {"What went wrong, and what could it cost?", "무엇이 잘못되었고 어떤 피해가 있을 수 있나요?"},
	RootCause:  {"Why did it happen?", "왜 그렇게 되었나요?"},
	Fix:        {"What put it right?", "어떻게 바로잡았나요?"},
	Prevention: {"- [ ] Do not …, because … Then what must be true next time: one fact per item, checkable.", "- [ ] … 때문에 …하지 않는다. 그다음에 지켜져야 할 것: 항목마다 확인할 수 있는 사실 하나."},
	AppliesTo:  {"Where else can this happen?", "또 어디에서 일어날 수 있나요?"},
	Evidence:   {"What shows it: a diff, a command, its output. Agents are never shown it.", "무엇으로 알 수 있나요? diff, 명령, 출력. 에이전트에게는 보여 주지 않습니다."},
}

// untitled is the heading of a card that has no title yet.
func untitled(language string) string {
	if language == "ko" {
		return "<!-- 분야가 아니라 규칙이나 실수를 한 문장으로. 예: 개발 서버를 직접 켜지 않는다: 실행할 명령을 알려 준다 -->"
	}
	return "<!-- The rule or the mistake in 4 to 14 words, no area: Never start the dev server: say what to run -->"
}

// Heading returns a section's heading in a language ("ko" or English).
func (n SectionName) Heading(language string) string {
	if language == "ko" {
		return koreanHeadings[n]
	}
	return string(n)
}

// Placeholder returns the template's comment for an empty section.
func (n SectionName) Placeholder(language string) string {
	i := 0
	if language == "ko" {
		i = 1
	}
	return "<!-- " + placeholders[n][i] + " -->"
}

// Render returns the card as a file: frontmatter, then the sections in order, empty ones with
// a comment that says what belongs there. Evidence is there only if there is any.
func (d Draft) Render() []byte {
	var b strings.Builder
	b.WriteString("---\n")
	key := func(k, v string) {
		if v != "" {
			b.WriteString(k + ": " + v + "\n")
		}
	}
	key("type", string(cmp.Or(d.Kind, Lesson)))
	if oneLine(d.Title) != "" {
		key("title", quoteYAML(oneLine(d.Title)))
	}
	key("applies-to", flowList(d.Tags))
	if len(d.Paths) > 0 {
		key("paths", flowList(d.Paths))
	}
	if p := oneLine(d.Project); p != "" {
		key("project", quoteYAML(p))
	}
	key("severity", string(cmp.Or(d.Severity, Medium)))
	key("source", string(cmp.Or(d.Source, Curated)))
	key("occurrences", strconv.Itoa(max(1, d.Seen)))
	key("last-seen", d.On.String())
	if d.Status != "" && d.Status != Active {
		key("status", string(d.Status))
	}
	b.WriteString("---\n\n# " + headingText(d.Title, d.Language) + "\n")
	for _, name := range SectionNames() {
		body := strings.TrimSpace(strings.ReplaceAll(d.Sections[name], "\r\n", "\n"))
		switch {
		case body == "" && name == Evidence:
			continue
		case body == "":
			body = name.Placeholder(d.Language)
		}
		b.WriteString("\n## " + name.Heading(d.Language) + "\n\n" + demote(body) + "\n")
	}
	return []byte(strings.ToValidUTF8(b.String(), "\uFFFD"))
}

// headingText returns a title that stays one heading: markup that a title may hold by
// accident keeps its letters. In the place of none a comment asks for it.
func headingText(title, language string) string {
	t := strings.TrimRight(oneLine(title), "# ")
	switch {
	case oneLine(title) == "":
		return untitled(language)
	case t == "":
		return "…"
	}
	return strings.NewReplacer("<", `\<`, "`", "\\`", "*", `\*`, "[", `\[`).Replace(t)
}

// demote keeps text from ending its section: a line that would be a heading is escaped,
// except inside code fences, where it is no heading.
func demote(body string) string {
	lines := strings.Split(body, "\n")
	fence := ""
	for i, l := range lines {
		t := strings.TrimLeft(l, " ")
		before := fence
		fence = fenceAfter(fence, t)
		switch {
		case before != "", fence != "":
		case strings.HasPrefix(t, "#"):
			lines[i] = strings.Repeat(" ", len(l)-len(t)) + `\` + t
		case i > 0 && strings.TrimSpace(lines[i-1]) != "" && t != "" && strings.Trim(t, "=") == "",
			i > 0 && strings.TrimSpace(lines[i-1]) != "" && len(t) > 0 && strings.Trim(t, "- ") == "" && !strings.Contains(t, " "):
			lines[i] = `\` + t
		}
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return strings.Join(lines, "\n")
}

func flowList(items []string) string {
	quoted := make([]string, 0, len(items))
	for _, s := range items {
		s = oneLine(s)
		if s != "" {
			quoted = append(quoted, quoteYAML(s))
		}
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quoteYAML returns s as a YAML scalar that reads back as the same string: plain where
// that is plainly safe, else in double quotes.
func quoteYAML(s string) string {
	if plainYAML().MatchString(s) && !wordsOfYAML[strings.ToLower(s)] {
		return s
	}
	return strconv.QuoteToGraphic(s)
}

var (
	plainYAML   = lazyregexp.New(`^\p{L}([\p{L}\p{Nd} _/.()+-]*[\p{L}\p{Nd}_/()+-])?$`)
	wordsOfYAML = terms.Set("true false yes no on off null y n nan inf infinity")
)

// maxSlug bounds a file name, in characters; 255 bytes is what most disks allow and Korean takes three a character.
const maxSlug = 60

// reservedNames are what Windows keeps for devices.
var reservedNames = terms.Set("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 " +
	"readme changelog license contributing") // these are no cards without their keys

// Slug returns a title as a file name without ending: lower case, letters and digits of
// any script, single dashes between.
func Slug(title string) string {
	var b strings.Builder
	n, dash := 0, false
	for _, r := range strings.ToLower(terms.Normalize(title)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			dash = n > 0
			continue
		}
		if n+1 >= maxSlug {
			break
		}
		if dash {
			b.WriteByte('-')
			n++
		}
		b.WriteRune(r)
		n++
		dash = false
	}
	s := b.String()
	if s == "" || reservedNames[s] {
		s = strings.TrimSuffix("lesson-"+s, "-")
	}
	return s
}
