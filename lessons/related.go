package lessons

import (
	"slices"
	"strings"

	"handrail/lessons/lazyregexp"
)

// relatedHeading is the section that holds links to similar cards.
var relatedHeading = map[string]string{"en": "Related", "ko": "관련 교훈"}

var (
	relatedLine  = lazyregexp.New(`^##[ \t]+(?:Related|관련 교훈)[ \t]*#*[ \t]*$`)
	anyHeading   = lazyregexp.New(`^#{1,2}[ \t]`)
	relatedEntry = lazyregexp.New(`^- \[\[[^\]\n|]+\.md\|[^\]\n]*\]\][ \t]*$`)
)

// Link is a card that another points to.
type Link struct{ Path, Title string }

// SetRelated returns src with a Related section that links these cards by wiki links, sorted
// by path. Other lines of that section stay; without links and other lines the section goes.
// A text that has these links already is returned as it is.
func SetRelated(src []byte, links []Link) []byte {
	links = slices.Clone(links)
	slices.SortFunc(links, func(a, b Link) int { return strings.Compare(a.Path, b.Path) })
	eol := lineEnding(src)
	var entries []string
	for _, l := range links {
		title := strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(oneLine(Visible(l.Title)))
		entries = append(entries, "- [["+l.Path+"|"+title+"]]"+eol)
	}
	lines := strings.SplitAfter(string(src), "\n")
	from, to := relatedSection(lines)
	if from < 0 {
		if len(entries) == 0 {
			return src
		}
		text := strings.TrimRight(string(src), " \t\r\n")
		return []byte(text + eol + eol + "## " + relatedHeading[language(src)] + eol + eol + strings.Join(entries, ""))
	}
	var before, kept []string
	have := []string{}
	for _, l := range lines[from+1 : to] {
		if relatedEntry.MatchString(strings.TrimRight(l, "\r\n")) {
			have = append(have, strings.TrimRight(l, " \t\r\n")+eol)
			continue
		}
		if len(have) == 0 {
			before = append(before, l)
		} else {
			kept = append(kept, l)
		}
	}
	if slices.Equal(have, entries) {
		return src
	}
	if len(entries) == 0 && strings.TrimSpace(strings.Join(before, "")+strings.Join(kept, "")) == "" {
		head := strings.TrimRight(strings.Join(lines[:from], ""), " \t\r\n")
		rest := strings.Join(lines[to:], "")
		if rest == "" {
			return []byte(head + eol)
		}
		return []byte(head + eol + eol + rest)
	}
	if strings.Join(before, "") == "" {
		before = []string{eol}
	}
	return []byte(strings.Join(slices.Concat(lines[:from+1], before, entries, kept, lines[to:]), ""))
}

// relatedSection returns the line of the heading and the line after the section, -1 for none.
// What stands in a code fence is no heading.
func relatedSection(lines []string) (from, to int) {
	from = -1
	fence := ""
	for i, l := range lines {
		l = strings.TrimRight(l, "\r\n")
		trimmed := strings.TrimLeft(l, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case from < 0 && relatedLine.MatchString(l):
			from = i
		case from >= 0 && anyHeading.MatchString(l):
			return from, i
		}
	}
	return from, len(lines)
}
