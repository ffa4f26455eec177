package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"handrail/server"
)

var (
	textNoQueries = text{"There is no query to evaluate.", "평가할 질의가 없습니다."}
	textNoFile    = text{"The queries %q could not be read.", "질의 파일 %q을(를) 읽을 수 없습니다."}
)

// evalDepth is how many hits of a query are looked at.
const evalDepth = 10

func (a *app) evalCommand() *cobra.Command {
	var misses bool
	cmd := &cobra.Command{
		Use:   "eval [FILE]",
		Short: "Measure how well the brain answers queries with known results",
		Long: `Measure how well the brain answers queries with known results.

Each line of the file (or of standard input) is a query with the files that answer it:
{"id": any, "text": "…", "relevant": ["lessons/a.md"]}. A query without relevant files is
one that must get no block. The brain and its state are not changed.`,
		Example: `  handrail eval queries.jsonl
  handrail eval --misses <queries.jsonl`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) (err error) {
			in := a.in
			if len(files) == 1 && files[0] != "-" {
				f, err := os.Open(files[0])
				if err != nil {
					return said{textNoFile, []any{files[0]}, err}
				}
				defer f.Close() //nolint:errcheck // read only
				in = f
			}
			queries, err := a.readJudged(in)
			if err != nil {
				return err
			}
			if len(queries) == 0 {
				return say(textNoQueries)
			}
			e, err := a.evaluate(cmd.Context(), queries)
			if err != nil {
				return err
			}
			if !misses {
				e.Misses = nil
			}
			if a.json {
				return a.printJSON(e)
			}
			return e.print(a.out)
		},
	}
	cmd.Flags().BoolVar(&misses, "misses", false, "list every query that went wrong, and why")
	return cmd
}

// judgedQuery is a query and the files that answer it; none if it must get no block.
type judgedQuery struct {
	ID       json.RawMessage `json:"id"`
	Text     *string         `json:"text"`
	Relevant []string        `json:"relevant"`
}

func (a *app) readJudged(in io.Reader) ([]judgedQuery, error) {
	var out []judgedQuery
	r := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if text := strings.TrimSpace(string(line)); text != "" {
			q := judgedQuery{ID: json.RawMessage("null")}
			if bad := json.Unmarshal([]byte(text), &q); bad != nil || q.Text == nil || len(line) > maxLine {
				fmt.Fprintf(a.err, "handrail: %s\n", a.locale().BadLine(n))
				a.status = exitFailed
			} else {
				for i, p := range q.Relevant {
					q.Relevant[i] = path.Clean(strings.ReplaceAll(p, `\`, "/"))
				}
				out = append(out, q)
			}
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the queries: %w", err)
		}
	}
}

// evaluation is what a brain comes to on a set of queries. Shares are of the queries that
// they are about; a share of no queries is null.
type evaluation struct {
	Search    searchFigures   `json:"search"`
	Block     blockFigures    `json:"block"`
	Retrieve  latencyFigures  `json:"retrieveMs"`
	Preflight latencyFigures  `json:"preflightMs"`
	Vectors   server.Embedded `json:"vectors,omitzero"`
	Misses    []miss          `json:"misses,omitempty"`
}

// evalWait is how long a query may wait for its vector: what a model knows is measured,
// however busy it is.
const evalWait = time.Minute

// searchFigures are about the queries that a file answers, ranked without a floor.
type searchFigures struct {
	Queries int    `json:"queries"`
	Hit1    *share `json:"hit1"`
	Hit5    *share `json:"hit5"`
	Hit10   *share `json:"hit10"`
	MRR     *share `json:"mrr10"`
	NDCG    *share `json:"ndcg10"`
}

// blockFigures are about what is put before a request.
type blockFigures struct {
	Answered int    `json:"answered"` // queries that a card answers
	Right    *share `json:"right"`    // of them with such a card in the block
	Silent   int    `json:"silent"`   // queries that nothing answers
	False    *share `json:"false"`    // of them with a block all the same
}

type share float64

// latencyFigures are milliseconds, measured inside this process.
type latencyFigures struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// miss is a query that went wrong.
type miss struct {
	ID       json.RawMessage `json:"id"`
	Text     string          `json:"text"`
	Relevant []string        `json:"relevant,omitempty"`
	Wrong    string          `json:"wrong"`           // "rank", "heldBack" or "falseBlock"
	Place    int             `json:"place,omitempty"` // of the first relevant file, 0 when it is not among the first ten
	Got      *evidence       `json:"got,omitempty"`   // what came first, or is in the block
	Wanted   *evidence       `json:"wanted,omitempty"`
}

// evidence is a file and why it was found.
type evidence struct {
	Path string     `json:"path"`
	Why  server.Why `json:"why"`
}

func evidenceOf(h server.Hit) *evidence { return &evidence{h.Path, h.Why} }

func (e *evidence) String() string {
	if e == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s by %s (%.3f)", e.Path, strings.Join(e.Why.Terms, ", "), e.Why.Relevance)
}

// evaluate asks a server of its own, whose state is thrown away.
func (a *app) evaluate(ctx context.Context, queries []judgedQuery) (e evaluation, err error) {
	state, err := os.MkdirTemp("", "handrail-eval-")
	if err != nil {
		return e, fmt.Errorf("make a folder for the state: %w", err)
	}
	a.ends = append(a.ends, func() error { return os.RemoveAll(state) })
	s, err := a.openAside(ctx, state)
	if err != nil {
		return e, err
	}
	// Half of the vectors would measure nothing. What keeps them from being made stands on
	// standard error.
	vectors, err := s.Embedded(ctx)
	if err != nil {
		return e, err
	}
	cards, err := s.Cards(ctx, server.CardFilter{})
	if err != nil {
		return e, err
	}
	isCard := map[string]bool{}
	for _, c := range cards {
		isCard[c.Path] = true
	}
	var t tally
	for _, q := range queries {
		start := time.Now()
		hits, err := s.Rank(ctx, server.RetrieveRequest{Query: *q.Text, Limit: evalDepth})
		if err != nil {
			return e, err
		}
		t.retrieve = append(t.retrieve, time.Since(start))
		start = time.Now()
		p, err := s.Preflight(ctx, server.PreflightRequest{Query: *q.Text})
		if err != nil {
			return e, err
		}
		t.preflight = append(t.preflight, time.Since(start))
		if len(q.Relevant) == 0 {
			t.silent(q, p)
			continue
		}
		t.search(q, hits)
		if slices.ContainsFunc(q.Relevant, func(p string) bool { return isCard[p] }) {
			t.block(q, hits, p)
		}
	}
	e = t.evaluation()
	e.Vectors = vectors
	return e, nil
}

// tally adds up what the queries come to.
type tally struct {
	retrieve, preflight          []time.Duration
	searched, answered, silenced int
	hit1, hit5, hit10, mrr, ndcg float64
	right, blocked               float64
	misses                       []miss
}

func (t *tally) silent(q judgedQuery, p server.Preflight) {
	t.silenced++
	if len(p.Lessons) > 0 {
		t.blocked++
		t.misses = append(t.misses, miss{ID: q.ID, Text: *q.Text, Wrong: "falseBlock", Got: evidenceOf(p.Lessons[0])})
	}
}

func (t *tally) search(q judgedQuery, hits []server.Hit) {
	t.searched++
	place, gain, ideal := 0, 0.0, 0.0
	for i, h := range hits {
		if slices.Contains(q.Relevant, h.Path) {
			if place == 0 {
				place = i + 1
			}
			gain += 1 / math.Log2(float64(i)+2)
		}
	}
	for i := range min(evalDepth, len(q.Relevant)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	t.ndcg += gain / ideal
	if place > 0 {
		t.hit10++
		t.mrr += 1 / float64(place)
	}
	if 0 < place && place <= 5 {
		t.hit5++
	}
	if place == 1 {
		t.hit1++
		return
	}
	m := miss{ID: q.ID, Text: *q.Text, Relevant: q.Relevant, Wrong: "rank", Place: place}
	if len(hits) > 0 {
		m.Got = evidenceOf(hits[0])
	}
	if place > 0 {
		m.Wanted = evidenceOf(hits[place-1])
	}
	t.misses = append(t.misses, m)
}

func (t *tally) block(q judgedQuery, hits []server.Hit, p server.Preflight) {
	t.answered++
	relevant := func(h server.Hit) bool { return slices.Contains(q.Relevant, h.Path) }
	if slices.ContainsFunc(p.Lessons, relevant) {
		t.right++
		return
	}
	m := miss{ID: q.ID, Text: *q.Text, Relevant: q.Relevant, Wrong: "heldBack"}
	if len(p.Lessons) > 0 {
		m.Got = evidenceOf(p.Lessons[0])
	}
	if i := slices.IndexFunc(hits, relevant); i >= 0 {
		m.Wanted = evidenceOf(hits[i])
	}
	t.misses = append(t.misses, m)
}

func (t *tally) evaluation() evaluation {
	of := func(sum float64, n int) *share {
		if n == 0 {
			return nil
		}
		s := share(sum / float64(n))
		return &s
	}
	return evaluation{
		Search: searchFigures{
			Queries: t.searched, Hit1: of(t.hit1, t.searched), Hit5: of(t.hit5, t.searched), Hit10: of(t.hit10, t.searched),
			MRR: of(t.mrr, t.searched), NDCG: of(t.ndcg, t.searched),
		},
		Block:    blockFigures{Answered: t.answered, Right: of(t.right, t.answered), Silent: t.silenced, False: of(t.blocked, t.silenced)},
		Retrieve: quantiles(t.retrieve), Preflight: quantiles(t.preflight), Misses: t.misses,
	}
}

func quantiles(times []time.Duration) latencyFigures {
	slices.Sort(times)
	at := func(q float64) float64 {
		return float64(times[min(len(times)-1, int(q*float64(len(times))))].Microseconds()) / 1000
	}
	return latencyFigures{at(.5), at(.95), at(.99)}
}

func (s *share) String() string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(*s))
}

func (e evaluation) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range []struct {
		label string
		value any
	}{
		{"queries that a file answers", e.Search.Queries},
		{"  hit@1", e.Search.Hit1},
		{"  hit@5", e.Search.Hit5},
		{"  hit@10", e.Search.Hit10},
		{"  MRR@10", e.Search.MRR},
		{"  nDCG@10", e.Search.NDCG},
		{"queries that a card answers", e.Block.Answered},
		{"  right card in the block", e.Block.Right},
		{"queries that nothing answers", e.Block.Silent},
		{"  a block all the same", e.Block.False},
		{"embeddings", embeddedText(e.Vectors)},
		{"milliseconds", "p50 / p95 / p99"},
		{"  retrieve", e.Retrieve},
		{"  preflight", e.Preflight},
	} {
		fmt.Fprintf(w, "%s\t%v\n", r.label, r.value)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	for _, m := range e.Misses {
		fmt.Fprintf(out, "\n%s: %s\n", m.ID, firstLine(m.Text))
		switch m.Wrong {
		case "falseBlock":
			fmt.Fprintf(out, "  a block all the same: %v\n", m.Got)
		case "heldBack":
			fmt.Fprintf(out, "  not in the block: %s\n  in it: %v\n", m.wanted(), m.Got)
		default:
			fmt.Fprintf(out, "  place %s: %s\n  first: %v\n", m.place(), m.wanted(), m.Got)
		}
	}
	return nil
}

func embeddedText(e server.Embedded) string {
	if e.Model == "" {
		return "-"
	}
	return fmt.Sprintf("%s, %d texts", e.Model, e.Texts)
}

func (l latencyFigures) String() string {
	return fmt.Sprintf("%.2f / %.2f / %.2f", l.P50, l.P95, l.P99)
}

func (m miss) place() string {
	if m.Place == 0 {
		return fmt.Sprintf("beyond %d", evalDepth)
	}
	return fmt.Sprint(m.Place)
}

// wanted names the relevant file, with what it was found by if it was.
func (m miss) wanted() string {
	if m.Wanted == nil {
		return strings.Join(m.Relevant, ", ")
	}
	return m.Wanted.String()
}

// firstLine is a query's beginning, for a person to know it by.
func firstLine(s string) string {
	const most = 100
	s, _, cut := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > most {
		s, cut = string(r[:most]), true
	}
	if cut {
		s += "…"
	}
	return s
}
