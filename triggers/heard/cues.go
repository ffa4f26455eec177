package heard

import (
	"embed"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// cue is a pattern in one language for a sentence, such as "again" or "why did you".
type cue struct {
	name    string // shared by all its kinds and by both languages
	kind    string // this kind of it
	says    Kind   // what it plainly says, where it does
	stops   bool   // beside it nothing is plain: a request, a plan, a condition
	fails   bool   // it names what is wrong
	voids   bool   // it takes back the cues of its name
	pattern pattern
}

//go:embed cues.en.txt cues.ko.txt rules.en.txt rules.ko.txt
var pages embed.FS

// cues returns the cues of both pages, English first.
var cues = sync.OnceValue(func() [2][]cue { return [2][]cue{load("en"), load("ko")} })

// lines yields the lines of a page, and the section that each stands in; "{list}" in one stands for the words of the line "@list" above.
func lines(page string) iter.Seq2[string, string] {
	return func(yield func(section, line string) bool) {
		src, err := pages.ReadFile(page)
		if err != nil {
			panic(err) //nolint:forbidigo // cannot be: the files are embedded, and the tests load each of them
		}
		section, lists, fill := "", []string(nil), strings.NewReplacer()
		for line := range strings.Lines(string(src)) {
			line = fill.Replace(strings.TrimSpace(line))
			list, ok := strings.CutPrefix(line, "@")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case ok:
				name, words, _ := strings.Cut(list, " ")
				lists = append(lists, "{"+name+"}", "(?:"+words+")")
				fill = strings.NewReplacer(lists...)
			case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
				section = strings.Trim(line, "[]")
			case !yield(section, line):
				return
			}
		}
	}
}

// load reads a page of cues. A line is the name of a cue and a pattern. After the name, "!" marks a cue that says plainly what its section is about,
// and in the section without a name one beside which nothing is plain. [failure] is a complaint, too.
func load(lang string) []cue {
	var out []cue
	count := map[string]int{}
	for section, line := range lines("cues." + lang + ".txt") {
		name, text, _ := strings.Cut(line, " ")
		name, marked := strings.CutSuffix(name, "!")
		c := cue{name: name, kind: name + "." + lang, stops: marked && section == "", fails: section == "failure", voids: section == "void"}
		switch {
		case marked && c.fails:
			c.says = Complaint
		case marked:
			c.says = Kind(section)
		}
		if count[name]++; count[name] > 1 {
			c.kind += strconv.Itoa(count[name])
		}
		if lang == "en" {
			text = `(?:^|\W)(?:` + text + `)(?:\W|$)`
		}
		c.pattern = compile(text)
		out = append(out, c)
	}
	return out
}

// cuesIn returns the cues that a sentence holds.
func cuesIn(norm string) []cue {
	var out []cue
	korean := strings.ContainsFunc(norm, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
	text := seek(norm)
	for i, page := range cues() {
		if i == 1 && !korean {
			break
		}
		for _, c := range page {
			if at := c.pattern.find(text); at != nil && at[0] < at[1] {
				out = append(out, c)
			}
		}
	}
	return withoutVoid(out)
}

// withoutVoid leaves out the cues that others take back where nothing else is wrong: "still" in
// a question about a state, "no" before agreement.
func withoutVoid(list []cue) []cue {
	wrong := func(but string) bool {
		return slices.ContainsFunc(list, func(c cue) bool { return c.name != but && (c.fails || c.says != "") })
	}
	var void []string
	for _, c := range list {
		if c.voids && !wrong(c.name) {
			void = append(void, c.name)
		}
	}
	return slices.DeleteFunc(list, func(c cue) bool { return c.voids || slices.Contains(void, c.name) })
}

// answers matches a sentence that begins with no.
var answers = lazyregexp.New(`^(?:no+|nope|nah|아니\S*|아냐|아뇨|노+|ㄴㄴ)(?:[,.! ]|$)`)

// counted returns the cues of a sentence that count in a conversation. "No", and "don't" behind
// it, correct nothing where the agent had asked.
func (s sentence) counted(c Context) []cue {
	if !c.Asked || !answers().MatchString(s.norm) {
		return s.cues
	}
	return slices.DeleteFunc(slices.Clone(s.cues), func(f cue) bool { return f.name == "no" || f.name == "dont" })
}

// plainly reports whether a sentence holds a cue that plainly says something, and nothing beside which it does not.
func (s sentence) plainly(kind Kind, in Context) bool {
	says := false
	for _, c := range s.counted(in) {
		if c.stops {
			return false
		}
		says = says || c.says == kind
	}
	return says
}
