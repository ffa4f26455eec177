package learn

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// ruleFiles are where a project keeps what agents must know, and what it learned the hard way.
var ruleFiles = []string{
	"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules",
	".cursor/rules/*.mdc", ".cursor/rules/*/*.mdc", ".windsurf/rules/*.md", ".clinerules/*.md", ".claude/rules/*.md",
	".github/copilot-instructions.md", ".github/instructions/*.md",
	"*[Pp]ost[-_ ]*ortem*.md", "*[Pp]ostmortem*.md", "docs/*[Pp]ost[-_ ]*ortem*.md", "docs/*[Pp]ostmortem*.md",
	"docs/[Pp]ost[-_]*ortems/*.md", "docs/[Pp]ostmortems/*.md",
}

const (
	// maxRules and maxRuleFile bound what is read: files, and bytes of each.
	maxRules, maxRuleFile = 200, 256 << 10
	// minRuleWords and maxRuleWords are how many words a line has that may be a rule.
	minRuleWords, maxRuleWords = 3, 40
	// maxNaming bounds a message that speaks of a file of rules, or in any sentence of a rule, in bytes: a longer one lists it among others.
	maxNaming = 600
	// sharedWords is how many words a sentence has in common with the rule that it repeats; of a file that it names, namedWords do.
	sharedWords, namedWords = 3, 2
)

// ruleFile is a file of rules.
type ruleFile struct {
	name  string // lower case, as people name it
	about triggers.Rule
	lines []triggers.Rule
}

var (
	ruleMarks = lazyregexp.New(`^(?:[-*+>#\s]|\[[ xX]\]|\d+[.)]\s)+`)
	ruleBold  = lazyregexp.New("\\*\\*|__")
	// ruleBlock matches what "handrail setup instructions" wrote.
	ruleBlock  = lazyregexp.New(`(?s)<!-- handrail:begin.*?handrail:end -->`)
	ruleHeader = lazyregexp.New(`(?s)\A---\n(.*?)\n---\n`)
	ruleAbout  = lazyregexp.New(`(?m)^description:[ "']*([^\n"']+)`)
	ruleHead   = lazyregexp.New(`(?m)^#+ +(.+)$`)
)

// rules reads the files of rules that a project has.
func (p *project) rules() (out []ruleFile) {
	for _, dir := range slices.Compact([]string{p.roots[0].top, p.roots[0].dir}) {
		for _, g := range ruleFiles {
			paths, _ := filepath.Glob(filepath.Join(escaped(dir), filepath.FromSlash(g))) // its patterns are well formed
			for _, path := range paths {
				if len(out) < maxRules {
					out = append(out, readRules(path)...)
				}
			}
		}
	}
	return out
}

func readRules(path string) []ruleFile {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // read only
	raw, err := io.ReadAll(io.LimitReader(f, maxRuleFile))
	if err != nil || !utf8.Valid(raw) {
		return nil
	}
	text := ruleBlock().ReplaceAllString(strings.ReplaceAll(string(raw), "\r\n", "\n"), "")
	r := ruleFile{name: strings.ToLower(filepath.Base(path))}
	head := ruleHeader().FindString(text)
	for _, says := range []lazyregexp.Regexp{ruleAbout, ruleHead} {
		if m := says().FindStringSubmatch(text); m != nil {
			r.about = triggers.RuleOf(bare(m[1]))
		}
	}
	fenced := false
	for line := range strings.Lines(text[len(head):]) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		line = bare(line)
		n := len(strings.Fields(line))
		if !fenced && n >= minRuleWords && n <= maxRuleWords {
			r.lines = append(r.lines, triggers.RuleOf(line))
		}
	}
	return []ruleFile{r}
}

// bare returns a line of markdown without its marks.
func bare(line string) string {
	return strings.TrimSpace(ruleBold().ReplaceAllString(ruleMarks().ReplaceAllString(strings.TrimSpace(line), ""), ""))
}

// broken returns the rule that a message says was broken: the line that it repeats, or what the file that it names says of it.
func (p *project) broken(text string, j heard.Judgement) string {
	own, _ := heard.Apart(text)
	said, lower := triggers.RuleOf(j.Evidence), strings.ToLower(own)
	short := len(own) <= maxNaming && (j.Kind == heard.Correction || j.Kind == heard.Complaint)
	sentences := []triggers.Rule{said}
	for _, s := range triggers.Sentences(own) {
		if short {
			sentences = append(sentences, triggers.RuleOf(s))
		}
	}
	for _, f := range p.ruled {
		named := short && strings.Contains(lower, f.name)
		best, most := "", 0
		for _, line := range f.lines {
			if slices.ContainsFunc(sentences, func(r triggers.Rule) bool { return r.Shared(line) >= sharedWords && r.About(line) }) {
				return line.Text
			}
			if shared := said.Shared(line); named && line.Binds() && shared >= namedWords && shared > most {
				best, most = line.Text, shared
			}
		}
		if best != "" {
			return best
		}
		if named {
			return f.about.Text
		}
	}
	return ""
}
