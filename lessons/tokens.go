package lessons

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// What the parts of a text weigh, in hundredths of a token. They are fitted to how o200k cuts 43,000 real texts of
// eleven owners (notes, cards, bug reports, messages, answers, code of conversations; English and Korean, some Czech,
// Greek and Chinese), for the least excess at which none of them has over 15 % more tokens than the estimate; that is a
// quarter on average. Weights fitted without an owner were more than 15 % short on 1.6 texts of a thousand of theirs.
const (
	weighsText     = 170 // beside its parts: in a short one, a single rare word counts
	weighsFunction = 60  // "the", "is": in a text with many of them, the other words are common ones, too
	weighsWord     = 138 // a word after a space
	weighsLetter   = 7   // and each of its letters
	weighsOverlong = 75  // and those beyond the 14th: words run together
	weighsGlued    = 100 // a word after anything else: a part of a name or path
	weighsRare     = 60  // and its letters beyond the 6th: abbreviations, encoded bytes
	weighsDigits   = 150 // up to three digits
	weighsMark     = 85  // ASCII that is no letter or digit, and an accent
	weighsNext     = 30  // such after another, and a new line after one
	weighsRepeated = 10  // the same once more: lines of tables
	weighsBreak    = 140 // new lines, an indent
	weighsHangul   = 85
	weighsHan      = 90 // also Kana
	weighsLetters  = 60 // a letter of another script
	weighsSymbol   = 220
)

type script uint8

const (
	scriptStart script = iota
	scriptSpace
	scriptBreak
	scriptLatin
	scriptDigit
	scriptMark
	scriptHangul
	scriptHan
	scriptOther
	scriptSymbol
)

// CountTokens returns about how many tokens of a language model a text has: rather a quarter
// more than o200k counts than a seventh less.
func CountTokens(text string) int {
	if text == "" {
		return 0
	}
	return tokensOf(weigh(text))
}

// tokensOf returns how many tokens a text of a weight has.
func tokensOf(weight int) int { return (weighsText + weight + 99) / 100 }

// weigh returns the weight of a text's parts.
func weigh(text string) (sum int) {
	before := scriptStart
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		is, part := scriptOf(r), text[:size]
		switch is {
		case scriptLatin:
			part = text[:wordLen(text)]
			sum += weighWord(part, before)
		case scriptMark, scriptSymbol:
			part = text[:len(text)-len(strings.TrimLeft(text, part))]
			sum += weighSigns(r, len(part)/size, is, before)
		case scriptDigit:
			part = text[:runLen(text, is)]
			sum += weighsDigits * ((len(part) + 2) / 3)
		case scriptSpace, scriptBreak:
			part = text[:runLen(text, is)]
			switch {
			case part == " ": // goes with the word after it
			case is == scriptBreak && before == scriptMark:
				sum += weighsNext
			default:
				sum += weighsBreak
			}
		case scriptHangul:
			sum += weighsHangul
		case scriptHan:
			sum += weighsHan
		default:
			sum += weighsLetters
		}
		before, text = is, text[len(part):]
	}
	return sum
}

func weighWord(word string, before script) int {
	n := utf8.RuneCountInString(word)
	sum := weighsMark * (len(word) - n) // accents are two bytes
	switch {
	case before > scriptBreak:
		return sum + weighsGlued + weighsRare*max(0, n-6)
	case terms.IsStop(strings.ToLower(word)):
		return weighsFunction
	}
	return sum + weighsWord + weighsLetter*n + weighsOverlong*max(0, n-14)
}

// weighSigns weighs n times the same sign.
func weighSigns(r rune, n int, is, before script) int {
	switch {
	case is == scriptSymbol && (r < 0x2500 || r > 0x257F): // no line of a drawn table
		return weighsSymbol * n
	case is == scriptSymbol:
		return weighsSymbol + weighsRepeated*(n-1)
	case before == scriptMark:
		return weighsNext + weighsRepeated*(n-1)
	}
	return weighsMark + weighsRepeated*(n-1)
}

// wordLen returns where the word ends that a text begins with; camelCase and HTTPServer are two.
func wordLen(text string) int {
	end, upper := 0, 0
	for i, r := range text {
		if scriptOf(r) != scriptLatin {
			return i
		}
		switch {
		case !unicode.IsUpper(r):
			if upper > 1 { // the last capital begins the next word
				return end
			}
			upper = -1
		case upper < 0:
			return i
		default:
			upper++
		}
		end = i
	}
	return len(text)
}

func runLen(text string, is script) int {
	for i, r := range text {
		if scriptOf(r) != is {
			return i
		}
	}
	return len(text)
}

func scriptOf(r rune) script {
	switch {
	case r == '\n' || r == '\r':
		return scriptBreak
	case unicode.IsSpace(r):
		return scriptSpace
	case unicode.Is(unicode.Latin, r):
		return scriptLatin
	case r >= '0' && r <= '9':
		return scriptDigit
	case r < utf8.RuneSelf:
		return scriptMark
	case r >= 0xAC00 && r <= 0xD7A3: // a syllable; letters alone are as rare as symbols
		return scriptHangul
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return scriptHan
	case unicode.In(r, unicode.Hangul), !unicode.IsLetter(r) && !unicode.IsMark(r):
		return scriptSymbol
	}
	return scriptOther
}
