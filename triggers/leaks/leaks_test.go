package leaks

import (
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestRedact(t *testing.T) {
	for in, secret := range map[string]string{
		"export AWS_KEY=AKIAIOSFODNN7EXAMPLB":                                  "AKIAIOSFODNN7EXAMPLB",
		"password = hunter2hunter2":                                            "hunter2hunter2",
		`{"api_key": "abc123def456ghi789"}`:                                    "abc123def456ghi789",
		"Authorization: Bearer abcdefghijklmnopqrstuvwxyz":                     "abcdefghijklmnopqrstuvwxyz",
		"postgres://app:s3cr3tpw@db.local/app":                                 "s3cr3tpw",
		"token ghp_0123456789abcdefghijABCDEFGHIJ012345":                       "ghp_0123456789",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": "MIIE",
		"비밀번호: qwer1234!!":                                                     "qwer1234",
		"github_pat_0123456789abcdefghijk":                                     "0123456789",
		"it is gho_0123456789abcdefghijk":                                      "0123456789",
		"ASIA0123456789ABCDEF":                                                 "0123456789",
		"glpat-0123456789abcdefg":                                              "0123456789",
		"xoxb-0123456789abc":                                                   "0123456789",
		"sk-0123456789abcdefghijk":                                             "0123456789",
		"AIza0123456789abcdefghijklmnopqrstu":                                  "0123456789",
		"eyJ0123456789.0123456789.x":                                           "0123456789",
		"Basic 0123456789abcdefg=":                                             "0123456789",
		"DB_PWD=qwer1234":                                                      "qwer1234",
		"passphrase: 'all quiet here'":                                         "quiet",
		"bot 123456789:AAFakeTokenFakeTokenFakeTokenFake12":                    "AAFakeToken",
	} {
		if got := Redact(in); strings.Contains(got, secret) || !strings.Contains(got, redacted) {
			t.Errorf("Redact(%q) = %q", in, got)
		}
	}
	for _, in := range []string{
		"max_tokens: 4096", "token: string", "Password string `json:\"password\"`", "password := r.FormValue(\"password\")", "token = lexer.next()",
		"func (s *Server) Login(user, password string) error {", "const password = process.env.DB_PASSWORD", "password: req.body.password,", "DB_PASS=$DB_PASS", "PGPASSWORD=${PW:?}",
		"--- PASS: TestLogin/no#00 (0.00s)", "PASS: all 14 tests", "TestKeepsNoSecret: nothing is kept", "  --token string   the token (default: none)", "use --password to set it",
		"the password is required", "the token is expired", "Your password is hashed with bcrypt.", "if password == \"\" {", "password: \"Enter your password\"", "secretName: db", "secret:\n  name: db-1",
		"비밀번호는 필수입니다", "비밀번호는 bcrypt로 해싱합니다", "토큰은 JWT입니다", "비밀번호: 8자리 이상", "암호는 AES256으로 합니다", "http://localhost:4873/@scope/pkg", "git checkout -b fix=token",
		"curl -u $USER:$PASS https://x.local", "mysql -u root -p shop", "docker login -u ci", "Authorization: Bearer <token>", "Cookie: <session>", "<password></password>", "kubectl get secret db -o yaml",
		"PWD=/home/app make test", "libsecret-1-0:amd64 (0.20.5-3)", "SYS_MEMFD_SECRET = 447", "compass: heading2north", "stepId: 'pw:api@88'", "/sk-learn-pipeline-for-settings/",
		"No Firebase API key in the build at all.", "the password field is empty", "비밀번호 입력창이 안 보여요", "token count: 3", "keys and tokens are rotated", "see https://example.com/a?b=c",
	} {
		if got := Redact(in); got != in {
			t.Errorf("Redact(%q) = %q, want it whole", in, got)
		}
	}
	if got := Redact("a\u202eb\u200bc\x00d"); got != "abcd" {
		t.Errorf("invisible characters kept: %q", got)
	}
}

func TestFindByRules(t *testing.T) {
	const key, id, pat = "k9Xv3Qm7Zt2Lr8Wp5Yc1", "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "ghp_k9Xv3Qm7Zt2Lr8Wp5Yc1Nb4Hs6Dj1Gf0Ve8U"
	for _, c := range []struct{ name, in, want string }{
		{"a keyword and a pattern", `let heroku_key = "` + id + `"`, "generic-api-key " + id + "; heroku-api-key " + id},
		{"the group that a rule names", "sonar.login = squ_0123456789abcdef0123456789abcdef01234567", "sonar-api-token squ_0123456789abcdef0123456789abcdef01234567"},
		{"enough entropy", "api_key = " + key, "generic-api-key " + key},
		{"too little entropy", "api_key = a1a1a1a1a1a1a1a1a1a1", ""},
		{"letters alone", "api_key = SomeLongNameOfASetting", ""},
		{"a stop word", "api_key = " + key + "example", ""},
		{"a match that is no key", "api_version = " + key, ""},
		{"a line that is no assignment", "RUN --mount=type=secret,id=secret_token=" + key, ""},
		{"the same on another line", "RUN --mount=type=secret,id=a\napi_key = " + key + "\n", "generic-api-key " + key},
		{"AWS's own example", "AKIAIOSFODNN7EXAMPLE", ""},
		{"a variable", "api_key = ${API_KEY_OF_PRODUCTION2}", ""},
		{"a line that says so", "api_key = " + key + " # gitleaks:allow", ""},
		{"two, the longest first", "api_key = " + key + "\ntoken = " + pat, "generic-api-key " + pat + "; github-pat " + pat + "; generic-api-key " + key},
		{"a rule for one kind of file", `administrator_login_password = "wordy words"`, ""},
		{"nothing", "", ""},
	} {
		var got []string
		for _, f := range find(c.in, strings.ToLower(c.in)) {
			got = append(got, f.rule+" "+f.secret)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q holds %q, want %q", c.name, c.in, s, c.want)
		}
	}
}

// TestRules holds that every rule can be used, and that gitleaks' file says nothing that is
// not heeded here.
func TestRules(t *testing.T) {
	c := load()
	if len(c.Rules) < 200 {
		t.Errorf("%d rules", len(c.Rules))
	}
	c.AllowList.regexes()
	for _, r := range c.Rules {
		if n := r.regex().NumSubexp(); r.SecretGroup > n {
			t.Errorf("%s: the secret is group %d of %d", r.ID, r.SecretGroup, n)
		}
		all := slices.Clone(r.Keywords)
		for _, a := range r.Allowlists {
			a.regexes()
			all = append(all, a.StopWords...)
			if a.Condition != "" && len(a.Paths) == 0 {
				t.Errorf("%s: its allowlist may hold without a file", r.ID)
			}
		}
		for _, w := range all {
			if w != strings.ToLower(w) {
				t.Errorf("%s: %q is not in lower case", r.ID, w)
			}
		}
	}
	var file struct {
		Title, MinVersion string
		AllowList         keys
		Rules             []keys
	}
	if err := toml.NewDecoder(strings.NewReader(gitleaks)).DisallowUnknownFields().Decode(&file); err != nil {
		t.Fatal(err)
	}
	file.AllowList.known(t, "description", "paths", "regexes", "stopwords")
	for _, r := range file.Rules {
		r.known(t, "id", "description", "path", "regex", "keywords", "secretGroup", "entropy", "allowlists")
		lists, _ := r["allowlists"].([]any)
		for _, a := range lists {
			keys(a.(map[string]any)).known(t, "description", "condition", "paths", "regexTarget", "regexes", "stopwords")
		}
	}
}

// keys is a table of the file.
type keys map[string]any

func (k keys) known(t *testing.T, names ...string) {
	t.Helper()
	for name := range k {
		if !slices.Contains(names, name) {
			t.Errorf("gitleaks' %q is not heeded", name)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	line := `	if err := s.tokens.Refresh(ctx, user.ID, "https://auth.example.com/v1"); err != nil {`
	for _, c := range []struct{ name, text string }{{"line", line}, {"100kB", strings.Repeat(line+"\n", 100_000/len(line))}} {
		b.Run(c.name, func(b *testing.B) {
			Redact(c.text)
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Redact(c.text)
			}
		})
	}
}

// FuzzFind: spans lie in the text, in order and apart, and what is redacted once stays as it is.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"token=ghp_0123456789abcdefghij", "비밀번호는 hunter22 입니다", "postgres://u:p@ss@h/db", "-----BEGIN RSA PRIVATE KEY-----\nx", "<password>a</password>", "\xff\x00é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, s := range Find(text) {
			if s.From < at || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%v after %d of %d bytes", s, at, len(text))
			}
			at = s.To
		}
		once := Redact(text)
		if twice := Redact(once); twice != once {
			t.Errorf("%q, then %q", once, twice)
		}
	})
}
