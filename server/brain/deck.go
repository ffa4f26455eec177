package brain

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck"
)

// deck is what the heads of cards are found by at each event of an agent, so that none walks the
// whole brain. It is made anew when a card has changed.
type deck struct {
	heads   []*lessons.Card            // that it is of
	ByPath  map[string]*lessons.Card   // all
	Active  int                        // cards
	Paths   []*lessons.Card            // active ones with paths, else with those that their title and items name
	Tags    map[string][]*lessons.Card // active ones, by tag in lower case
	Begin   map[string][]string        // tags by their first bytes
	Work    map[int][]worked           // active ones, by place in shell.Acts
	Special []*lessons.Card            // active ones that need more than the trust in their brain
	Names   []namer                    // active ones that may forbid a name in code
	About   map[string][]*lessons.Card // active ones, by the names in code that their title and tags have
	Runs    map[string][]*lessons.Card // active ones that may forbid a command, by its first two words
	Shut    map[string]bool            // active ones whose files are not even to be read, by path
}

// namer is a card of which items hold names in code, in lower case.
type namer struct {
	CardOf *lessons.Card
	names  []string
}

// place matches a word that is a folder or a file: with a slash, or with the ending of one.
var place = regexp.MustCompile(`^(?:(?:[\w@.-]+/)+[\w@.-]*|[\w-][\w.-]*\.(?:[a-z]{1,4}|[a-z]{2}\d)|\.[a-z][\w.-]+)$`)

// inPlace returns a card without paths as one of the files and folders that its title and items name.
func inPlace(c *lessons.Card) *lessons.Card {
	if len(c.Paths) > 0 {
		return c
	}
	named := *c
	add := func(text string) {
		for word := range strings.FieldsSeq(text) {
			if i := strings.IndexFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }); i > 0 { // a particle
				word = word[:i]
			}
			word = strings.TrimPrefix(strings.TrimRight(strings.Trim(word, "`\"'(),:;"), "."), "./")
			switch {
			case !strings.ContainsAny(word, "/.") || !place.MatchString(word):
			case path.Ext(word) == "":
				named.Paths = append(named.Paths, "**/"+strings.TrimSuffix(word, "/")+"/")
			default:
				named.Paths = append(named.Paths, "**/"+word)
			}
		}
	}
	add(c.Title)
	for _, it := range c.Items {
		add(it.Text)
	}
	return &named
}

// codeName matches a name in code: joined, or with a capital inside. Capitals alone are those of products, LangSmith.
var codeName = regexp.MustCompile(`[A-Za-z][A-Za-z\d]*(?:(?:[_.-]|::)[A-Za-z\d]+)+|[a-z]+[A-Z][A-Za-z\d]*`)

// In reports whether one of the names is in a text in lower case.
func (n namer) In(text string) bool {
	return slices.ContainsFunc(n.names, func(name string) bool { return strings.Contains(text, name) })
}

// worked is a card about a kind of work, with the word that says so.
type worked struct {
	CardOf *lessons.Card
	Word   string
}

// Beginning returns the first bytes of a word or tag: most begin otherwise than any word of an
// action, which is quick to see.
func Beginning(word string) string { return word[:min(len(word), 2)] }

// Deck returns the cards as they are now.
func (s *Base) Deck() *deck {
	heads := s.Index.Heads()
	if d := s.cards.Load(); d != nil && sameSlice(d.heads, heads) {
		return d
	}
	d := &deck{heads: heads, ByPath: map[string]*lessons.Card{}, Tags: map[string][]*lessons.Card{}, Begin: map[string][]string{}, Work: map[int][]worked{}, Shut: map[string]bool{}, Runs: map[string][]*lessons.Card{}, About: map[string][]*lessons.Card{}}
	for _, c := range heads {
		d.ByPath[c.Path] = c
		if c.Status != lessons.Active {
			continue
		}
		d.Active++
		if placed := inPlace(c); len(placed.Paths) > 0 {
			d.Paths = append(d.Paths, placed)
		}
		if c.Guard != "" || IsBaseline(*c) {
			d.Special = append(d.Special, c)
		}
		d.Shut[c.Path] = postcheck.BarsReading(c.Title)
		var names []string
		var before []int // the kinds of work that an item wants a command run before
		for _, it := range c.Items {
			d.Shut[c.Path] = d.Shut[c.Path] || postcheck.BarsReading(it.Text)
			names = append(names, postcheck.MayBar(it)...)
			for _, run := range postcheck.BannedRuns(it) {
				d.Runs[run] = append(d.Runs[run], c)
			}
			_, then, acts := postcheck.Order(it)
			if words := strings.Fields(then); len(words) > 1 {
				d.Runs[words[0]+" "+words[1]] = append(d.Runs[words[0]+" "+words[1]], c)
			}
			before = append(before, acts...)
		}
		if len(names) > 0 {
			d.Names = append(d.Names, namer{c, names})
		}
		for _, name := range Unique(codeName.FindAllString(c.Title+"\n"+strings.Join(c.Tags, "\n"), -1)) {
			if len(name) >= 5 && !strings.HasSuffix(name, ".js") && !strings.EqualFold(name, c.Project) { // Node.js is a product, too
				d.About[name] = append(d.About[name], c)
			}
		}
		for _, tag := range c.Tags {
			tag = strings.ToLower(tag)
			if d.Tags[tag] == nil {
				d.Begin[Beginning(tag)] = append(d.Begin[Beginning(tag)], tag)
			}
			d.Tags[tag] = append(d.Tags[tag], c)
		}
		subject := []string{c.Title} // a card that merely mentions a kind of work further down is about something else
		for _, tag := range c.Tags {
			subject = append(subject, strings.ReplaceAll(tag, "-", " "))
		}
		for i := range shell.Acts {
			if word, ok := shell.ActNamed(i, subject...); ok || slices.Contains(before, i) {
				d.Work[i] = append(d.Work[i], worked{c, word})
			}
		}
	}
	s.cards.Store(d)
	return d
}

// sameSlice reports whether two slices are one and the same.
func sameSlice(a, b []*lessons.Card) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
