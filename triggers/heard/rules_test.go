package heard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ruleIn returns what a message lays down, and its first rule.
func ruleIn(text string) (k Kind, rule string) {
	k, strength, rules := rulesOf(own(text), false)
	if strength != Plain {
		return "", ""
	}
	return k, strings.Join(rules, "\n")
}

// TestRules holds what the issue and its sources name.
func TestRules(t *testing.T) {
	for text, want := range map[string]Kind{
		"never commit to main":                                               Constraint,
		"not sqlite but postgres":                                            Preference,
		"always use pnpm here":                                               Preference,
		"앞으로는 lodash 쓰지 마":                                                   Constraint,
		"커밋 메시지는 반드시 영어로":                                                    Constraint,
		"main에 직접 커밋하지 마":                                                    Constraint,
		"Fix the parser bug.\nAnd from now on never push without asking me.": Constraint,
		"- never commit to main\n- always use pnpm here":                     Constraint,
		"Use pnpm, not npm. Thanks!":                                         Preference,
		"always open a PR first":                                             Preference,
		"we only use rem for sizes":                                          Preference,
		"앞으로는 pnpm만 써":                                                       Preference,
		"any는 절대 쓰지 말라고 몇 번 말했잖아":                                            Constraint,
		"비밀 값은 절대 커밋하지 말라니까":                                                 Constraint,
		"로그는 항상 logger로 남겨":                                                  Preference,

		"I want you to fix the parser bug now":      "",
		"there must be a better way":                "",
		"we only use this in the admin page":        "",
		"고객이 항상 로고를 넣으라고 했어":                        "",
		"이거 앞으로는 어떻게 써":                             "",
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

// sentence is a line of a file in testdata/triggers: what a person might type, and what it is.
type sentence3 struct {
	label, lang, text string
}

func sentencesOf(t *testing.T, name string) []sentence3 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "triggers", name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sentence3
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.SplitN(line, "\t", 4)
		if len(f) != 4 {
			t.Fatalf("%s.tsv:%d: %q", name, i+2, line)
		}
		out = append(out, sentence3{f[0], f[1], strings.ReplaceAll(f[3], `\n`, "\n")})
	}
	return out
}

// TestRegression holds how a thousand made-up sentences are judged to a golden file, so that a change shows in review. They were written to try phrases
// out, by people who knew what was wanted: they show that nothing is lost, and nothing of how good it is. learn_test.go measures that on real messages.
func TestRegression(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-10s %-4s %5s %6s %6s %6s\n", "set", "label", "lang", "all", "plain", "hint", "none")
	for _, set := range []string{"complaint", "record", "rules"} {
		rows := map[string][3]int{}
		var order []string
		for _, s := range sentencesOf(t, set) {
			key := fmt.Sprintf("%-10s %-10s %-4s", set, s.label, s.lang)
			if _, ok := rows[key]; !ok {
				order = append(order, key)
			}
			n := rows[key]
			var strength Strength
			if set == "rules" {
				if k, _ := ruleIn(s.text); k != "" {
					strength = Plain
				}
			} else {
				j := Judge(s.text, Context{})
				if is := j.Kind == Record; is == (set == "record") && j.Kind != "" && j.Kind != Preference && j.Kind != Constraint {
					strength = j.Strength
				}
			}
			switch strength {
			case Plain:
				n[0]++
			case Hint:
				n[1]++
			default:
				n[2]++
			}
			rows[key] = n
		}
		for _, key := range order {
			n := rows[key]
			fmt.Fprintf(&b, "%s %5d %6d %6d %6d\n", key, n[0]+n[1]+n[2], n[0], n[1], n[2])
		}
	}
	golden := filepath.Join("..", "..", "testdata", "quality", "heard.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("the figures changed; rewrite the golden file with -update\n%s", b.String())
	}
}
