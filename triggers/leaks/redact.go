// Package leaks takes secrets out of texts: by gitleaks' rules, and by the shapes those
// leave to other tools because they are not any one vendor's.
package leaks

import (
	"strings"
	"unicode"

	"handrail/lessons/lazyregexp"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// shapes are the patterns of secrets; one is tried where a text holds one of its
// words, in lower case.
var shapes = []struct {
	words   words
	pattern *lazyregexp.Regexp
	by      string // what stands in its place
}{
	{words{"-----begin"}, lazyregexp.New(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)`), redacted},
	{words{"://"}, lazyregexp.New(`(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]+:)[^\s@]+@`), "${1}" + redacted + "@"},
	{words{"akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "sk-", "aiza", "eyj", ":aa"}, lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bsk-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|\b\d{8,10}:AA[A-Za-z0-9_-]{30,}`), redacted},
	{words{"bearer", "basic", "token"}, lazyregexp.New(`(?i)(\b(?:authorization\s*[:=]\s*)?(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{16,}`), "${1}" + redacted},
}

// An assignment is a secret when its name says so and its value has no spaces, or stands in
// quotes. "No API key in the build" assigns nothing.
var (
	assigned      = lazyregexp.New(`(?i)((?:[a-z0-9]+[_-])*(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|비밀번호|암호)["']?\s*(?::=|=>|[:=])\s*)("[^"\n]{4,}"|'[^'\n]{4,}'|[^\s"',;]{6,})`)
	assignedWords = words{"passw", "pwd", "passphrase", "secret", "token", "key", "비밀번호", "암호"}
)

// Found reports whether a text holds what looks like a secret.
func Found(text string) bool {
	return !strings.Contains(text, redacted) && strings.Contains(Redact(text), redacted)
}

// Redact returns a text without secrets and without characters that show nothing.
func Redact(s string) string {
	s = strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf) && c != '\u200d' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	lower := strings.ToLower(s)
	for _, shape := range shapes {
		if shape.words.in(lower) {
			s = shape.pattern.ReplaceAllString(s, shape.by)
		}
	}
	if assignedWords.in(lower) {
		s = assigned.ReplaceAllStringFunc(s, func(m string) string {
			if strings.Contains(m, redacted) {
				return m
			}
			return m[:assigned.FindStringSubmatchIndex(m)[3]] + redacted
		})
	}
	for _, f := range find(s) {
		if !strings.Contains(redacted, f.secret) {
			s = strings.ReplaceAll(s, f.secret, redacted)
		}
	}
	return s
}
