package deliver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

// maxTouched is how many cards one turn is handed at its actions: what more there is fits
// less, and a block that grows with every action is read by nobody.
const maxTouched = 3

// The strengths of signs that a card concerns an action. One strong sign or two weak ones of the
// same action hand it over.
const (
	weak   = 1
	strong = 2
	surest = 3 // a failing command named the card's error: it is about what just happened
	enough = strong
	// A tag that more than a tenth of the cards have tells none of them apart.
	commonShare = 10
	// FewCards may share a tag in the smallest brain.
	FewCards = 3
	// NearStrength is the share of what the block asks for from which a card is near to a request, and nearShare that of
	// the strongest card's: 20 of 41 cards handed over on real turns were meant (at .7: 19 of 40).
	NearStrength = 0.5
	nearShare    = 0.75
)

// Touch returns the cards that belong beside what an agent does, before or after it: those
// whose paths hold a file it touches, whose error its failing command just met, whose title
// or tags have a name in code that it adds, that are about the kind of work a command does,
// or whose tags name the files or the command. The same failure fact prevents far more
// repeats here than at the start of a turn. A turn is handed at most three, those with the
// strongest signs first. A card that stands in the conversation does not come.
func (s *Room) Touch(ctx context.Context, r TouchRequest) (Touch, error) {
	best, words, err := s.touches(ctx, r)
	if err != nil {
		return Touch{}, err
	}
	if len(best) > 0 && r.SessionID != "" && s.State.TurnOf(r.SessionID) == "" { // the request went to the brains that the conversation had
		row, _ := s.State.BeginTurn(ledger.Turn{Session: r.SessionID}, false, false)
		s.State.Turns.Update(row.ID, func(t *ledger.Turn) { *t = row })
	}
	var out Touch
	receipt := ledger.Receipt(ledger.NewID())
	for _, b := range best {
		talk, _ := s.State.Sessions.Get(r.SessionID)
		if max(len(out.Lessons), talk.AtActions()) >= maxTouched {
			break
		}
		card, err := s.Read(b.card.Path)
		if err != nil {
			continue // deleted a moment ago, or not wanted here
		}
		room, row := true, ""
		s.State.InSession(r.SessionID, func(t *ledger.Session) {
			room = t.AtActions() < maxTouched && !t.Has(card.Path, ledger.Whole) // else another hook was faster
			if room {
				t.Give(ledger.Given{Share: ledger.Whole, Act: true, Ref: receipt}, card.Path)
				row = t.Turn
			}
		})
		if !room {
			continue
		}
		out.Receipt = receipt
		h := brain.NewHit(index.Hit{Card: card, Terms: b.why}, brain.Excerpt(brain.FullText(card), b.why, brain.ExcerptChars))
		out.Lessons = append(out.Lessons, h)
		text := lessons.Reminder(card, concerns(card, words))
		out.Text = strings.TrimPrefix(out.Text+"\n"+text, "\n")
		s.State.Turns.Change(row, func(a *ledger.Turn) bool {
			a.Touched = append(slices.Clone(a.Touched), ledger.Touched{Hit: h, Receipt: out.Receipt, Reads: r.Reads})
			a.Tokens += lessons.CountTokens(text)
			return true
		})
		s.State.CreditServed(row)
	}
	if out.Text != "" {
		s.State.Tell(ledger.Told{Cards: len(out.Lessons), Tokens: lessons.CountTokens(out.Text)})
	}
	return out, nil
}

// touch is a card that an action gives signs of.
type touch struct {
	card  lessons.Card
	signs map[string]int // strengths by what the sign is, so that the same one counts once
	why   []string       // what matched
	exact int            // how narrow the glob is that holds a file
	sum   int            // of its signs
}

func (t *touch) sign(what string, strength int, why ...string) {
	t.signs[what] = max(t.signs[what], strength)
	t.why = append(t.why, why...)
}

// touches returns the cards that an action is to hand over, best first, and the words of
// the action.
func (s *Room) touches(ctx context.Context, r TouchRequest) ([]touch, map[string]bool, error) {
	found, words, err := s.signs(ctx, r)
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	near := s.near(r.SessionID)
	if r.Reads { // a file is read for anything in it
		shut := s.Deck().Shut
		found = slices.DeleteFunc(found, func(t touch) bool { return !near[t.card.Path] && (t.exact == 0 || !shut[t.card.Path]) })
	}
	asked := slices.ContainsFunc(found, func(t touch) bool { return t.exact > 0 && near[t.card.Path] })
	for i := range found {
		f := &found[i]
		if near[f.card.Path] {
			f.sign("request", weak)
		} else if asked && f.exact > 0 { // the request speaks to another card of the file
			f.signs["path"] = weak
		}
		for _, strength := range f.signs {
			f.sum += strength
		}
	}
	var talk ledger.Session
	s.State.InSession(r.SessionID, func(t *ledger.Session) { talk = *t }) // one of long ago is forgotten
	if !r.Reads {
		s.stands(talk, found)
	}
	found = slices.DeleteFunc(found, func(t touch) bool {
		return t.sum < enough || talk.Has(t.card.Path, ledger.Whole)
	})
	slices.SortFunc(found, func(a, b touch) int {
		return cmp.Or(
			-cmp.Compare(a.signs["error"], b.signs["error"]),
			cmp.Compare(min(len(a.card.Changed), 1), min(len(b.card.Changed), 1)),
			-cmp.Compare(a.sum, b.sum),
			-cmp.Compare(a.exact, b.exact),
			-cmp.Compare(a.card.Severity.Rank(), b.card.Severity.Rank()),
			-cmp.Compare(len(a.why), len(b.why)),
			-cmp.Compare(a.card.Occurrences, b.card.Occurrences),
			strings.Compare(a.card.Path, b.card.Path),
		)
	})
	return found, words, nil
}

// stands holds the answer of a conversation's turn against the cards that an action would bring had it not got them before.
func (s *Room) stands(talk ledger.Session, found []touch) {
	s.State.Turns.Change(talk.Turn, func(a *ledger.Turn) bool {
		a.Known = slices.Clone(a.Known)
		before := len(a.Known)
		for _, t := range found {
			if t.sum >= enough && talk.Has(t.card.Path, ledger.Whole) && !a.Owes(t.card.Path) {
				a.Known = append(a.Known, brain.NewHit(index.Hit{Card: t.card}, ""))
			}
		}
		return len(a.Known) > before
	})
}

// signs returns the cards that an action gives a sign of, and the words of the action.
func (s *Room) signs(ctx context.Context, r TouchRequest) ([]touch, map[string]bool, error) {
	files := s.RelFiles(r.Files)
	words := actionWords(files, r.Command)
	named, err := s.erring(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	deck := s.Deck()
	signed := map[string]*touch{}
	sign := func(c *lessons.Card, what string, strength int, why ...string) *touch {
		t := signed[c.Path]
		if t == nil {
			t = &touch{card: *c, signs: map[string]int{}}
			signed[c.Path] = t
		}
		t.sign(what, strength, why...)
		return t
	}
	for path, why := range named {
		if c := deck.ByPath[path]; c != nil && c.Status == lessons.Active && len(why) > 0 {
			sign(c, "error", surest, why...)
		}
	}
	breaks := s.breaks(ctx, r)
	broken, added := s.breaking(r, breaks)
	for _, c := range broken {
		sign(c, "breaks", strong, "breaks")
	}
	for _, name := range slices.Sorted(maps.Keys(deck.About)) {
		for _, c := range deck.About[name] {
			if brain.HasWord(added, name) {
				sign(c, "code", strong, name)
			}
		}
	}
	for _, c := range deck.Paths {
		if len(files) == 0 || !c.For(r.Project) {
			continue
		}
		if glob, ok := lessons.MatchPaths(c.Paths, files); ok {
			if r.Command != "" && len(deck.ByPath[c.Path].Paths) == 0 && !strings.Contains(c.Title, path.Base(glob)) {
				continue // an item alone names it, perhaps as what is to be run
			}
			exact, strength := Narrowness(glob), strong
			if exact == 0 || s.aside(c, r, files) {
				strength = weak
			}
			sign(c, "path", strength, glob).exact = exact
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(s.telling(r.Project, words))) {
		for _, c := range deck.Tags[tag] {
			if t := signed[c.Path]; !strings.EqualFold(tag, c.Project) && (t == nil || t.exact == 0) { // the tag of a file that paths name says the same again
				sign(c, "tag "+tag, weak, tag)
			}
		}
	}
	for _, i := range shell.ActsRun(brain.Head(r.Command, brain.MaxCommand)) {
		for _, w := range deck.Work[i] {
			if w.Word == "" && !breaks(w.CardOf) { // the card is about what is to be run before
				continue
			}
			strength := strong
			if shell.Acts[i].Often {
				strength = weak
			}
			sign(w.CardOf, "work "+strconv.Itoa(i), strength, w.Word)
		}
	}
	var found []touch
	for _, path := range slices.Sorted(maps.Keys(signed)) {
		if t := signed[path]; t.card.For(r.Project) && s.MaySpeak(&t.card) {
			s.Outdate(&t.card)
			found = append(found, *t)
		}
	}
	return found, words, ctx.Err()
}

// breaking returns the cards of which an item forbids by its name what an action adds, or its command, wants with it what is
// not there, or a command run before it; and what the action adds to code.
func (s *Room) breaking(r TouchRequest, breaks func(*lessons.Card) bool) (out []*lessons.Card, added string) {
	var code strings.Builder
	for _, e := range s.Planned("", r.Changes).Edits {
		for _, l := range e.Added {
			if shell.IsCode(e.File) {
				code.WriteString(l.Text + "\n")
			}
		}
	}
	text := strings.ToLower(r.Command + "\n" + code.String())
	for _, step := range shell.Read(brain.Head(r.Command, brain.MaxCommand), "", nil).Commands {
		words := strings.Fields(step.Text)
		for _, c := range s.Deck().Runs[strings.Join(words[:min(len(words), 2)], " ")] {
			if breaks(c) {
				out = append(out, c)
			}
		}
	}
	for _, n := range s.Deck().Names {
		if n.In(text) && breaks(n.CardOf) {
			out = append(out, n.CardOf)
		}
	}
	return out, code.String()
}

// breaks returns what reports whether an action breaks an item of a card, or leaves out what it wants with it or before it. What the
// conversation ran is asked for once, and only if a card may be broken.
func (s *Room) breaks(ctx context.Context, r TouchRequest) func(*lessons.Card) bool {
	turn := sync.OnceValue(func() postcheck.Turn {
		s.Flush(ctx)
		known, _ := s.Deeds.Deeds(r.SessionID)
		t := postcheck.Turn{Deeds: s.Planned(r.Command, r.Changes), Earlier: known.Session, Watched: true, Reminds: true}
		if r.Command != "" { // which finds the files as they are
			t.Text = func(file string) string { return brain.TextOf(filepath.Join(filepath.Dir(s.Files.Root()), file)) }
		}
		return t
	})
	return func(c *lessons.Card) bool {
		return slices.ContainsFunc(postcheck.Judge(ctx, turn(), []lessons.Card{*c}), func(v postcheck.Verdict) bool { return v.State == postcheck.Broken || len(v.Missing) > 0 })
	}
}

// aside reports whether an action is about something else than a card of its file that came before: a command, or an edit by the lines that it adds. Less
// than three words say nothing.
func (s *Room) aside(c *lessons.Card, r TouchRequest, files []string) bool {
	text := ""
	for _, e := range r.Changes {
		text += "\n" + strings.Join(e.Added, "\n")
	}
	return s.State.Record(c.Path).Served > 0 &&
		(r.Command != "" || len(strings.Fields(text)) > 2 && !brain.Shares(c, brain.Head(text, brain.MaxQuery)+"\n"+strings.Join(files, "\n")))
}

// near returns how strongly the turn's request, with its conversation, speaks to each card
// that it is near to, be it below the floor. A request is no reason to hand a card over at an
// action, but it is a second sign.
func (s *Room) near(id string) map[string]bool {
	near := map[string]bool{}
	row, _ := s.State.Sessions.Get(id)
	best := slices.Max(slices.AppendSeq([]float64{0}, maps.Values(row.Echo)))
	for path, strength := range row.Echo {
		near[path] = strength >= max(NearStrength, nearShare*best)
	}
	return near
}

// wideFolders hold most of what is touched in a repository that has one.
var wideFolders = strings.Fields("src lib app pkg internal main test tests spec")

// Narrowness returns how much of a glob names a place: the letters that are no wildcard. A
// glob of nothing but wildcards, wide folders and an extension, such as src/** or *.md, has
// none. A whole path is narrowest.
func Narrowness(glob string) int {
	if !strings.ContainsAny(glob, "*?[{") && !strings.HasSuffix(glob, "/") {
		return 1000 + len(glob)
	}
	if ext := path.Ext(glob); ext != path.Base(glob) { // .env is a name
		glob = strings.TrimSuffix(glob, ext)
	}
	n := 0
	for part := range strings.FieldsFuncSeq(strings.ToLower(glob), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !slices.Contains(wideFolders, part) {
			n += len(part)
		}
	}
	return n
}

// telling returns the tags that an action names and that tell cards apart: not a language's
// or a tool's, not the repository's or the project's own name, not one that many cards have.
func (s *Room) telling(project string, words map[string]bool) map[string]bool {
	out := map[string]bool{}
	own := []string{project, filepath.Base(filepath.Dir(s.Files.Root())), "handrail"}
	deck := s.Deck()
	begins := map[string]bool{}
	for w := range words {
		begins[brain.Beginning(w)] = true
	}
	for begin := range begins {
		for _, tag := range deck.Begin[begin] {
			common := len(deck.Tags[tag]) > max(FewCards, deck.Active/commonShare)
			if !common && !slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(o, tag) }) && names(tag, words) {
				out[tag] = true
			}
		}
	}
	return out
}

// handled matches what a command tells git of files, since the work on them is done, and the folder that it goes to.
var handled = lazyregexp.New(`(\bgit (?:add|checkout|commit|diff|log|restore|show|status)\b|(?:^|[;&|(\n]) *cd )(?:"[^"]*"|'[^']*'|[^;&|"'\n])*`)

// Worked returns a command without what it only tells git of, and without where it goes.
func Worked(command string) string { return handled().ReplaceAllString(command, "$1 ") }

// prose matches what a command quotes with spaces in it: a message, not a name.
var prose = lazyregexp.New(`"[^"]*\s[^"]*"|'[^']*\s[^']*'`)

// actionWords returns the words of an action: those of the command, of each folder and of
// each file's name.
func actionWords(files []string, command string) map[string]bool {
	out := map[string]bool{}
	add := func(text string) {
		for _, w := range brain.WordsOf(text) {
			out[w] = true
		}
	}
	add(prose().ReplaceAllString(Worked(brain.Head(command, brain.MaxCommand)), " "))
	for _, f := range files[:min(len(files), 20)] {
		if path.IsAbs(f) {
			f = path.Base(f) // outside the project: its folders say nothing about it
		}
		add(strings.TrimSuffix(f, path.Ext(f)))
	}
	return out
}

// names reports whether every word of a tag is among words, and one of them is not generic.
func names(tag string, words map[string]bool) bool {
	list := brain.WordsOf(tag)
	return slices.ContainsFunc(list, func(w string) bool { return !lessons.Generic(w) }) && !slices.ContainsFunc(list, func(w string) bool { return !words[w] })
}

// concerns tells which checklist items name something of an action that the card as a whole
// does not: its title, tags and paths are about all of them.
func concerns(c lessons.Card, words map[string]bool) func(item string) bool {
	own := brain.WordsOf(strings.Join(slices.Concat([]string{c.Title}, c.Tags, c.Paths), " "))
	return func(item string) bool {
		return slices.ContainsFunc(brain.WordsOf(item), func(w string) bool { return words[w] && !lessons.Generic(w) && !slices.Contains(own, w) })
	}
}

var (
	// signature matches the name of an error: a system's code, a compiler's number, a class.
	signature = lazyregexp.New(`\b(?:E[A-Z]{4,}|ERR_[A-Z0-9_]{3,}|SQLSTATE[ \[(]*\w{5}|[A-Z]{1,5}-?\d{3,6}|[A-Za-z_]*[a-z](?:Error|Exception))\b`)
	// quoted matches what an error message names: a module, a symbol, a table.
	quoted = lazyregexp.New("[`'\"]([\\w./:@-]{4,60})[`'\"]")
)

// commonErrors are names that say only that something went wrong.
var commonErrors = strings.Fields("ERROR ERRORS EXPECTED EXCEPTION EMPTY ENABLED AssertionError TypeError ValueError SyntaxError ReferenceError " +
	"RuntimeError NameError KeyError IndexError AttributeError RuntimeException Exception TestError ExitError PathError SystemError " +
	"CalledProcessError")

// erring returns, by path, the cards that name the error a command just met, with its name.
// A common name counts only together with what the message quotes.
func (s *Room) erring(ctx context.Context, r TouchRequest) (map[string][]string, error) {
	said := brain.Head(shell.Excerpt(r.Output), 2000)
	names := brain.Unique(signature().FindAllString(said, 20))
	var things []string
	for _, m := range quoted().FindAllStringSubmatch(said, 20) {
		things = append(things, m[1])
	}
	things = brain.Unique(things)
	if len(names)+len(things) == 0 {
		return nil, nil
	}
	query := strings.Join(append(slices.Clone(names), things...), " ") + "\n" + said
	hits, err := s.Found(ctx, brain.RetrieveRequest{Query: query, Project: r.Project, All: true}, 2*brain.MaxLessons)
	if err != nil {
		return nil, fmt.Errorf("look for the error: %w", err)
	}
	out := map[string][]string{}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() {
			continue
		}
		card, err := s.Read(h.Card.Path)
		if err != nil {
			continue
		}
		text := card.Title + "\n" + card.Body
		var rare, common, quotes []string
		for _, n := range names {
			switch {
			case !brain.HasWord(text, n):
			case slices.Contains(commonErrors, n):
				common = append(common, n)
			default:
				rare = append(rare, n)
			}
		}
		for _, q := range things {
			if brain.HasWord(text, q) {
				quotes = append(quotes, q)
			}
		}
		if len(rare) > 0 || len(common) > 0 && len(quotes) > 0 || len(quotes) > 1 {
			out[card.Path] = slices.Concat(rare, common, quotes)
		}
	}
	return out, nil
}
