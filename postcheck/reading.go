package postcheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/postcheck/check"
)

const (
	// window is how many neighbouring sentences of the answer, lines or commands count as one place.
	window = 4
	// maxAnswer is how much of an answer is read, in bytes: this much of its beginning and as much of its end.
	maxAnswer = 128 << 10
	// reach is how many significant words a negation reaches: "did not yet really check the list".
	reach = 4
	// farthest bounds it in words of any kind: a text of stop words alone would be read once for each of them.
	farthest = 6 * reach
)

// reading is a turn cut into places, and which words stand where.
type reading struct {
	places []Place
	said   map[string][]int    // name → places that say or do it, rising
	denied map[string][]int    // name → places that deny it or put it off
	undone map[string][]int    // name → places that say of something that it was taken away
	known  map[string][]string // names of words, as written
	code   int                 // lines of code in the answer
	deeds  int                 // the first place that is none of the answer
	ran    int                 // the first command: it shows a run, not what an item says
}

func newReading() *reading {
	return &reading{
		said: map[string][]int{}, denied: map[string][]int{}, undone: map[string][]int{}, known: map[string][]string{},
	}
}

// readText reads a text as one place: a request, which says what a turn is about and shows nothing of what was done, or a line.
func readText(text string) *reading {
	r := newReading()
	r.line(text[:min(len(text), maxAnswer)], Place{})
	return r
}

// read cuts a turn into places.
func read(t Turn) *reading {
	r := newReading()
	answer := t.Answer
	if len(answer) > 2*maxAnswer {
		answer = answer[:maxAnswer] + "\n" + answer[len(answer)-maxAnswer:]
	}
	r.answer(terms.Normalize(answer))
	r.places = append(r.places, make([]Place, window)...) // no place is of both
	r.deeds = len(r.places)
	for _, e := range t.Edits {
		r.edit(e)
	}
	r.ran = len(r.places)
	for _, c := range t.Commands {
		r.line(c.Line, Place{Command: c.Line})
	}
	return r
}

// added reads the code that a turn added, with tests or without, and the names of its files.
func (t Turn) added(tests bool) *reading {
	r := newReading()
	for _, e := range t.Edits {
		if isCode(e.File) && (tests || !isTest(e.File)) {
			r.edit(e)
		}
	}
	return r
}

// isCode reports whether a file, or a fence that names none, holds code.
func isCode(file string) bool { return file == "" || shell.IsCode(file) }

// edit notes the name of a file and the lines that were added to it.
func (r *reading) edit(e check.Edit) {
	r.line(e.File, Place{File: e.File})
	for _, l := range e.Added {
		r.line(l.Text, Place{File: e.File, Line: l})
	}
}

// undoes reports whether a verb takes something away: the opposite of what an item asks for, unless it asks for that.
func undoes(t terms.Term) bool { return asks("undoing").MatchString(t.Text) }

// answer reads the text of an answer.
func (r *reading) answer(text string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(line, fence):
			fence = ""
		case fence != "":
			r.code++
			r.line(line, Place{Sentence: line})
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		case line != "":
			r.prose(line)
		}
	}
}

// codeOf returns the code that an answer holds as edits, of the file that its fence or first line names, if any.
func codeOf(answer string) (edits []check.Edit) {
	for _, m := range asks("fenced").FindAllStringSubmatch(answer[:min(len(answer), maxAnswer)], -1) {
		info, code := m[1], m[2]
		if asks("no-code").MatchString(info) {
			continue
		}
		e := check.Edit{Seq: len(edits)}
		if named := asks("code-of").FindStringSubmatch(info + "\n" + code); named != nil {
			e.File = cmp.Or(named[1:]...)
		}
		for n, line := range strings.Split(strings.TrimSuffix(code, "\n"), "\n") {
			if diff := strings.HasPrefix(info, "diff"); diff && strings.HasPrefix(line, "+") {
				line = line[1:]
			} else if diff {
				continue
			}
			e.Added = append(e.Added, check.Line{Text: line, N: n + 1})
		}
		edits = append(edits, e)
	}
	return edits
}

// line notes a line of code, a file's name or a command.
func (r *reading) line(line string, where Place) {
	line = terms.Normalize(line)
	r.places = append(r.places, where)
	for _, w := range terms.Words(line) {
		r.put(r.said, w, line)
	}
}

// prose notes a line of text, sentence by sentence.
func (r *reading) prose(line string) {
	later := asks("open-box").MatchString(line)
	for _, s := range sentences(line) {
		r.places = append(r.places, Place{Sentence: strings.TrimSpace(s)})
		words := terms.Words(s)
		no := reached(s, words, negator, true)
		off, gone := later || asks("put-off").MatchString(s), reached(s, words, undoes, true)
		for i, w := range words {
			switch {
			case off || no[i]:
				r.put(r.denied, w, s)
			case gone[i]:
				r.put(r.undone, w, s)
			default:
				r.put(r.said, w, s)
			}
		}
	}
}

// put notes a word of a text at the last place.
func (r *reading) put(in map[string][]int, w terms.Term, text string) {
	surface, at := text[w.Start:w.End], len(r.places)-1
	names, ok := r.known[surface]
	if !ok { // code asks for the same words again and again
		names = dictionary().names(w, surface)
		r.known[surface] = names
	}
	for _, n := range names {
		if list := in[n]; len(list) == 0 || list[len(list)-1] != at {
			in[n] = append(list, at)
		}
	}
}

// sentences cuts a line at sentence ends.
func sentences(line string) []string {
	var out []string
	start := 0
	for _, m := range asks("sentence-end").FindAllStringIndex(line, -1) {
		out, start = append(out, line[start:m[1]]), m[1]
	}
	return append(out, line[start:])
}

var (
	//nolint:misspell // stems
	englishNo = terms.Set("not no never without dont didnt doesnt havent hasnt isnt arent wasnt werent couldnt wouldnt wont cant " +
		"cannot skip omit ignor forgot unabl nor avoid instead lack none neither noth nobodi")
	// ofVerbs deny the subject of their verb too, up to where another clause begins.
	ofVerbs = terms.Set("not never cannot isnt arent wasnt werent doesnt didnt dont hasnt havent wont cant couldnt wouldnt")
	joins   = terms.Set("and or but so then because since where as")
)

// negator reports whether a word denies others.
func negator(t terms.Term) bool {
	return t.Class == terms.Word && englishNo[t.Text] || t.Class == terms.Hangul && asks("no-ko").MatchString(t.Text)
}

// reached marks the words of a sentence that those of some sort reach, within their clause: in English those behind
// one, and of a verb that is denied its subject too ("the list is not checked"), in Korean those in front of it.
func reached(text string, words []terms.Term, from func(terms.Term) bool, subjects bool) []bool {
	if !slices.ContainsFunc(words, from) {
		return make([]bool, len(words))
	}
	out, ends := make([]bool, len(words)), make([]bool, len(words)) // whether a clause ends before a word
	for i := 1; i < len(words); i++ {
		ends[i] = asks("clause-end").MatchString(text[words[i-1].End:words[i].Start])
	}
	mark := func(i, step int) {
		left := reach
		for j := i + step; j >= 0 && j < len(words) && left > 0 && max(i-j, j-i) <= farthest; j += step {
			joined := words[j].Class == terms.Word && (joins[words[j].Text] || subordinate[words[j].Text])
			if ends[max(j, j-step)] || step < 0 && joined {
				break
			}
			out[j] = true
			if !words[j].Stop {
				left--
			}
		}
	}
	for i, w := range words {
		switch {
		case !from(w):
		case w.Class == terms.Hangul:
			mark(i, -1)
		default:
			if mark(i, 1); subjects && (ofVerbs[w.Text] || undoes(w)) {
				mark(i, -1)
			}
		}
	}
	return out
}

// within reports whether one of the rising places is among those many from one on.
func within(places []int, from, many int) bool {
	i, _ := slices.BinarySearch(places, from)
	return i < len(places) && places[i] < from+many
}

// about reports whether a card speaks of what was done, by its paths, else by its tags or its title, and whether a person said so, by paths or tags.
func about(t Turn, c lessons.Card, readings ...*reading) (here, scoped bool) {
	if len(c.Paths) > 0 {
		var names []string
		for _, e := range t.Edits {
			names = append(names, e.File)
		}
		if !t.Watched {
			names = append(names, asks("a-file").FindAllString(t.Answer[:min(len(t.Answer), maxAnswer)], maxThings)...)
		}
		if _, ok := lessons.MatchPaths(c.Paths, names); ok || t.Watched {
			return ok, ok
		}
	}
	title := understand(c.Title)
	for i := range title {
		title[i].either = true // said or denied, it is spoken of
	}
	for _, r := range readings {
		for _, tag := range c.Tags {
			if !strings.EqualFold(tag, c.Project) && slices.ContainsFunc(understand(tag), func(u unit) bool { return u.mass == 1 && u.all(r.says) }) {
				return true, true
			}
		}
		_, share := r.best(title, 0, len(r.places))
		here = here || share >= most
	}
	return here, false
}
