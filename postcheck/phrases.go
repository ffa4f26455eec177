package postcheck

import (
	"regexp/syntax"
	"sync"

	"handrail/lessons/lazyregexp"
)

// phrases matches English wordings that begin words, and Korean ones anywhere. It says what
// one regular expression of both would, and asks it only where a word begins like one of
// its wordings: it is asked of every sentence of an answer, and most have none.
type phrases struct {
	english *lazyregexp.Regexp // anchored
	korean  *lazyregexp.Regexp
	heads   func() *[1 << 15]bool
}

// maxPhrase is more than a wording has, in bytes, and little enough for the fast way in which
// regular expressions match short texts.
const maxPhrase = 80

// phrasesOf takes alternatives, without marks of where words begin and end. Either may be
// empty.
func phrasesOf(english, korean string) *phrases {
	p := &phrases{}
	if english != "" {
		pattern := `(?i)^(?:` + english + `)\b`
		p.english = lazyregexp.New(pattern)
		p.heads = sync.OnceValue(func() *[1 << 15]bool { return headsOf(pattern) })
	}
	if korean != "" {
		p.korean = lazyregexp.New(korean)
	}
	return p
}

// MatchString reports whether a text holds one of the wordings.
func (p *phrases) MatchString(s string) bool {
	if p.english != nil {
		heads := p.heads()
		for i := range len(s) {
			if wordly(s[i]) && (i == 0 || !wordly(s[i-1])) && heads[head(s[i:])] && p.english.MatchString(s[i:min(len(s), i+maxPhrase)]) {
				return true
			}
		}
	}
	return p.korean != nil && hasHangul(s) && p.korean.MatchString(s)
}

// wordly reports whether a byte belongs to a word as regular expressions see it.
func wordly(c byte) bool { return latin(c) || c == '_' || c >= '0' && c <= '9' }

// head numbers the first three letters of a text; what is no letter counts as 0.
func head(s string) int {
	h := letter(s[0]) << 10
	if len(s) > 1 {
		h |= letter(s[1]) << 5
	}
	if len(s) > 2 {
		h |= letter(s[2])
	}
	return h
}

func letter(c byte) int {
	if !latin(c) {
		return 0
	}
	return int(c|0x20-'a') + 1
}

// headsOf walks an anchored pattern's program to the heads that its matches can have.
func headsOf(pattern string) *[1 << 15]bool {
	var out [1 << 15]bool
	prog, err := programOf(pattern)
	if err != nil { // then it does not compile either; leave that to say so
		for i := range out {
			out[i] = true
		}
		return &out
	}
	letters := func(from uint32, yield func(letter int, next uint32)) {
		seen := map[uint32]bool{}
		var walk func(pc uint32)
		walk = func(pc uint32) {
			if seen[pc] {
				return
			}
			seen[pc] = true
			switch in := &prog.Inst[pc]; in.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				walk(in.Out)
				walk(in.Arg)
			case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
				walk(in.Out)
			case syntax.InstMatch:
				for c := 0; c <= 'z'-'a'+1; c++ { // it is over, and anything may follow
					yield(c, pc)
				}
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				yield(0, in.Out) // perhaps not, and then the expression says so
				for c := 'a'; c <= 'z'; c++ {
					if in.MatchRune(c) {
						yield(int(c-'a'+1), in.Out)
					}
				}
			}
		}
		walk(from)
	}
	letters(uint32(prog.Start), func(first int, next uint32) {
		letters(next, func(second int, next uint32) {
			letters(next, func(third int, _ uint32) { out[first<<10|second<<5|third] = true })
		})
	})
	return &out
}

func programOf(pattern string) (*syntax.Prog, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return syntax.Compile(re.Simplify())
}
