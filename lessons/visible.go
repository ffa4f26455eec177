package lessons

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Visible returns s on one line with what a terminal would obey or hide spelled out: escape sequences, controls,
// bidirectional and zero-width characters. What joins or chooses emoji stays behind one.
func Visible(s string) string { return visible(s, "") }

// VisibleLines is Visible with lines and tabs kept.
func VisibleLines(s string) string { return visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t") }

func visible(s, kept string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || isVariant(r) || isInvisible(r) }) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	before := ' '
	for _, r := range s {
		shown := r
		switch {
		case strings.ContainsRune(kept, r), (r == 0x200d || isVariant(r)) && isSymbol(before):
			b.WriteRune(r)
		case r < 0x20, isVariant(r), isInvisible(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			shown = ' '
		default:
			b.WriteRune(r)
		}
		before = shown
	}
	return b.String()
}

// LogSafe breaks what the log of a CI run takes for a command: "::" at a line's start and "##[" of GitHub Actions, "##[" and "##vso[" of Azure Pipelines
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions, https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands).
func LogSafe(text string) string { return logCommand().ReplaceAllString(text, "$1 $2") }

// LogSafeJSON does so for JSON, whose values stay.
func LogSafeJSON(text string) string { return jsonCommand().ReplaceAllString(text, `##$1\u005b`) }

var (
	logCommand  = lazyregexp.New(`(?mi)(^[\t ]*:|##)(:|(?:vso)?\[)`)
	jsonCommand = lazyregexp.New(`(?i)##(vso)?\[`)
)

// isVariant reports whether a character chooses how the one before it is drawn, and isSymbol
// whether that is one that such a choice is known of.
func isVariant(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

func isSymbol(r rune) bool {
	return r == 0xfe0f || r >= utf8.RuneSelf && unicode.Is(unicode.S, r) || strings.ContainsRune("0123456789#*‼⁉", r)
}

// isInvisible reports whether a character shows nothing or changes how its neighbours are
// shown: zero-width characters, bidirectional controls, tags and other controls.
func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x00ad, r == 0x061c, r == 0x034f, r == 0x2800:
		return true
	case r >= 0x180b && r <= 0x180f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0xe0000 && r <= 0xe0fff, r >= 0xfe00 && r <= 0xfe0d:
		return true
	}
	return r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r)
}
