package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handrail/server"
)

var (
	textNoQueries = text{"There is no query to evaluate.", "평가할 질의가 없습니다."}
	textNoFile    = text{"The queries %q could not be read.", "질의 파일 %q을(를) 읽을 수 없습니다."}
	textAnswered  = text{"%d queries have an answer: %d of them find it first, %d among the first ten.", "답이 있는 질의 %d개: %d개는 첫째로, %d개는 열째 안에 찾습니다."}
	textCards     = text{"%d have a card as their answer: for %d it is in the block.", "답이 카드인 질의 %d개: %d개는 블록에 들어 있습니다."}
	textSilent    = text{"%d have none: %d of them get a block all the same.", "답이 없는 질의 %d개: %d개에 그래도 블록이 나옵니다."}
	textMissed    = text{"wanted: %s; first: %s; in the block: %s", "찾는 것: %s; 첫째: %s; 블록: %s"}
)

// evalWait is how long a query may wait for its vector: what a model knows is measured,
// however busy it is.
const evalWait = time.Minute

func (a *app) evalCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "eval [FILE]",
		Short: "Measure how well the brain answers queries with known results",
		Long: `Measure how well the brain answers queries with known results.

Each line of the file (or of standard input) is a query with the files that answer it:
{"text": "…", "relevant": ["lessons/a.md"]}. A query without relevant files is one that must
get no block. The brain and its state are not changed.`,
		Example: "  handrail eval queries.jsonl",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			in, name := a.in, "-"
			if len(files) == 1 && files[0] != name {
				f, err := os.Open(files[0])
				if err != nil {
					return said{textNoFile, []any{files[0]}, err}
				}
				defer f.Close() //nolint:errcheck // read only
				in, name = f, files[0]
			}
			var queries []judged
			var err error
			for lines := json.NewDecoder(in); err == nil; {
				var q judged
				if err = lines.Decode(&q); err == nil {
					queries = append(queries, q)
				}
			}
			if !errors.Is(err, io.EOF) {
				return said{textNoFile, []any{name}, err}
			}
			if len(queries) == 0 {
				return say(textNoQueries)
			}
			e, err := a.evaluate(cmd.Context(), queries)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(e)
			}
			for _, line := range []said{say(textAnswered, e.Answered, e.First, e.Ten), say(textCards, e.Cards, e.Right), say(textSilent, e.Silent, e.False)} {
				a.print("%s\n", a.word(line))
			}
			for _, q := range e.Wrong {
				text, _, _ := strings.Cut(strings.TrimSpace(q.Text), "\n")
				listed := func(paths []string) string { return dash(strings.Join(paths, ", ")) }
				a.print("\n%s\n  %s\n", text, a.word(say(textMissed, listed(q.Relevant), listed(q.Found[:min(1, len(q.Found))]), listed(q.Block))))
			}
			return nil
		},
	}
}

// judged is a query, the files that answer it (none if it must get no block), and what came.
type judged struct {
	Text     string   `json:"text"`
	Relevant []string `json:"relevant"`
	Found    []string `json:"found"` // by a search, ten at most
	Block    []string `json:"block"` // what is put before the request
}

// evaluation counts what a brain makes of a set of queries.
type evaluation struct {
	Answered int      `json:"answered"` // queries that a file answers
	First    int      `json:"first"`    // of them, such a file is found first
	Ten      int      `json:"ten"`      // of them, among the first ten
	Cards    int      `json:"cards"`    // queries that a card answers
	Right    int      `json:"right"`    // of them, such a card is in the block
	Silent   int      `json:"silent"`   // queries that nothing answers
	False    int      `json:"false"`    // of them, with a block all the same
	Wrong    []judged `json:"wrong"`
}

// evaluate asks a server of its own, whose state is thrown away.
func (a *app) evaluate(ctx context.Context, queries []judged) (e evaluation, err error) {
	state, err := os.MkdirTemp("", "handrail-eval-")
	if err != nil {
		return e, fmt.Errorf("make a folder for the state: %w", err)
	}
	a.ends = append(a.ends, func() error { return os.RemoveAll(state) })
	s, err := a.openAside(ctx, state)
	if err != nil {
		return e, err
	}
	if _, err = s.Embedded(ctx); err != nil { // half of the vectors would measure nothing
		return e, err
	}
	all, err := s.Cards(ctx, server.CardFilter{})
	if err != nil {
		return e, err
	}
	for _, q := range queries {
		hits, err := s.Rank(ctx, server.RetrieveRequest{Query: q.Text, Limit: 10})
		if err != nil {
			return e, err
		}
		p, err := s.Preflight(ctx, server.PreflightRequest{Query: q.Text, Aside: true})
		if err != nil {
			return e, err
		}
		q.Found, q.Block = pathsOf(hits), pathsOf(p.Lessons)
		relevant := func(path string) bool {
			return slices.ContainsFunc(q.Relevant, func(r string) bool { return filepath.ToSlash(filepath.Clean(r)) == path })
		}
		e.add(q, slices.IndexFunc(q.Found, relevant), slices.ContainsFunc(q.Block, relevant), slices.ContainsFunc(all, func(c server.Card) bool { return relevant(c.Path) }))
	}
	return e, nil
}

func pathsOf(hits []server.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Path
	}
	return out
}

// add counts a query: where it found a right file, and whether a card is right and in the
// block.
func (e *evaluation) add(q judged, at int, inBlock, isCard bool) {
	count := func(n *int, yes bool) bool {
		if yes {
			*n++
		}
		return yes
	}
	wrong := count(&e.False, len(q.Relevant) == 0 && len(q.Block) > 0)
	if !count(&e.Silent, len(q.Relevant) == 0) {
		e.Answered++
		count(&e.Ten, at >= 0)
		wrong = !count(&e.First, at == 0)
	}
	if wrong = count(&e.Cards, isCard) && !count(&e.Right, inBlock) || wrong; wrong {
		e.Wrong = append(e.Wrong, q)
	}
}
