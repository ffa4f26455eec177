package leaks

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// samples returns texts that hold a secret each: every shape of testdata/secrets.txt with every kind of secret.
func samples(t *testing.T) (texts, secrets []string) {
	t.Helper()
	src, err := os.ReadFile("../../testdata/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := false
	for line := range strings.Lines(string(src)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\n`, "\n")
		if strings.HasPrefix(line, "#") {
			words = line == "# words"
			continue
		}
		kinds := []string{"hunter2Zq%dx9", "qW!r%d4#Tz", "Zt7Lr8Wp%d5Yc1Nb4Hs6"}
		if words {
			kinds = append(kinds, "swordfishes"+strings.Repeat("q", len(texts)%7))
		}
		if strings.Contains(line, "://") {
			kinds = append(kinds, "p@ss%d@w0rd")
		}
		for _, k := range kinds {
			secret := k
			if strings.Contains(k, "%d") {
				secret = fmt.Sprintf(k, 100+len(texts))
			}
			texts, secrets = append(texts, strings.ReplaceAll(line, "{}", secret)), append(secrets, secret)
		}
	}
	return texts, secrets
}

// TestShapes: each is found, alone, in a sentence of either language and in a log's line, and once redacted there is nothing more to find.
func TestShapes(t *testing.T) {
	texts, secrets := samples(t)
	if len(texts) < 200 {
		t.Errorf("%d samples", len(texts))
	}
	for i, text := range texts {
		for _, in := range []string{
			text, "please look:\n" + text + "\nit fails again", "이거 봐줘\n\n" + text + "\n\n또 안 돼", "\t" + text + "\r\n",
			"> " + strings.ReplaceAll(text, "\n", "\n> "), "@@ -1 +1 @@\n+" + strings.ReplaceAll(text, "\n", "\n+"),
		} {
			got := Redact(in)
			if strings.Contains(got, secrets[i]) || !strings.Contains(got, redacted) {
				t.Errorf("Redact(%q) = %q", in, got)
			} else if again := Redact(got); again != got {
				t.Errorf("Redact(%q) = %q", got, again)
			}
		}
	}
}

// TestFindColoured: colours of a terminal stand between no name and its secret.
func TestFindColoured(t *testing.T) {
	if got := Redact("\x1b[31mpassword\x1b[0m=\x1b[1;32mXk29sd8fQz\x1b[0m"); got != "password="+redacted {
		t.Errorf("got %q", got)
	}
}

// TestFindEnds: texts that are made to be slow take seconds, not hours and all memory.
func TestFindEnds(t *testing.T) {
	for _, unit := range []string{"pass:", "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5 ", "-----BEGIN PRIVATE KEY-----"} {
		spans := Find(strings.Repeat(unit, 300<<10/len(unit)))
		if want := unit != "pass:"; (len(spans) > 0) != want {
			t.Errorf("%q: %d found", unit, len(spans))
		}
	}
}
