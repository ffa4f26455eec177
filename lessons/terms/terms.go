// Package terms is the one tokenizer of Handrail: indexing, searching, duplicate
// keys, triggers and the check of an answer all cut text with it, so that a word
// means the same everywhere.
//
// Text is brought to Unicode NFC and lower case. English words are stemmed, code
// words (camelCase, snake_case, paths, error codes) are kept whole and also split,
// Korean words lose their particles, and runs of Hangul, Han and Kana become
// bigrams for the index. [Words] gives one term a word, for people and for rules;
// [Scanner.Scan] gives the index's terms.
//
// The package knows nothing of cards, files or scores.
package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// Class says what a term was cut from.
type Class uint8

// The classes of a term. Words yields Word, Number, Code, Hangul and Han;
// Scan yields Word, Number, Code, Part and Gram.
const (
	Word   Class = iota // a word of an alphabet; English ones are stemmed
	Number              // digits only
	Code                // an identifier, path, version or error code, whole
	Part                // a piece of a Code, stemmed like a Word
	Hangul              // a Korean word without its particle or ending
	Han                 // a run of Chinese characters or Kana
	Gram                // two neighbouring characters of a Hangul or Han term (or a lone one)
)

// Term is one unit of text.
type Term struct {
	Text  string // normalised: NFC, lower case, stemmed or stripped
	Start int    // byte offset in the text as Normalize returns it
	End   int    // byte offset just past the term
	Class Class
	Stop  bool // a stop word: it never counts in a score
}

// maxTerm bounds a term in bytes. Longer runs are base64 or minified code: nobody
// searches for them and they would fill the dictionary.
const maxTerm = 64

// Normalize returns text as valid UTF-8 in NFC, the form all offsets refer to.
// Text that already has this form is returned as it is.
func Normalize(text string) string {
	for _, r := range text {
		// NFC leaves what is before the first combining mark and whole Korean syllables as they are.
		if r >= 0x300 && (r < 0xAC00 || r > 0xD7A3) {
			return norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	return text
}

// scanners are those of Words, for what they remember of words is most of their work.
var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// Words returns the words of text, one term each, stop words included and marked.
func Words(text string) []Term {
	s := scanners.Get().(*Scanner)
	defer scanners.Put(s)
	var out []Term
	s.cut(Normalize(text), func(t Term) { out = append(out, t) })
	return out
}

// Key returns the duplicate key of a title: its significant words, sorted and without punctuation, so that "How do I
// parse JSON?" and "parse JSON" are one. A title of stop words alone falls back to its raw words, one without any word
// to its own spelling.
func Key(title string) string {
	var key, raw []string
	for _, t := range Words(title) {
		raw = append(raw, t.Text)
		if !t.Stop {
			key = append(key, t.Text)
		}
	}
	if len(key) == 0 {
		key = raw
	}
	if len(key) == 0 {
		return strings.Join(strings.Fields(strings.ToLower(Normalize(title))), " ")
	}
	slices.Sort(key)
	return strings.Join(slices.Compact(key), " ")
}

// Parts returns the pieces of a code word in lower case: its words between joiners
// and case changes. It returns nil for a word that has only one piece.
func Parts(code string) []string {
	var out []string
	eachPart(code, func(start, end int) { out = append(out, strings.ToLower(code[start:end])) })
	if len(out) < 2 {
		return nil
	}
	return out
}

// Scanner cuts text into index terms. The zero value is ready; it remembers words
// between calls, so keep one per worker. It is not safe for concurrent use.
type Scanner struct {
	words map[string]englishWord
	env   *snowballstem.Env
}

// maxWords bounds what is remembered of words: a 12,000-note brain has about 60,000
// distinct English ones, of which the frequent half does nearly all the work.
const maxWords = 1 << 15

// Scan calls emit for every index term of text in order of appearance: words and
// numbers, code words whole and in parts, bigrams of Korean, Chinese and Japanese.
func (s *Scanner) Scan(text string, emit func(Term)) {
	text = Normalize(text)
	s.cut(text, func(t Term) {
		switch t.Class {
		case Code:
			emit(t)
			src := text[t.Start:t.End]
			eachPart(src, func(start, end int) {
				p := Term{Text: strings.ToLower(src[start:end]), Start: t.Start + start, End: t.Start + end, Class: Part}
				if start == 0 && end == len(src) || len(p.Text) < 2 && p.Text < "0" || len(p.Text) > maxTerm {
					return
				}
				p.Text, p.Stop = s.english(p.Text)
				emit(p)
			})
		case Hangul, Han:
			grams(t, emit)
		default:
			emit(t)
		}
	})
}

// grams emits the bigrams of a CJK term. Offsets are those of the characters when
// the term is as long as its source, which holds for all but stripped particles.
func grams(t Term, emit func(Term)) {
	prev := -1
	n := 0
	for i := range t.Text {
		n++
		if prev >= 0 {
			_, size := utf8.DecodeRuneInString(t.Text[i:])
			emit(Term{Text: t.Text[prev : i+size], Start: t.Start + prev, End: t.Start + i + size, Class: Gram, Stop: t.Stop})
		}
		prev = i
	}
	if n == 1 {
		emit(Term{Text: t.Text, Start: t.Start, End: t.Start + len(t.Text), Class: Gram, Stop: t.Stop})
	}
}

// cut cuts normalised text into words.
func (s *Scanner) cut(text string, emit func(Term)) {
	for i := 0; i < len(text); {
		r, size := runeAt(text, i)
		switch scriptOf(r) {
		case scriptHangul:
			end := runEnd(text, i, scriptHangul)
			emit(hangulWord(text, i, end))
			i = end
		case scriptHan:
			end := runEnd(text, i, scriptHan)
			if end-i <= 4*maxTerm {
				emit(Term{Text: text[i:end], Start: i, End: end, Class: Han})
			}
			i = end
		case scriptWord:
			end := wordEnd(text, i)
			end += signs(text, i, end)
			s.word(text, i, end, emit)
			i = end
		default:
			if r == '-' && isFlag(text, i) { // --force, -race: the dash is part of the name
				end := wordEnd(text, i+len("--"))
				if end-i <= maxTerm {
					emit(Term{Text: strings.ToLower(text[i:end]), Start: i, End: end, Class: Code})
				}
				i = end
				continue
			}
			i += size
		}
	}
}

// isFlag reports whether a long command-line option starts at i. Short ones
// ("-v") say too little to be worth a term of their own.
func isFlag(text string, i int) bool {
	if i > 0 && !strings.ContainsRune(" \t\n`'\"(=[", rune(text[i-1])) {
		return false
	}
	return i+len("--x") <= len(text) && text[i+1] == '-' && isLetter(rune(text[i+2]))
}

func (s *Scanner) word(text string, start, end int, emit func(Term)) {
	src := text[start:end]
	t := Term{Start: start, End: end}
	t.Class = classOf(src)
	if t.Class == Code && len(src) > maxTerm {
		// Too long to be a name: only its pieces may be looked for.
		eachPart(src, func(a, b int) {
			if b-a <= maxTerm {
				s.word(text, start+a, start+b, emit)
			}
		})
		return
	}
	if len(src) > maxTerm {
		return
	}
	t.Text = strings.ToLower(src)
	if t.Class == Word {
		t.Text, t.Stop = s.english(t.Text)
	}
	if t.Text != "" {
		emit(t)
	}
}

// english returns a lower-case word as the index has it, and whether it is a stop word.
func (s *Scanner) english(w string) (text string, stop bool) {
	if known, ok := s.words[w]; ok {
		return known.text, known.stop
	}
	text = w
	if strings.ContainsAny(w, "'’") { // "card's" is card, "don't" dont
		text = strings.TrimSuffix(strings.ReplaceAll(w, "’", "'"), "'s")
		text = strings.ReplaceAll(text, "'", "")
	}
	stop = IsStop(text) || len(text) == 1
	if !stop {
		if word, ok := irregular[text]; ok {
			text = word
		}
		text = s.stem(text)
	}
	s.remember(w, englishWord{text, stop})
	return text, stop
}

// englishWord is what a Scanner remembers of a word.
type englishWord struct {
	text string
	stop bool
}

func (s *Scanner) remember(w string, e englishWord) {
	if len(s.words) >= maxWords {
		clear(s.words)
	}
	if s.words == nil {
		s.words = make(map[string]englishWord)
	}
	key := strings.Clone(w)
	if strings.HasPrefix(key, e.text) {
		e.text = key[:len(e.text)] // a stem of w's own bytes would keep all of the text
	}
	s.words[key] = e
}

// stem returns the English (Porter2) stem of a lower-case ASCII word of four letters or
// more; any other word is its own stem.
func (s *Scanner) stem(w string) string {
	if len(w) < 4 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	if s.env == nil {
		s.env = snowballstem.NewEnv(w)
	} else {
		s.env.SetCurrent(w)
	}
	english.Stem(s.env)
	return s.env.Current()
}

// classOf tells a plain word from a number and a code word: a code word has a joiner,
// digits beside letters, or an upper-case letter after a lower-case one.
func classOf(src string) Class {
	digits, letters, lower, code := false, false, false, false
	for _, r := range src {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case isJoiner(r):
			code = true
		default:
			if r < utf8.RuneSelf && 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r) {
				if lower {
					code = true
				}
			} else if r != '\'' && r != '’' {
				lower = true
			}
			letters = true
		}
	}
	switch {
	case code || digits && letters:
		return Code
	case digits:
		return Number
	}
	return Word
}

type script uint8

const (
	scriptNone script = iota
	scriptWord
	scriptHangul
	scriptHan
)

func scriptOf(r rune) script {
	if r < utf8.RuneSelf {
		if isLetter(r) || r >= '0' && r <= '9' || r == '_' {
			return scriptWord
		}
		return scriptNone
	}
	switch {
	case r >= 0xAC00 && r <= 0xD7A3:
		return scriptHangul
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x4DBF,
		r >= 0xF900 && r <= 0xFAFF, r >= 0x20000 && r <= 0x3FFFF, r == 0x3005:
		return scriptHan
	case r >= 0x1100 && r <= 0x11FF, r >= 0x3130 && r <= 0x318F: // lone Jamo: ㅋㅋ, ㅠㅠ
		return scriptNone
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return scriptWord
	}
	return scriptNone
}

func runEnd(text string, i int, s script) int {
	for i < len(text) {
		r, size := runeAt(text, i)
		if scriptOf(r) != s {
			break
		}
		i += size
	}
	return i
}

// wordEnd returns the end of the alphabetic word or code word that starts at i. A
// joiner belongs to it only between two of its letters or digits.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := runeAt(text, i)
		if scriptOf(r) == scriptWord {
			i += size
			continue
		}
		if !isJoiner(r) && r != '\'' && r != '’' {
			break
		}
		next := i + size
		if r == ':' && strings.HasPrefix(text[next:], ":") { // Foo::bar
			next++
		}
		nr, _ := runeAt(text, next)
		if next >= len(text) || scriptOf(nr) != scriptWord {
			break
		}
		if r == ':' && next == i+size && (nr < '0' || nr > '9') { // "Note:this", but "file.go:12"
			break
		}
		i = next
	}
	return i
}

// signs returns how many bytes of punctuation behind a word are part of a name: C++, C#.
func signs(text string, start, end int) int {
	n := 0
	switch {
	case strings.HasPrefix(text[end:], "++"):
		n = len("++")
	case end-start == 1 && isLetter(rune(text[start])) && strings.HasPrefix(text[end:], "#"):
		n = len("#")
	}
	if next, _ := runeAt(text, end+n); scriptOf(next) == scriptWord && end+n < len(text) {
		return 0
	}
	return n
}

// eachPart calls part with the byte ranges of the pieces of a code word.
func eachPart(src string, part func(start, end int)) {
	start, i := 0, 0
	var prev rune
	flush := func(end int) {
		if end > start {
			part(start, end)
		}
		start = end
	}
	for i < len(src) {
		r, size := runeAt(src, i)
		switch {
		case isJoiner(r) || r == '_' || r == '\'' || r == '’':
			flush(i)
			start = i + size
		case isUpper(r) && isLower(prev): // getUser
			flush(i)
		case isLower(r) && isUpper(prev) && i-start > utf8.RuneLen(prev): // HTTPServer
			flush(i - utf8.RuneLen(prev))
		}
		prev = r
		i += size
	}
	flush(len(src))
}

func isJoiner(r rune) bool {
	switch r {
	case '.', '/', '\\', '-', ':', '@', '#', '_', '+':
		return true
	}
	return false
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func isUpper(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
}

func isLower(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && unicode.IsLower(r)
}

func runeAt(s string, i int) (rune, int) {
	if i >= len(s) {
		return utf8.RuneError, 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}
