package server

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
	"handrail/triggers"
)

// Touch returns the one card that belongs beside what an agent does: a card whose paths
// hold a file it touches, whose error its failing command just met, or whose tags name
// both. The same failure fact prevents far more repeats here than at the start of a turn.
// A session is handed each card once, and not again at the start of a later turn.
func (s *Server) Touch(ctx context.Context, r TouchRequest) (Touch, error) {
	best, err := s.touches(ctx, r)
	if err != nil || len(best) == 0 {
		return Touch{}, err
	}
	for _, b := range best {
		card, err := s.read(b.card.Path)
		if err != nil {
			continue // deleted a moment ago
		}
		if s.withheld(r.SessionID, card) {
			s.creditWithheld(card.Path, r.SessionID)
			continue
		}
		out, first := Touch{Receipt: receiptOf(newID())}, true
		var row string
		s.inSession(r.SessionID, func(t *session) {
			if slices.Contains(t.Given, card.Path) { // another hook was faster
				first = false
				return
			}
			t.Given = append(t.Given, card.Path)
			t.Given = t.Given[max(0, len(t.Given)-maxGiven):]
			row = t.Answer
		})
		if !first {
			continue
		}
		h := hit(index.Hit{Card: card, Terms: b.why}, excerpt(told(card), b.why, excerptChars))
		out.Text, out.Lesson = lessons.Reminder(card), &h
		if a, ok := s.turns.change(row, func(a *answer) {
			a.Touched = append(slices.Clone(a.Touched), touched{Hit: h, Receipt: out.Receipt, Reads: r.Reads})
		}); ok {
			s.state.put(answerBucket, row, a)
			s.creditServed(row)
		}
		return out, nil
	}
	return Touch{}, nil
}

// touch is a card that matches an action.
type touch struct {
	card     lessons.Card
	strength int
	why      []string // the words that matched
}

// The strengths of a match. An error the card names is about what just happened; a glob is
// about the file; tags are about the subject.
const (
	tagMatch = iota + 1
	pathMatch
	errorMatch
)

// touches returns the cards that match an action and that the session was not handed yet,
// best first.
func (s *Server) touches(ctx context.Context, r TouchRequest) ([]touch, error) {
	given := s.givenTo(r.SessionID)
	files := s.relFiles(r.Files)
	words := actionWords(files, r.Command)
	named, err := s.erring(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []touch
	for c := range s.idx.All() {
		if c.Status != lessons.Active || slices.Contains(given, c.Path) ||
			r.Project != "" && c.Project != "" && !strings.EqualFold(c.Project, r.Project) {
			continue
		}
		t := touch{card: *c}
		if why := named[c.Path]; len(why) > 0 {
			t.strength, t.why = errorMatch, why
		} else if glob, ok := lessons.MatchPaths(c.Paths, files); ok {
			t.strength, t.why = pathMatch, []string{glob}
		} else if tags := tagsIn(c.Tags, words); len(tags) > 1 || len(tags) == 1 && !generic[tags[0]] && len(c.Paths) == 0 {
			t.strength, t.why = tagMatch, tags
		}
		if t.strength > 0 {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b touch) int {
		return cmp.Or(
			-cmp.Compare(a.strength, b.strength),
			-cmp.Compare(severityRank(a.card.Severity), severityRank(b.card.Severity)),
			-cmp.Compare(len(a.why), len(b.why)),
			-cmp.Compare(a.card.Occurrences, b.card.Occurrences),
			strings.Compare(a.card.Path, b.card.Path),
		)
	})
	return out, ctx.Err()
}

func severityRank(s lessons.Severity) int {
	return slices.Index([]lessons.Severity{lessons.Low, lessons.Medium, lessons.High}, s)
}

func (s *Server) givenTo(session string) []string {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if row, ok := s.sessions.rows[session]; ok && s.now().Sub(row.At) <= sessionLife {
		return slices.Clone(row.Given)
	}
	return nil
}

// generic lists tags that name a language, a tool or a layer: alone they speak to half of
// all commands, so they count only beside another.
var generic = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`
		go golang python py javascript js typescript ts tsx jsx java kotlin rust ruby php c cpp csharp swift shell bash sh sql html css json yaml toml markdown md
		node npm pnpm yarn bun pip uv cargo make git docker test tests testing unit ci build lint run dev prod src lib app api web server client cmd main internal pkg
		http db config docs doc scripts script tools tool bin security performance bug error fix backend frontend`) {
		out[w] = true
	}
	return out
}()

// actionWords returns the words of an action: those of the command, of each folder and of
// each file's name.
func actionWords(files []string, command string) map[string]bool {
	out := map[string]bool{}
	add := func(text string) {
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			for _, t := range terms.Words(part) {
				out[t.Text] = true
			}
		}
	}
	add(head(command, 2000))
	for _, f := range files[:min(len(files), 20)] {
		if path.IsAbs(f) {
			f = path.Base(f) // outside the project: its folders say nothing about it
		}
		add(strings.TrimSuffix(f, path.Ext(f)))
	}
	return out
}

// tagsIn returns the tags of which every word is among words.
func tagsIn(tags []string, words map[string]bool) []string {
	var out []string
	for _, tag := range tags {
		list := terms.Words(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return ' '
		}, tag))
		if len(list) > 0 && !slices.ContainsFunc(list, func(t terms.Term) bool { return !words[t.Text] }) {
			out = append(out, strings.ToLower(tag))
		}
	}
	return out
}

var (
	// signature matches the name of an error: a system's code, a compiler's number, a class.
	signature = lazyregexp.New(`\b(?:E[A-Z]{4,}|ERR_[A-Z0-9_]{3,}|SQLSTATE[ \[(]*\w{5}|[A-Z]{1,5}-?\d{3,6}|[A-Za-z_]*[a-z](?:Error|Exception))\b`)
	// quoted matches what an error message names: a module, a symbol, a table.
	quoted = lazyregexp.New("[`'\"]([\\w./:@-]{4,60})[`'\"]")
)

// commonErrors are names that say only that something went wrong.
var commonErrors = map[string]bool{
	"ERROR": true, "ERRORS": true, "EXPECTED": true, "EXCEPTION": true, "EMPTY": true, "ENABLED": true,
	"AssertionError": true, "TypeError": true, "ValueError": true, "SyntaxError": true, "ReferenceError": true, "RuntimeError": true,
	"NameError": true, "KeyError": true, "IndexError": true, "AttributeError": true, "RuntimeException": true, "Exception": true,
	"TestError": true, "ExitError": true, "PathError": true, "SystemError": true, "CalledProcessError": true,
}

// erring returns, by path, the cards that name the error a command just met, with its name.
// A common name counts only together with what the message quotes.
func (s *Server) erring(ctx context.Context, r TouchRequest) (map[string][]string, error) {
	if r.Output == "" {
		return nil, nil
	}
	said := head(triggers.Excerpt(r.Output), 2000)
	names := unique(signature.FindAllString(said, 20))
	var things []string
	for _, m := range quoted.FindAllStringSubmatch(said, 20) {
		things = append(things, m[1])
	}
	things = unique(things)
	if len(names)+len(things) == 0 {
		return nil, nil
	}
	hits, err := s.search(ctx, strings.Join(append(slices.Clone(names), things...), " ")+"\n"+said, nil, r.Project, 2*maxLessons)
	if err != nil {
		return nil, fmt.Errorf("look for the error: %w", err)
	}
	out := map[string][]string{}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() {
			continue
		}
		card, err := s.read(h.Card.Path)
		if err != nil {
			continue
		}
		text := card.Title + "\n" + card.Body
		var rare, common, quotes []string
		for _, n := range names {
			switch {
			case !hasWord(text, n):
			case commonErrors[n]:
				common = append(common, n)
			default:
				rare = append(rare, n)
			}
		}
		for _, q := range things {
			if hasWord(text, q) {
				quotes = append(quotes, q)
			}
		}
		if len(rare) > 0 || len(common) > 0 && len(quotes) > 0 || len(quotes) > 1 {
			out[card.Path] = slices.Concat(rare, common, quotes)
		}
	}
	return out, nil
}

// hasWord reports whether a word stands in text, not as a part of a longer one.
func hasWord(text, word string) bool {
	letter := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !letter(text[i-1])) && (end == len(text) || !letter(text[end])) {
			return true
		}
		at = end
	}
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
