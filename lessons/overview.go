package lessons

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// OverviewFile is the generated list of a brain's cards. It is not part of the brain: it is
// neither searched nor shown.
const OverviewFile = "BRAIN.md"

// overviewMark begins the file, so that one that a person wrote is never overwritten.
const overviewMark = "<!-- Made by \"handrail overview\". Changes here are lost; change the cards. -->\n"

// IsOverview reports whether a text is a generated list.
func IsOverview(src []byte) bool { return strings.HasPrefix(string(src), overviewMark) }

var kindHeadings = map[Kind]string{
	Lesson: "Lessons", Playbook: "Playbooks", QAFinding: "QA findings", Policy: "Policies", Preference: "Preferences",
	Architecture: "Architecture", Decision: "Decisions", Fact: "Facts",
}

// Overview returns the list of a brain's cards as markdown: by kind and project, active cards
// before archived ones, each with its tags and how often it was seen. The same cards give the
// same bytes: there is no time in it, and everything is sorted. Only active and archived cards
// are in it, and no more than a file of the brain may hold (MaxFile): then it says how many
// are left out.
func Overview(cards []Card) []byte {
	cards = slices.DeleteFunc(slices.Clone(cards), func(c Card) bool {
		return !c.Kind.IsCard() || c.Status != Active && c.Status != Archived
	})
	order := map[Kind]int{}
	for i, k := range Kinds() {
		order[k] = i
	}
	slices.SortFunc(cards, func(a, b Card) int {
		return cmp.Or(
			cmp.Compare(order[a.Kind], order[b.Kind]), strings.Compare(a.Project, b.Project),
			strings.Compare(string(a.Status), string(b.Status)), strings.Compare(a.Path, b.Path),
		)
	})
	var b bytes.Buffer
	b.WriteString(overviewMark + "\n# What this brain knows\n")
	if len(cards) == 0 {
		b.WriteString("\nNothing yet.\n")
	}
	for i, c := range cards {
		before, first := b.Len(), i == 0
		if first || cards[i-1].Kind != c.Kind {
			fmt.Fprintf(&b, "\n## %s\n", kindHeadings[c.Kind])
			first = true
		}
		if (first || cards[i-1].Project != c.Project) && c.Project != "" {
			fmt.Fprintf(&b, "\n### %s\n", EscapeMarkdown(c.Project))
			first = true
		}
		if first {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- [%s](<%s>)", EscapeMarkdown(c.Title), target(c.Path))
		if len(c.Tags) > 0 {
			fmt.Fprintf(&b, " · %s", EscapeMarkdown(strings.Join(c.Tags, ", ")))
		}
		if c.Occurrences > 1 {
			fmt.Fprintf(&b, " · seen %d×", c.Occurrences)
		}
		if c.Status == Archived {
			b.WriteString(" · archived")
		}
		b.WriteString("\n")
		if rest := fmt.Sprintf("\nAnd %d more.\n", len(cards)-i); b.Len()+len(rest) > MaxFile {
			b.Truncate(before)
			b.WriteString(rest)
			break
		}
	}
	return b.Bytes()
}

// target returns a path as the target of a link between < and >.
func target(path string) string {
	if Shown(path) != path {
		return strings.ReplaceAll((&url.URL{Path: "./" + path}).EscapedPath(), "&", "%26")
	}
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C").Replace(path)
}

// EscapeMarkdown returns s on one line with the characters escaped that markdown or HTML
// would take for markup.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range oneLine(Shown(s)) {
		if strings.ContainsRune("\\`*_[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
