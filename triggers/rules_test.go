package triggers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/lessons"
	"handrail/lessons/terms"
)

// ruleSentence is a line of testdata/triggers/rules.tsv.
type ruleSentence struct {
	label      Trigger // "" when it is no rule
	lang, half string
	text       string
}

func ruleSentences(t testing.TB) []ruleSentence {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "triggers", "rules.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]Trigger{"none": "", "preference": Preference, "constraint": Constraint}
	var out []ruleSentence
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.SplitN(line, "\t", 4)
		label, ok := labels[f[0]]
		if len(f) != 4 || !ok || f[2] != "dev" && f[2] != "test" {
			t.Fatalf("rules.tsv:%d: %q", i+2, line)
		}
		out = append(out, ruleSentence{label, f[1], f[2], strings.ReplaceAll(f[3], `\n`, "\n")})
	}
	return out
}

// ruleIn returns what a message lays down where no other trigger takes it.
func ruleIn(text string) (t Trigger, evidence string) {
	switch t, evidence, _ := Classify(text); t {
	case Preference, Constraint:
		return t, evidence
	}
	return "", ""
}

// TestQualityOfRules holds the rules to figures in a golden file. The half "dev" was tuned on,
// its errors are listed with -v; of the half "test" only these figures were looked at. Both
// were written by one hand, before the phrases.
func TestQualityOfRules(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%-5s %-5s %5s %5s %6s %6s %10s %7s %6s %10s\n", "half", "lang", "yes", "no", "missed", "false", "precision", "recall", "F1", "wrong kind")
	all := ruleSentences(t)
	for _, half := range []string{"dev", "test"} {
		for _, lang := range []string{"en", "ko", "both"} {
			var s score
			kind := 0
			for _, x := range all {
				if x.half != half || lang != "both" && x.lang != lang {
					continue
				}
				got, _ := ruleIn(x.text)
				s.add(got != "", x.label != "")
				if got != "" && x.label != "" && got != x.label {
					kind++
				}
				if half == "dev" && lang == "both" && got != x.label {
					t.Logf("wanted %q, got %q: %s", x.label, got, x.text)
				}
			}
			fmt.Fprintf(&table, "%-5s %-5s %5d %5d %6d %6d %10.3f %7.3f %6.3f %10d\n", half, lang, s.hit+s.miss, s.false+s.right, s.miss, s.false, s.precision(), s.recall(), s.f1(), kind)
			if lang == "both" && s.precision() < 0.97 {
				t.Errorf("half %s: precision %.3f (0.97 wanted)", half, s.precision())
			}
		}
	}
	holdGolden(t, "rules.golden", table.String())
}

// TestRules holds what the issue and its sources name.
func TestRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Trigger{
		"never commit to main":                                               Constraint,
		"not sqlite but postgres":                                            Preference,
		"always use pnpm here":                                               Preference,
		"앞으로는 lodash 쓰지 마":                                                   Constraint,
		"커밋 메시지는 반드시 영어로":                                                    Constraint,
		"main에 직접 커밋하지 마":                                                    Constraint,
		"Fix the parser bug.\nAnd from now on never push without asking me.": Constraint,
		"- never commit to main\n- always use pnpm here":                     Constraint,
		"Use pnpm, not npm. Thanks!":                                         Preference,

		"I want you to fix the parser bug now":      "",
		"there must be a better way":                "",
		"I must say this looks great":               "",
		"Casino, great place":                       "",
		"the auth test actually passes now":         "",
		"the function must return null":             "",
		"Fix the parser. Use pnpm, not npm, thanks": "", // perhaps only for this
		"`never commit to main`":                    "",
		"\"never commit to main\" is what it says":  "",
		"> never commit to main\nis this still so?": "",
		"never push": "", // too short to say what for
		"never commit to main" + strings.Repeat(". And so on and on", 120): "",
		"": "",
	} {
		got, evidence := ruleIn(text)
		if got != want || (evidence == "") != (want == "") {
			t.Errorf("%q: %q (%q), want %q", text, got, evidence, want)
		}
	}
}

func TestLengthCountsHangulByItsLetters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"never commit to main":         true,
		"never commit to mai":          false,
		"main에 커밋하지 마":                 true,
		"하지 마세요":                       false,
		strings.Repeat("가나다라 ", 400):   true,  // 2,000 characters, whatever their letters; the last is a space
		strings.Repeat("가나다라마", 401):   false, // 2,005
		strings.Repeat("a", maxRule):   true,
		strings.Repeat("a", maxRule+1): false,
	} {
		if sized(text) != want {
			t.Errorf("%.30q: %v", text, !want)
		}
	}
}

// TestOneMessageOneCandidate holds the order: what went wrong, then rules, then friction.
func TestOneMessageOneCandidate(t *testing.T) {
	t.Parallel()
	const secret = "always use api_key=sk_live_51HxQ0aZb7GkPq93nVw for the staging gateway"
	for text, want := range map[string]Candidate{
		"it broke again, the login test fails. Never commit to main without running it": {
			Trigger: Complaint, Rules: []string{"Never commit to main without running it"},
		},
		"record this lesson: check the allowlist.\nAlways use the repo's logger instead of print.": {
			Trigger: Record, Kind: lessons.Preference, Rules: []string{"Always use the repo's logger instead of print."},
		},
		"Never commit to main.\n- Always use pnpm here.": {
			Trigger: Constraint, Kind: lessons.Policy, Title: "Never commit to main", Rules: []string{"Never commit to main.", "Always use pnpm here."},
		},
		"always use pnpm here": {Trigger: Preference, Kind: lessons.Preference, Title: "always use pnpm here", Rules: []string{"always use pnpm here"}},
		secret:                 {},
	} {
		d := NewDetector(Options{})
		got, ok := d.Observe(Message{At: noon, SessionID: "s", Text: text})
		if got.Trigger != want.Trigger || got.Kind != want.Kind || ok != (want.Trigger != "") || !slices.Equal(got.Rules, want.Rules) || want.Title != "" && got.Title != want.Title {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
		if trigger, _, ok := d.Classify(text); trigger != want.Trigger || ok != (want.Trigger != "") {
			t.Errorf("Classify(%q) = %q", text, trigger)
		}
	}
}

func TestTwoRulesInAMinuteAreTwo(t *testing.T) {
	t.Parallel()
	d := NewDetector(Options{})
	for i, text := range []string{"never commit to main", "never push without asking me"} {
		if c, ok := d.Observe(Message{At: noon.Add(time.Duration(i) * time.Second), SessionID: "s", Text: text}); !ok || c.Trigger != Constraint {
			t.Errorf("%q: %+v, %v", text, c, ok)
		}
	}
	// The same rule said again within ten minutes is the same candidate.
	if c, ok := d.Observe(Message{At: noon.Add(time.Minute), SessionID: "s", Text: "never commit to main"}); ok {
		t.Errorf("%+v", c)
	}
}

// TestARuleIsNoRepeatedRequest: a rule said three times is that rule.
func TestARuleIsNoRepeatedRequest(t *testing.T) {
	t.Parallel()
	const text = "never commit generated protobuf clients to main"
	for i, c := range talk(NewDetector(Options{}), "s", text, text, text) {
		if c.Trigger != Constraint {
			t.Errorf("%d: %+v", i, c)
		}
	}
}

func FuzzRules(f *testing.F) {
	for _, x := range ruleSentences(f) {
		f.Add(x.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules := rulesOf(sentences(text))
		if len(rules) > maxRules {
			t.Errorf("%d rules in %q", len(rules), text)
		}
		for _, r := range rules {
			if strings.TrimSpace(r.sentence) == "" || !strings.Contains(terms.Normalize(text), strings.TrimSpace(r.sentence)) {
				t.Errorf("%q is not in %q", r.sentence, text)
			}
		}
	})
}

// TestEveryRulePatternCompiles, since they are compiled when first needed, and has a cue.
func TestEveryRulePatternCompiles(t *testing.T) {
	t.Parallel()
	for _, g := range ruleGrammars() {
		for _, p := range g.phrases {
			if p.pattern(); len(p.cues) == 0 {
				t.Errorf("every message is matched against %s", p.pattern())
			}
		}
	}
}
