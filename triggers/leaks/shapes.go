package leaks

import (
	"slices"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// shape is a pattern of secrets, tried where a text holds one of its words in lower case: at each of them if the pattern begins so (head), else on all of
// the text. Its first group is the name, the second what stands between name and value; the first of the others that holds something is the secret.
// Without groups the whole match is.
type shape struct {
	words   words
	head    bool
	pattern lazyregexp.Regexp
	is      func(m match) bool // whether it is one; nil: always
}

// match is what a shape found.
type match struct {
	name, between, value string
	quoted               bool
	rest                 string // of the text, behind the value
}

const (
	digits     = "0123456789"
	symbols    = "!@#$%^&*+=?~|"
	minTelling = 8
	maxMatch   = 4 << 10 // bytes
	// maxAgain is how many bytes of a text are looked at for nothing before it is looked at in less detail: hours otherwise, of a text that is made for it.
	maxAgain   = 1 << 20
	shortMatch = 256 // bytes; then

	// vendors are how some services write their keys: Google, Notion, Sentry, Docker, Tailscale, Groq, xAI, Replicate, Supabase, Stripe, Netlify,
	// Fireworks, E2B, Render, Figma, Jina, NVIDIA, Tavily, Discord, Mailgun, Mailchimp. Most have 30 characters and more.
	vendors = `\bGOCSPX-[\w-]{16,}|\bya29\.[\w.-]{16,}|\b(?:secret|ntn|gsk|r8|nfp|fw|e2b|rnd|figd|jina)_[A-Za-z0-9]{20,}|\bsntrys_[\w=+/.-]{20,}|\bdckr_(?:pat|oat)_[\w-]{16,}` +
		`|\b(?:nvapi|tvly)-[\w-]{20,}|\b1//0[\w-]{30,}|\bdiscord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}` +
		`|\btskey-[a-z]+-[\w-]{12,}|\bxai-[A-Za-z0-9]{20,}|\bsbp_[a-f0-9]{20,}|\bwhsec_[\w+/=]{20,}|\bkey-[a-f0-9]{32}\b|\b[a-f0-9]{32}-us\d{1,2}\b`

	// The groups of a value: in quotes of some kind, or bare.
	quoted = `(?:\\*"([^"\n]{3,})"|\\*'([^'\n]{3,})'|` + "`([^`\n]{3,})`" + `|[“‘「『]([^”’」』\n]{3,})[”’」』]|«\s*([^»\n]{3,}?)\s*»|`
	value  = quoted + `([^\s"'` + "`" + `“‘「『«]{3,}))`
	// The names of values. A password is one in whatever words, the others need to look like it.
	strong = `password|passwd|passphrase|passcode|pwd|secret|` + foreign + `|비밀번호|비번|암호|패스워드`
	// foreign is what a password is called in German, French, Spanish, Portuguese, Russian, Japanese and Chinese.
	foreign = `passwort|kennwort|mot\s+de\s+passe|contraseñas?|senha|пароль|パスワード|暗証番号|密码|密碼|口令`
	weak    = `token|credentials?|(?:api|access|private|secret|auth|encryption|signing|account|master)[_ -]?key(?:[_-]?id)?|_auth|토큰|시크릿|(?:api|인증|액세스|접근) ?키`
	// clients are programs that take a password with a flag of one letter.
	clients = `\b(?:sshpass|redis-cli|sqlcmd|bcp|isql|(?:docker|podman|buildah|skopeo|oc|az|cf|helm registry) login|mongo\w*|ldap\w+|unzip|zip)\b[^\n|;&]*?\s-[apwP]\s*`
)

// namesOf are how the names of values begin.
var namesOf = words{"kennwort", "mot de passe", "contrase", "senha", "пароль", "パスワード", "暗証番号", "密码", "密碼", "口令", "pass", "pwd", "pw", "secret", "token", "key", "credential", "api", "access", "private", "auth", "encryption", "signing", "account", "master", "_auth", "비밀번호", "비번", "암호", "패스워드", "토큰", "시크릿", "인증", "액세스", "접근"}

var shapes = []shape{
	{words{"-----begin"}, false, lazyregexp.New(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)`), nil},
	{words{"://"}, true, lazyregexp.New(`^(://)([^\s:/@"'<>]*:)([^\s"'<>` + "`" + `]+)@`), match.inURL},
	{words{"://"}, true, lazyregexp.New(`^(://)()([A-Za-z0-9_-]{20,})@`), match.likely},
	{words{"akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "aiza", "eyj", ":aa"}, false, lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|\b\d{8,10}:AA[A-Za-z0-9_-]{30,}`), nil},
	{words{"gocspx-", "ya29.", "secret_", "ntn_", "sntrys_", "dckr_", "tskey-", "gsk_", "xai-", "r8_", "sbp_", "whsec_", "nfp_", "key-", "-us", "fw_", "e2b_", "rnd_", "figd_", "jina_", "nvapi-", "tvly-", "1//0", "/webhooks/"}, false, lazyregexp.New(`()()(` + vendors + `)`), match.likely},
	{words{"sk-"}, true, lazyregexp.New(`^(sk-)()([A-Za-z0-9_-]{20,})`), match.apart},
	{words{"bearer", "basic", "token"}, true, lazyregexp.New(`(?i)^(bearer|basic|token)(\s+)([A-Za-z0-9._~+/=-]{16,})`), match.apart},
	// Headers.
	{words{"authorization"}, false, lazyregexp.New(`(?i)\b(authorization)\\*["'` + "`" + `]?(\s*[:=：＝,]\s*\\*["'` + "`" + `]?(?:(?:bearer|basic|token|digest|apikey|negotiate|key)\s+)?)([^\s"'` + "`" + `,\\]{6,})`), match.header},
	{words{"cookie"}, false, lazyregexp.New(`(?i)\b((?:set-)?cookie)\\*["']?(\s*[:：]\s*\\*["']?)([\w.-]+=[^\s;"'\\]{4,}[^"'\n\\]*)`), match.header},
	{words{"curl"}, false, lazyregexp.New(`(?i)\b(curl)\b([^\n]*?\s(?:-b|--cookie)[\s=]*["']?)([\w.-]+=[^\s"']{4,}[^"'\n]*)`), nil},
	// Commands.
	{namesOf, true, lazyregexp.New(`(?i)^(password|passwd|passphrase|pass|pwd|pw|token|secret|key)["']?(\s*=\s*|,?[ \t]+\\?\n?\s*)` + value), match.option},
	{words{"mysql", "mariadb", "7z"}, false, lazyregexp.New(`\b((?:mysql|mariadb)\S*|7z\S*)(\b[^\n|;&]*?\s-p)["']?([^\s"'-][^\s"']{2,})`), match.literal},
	{words{"sshpass", "redis-cli", "sqlcmd", "bcp", "isql", "login", "mongo", "ldap", "zip"}, false, lazyregexp.New(`(` + clients + `)()` + value), match.literal},
	{words{"curl", "http", "wget", "-u"}, false, lazyregexp.New(`(?i)\b(curl|https?|wget|xh)\b([^\n]*?\s(?:-[a-z]*u|--(?:proxy-)?user|-a|--auth)[ =]?["']?[^\s:"'/]*:)([^\s"']{3,})`), match.literal},
	{words{"lftp"}, false, lazyregexp.New(`\b(lftp)\b([^\n]*?\s-u\s*["']?[^\s,"']+,)([^\s"']{3,})`), match.literal},
	{words{"htpasswd"}, false, lazyregexp.New(`\b(htpasswd)(\s+(?:-\w+\s+)*?-\w*(?:nb|bn)\w*\s+\S+\s+|\s+(?:-\w+\s+)*?-\w*b\w*\s+(?:-\w+\s+)*\S+\s+\S+\s+)` + value), match.literal},
	{words{"set -", "setx", "config set", "configure set"}, false, lazyregexp.New(`(?i)\b(?:set(?:x|(?:\s+-{1,2}[\w-]+)+)|config(?:ure)?\s+set)\s+(\S*(?:` + strong + `|` + weak + `|pass|pw)\w*)(\s+|=)` + value), match.set},
	{words{"expect"}, false, lazyregexp.New(`(?i)\b(expect\b[^\n]*(?:assw|assphrase|secret)[^\n]*?)([\s>+-]*\{?\s*send(?:_user)?\s+(?:--\s+)?)["{]([^"\n}]{3,}?)(?:\\[rn])*["}]`), match.literal},
	{words{"?sig=", "&sig=", "-signature="}, false, lazyregexp.New(`(?i)[?&](sig|x-(?:amz|goog)-signature)(=)([^\s&"'<>#]{8,})`), match.literal},
	{words{"smbclient", "rpcclient", "cifs", "mount"}, false, lazyregexp.New(`\b(smbclient|rpcclient|net)\b([^\n]*?\s-U\s*["']?[^\s%"']+%)([^\s"']{3,})`), match.literal},
	{words{"sudo -s", "--password-stdin"}, false, lazyregexp.New(`(?i)\b(echo|printf)(\s+(?:-\w+\s+)?)(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'|]{3,}))\s*\|[^\n|]*(?:sudo\s+-S|--password-stdin)`), match.literal},
	{words{"pass:"}, false, lazyregexp.New(`(\bpass)(:)([^\s"']{3,})`), match.likely},
	{words{"identified", "password"}, false, lazyregexp.New(`(?i)\b(identified\s+by|(?:with|set|encrypted)\s+password)(\s+)(?:'([^'\n]{3,})'|"([^"\n]{3,})")`), match.literal},
	// Files.
	{words{"login", "user"}, false, lazyregexp.New(`(?i)\b((?:login|user|username)[\s>+-]+\S+[\s>+-]+(?:(?:and|with)\s+)?(?:password|passwd|pass|pw))([\s>+-]+)` + value), match.login},
	{words{":5432:", ":*:", ":3306:"}, false, lazyregexp.New(`(?m)(^|[\s'"+>])([\w.*-]+:(?:\d{4,5}|\*):[^:\s]*:[^:\s]*:)([^\s:"']{4,})`), match.literal},
	{words{"passw", "pwd", "secret", "token", "key", "pass", "비밀번호"}, false, lazyregexp.New(`(?i)<((?:[\w.-]+:)?[\w.-]*(?:` + strong + `|` + weak + `|pass))(?:\s[^<>]*)?(>\s*)(?:<!\[CDATA\[)?([^<>\s][^<>\n]{2,}?)(?:\]\]>)?\s*</`), match.element},
	{words{"passw", "pwd", "secret", "token", "key"}, false, lazyregexp.New(`(?i)\b(?:key|name|id)\\*["']?\s*[:=]\s*\\*["']?[\w.-]{0,60}(` + strong + `|token|api[_-]?key)[\w.-]{0,60}\\*["']?(,?\s+value=|,?[\s>+-]*\\*["']?value\\*["']?:\s*)` + value), match.assigned},
	// Assignments and sentences.
	{words{"passphrase"}, false, lazyregexp.New(`(?i)\b(passphrase)(\s*(?:[:=]|is|was|to)\s*["'` + "`" + `]?)((?:[a-z]+[ -]){2,9}[a-z]+)(?:["'` + "`" + `.!\n]|$)`), match.phrase},
	{namesOf, true, lazyregexp.New(`(?i)^(password|passwd|passphrase|passcode|pwd|` + foreign + `|비밀번호|비번|암호|패스워드)(\s?[(（])(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'()（）]{4,}))[)）]`), match.bracketed},
	{namesOf, true, lazyregexp.New(`(?i)^(` + foreign + `)((?:\s+\S+){0,3}?\s*(?:[:：=]|\s(?:ist|lautet|est|es|é|è|это)\s|は|が|を|是|为|為|改成|改为)\s*[:：]?\s*)` + quoted + `([!-~]{3,}))`), match.foreign},
	{namesOf, true, lazyregexp.New(`(?i)^((?:` + strong + `|` + weak + `|pass|pw)\d*(?:_(?:key|base|prod|dev|test|staging|value|\d+)){0,2})(?:\s?\([^()\n]{0,20}\))?\\*["'` + "`" + `*)\]]{0,4}(\s*(?::=|=>|={1,3}|[:：＝])[ \t*]*(?:(?:[>|][-+]?)?[ \t]*\n[\s>+-]*(?:` + "```" + `\w*\s+)?)?)` + value), match.assigned},
	{namesOf, true, lazyregexp.New(`(?i)^(passw(?:or)?d|passphrase|passcode|pwd|pw|secret|token|api[ _-]?key|access key|credential)((?:\s+(?:for|of|on|at)(?:\s+\S+){1,4}?)?\s+(?:is|was|to|will be|should be|are)(?:\s+(?:now|still|just|set to|changed to|actually))?\s*:?\s*)` + value), match.sentence},
	{words{"password"}, false, lazyregexp.New(`(?i)\b((?:with|use|using|the|try)\s+password)(\s+)` + value), match.sentence},
	{namesOf, true, lazyregexp.New(`(?i)^(비밀번호|비번|암호|패스워드|토큰|시크릿|(?:api|인증|액세스|접근) ?키)(\s?(?:\([^()\n]{0,20}\))?(?:는|은|이|가|를|을|로)?\s*(?:[:：=＝→]|지금|현재|그냥)?\s*)` + quoted + `([!-~]{3,}))`), match.korean},
}

// find returns where a shape's secrets stand in a text; lower is the text in lower case.
func (s *shape) find(text, lower string) (out []Span) {
	again := 0
	if !s.head {
		for from := 0; from < len(text); {
			at := s.pattern().FindStringSubmatchIndex(text[from:])
			if at == nil {
				break
			}
			span, ok := s.judge(text, from, at)
			if ok {
				out = append(out, span)
			}
			again += at[1]
			if from += max(at[1], 1); !ok && again < maxAgain { // within may be another's name
				from = max(span.From, from-max(at[1], 1)+1)
			}
		}
		return out
	}
	end := 0
	for _, from := range s.words.where(lower) {
		if from < end {
			continue
		}
		most := maxMatch
		if again += maxMatch; again > maxAgain {
			most = shortMatch
		}
		if at := s.pattern().FindStringSubmatchIndex(text[from:min(len(text), from+most)]); at != nil {
			if span, ok := s.judge(text, from, at); ok {
				out, end = append(out, span), span.To
			}
		}
	}
	return out
}

// judge returns the secret of a match, and whether it is one.
func (s *shape) judge(text string, from int, at []int) (Span, bool) {
	span, m := Span{from + at[0], from + at[1]}, match{}
	if len(at) > 2 {
		before := text[:from+max(at[2], 0)]
		m.name = before[len(strings.TrimRightFunc(before, ofName)):] + part(text[from:], at[2], at[3])
		m.between = part(text[from:], at[4], at[5])
		for g := 6; g < len(at); g += 2 {
			if at[g] >= 0 {
				span, m.quoted = Span{from + at[g], from + at[g+1]}, g+2 < len(at)
				break
			}
		}
		span.To = span.From + len(strings.TrimRight(text[span.From:span.To], `.,;:)]}>\`))
		m.value, m.rest = text[span.From:span.To], text[span.To:]
	}
	return span, m.value != "" && (s.is == nil || s.is(m)) || len(at) == 2
}

// ofName reports whether a character may stand in the name of a variable.
func ofName(c rune) bool {
	return c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) || c == '_' || c == '-' || c == '.'
}

func part(text string, from, to int) string {
	if from < 0 {
		return ""
	}
	return text[from:to]
}

var (
	// blank matches what stands for a value, and words that say what one is like.
	blank = lazyregexp.New(`(?i)^(?:\$[a-z_{(].*|[%#@]?\{.*|%[a-z(].*|<.*|\[.*|.*\[redacted\].*|\w{0,12}\*{3,}|\.{2,}.*|x{3,}|-+|_+|[A-Z]+_?(?:HERE|NAME)|your[-_ ]?.*|string|str|text|bool(?:ean)?|int(?:eger)?|float|byte|bytes|uint\d*|number|object|array|any|true|false|none|null|nil|undefined|void|required|optional|empty|missing|invalid|incorrect|wrong|expired|valid|correct|unknown|default|auto|yes|no|on|off|set|unset|changed?|reset|used|sent|stored|saved|hidden|input|value|option|flag|argument|field|prompt|file|path|env(?:ironment)?|name|user(?:name)?|admin|here|the|this|that|these|with|from|for|and|not|too|must|should|can|will|has|was|were|when|where|which|via|into|only|also|plaintext|plain|hashed|encrypted|bcrypt|argon2(?:id)?|pbkdf2|scrypt|sha-?\d+|md5|aes-?\d*(?:-\w+)*|rsa-?\d*|hmac.*|[rhe]s\d{3}|jwt|oauth2?|oidc|saml|base64|utf-?8|https?|ssl|tls|ssh|localstorage|sessionstorage|redis|postgres(?:ql)?|mysql|vault|keychain|keytar|dotenv|process|self|ctx|req|res|err|\d+ ?(?:자리|글자|자|characters?|chars?)\S*|api@\d+|0x[0-9a-f]+)$`)
	// code matches what is no word but an expression.
	code = lazyregexp.New(`^(?:[&*!@]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[(\[{<]|[A-Za-z_$]+(?:(?:\.|::|->|\?\.)[A-Za-z_$]+)+$|\*?[a-z]+\.[A-Z]\w*$|[=({|&:/]|\.[a-z/]|\w+=>|lambda$|func|new$|await$|\*[a-z]+$)`)
	// itself matches a value that is the name of one: "userPassword", "Enter your password".
	itself = lazyregexp.New(`(?:^|[^A-Za-z])(?i:password|passwd|passphrase|pwd|pass|token|secret|key|pw)s?(?:[^a-z]|$)|[a-z0-9](?:Password|Passwd|Pwd|Pass|Token|Secret|Key|Pw)s?(?:[A-Z]|$|_)|비밀번호|암호|토큰|패스워드`)
	// caps matches what a manual writes for one, and one a single word.
	caps = lazyregexp.New(`^[A-Z_-]*(?:TOKEN|KEY|PASS|SECRET|YOUR|HERE|NAME|[A-Z]_[A-Z])[A-Z_-]*$`)
	one  = lazyregexp.New(`^(?:[a-z]+(?:-[a-z]+)*|[A-Z][a-z]+|\p{Hangul}+)$`)
	// goesOn matches what follows a word that was said to be the password.
	goesOn = lazyregexp.New(`^ (?:and|but|to|for|on|at|so)\b`)
	// shell matches the name of a variable of the environment.
	shell = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
	// state matches the end of English words that say what a password is like.
	state  = lazyregexp.New(`(?i)(?:ed|ing|ent|ant|able|ible|al|ly|ong|ect|ort|ew|old|ure|ory|ary|ful|less|ous|ive|id|en|ate|ad|ak|name|\bsame|er|ext|ot|ull|lank|ic|ty|ity|at|ll|re|th)$`) //nolint:misspell // endings of words
	formal = lazyregexp.New(`^\s*(?:です|だ|でした|にしました|に変更|입니다|이에요|예요|이예요|이야|야|임|이고|인데|이며|라고|으로|로 (?:바|설|변))`)
)

// has tells what a value is made of.
func (m match) has() (digit, letter, symbol bool) {
	for _, r := range m.value {
		digit, letter = digit || unicode.IsDigit(r), letter || unicode.IsLetter(r)
		symbol = symbol || strings.ContainsRune(symbols, r)
	}
	return digit, letter, symbol
}

func (m match) strong() bool { return strongName().MatchString(m.name) }

// strongName matches the name of a password, bounded the end of another word ("compass"), camel that of a name.
var (
	strongName = lazyregexp.New(`(?i)` + strong + `|(?:^|[^a-z])(?:pass|pw)|(?-i:[a-z0-9](?:Pass|Pw))`)
	bounded    = lazyregexp.New(`(?i)[a-z](?:pass|pw)\d*$`)
	camel      = lazyregexp.New(`[a-z0-9](?:Pass|Pw)\d*$`)
)

// literal reports whether a value stands for itself.
func (m match) literal() bool { return !blank().MatchString(m.value) && !caps().MatchString(m.value) }

// likely reports whether a value looks made up.
func (m match) likely() bool {
	digit, letter, symbol := m.has()
	return m.literal() && letter && (digit || symbol)
}

// apart: and does not go on a word.
func (m match) apart() bool {
	return m.likely() && !strings.ContainsAny(m.name, "-_.") || m.likely() && strings.HasPrefix(m.name, "sk-")
}

// inURL: a port is no password.
func (m match) inURL() bool {
	port, path, found := strings.Cut(m.value, "/")
	return m.literal() && (!found || strings.Trim(port, digits) != "" || path == "" && port == "")
}

func (m match) header() bool {
	digit, _, symbol := m.has()
	return m.literal() && !code().MatchString(m.value) && (digit || symbol || strings.ContainsAny(m.between, "abcdefghijklmnopqrstuvwxyzBTDANK"))
}

// option: "--token string" is what a manual says.
func (m match) option() bool {
	digit, _, symbol := m.has()
	m.name = strings.ToLower(m.name)
	switch {
	case m.name[0] != '-' && !strings.Contains(m.name, "--") || !m.literal() || m.value[0] == '-' || !m.quoted && code().MatchString(m.value) || itself().MatchString(m.value) && !digit:
		return false
	case digit || symbol || m.quoted && !strings.Contains(m.value, " "):
		return !strings.HasSuffix(m.name, "-key") || digit && !strings.Contains(m.value, "/")
	}
	return !strings.HasSuffix(m.name, "key") && (strings.Contains(m.between, "=") || strings.ToUpper(m.value) != m.value && !state().MatchString(m.value))
}

// login: of netrc, or of a sentence.
func (m match) login() bool {
	who := strings.FieldsFunc(m.name, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(">+-", c) })[1]
	m.name, m.between = "--"+m.name, " "
	return m.option() && (m.likely() || strings.HasPrefix(strings.ToLower(m.name), "--login") && !slices.Contains([]string{"and", "with", "or", "the", "your"}, who))
}

// element: what stands in a tag of XML.
func (m match) element() bool {
	digit, _, symbol := m.has()
	return m.literal() && (digit || symbol || m.strong() && !itself().MatchString(m.value))
}

func (m match) assigned() bool {
	digit, letter, symbol := m.has()
	tight := strings.TrimSpace(m.between) == m.between
	next := strings.Contains(m.between, "\n")
	switch {
	case next && m.quoted && strings.Contains(m.between, "value") && m.literal() && m.word():
		return true
	case !m.literal(), len(m.value) < 4 && (!m.strong() || !digit), bounded().MatchString(m.name) && !camel().MatchString(m.name), m.name == "PASS" && m.between[0] != '=', m.name == "PWD", m.name == "OLDPWD":
		return false // "PASS: TestIt" is what tests print, PWD a folder
	case tight && m.between == "=" && shell().MatchString(m.name): // DB_PASS=…
		return !strings.HasPrefix(m.value, "/") && (m.strong() || len(m.value) >= 6)
	case !m.quoted && code().MatchString(m.value), itself().MatchString(m.value) && !digit:
		return false
	case next && !m.quoted:
		line, _, _ := strings.Cut(m.rest, "\n")
		if strings.Trim(line, " \t`*") != "" {
			return false
		}
		named := strings.Contains(m.between, "value") // name: API_KEY, value: …
		return (digit || symbol) && (m.strong() || len(m.value) >= 8 && letter) || (m.strong() || named) && m.word()
	case !letter && len(m.value) < 4:
		return false
	case m.strong():
		end, _, _ := strings.Cut(m.rest, "\n")
		return digit || symbol || m.name != "pass" && (m.quoted || tight && m.between == "=" || one().MatchString(m.value) && (strings.Trim(end, " \t\r`") == "" || m.word() && strings.Trim(end, " \t\r`\"')") == "") && !strings.Contains(m.between, ":="))
	case len(m.value) >= 8 || tight && len(m.value) >= 6:
		return letter && (digit || symbol) && !strings.Contains(m.value, " ") && !strings.HasPrefix(m.value, "/")
	}
	return false
}

// word reports whether letters alone are no word that says what a password is like.
func (m match) word() bool {
	return len(m.value) >= 8 && one().MatchString(m.value) && !state().MatchString(m.value)
}

// set: "set -x NAME value", "configure set name value".
func (m match) set() bool { return m.literal() && !code().MatchString(m.value) && m.value[0] != '-' }

// bracketed: "the password (X)", not what it is like.
func (m match) bracketed() bool {
	digit, letter, symbol := m.has()
	return m.literal() && !code().MatchString(m.value) && !itself().MatchString(m.value) && (letter && (digit || symbol) || m.word() || m.quoted)
}

// foreign: in a sentence of another language a word of ASCII letters is seldom one of the language.
func (m match) foreign() bool {
	digit, letter, symbol := m.has()
	switch {
	case !m.literal(), !m.quoted && code().MatchString(m.value), itself().MatchString(m.value) && !digit:
		return false
	case digit || symbol:
		return len(m.value) >= 4 && letter
	}
	line, _, _ := strings.Cut(m.rest, "\n")
	alone := strings.Trim(line, " \t\r`*.!。！、") == ""
	return letter && !strings.Contains(m.value, " ") && (m.quoted || alone && m.word() || formal().MatchString(m.rest))
}

// phrase: words that are no sentence.
func (m match) phrase() bool {
	for _, word := range strings.FieldsFunc(m.value, func(c rune) bool { return c == ' ' || c == '-' }) {
		if strings.Contains(" a an and any are as at be been but by can code do for from has have how if in into is it its no not of on only or our so stored than that the then this to too used user was when which will with you your ", " "+strings.ToLower(word)+" ") {
			return false
		}
	}
	return m.literal()
}

// sentence: "the password is X", not what it is like.
func (m match) sentence() bool {
	digit, letter, symbol := m.has()
	switch strong := m.strong(); {
	case !m.literal() || code().MatchString(m.value) || itself().MatchString(m.value) && !digit:
		return false
	case digit || symbol:
		return len(m.value) >= 4 && (strong && (letter || symbol || len(m.value) > 4) || letter && len(m.value) >= 8)
	case m.quoted:
		return strong && !strings.Contains(m.value, " ")
	default:
		end := m.rest == "" || strings.ContainsAny(m.rest[:1], ".,;\n)")
		return strong && end && strings.Contains(m.between, "is") && len(m.value) >= 6 && !state().MatchString(m.value) ||
			m.word() && (end || goesOn().MatchString(m.rest)) && (strong || strings.TrimSpace(m.between) == "")
	}
}

func (m match) korean() bool {
	digit, letter, symbol := m.has()
	switch strong := m.strong(); {
	case !m.literal() || !m.quoted && code().MatchString(m.value) || itself().MatchString(m.value) && !digit || strings.HasPrefix(m.value, "--"):
		return false
	case digit || symbol:
		return len(m.value) >= 4 && (letter && (strong || len(m.value) >= 8) || strong)
	default:
		line, _, _ := strings.Cut(m.rest, "\n")
		return strong && letter && len(m.value) >= 4 && (m.quoted || formal().MatchString(m.rest) || strings.Trim(line, " \t\r`.!") == "" && m.word())
	}
}
