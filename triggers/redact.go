package triggers

import (
	"strings"
	"sync"
	"unicode"

	"github.com/zricethezav/gitleaks/v8/detect"

	"handrail/lessons/lazyregexp"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// redactor takes secrets out of texts: by gitleaks' rules, and by the shapes its default
// rules leave to other tools because they are not any one vendor's.
type redactor struct {
	detector func() *detect.Detector // nil when the rules do not load
}

// loading is held while gitleaks reads its rules, which it does through globals.
var loading sync.Mutex

func newRedactor() redactor {
	// The rules take some 30 ms to compile, which a detector that never raises a
	// candidate should not pay.
	return redactor{detector: sync.OnceValue(func() *detect.Detector {
		loading.Lock()
		defer loading.Unlock()
		d, err := detect.NewDetectorDefaultConfig()
		if err != nil {
			return nil
		}
		return d
	})}
}

var (
	pemBlock = lazyregexp.New(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)
	userInfo = lazyregexp.New(`(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]+:)[^\s@]+@`)
	bearer   = lazyregexp.New(`(?i)(\b(?:authorization\s*[:=]\s*)?(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{16,}`)
	// An assignment is a secret when its name says so and its value has no spaces, or
	// stands in quotes. "No API key in the build" assigns nothing.
	assigned = lazyregexp.New(`(?i)((?:[a-z0-9]+[_-])*(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|비밀번호|암호)["']?\s*(?::=|=>|[:=])\s*)("[^"\n]{4,}"|'[^'\n]{4,}'|[^\s"',;]{6,})`)
	known    = lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bsk-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|\b\d{8,10}:AA[A-Za-z0-9_-]{30,}`)
)

// Redact returns a text without secrets and without characters that show nothing.
func (d *Detector) Redact(text string) string { return d.redact.clean(text) }

// HoldsSecret reports whether a text holds what looks like a secret.
func (d *Detector) HoldsSecret(text string) bool { return d.redact.finds(text) }

// finds reports whether a text holds a secret.
func (r redactor) finds(s string) bool {
	return !strings.Contains(s, redacted) && strings.Contains(r.clean(s), redacted)
}

// clean returns a text without secrets and without characters that show nothing.
func (r redactor) clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf) && c != '\u200d' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = pemBlock.ReplaceAllString(s, redacted)
	s = userInfo.ReplaceAllString(s, "${1}"+redacted+"@")
	s = known.ReplaceAllString(s, redacted)
	s = bearer.ReplaceAllString(s, "${1}"+redacted)
	s = assigned.ReplaceAllStringFunc(s, func(m string) string {
		at := assigned.FindStringSubmatchIndex(m)
		if strings.Contains(m, redacted) {
			return m
		}
		return m[:at[3]] + redacted
	})
	if d := r.detector(); d != nil {
		for _, f := range d.DetectString(s) {
			if f.Secret != "" && !strings.Contains(redacted, f.Secret) {
				s = strings.ReplaceAll(s, f.Secret, redacted)
			}
		}
	}
	return s
}
