package lessons

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"
)

// Kind is the kind of a file in the brain. The empty kind is an ordinary note.
type Kind string

// The kinds. The first three are lessons in the narrow sense: they are injected as
// warnings and checked afterwards. The rest are plain memories.
const (
	Note         Kind = ""
	Lesson       Kind = "lesson"
	Playbook     Kind = "playbook"
	QAFinding    Kind = "qa-finding"
	Policy       Kind = "policy"
	Preference   Kind = "preference"
	Architecture Kind = "architecture"
	Decision     Kind = "decision"
	Fact         Kind = "fact"
)

// IsCard reports whether files of this kind are cards rather than ordinary notes.
func (k Kind) IsCard() bool { return k != Note }

// Severity is how much a repeated mistake would hurt.
type Severity string

// The severities; Medium is the default.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Rank orders severities: the worse, the higher; -1 for none of them.
func (s Severity) Rank() int { return slices.Index(Severities(), s) }

// Source is who wrote a card.
type Source string

// The sources; Curated is the default.
const (
	Curated Source = "curated"
	Auto    Source = "auto"
)

// Status is the state of a card. Only Active cards are injected.
type Status string

// The statuses; Active is the default.
const (
	Active   Status = "active"
	Archived Status = "archived"
	Drafted  Status = "draft"
	// Quarantined cards are wrong or harmful, by a person's judgement with a reason. They cannot be bumped or
	// merged until the quarantine is lifted.
	Quarantined Status = "quarantined"
	// Conflicted cards hold conflict markers of git. It is never written into a card.
	Conflicted Status = "conflicted"
)

// Guard is what the host should do before an action that breaks one of the card's checks. The empty guard does nothing.
type Guard string

// The guards.
const (
	GuardAsk  Guard = "ask"  // the person is asked
	GuardDeny Guard = "deny" // the action is refused
)

// Date is a calendar day without a time zone, as written in a card (YYYY-MM-DD). The zero Date is "none".
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day of t in t's own location.
func DateOf(t time.Time) Date {
	var d Date
	d.Year, d.Month, d.Day = t.Date()
	return d
}

// ParseDate reads YYYY-MM-DD and reports whether s is a real day.
func ParseDate(s string) (Date, bool) {
	if s == "" {
		return Date{}, false // as most cards have it: nothing to make an error of
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, false
	}
	return DateOf(t), true
}

// String returns the date as YYYY-MM-DD, or "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Time(time.UTC).Format(time.DateOnly)
}

// Time returns the first instant of the day in loc.
func (d Date) Time(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// Compare returns -1, 0 or 1, as d is before, the same as or after other; no date is before all.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d == Date{} }

// Card is one file of the brain, read. A note is a Card of kind Note: it has a title, a body and whatever sections its
// headings happen to name. In JSON it is its head, all but the text and the path, as the index keeps it.
type Card struct {
	Path        string    `json:"-"` // slash path relative to the brain
	Kind        Kind      `json:",omitzero"`
	Title       string    `json:",omitzero"`
	Untitled    bool      `json:",omitzero"` // the file gives no title; Title is its name
	Tags        []string  `json:",omitzero"` // applies-to
	Paths       []string  `json:",omitzero"` // doublestar globs that scope the card to files
	Project     string    `json:",omitzero"`
	Severity    Severity  `json:",omitzero"`
	Source      Source    `json:",omitzero"`
	Occurrences int       `json:",omitzero"` // times the mistake was seen, ≥ 1
	LastSeen    Date      `json:",omitzero"`
	Changed     string    `json:"-"` // the commit that changed the code it names since then; set by who knows it
	Status      Status    `json:",omitzero"`
	ArchivedAt  Date      `json:",omitzero"`
	Verified    bool      `json:",omitzero"`
	Quarantine  string    `json:",omitzero"` // why it is quarantined
	Guard       Guard     `json:",omitzero"` // before an action that breaks a check
	Broken      bool      `json:",omitzero"` // the file cannot be read as it was meant: bad frontmatter, conflict markers, not UTF-8
	Extra       string    `json:"-"`         // sentences of keys that the format does not know, such as a description or symptoms, a line each
	Sections    []Section `json:"-"`         // of the known ones, in the file's order
	Lead        string    `json:"-"`         // what stands before them, where that is short: a card of a few plain lines
	Items       []Item    `json:",omitzero"` // the Prevention Checklist and the lists of the lead, in the file's order
	Body        string    `json:"-"`         // the text below the frontmatter
	BodyLine    int       `json:"-"`         // 1-based line on which Body starts
}

// Item is one entry of a Prevention Checklist.
type Item struct {
	Text string // plain text of the item, without bullet, box or markup, on one line
	Line int    `json:",omitzero"` // 1-based line in the file

	Marked    string `json:",omitzero"` // with its markup, where that is code in backticks
	Check     string `json:"-"`         // what the item's ```check fence holds, verbatim; see package check
	CheckLine int    `json:"-"`         // 1-based line of the fence's first content line, 0 for no fence
}

// SectionName names one of the known sections of a card.
type SectionName string

// The sections in the order of the template. Evidence is what shows the mistake, such as a diff or
// a command and its output: for people to read, and never put before an agent.
const (
	Situation  SectionName = "Situation"
	Mistake    SectionName = "Mistake / Risk"
	RootCause  SectionName = "Root Cause"
	Fix        SectionName = "Fix"
	Prevention SectionName = "Prevention Checklist"
	AppliesTo  SectionName = "Applies To"
	Evidence   SectionName = "Evidence"
)

// SectionNames lists the known sections in template order.
func SectionNames() []SectionName {
	return []SectionName{Situation, Mistake, RootCause, Fix, Prevention, AppliesTo, Evidence}
}

// Section is one known section of a card.
type Section struct {
	Name SectionName
	Line int    // 1-based line of its heading
	Text string // markdown below the heading, trimmed

	start, body, end int // bytes of the card's Body: its heading, what stands below it, what follows
}

// Section returns a section of the card, the zero one where it has none of that name.
func (c Card) Section(name SectionName) Section {
	i := slices.IndexFunc(c.Sections, func(s Section) bool { return s.Name == name })
	if i < 0 {
		return Section{}
	}
	return c.Sections[i]
}

// For reports whether a card may be put before work on a project: it is for that one or for
// any, or the project is not known.
func (c Card) For(project string) bool {
	return project == "" || c.Project == "" || strings.EqualFold(c.Project, project)
}

// Problem is a diagnostic about a card. It is never an error: people write what they like.
type Problem struct {
	Line     int          // 1-based line in the file; 0 means the file as a whole
	Code     ProblemCode  // stable, for settings and translations
	Severity ProblemLevel // how loudly to say it
	Args     []string     // what the translated message names, in order
}

// ProblemLevel is the severity of a Problem.
type ProblemLevel int

// The levels of a Problem.
const (
	Error ProblemLevel = iota + 1
	Warning
	Info
	Hint
)

// ProblemCode names a kind of Problem.
type ProblemCode string

// The problem codes. What Args holds stands beside each.
const (
	FrontmatterSyntax ProblemCode = "frontmatter-syntax" // what the YAML parser says
	FrontmatterOpen   ProblemCode = "frontmatter-open"   // no closing ---
	BadValue          ProblemCode = "bad-value"          // key, value, allowed values
	UnknownKey        ProblemCode = "unknown-key"        // key
	MisspelledKey     ProblemCode = "misspelled-key"     // key, the key that was meant
	NotUTF8           ProblemCode = "not-utf8"           // none
	TooLarge          ProblemCode = "too-large"          // size and limit in bytes
	MissingRootCause  ProblemCode = "missing-root-cause" // none
	MissingChecklist  ProblemCode = "missing-checklist"  // none
	ChatTitle         ProblemCode = "chat-title"         // title
	MissingTitle      ProblemCode = "missing-title"      // none
	TopicTitle        ProblemCode = "topic-title"        // title, first item
	HoldsSecret       ProblemCode = "holds-secret"       // field
	InvisibleText     ProblemCode = "invisible-text"     // the characters, as U+XXXX
	ConflictMarkers   ProblemCode = "conflict-markers"   // none
	CheckTwice        ProblemCode = "check-twice"        // none
	CheckStray        ProblemCode = "check-stray"        // none
	CheckSyntax       ProblemCode = "check-syntax"       // what the YAML parser says
	CheckKind         ProblemCode = "check-kind"         // none
	CheckKey          ProblemCode = "check-key"          // key
	CheckNeeds        ProblemCode = "check-needs"        // key
	CheckValue        ProblemCode = "check-value"        // key, what is wrong with its value
	CheckMisses       ProblemCode = "check-misses"       // the example
	CheckHits         ProblemCode = "check-hits"         // the example
)

// MatchPaths returns the longest glob that holds one of files, slash paths relative to the
// folder that holds the brain. A glob that begins with "!" takes its files out, wherever it
// stands in the list, and holds none itself; the name of a folder stands for all that is in it.
func MatchPaths(globs, files []string) (glob string, ok bool) {
	for _, g := range globs {
		if strings.HasPrefix(g, "!") || len(g) <= len(glob) {
			continue
		}
		for _, f := range files {
			if holds(g, f) && !slices.ContainsFunc(globs, func(not string) bool { return strings.HasPrefix(not, "!") && holds(not[1:], f) }) {
				glob = g
				break
			}
		}
	}
	return glob, glob != ""
}

func holds(glob, file string) bool {
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	ok, err := doublestar.Match(glob, file)
	return ok && err == nil || strings.HasPrefix(file, glob+"/")
}

// Field is one entry of a small YAML mapping: what stands in a fence of an item.
type Field struct {
	Name   string
	Line   int      // 1-based line in the text that was read
	Values []string // a scalar, or the scalars of a list; verbatim, nil for a mapping
	Fields []Field  // of a mapping
}

// FieldsError is YAML that cannot be read, and where.
type FieldsError struct {
	Line int    // 1-based line in the text that was read
	Says string // what is wrong
}

// Error says what is wrong with the YAML.
func (e *FieldsError) Error() string { return e.Says }

// ReadFields reads a YAML mapping of scalars, lists of scalars and mappings of these, within
// the bounds of a frontmatter. Errors are a [*FieldsError].
func ReadFields(src string) ([]Field, error) {
	r := reader{line: 1}
	pairs, err := mapping([]byte(src))
	if err != nil {
		r.fail(err)
		return nil, &FieldsError{Line: r.syntaxLine, Says: r.syntax}
	}
	return r.fields(pairs, 0), nil
}

// fields returns the entries of a mapping; one inside another more than once is left out.
func (r *reader) fields(pairs []*ast.MappingValueNode, depth int) []Field {
	var out []Field
	for _, p := range pairs {
		f := Field{Name: keyOf(p), Line: r.line}
		if p.Key != nil && p.Key.GetToken() != nil {
			f.Line += p.Key.GetToken().Position.Line - 1
		}
		switch v := p.Value.(type) {
		case *ast.SequenceNode:
			for _, e := range v.Values[:min(len(v.Values), maxList)] {
				f.Values = append(f.Values, scalar(e))
			}
		case *ast.MappingNode:
			if depth == 0 {
				f.Fields = r.fields(v.Values, depth+1)
			}
		case *ast.MappingValueNode:
			if depth == 0 {
				f.Fields = r.fields([]*ast.MappingValueNode{v}, depth+1)
			}
		case *ast.NullNode:
		default:
			f.Values = []string{strings.TrimSuffix(scalar(v), "\n")}
		}
		out = append(out, f)
	}
	return out
}
