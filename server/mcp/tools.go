package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/judge"
	words "github.com/handrail-dev/handrail/server/say"
)

// tools are all of them, in the order in which an agent comes to need them.
var tools = sync.OnceValue(func() []tool {
	return []tool{
		toolOf(reading(PreflightTool, "Lessons before a request",
			"Call before you plan or edit. Returns the lesson cards that speak to the request, each with a checklist to keep to, and excerpts of notes; often nothing."), (*call).preflight),
		toolOf(reading("lessons_check", "Check an answer against lessons",
			"Call with your complete answer before you hand it over. Returns the checklist items of the served lessons that the answer does not show."), (*call).check),
		toolOf(reading("lessons_search", "Search lessons and notes",
			"Call when the person asks what is known about something, or to look for a card before you draft one. Searches active cards and notes, best first, and says each card's status; with all, cards of every status."), (*call).search),
		toolOf(reading("lessons_list", "List lessons",
			"Call when the person asks which lessons there are or what was learnt lately. Those seen last come first."), (*call).list),
		toolOf(reading("lessons_get", "Read a card or note",
			"Call to read the whole of one card or note that lessons_list or lessons_search named."), (*call).get),
		toolOf(writing("lessons_draft", "Draft a lesson",
			"Call when a mistake was found, put right and is worth remembering. Writes a draft card, which counts once a person keeps it. More than one a conversation only when the person asks.", true), (*call).draft),
		toolOf(writing("note_add", "Add a note",
			"Call when the person asks to note what was done or found. Writes a line with today's date to a file of the brain (notes/YEAR-MONTH.md). It is no lesson.", false), (*call).note),
		toolOf(reading("note_list", "List notes", "Call when the person asks what was noted lately."), (*call).notes),
	}
})

// reading describes a tool that changes nothing.
func reading(name, title, description string) sdk.Tool {
	return sdk.Tool{Name: name, Title: title, Description: description, Annotations: &sdk.ToolAnnotations{
		ReadOnlyHint: true, OpenWorldHint: new(false),
	}}
}

// writing describes a tool that adds something; once says that calling it twice alike adds nothing more.
func writing(name, title, description string, once bool) sdk.Tool {
	return sdk.Tool{Name: name, Title: title, Description: description, Annotations: &sdk.ToolAnnotations{
		IdempotentHint: once, DestructiveHint: new(false), OpenWorldHint: new(false),
	}}
}

// PreflightTool is the tool of PreflightArgs; its structure is a deliver.Preflight.
const PreflightTool = "lessons_preflight"

// PreflightArgs ask what must be known before a request is answered.
type PreflightArgs struct {
	Query   string   `json:"query" jsonschema:"the request, in the person's own words"`
	Files   []string `json:"files,omitempty" jsonschema:"files the request is about: absolute, or relative to the folder that holds the brain"`
	Project string   `json:"project,omitempty" jsonschema:"the project; cards of others are left out"`
}

func (c *call) preflight(ctx context.Context, a PreflightArgs) (deliver.Preflight, string, error) {
	p, err := c.Preflight(ctx, deliver.PreflightRequest{
		Query: a.Query, SessionID: c.Session, Files: c.files(a.Files), Project: cmp.Or(a.Project, c.Project), Told: true,
	})
	return p, c.showPreflight(p), err
}

// CheckArgs are an answer and what to hold it against.
type CheckArgs struct {
	Answer   string   `json:"answer" jsonschema:"the complete text of the answer, with what was changed and tested"`
	AnswerID string   `json:"answerId,omitempty" jsonschema:"the answerId of the lessons_preflight it answers; the last one when absent"`
	Lessons  []string `json:"lessons,omitempty" jsonschema:"paths of cards to hold it against instead"`
}

func (c *call) check(ctx context.Context, a CheckArgs) (brain.Footer, string, error) {
	var about PreflightArgs
	_ = json.Unmarshal(c.About, &about) // none, before the first one
	f, err := c.Answered(ctx, judge.AnswerRequest{
		AnswerID: a.AnswerID, SessionID: c.Session, Lessons: a.Lessons, Request: about.Query, Answer: a.Answer, Locale: c.Locale,
	})
	return f, c.showFooter(f), err
}

// SearchArgs are words to look for.
type SearchArgs struct {
	Query   string       `json:"query" jsonschema:"words to look for, or a question"`
	Files   []string     `json:"files,omitempty" jsonschema:"files the question is about: absolute, or relative to the folder that holds the brain"`
	Project string       `json:"project,omitempty" jsonschema:"the project; cards of others are left out"`
	Kind    lessons.Kind `json:"kind,omitempty" jsonschema:"only cards of this kind"`
	All     bool         `json:"all,omitempty" jsonschema:"cards that are ignored, archived, drafts or in quarantine too"`
	Limit   count        `json:"limit,omitempty" jsonschema:"most hits; 10 when absent"`
}

func (c *call) search(ctx context.Context, a SearchArgs) (brain.Retrieved, string, error) {
	r, err := c.Retrieve(ctx, brain.RetrieveRequest{
		Query: a.Query, All: a.All, Files: c.files(a.Files), Project: a.Project, Limit: a.Limit.or(10), Kind: a.Kind, SessionID: c.Session,
	})
	if err != nil {
		return brain.Retrieved{}, "", err
	}
	for i := range r.Lessons {
		r.Lessons[i].Status = cmp.Or(r.Lessons[i].Status, lessons.Active)
	}
	found := words.Joined("\n", c.under(textLessons, c.hits(r.Lessons)), c.under(textNotes, c.hits(r.Notes)))
	return r, cmp.Or(found, c.Locale.Say(textNothingFound)), nil
}

// ListArgs select cards.
type ListArgs struct {
	Kind    lessons.Kind   `json:"kind,omitempty" jsonschema:"only cards of this kind"`
	Source  lessons.Source `json:"source,omitempty" jsonschema:"only cards that a person wrote (curated) or an agent (auto)"`
	Status  lessons.Status `json:"status,omitempty" jsonschema:"only cards of this status"`
	Project string         `json:"project,omitempty" jsonschema:"only cards of this project"`
	Limit   count          `json:"limit,omitempty" jsonschema:"most cards; 20 when absent"`
	Waiting bool           `json:"waiting,omitempty" jsonschema:"what waits for the person's word instead, with ids"`
}

// Cards is a list of cards, those seen last first, or of candidates.
type Cards struct {
	Cards   []brain.Card      `json:"cards"`
	Waiting []brain.Candidate `json:"waiting,omitempty"`
}

func (c *call) list(ctx context.Context, a ListArgs) (Cards, string, error) {
	if a.Waiting {
		waiting := c.Locale.Named(c.Candidates()...)
		waiting = waiting[:min(len(waiting), a.Limit.or(20))]
		return Cards{Cards: []brain.Card{}, Waiting: waiting}, c.showWaiting(waiting), nil
	}
	cards, err := c.Cards(ctx, desk.CardFilter{Kind: a.Kind, Source: a.Source, Status: a.Status, Project: a.Project, Limit: a.Limit.or(20)})
	return Cards{Cards: cards}, c.showCards(cards), err
}

// GetArgs name a card or note.
type GetArgs struct {
	Path string `json:"path" jsonschema:"path of a card or note, relative to the brain, such as lessons/name.md; or a card's title"`
}

// Document is a file of the brain.
type Document struct {
	Path      string       `json:"path"`
	Title     string       `json:"title"`
	Kind      lessons.Kind `json:"kind"` // "" for a note
	Text      string       `json:"text"` // with frontmatter
	Truncated bool         `json:"truncated"`
}

// maxText is how much of a file an agent is given, in bytes: some 10,000 tokens, past
// which hosts begin to cut by themselves.
const maxText = 40_000

func (c *call) get(ctx context.Context, a GetArgs) (Document, string, error) {
	d, size, err := read(c.Brain(), a.Path)
	if err != nil {
		if path, ok := c.titled(ctx, a.Path); ok {
			d, size, err = read(c.Brain(), path)
		}
	}
	if err != nil {
		return Document{}, "", err
	}
	c.Gave(c.Session, d.Path)
	text := d.Text
	if d.Truncated {
		text += "\n\n" + c.Locale.Say(textCutOff, len(d.Text), size)
	}
	return d, text, nil
}

// titled returns the path of the card with a title, or with a path or title that was shown so.
func (c *call) titled(ctx context.Context, title string) (path string, ok bool) {
	cards, err := c.Cards(ctx, desk.CardFilter{})
	key := lessons.Card{Title: title}.Key()
	i := slices.IndexFunc(cards, func(card brain.Card) bool {
		return lessons.Card{Title: card.Title}.Key() == key || lessons.Inert(card.Path) == title || lessons.Inert(card.Title) == title
	})
	if err != nil || i < 0 {
		return "", false
	}
	return cards[i].Path, true
}

// read returns a file of the brain that counts, and its size.
func read(b *lessons.Brain, path string) (Document, int, error) {
	rel, err := b.Rel(path)
	if err != nil {
		return Document{}, 0, err
	}
	if !b.Counts(rel) { // a file that the person keeps out of the brain
		return Document{}, 0, &lessons.PathError{Path: rel, Err: fs.ErrNotExist}
	}
	src, err := b.Read(rel)
	if err != nil {
		return Document{}, 0, err
	}
	card, _ := lessons.Parse(rel, src)
	text := lessons.Inert(brain.Head(string(src), maxText))
	return Document{Path: rel, Title: card.Title, Kind: card.Kind, Text: text, Truncated: len(src) > maxText}, len(src), nil
}

// DraftArgs are what an agent knows of a mistake.
type DraftArgs struct {
	Title     string           `json:"title,omitempty" jsonschema:"the rule or the mistake in 4 to 14 words, such as Never start the dev server: say what to run; no area; if it holds only somewhere, In src/app: …; the first line of mistake when absent"`
	Task      string           `json:"task" jsonschema:"what was being done"`
	Mistake   string           `json:"mistake" jsonschema:"what went wrong, and what it could cost"`
	RootCause string           `json:"rootCause" jsonschema:"why it happened"`
	Solution  string           `json:"solution" jsonschema:"what put it right"`
	Checklist []string         `json:"checklist" jsonschema:"one to five facts to check next time, one an item; first what not to do, and why. Below an item that one line of code, or one command, breaks, a pattern (RE2) says so: \n\x60\x60\x60check\nforbid: 'the wrong line' (or command: 'the wrong command')\nmatches: ['what it matches']\npasses: ['what it must not match']\n\x60\x60\x60"`
	AppliesTo string           `json:"appliesTo,omitempty" jsonschema:"where else it can happen"`
	Evidence  string           `json:"evidence,omitempty" jsonschema:"markdown that shows it, such as a diff or a command and its output; people read it, agents are not told it"`
	Tags      []string         `json:"tags,omitempty" jsonschema:"what it is about, such as git or security"`
	Paths     []string         `json:"paths,omitempty" jsonschema:"globs of the files it is about, relative to the folder that holds the brain"`
	Project   string           `json:"project,omitempty" jsonschema:"the one project it is for"`
	Kind      lessons.Kind     `json:"kind,omitempty" jsonschema:"lesson when absent"`
	Severity  lessons.Severity `json:"severity,omitempty" jsonschema:"how much a repeated mistake would hurt; medium when absent"`
	Candidate string           `json:"candidate,omitempty" jsonschema:"id of what waits (lessons_list) that this drafts"`
}

// maxTitle is how long a title taken from the mistake's text may be, in characters.
const maxTitle = 80

func (c *call) draft(ctx context.Context, a DraftArgs) (brain.Created, string, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(a.Mistake), "\n")
	if r := []rune(first); len(r) > maxTitle {
		first = strings.TrimSpace(string(r[:maxTitle-1])) + "…"
	}
	title := strings.TrimSpace(cmp.Or(a.Title, first))
	if title == "" {
		return brain.Created{}, "", say(textMissing, "title", textNeedTitle)
	}
	if err := c.complete(ctx); err != nil { // the cards must be known to find a twin
		return brain.Created{}, "", err
	}
	made, err := c.Confirm(ctx, desk.CreateRequest{
		Title: title, Auto: true, CandidateID: a.Candidate, SessionID: c.Session, Situation: a.Task, Language: c.Locale,
		Fields: desk.CreateFields{
			Kind: a.Kind, Tags: a.Tags, Paths: a.Paths, Project: a.Project, Severity: a.Severity, Status: lessons.Drafted,
			Mistake: a.Mistake, RootCause: a.RootCause, Fix: a.Solution, Checklist: a.Checklist, AppliesTo: a.AppliesTo, Evidence: a.Evidence,
		},
	})
	switch {
	case err != nil:
		return brain.Created{}, "", err
	case made.Quarantined != "":
		return made, c.Locale.Say(textQuarantined, made.DuplicateOf, made.Quarantined), nil
	case made.DuplicateOf != "":
		return made, c.Locale.Say(textTwin, made.DuplicateOf), nil
	}
	return made, c.Locale.Say(textDrafted, made.Path), nil
}

func (c *call) note(ctx context.Context, a desk.NoteRequest) (desk.NoteLine, string, error) {
	n, err := c.Note(ctx, a)
	return n, n.Path + "\n" + lessons.Visible(n.Text), err
}

// NotesArgs say how many notes are wanted.
type NotesArgs struct {
	Limit count `json:"limit,omitempty" jsonschema:"most notes; 20 when absent"`
}

// NoteList is a list of notes, newest first.
type NoteList struct {
	Notes []desk.NoteLine `json:"notes"`
}

func (c *call) notes(ctx context.Context, a NotesArgs) (NoteList, string, error) {
	if err := c.complete(ctx); err != nil {
		return NoteList{}, "", err
	}
	list, err := c.Notes(ctx, a.Limit.or(20))
	var lines []string
	for _, n := range list {
		lines = append(lines, lessons.Visible(n.Text))
	}
	return NoteList{list}, c.under(textNotes, lines), err
}

// files returns what an agent calls files by the paths that the loop takes.
func (c *call) files(names []string) []string {
	var out []string
	for _, name := range names {
		path, ok := find.FilePath(name)
		if !ok {
			path = filepath.Join(filepath.Dir(c.Brain().Root()), filepath.FromSlash(name))
		}
		if name != "" {
			out = append(out, path)
		}
	}
	return out
}
