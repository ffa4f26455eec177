// Package near finds texts that mean nearly the same, by an embeddings model that a person named. It is the only place
// of Handrail that speaks to a network, and only to the host that was named. It does not know what the texts are.
package near

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxAnswer  = 64 << 20        // bytes; more than the vectors of a batch take as JSON
	batchTexts = 8               // small, so that a model of this machine answers others in between
	patience   = 2 * time.Minute // for an answer, also when no query waits any more: the model may have to be loaded
	shortText  = 1000            // bytes that are sent of a text that the model refuses
	firstPause = 5 * time.Second // after a failure; each further one doubles it
	lastPause  = 5 * time.Minute
)

// Why a model cannot be used; an answer other than 200 is a StatusError.
var (
	ErrAddress = errors.New("not an http or https address without password and query")
	ErrPlain   = errors.New("the key would go over plain http to another machine")
	ErrDown    = errors.New("no answer")
	ErrSlow    = errors.New("too slow for a query")
	ErrAnswer  = errors.New("the answer is not embeddings")
)

// StatusError is the status of an answer. What the answer says is left out: it may repeat the key or the texts.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("%d %s", int(e), http.StatusText(int(e))) }

// Config names a model. The zero Config names none.
type Config struct {
	URL string // the endpoint of OpenAI's /v1/embeddings, or its base; the model follows a #
	Key string // sent as a bearer token; kept in memory alone, never logged
}

// Options say what a model is asked for. No function may call the Model.
type Options struct {
	Config
	File  string                     // keeps the vectors
	Wait  time.Duration              // how long a query waits for its vector
	Log   *slog.Logger               //
	Ready <-chan struct{}            // closed when all texts are known
	Names func() map[string][]string // the names of each text, by an ID of what it says; a new map
	Text  func(name string) string   // what is sent of it, never empty
	Tell  func(error)                // hears of the first failure
}

// Model has the vectors of texts, which are made in the background. It is safe for concurrent use.
type Model struct {
	Options
	http *http.Client
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	wg   sync.WaitGroup
	wake chan struct{}
	told sync.Once
	busy sync.Mutex // held while the model is asked

	mu    sync.Mutex // guards the fields below
	kept  kept
	until time.Time // the model is left alone till then
	pause time.Duration
}

// kept is what the file holds.
type kept struct {
	Model   string
	Vectors map[string][]float32 // of length one; empty where a text can have none
}

// Open returns the model that the options name. The error is ErrAddress or ErrPlain.
func Open(o Options) (*Model, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return nil, ErrAddress // not err: it would repeat a password
	}
	here := strings.EqualFold(u.Hostname(), "localhost") || net.ParseIP(u.Hostname()).IsLoopback()
	if o.Key != "" && u.Scheme == "http" && !here {
		return nil, ErrPlain
	}
	u.Path = cmp.Or(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/embeddings"), "/v1") + "/embeddings"
	o.URL = u.String()
	m := &Model{Options: o, wake: make(chan struct{}, 1)}
	m.http = &http.Client{
		Timeout: patience,
		// Somewhere else is not where the person sent these texts.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	src, err := os.ReadFile(o.File)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(src)).Decode(&m.kept)
	}
	if err != nil || m.kept.Model != u.Fragment || m.kept.Vectors == nil {
		o.Log.Debug("no vectors are kept", "err", err)
		m.kept = kept{Model: u.Fragment, Vectors: map[string][]float32{}}
	}
	m.ctx, m.end = context.WithCancel(context.Background())
	m.wg.Go(m.run)
	return m, nil
}

// Close ends what is under way and waits for it.
func (m *Model) Close() {
	m.mu.Lock() // no query begins any more
	m.end()
	m.mu.Unlock()
	m.wg.Wait()
	m.http.CloseIdleConnections()
}

// Changed has texts embedded that are new.
func (m *Model) Changed() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// run embeds the texts, now and whenever they change, until Close.
func (m *Model) run() {
	wake, later := m.Ready, (<-chan time.Time)(nil)
	for {
		select {
		case <-wake:
		case <-later:
		case <-m.ctx.Done():
			return
		}
		wake, later = m.wake, nil
		if err := m.pass(); err != nil && m.ctx.Err() == nil {
			wake, later = nil, time.After(m.failed(err))
		}
	}
}

// pass gives every text its vector, forgets those of texts that are gone, and writes the file.
func (m *Model) pass() (err error) {
	names := m.Names()
	m.busy.Lock()
	m.mu.Lock()
	before := len(m.kept.Vectors)
	maps.DeleteFunc(m.kept.Vectors, func(id string, _ []float32) bool { return len(names[id]) == 0 })
	changed := len(m.kept.Vectors) < before
	for id := range m.kept.Vectors {
		delete(names, id)
	}
	m.mu.Unlock()
	for batch := range slices.Chunk(slices.Collect(maps.Keys(names)), batchTexts) {
		var made [][]float32
		texts := make([]string, len(batch))
		for i, id := range batch {
			texts[i] = m.Text(names[id][0])
		}
		made, err = m.embed(texts)
		if err != nil {
			break
		}
		m.mu.Lock()
		m.pause, m.until, changed = 0, time.Time{}, true
		for i, id := range batch {
			m.kept.Vectors[id] = made[i]
		}
		m.mu.Unlock()
	}
	m.busy.Unlock()
	var out bytes.Buffer
	m.mu.Lock()
	failed := gob.NewEncoder(&out).Encode(m.kept)
	m.mu.Unlock()
	if changed {
		failed = errors.Join(failed, os.MkdirAll(filepath.Dir(m.File), 0o700), os.WriteFile(m.File, out.Bytes(), 0o600))
	}
	m.Log.Debug("texts were embedded", "count", len(names), "err", err, "not kept", failed)
	return err
}

// embed returns the vectors of texts. Where the model refuses them, each is sent alone and cut
// short; a text that is still too much for it has none.
func (m *Model) embed(texts []string) ([][]float32, error) {
	made, err := m.fetch(texts)
	var status StatusError
	if !errors.As(err, &status) || !slices.Contains([]StatusError{400, 413, 422, 500}, status) { // 500 is llama.cpp's
		return made, err
	}
	for _, text := range append(slices.Clone(texts), "handrail") { // which says whether it refuses everything
		one, failed := m.fetch([]string{strings.ToValidUTF8(text[:min(len(text), shortText)], "")})
		if failed == nil {
			err = nil
		}
		made = append(made, slices.Concat(one...))
	}
	return made[:len(texts)], err
}

// failed leaves the model alone for a while, and says so once.
func (m *Model) failed(err error) (pause time.Duration) {
	m.mu.Lock()
	if now := time.Now(); now.After(m.until) { // else it was asked before the pause began
		m.pause = min(max(2*m.pause, firstPause), lastPause)
		m.until = now.Add(m.pause)
	}
	pause = time.Until(m.until)
	m.mu.Unlock()
	m.Log.Warn("no embeddings; words alone find cards", "model", m.kept.Model, "err", err)
	m.told.Do(func() { m.Tell(err) })
	return pause
}

// Match is a text and how near it is.
type Match struct {
	Names  []string
	Cosine float64
	Out    float64 // by how many standard deviations the cosine exceeds that of all texts: models spread them differently
}

// Rank ranks the texts by their nearness to a query, the best limit of them by name. Where the
// model does not answer in time it returns none.
func (m *Model) Rank(ctx context.Context, query string, limit int) []Match {
	m.mu.Lock()
	if query == "" || len(m.kept.Vectors) == 0 || time.Now().Before(m.until) || m.ctx.Err() != nil || !m.busy.TryLock() {
		m.mu.Unlock()
		return nil
	}
	var made [][]float32
	asked := make(chan error, 1)
	m.wg.Go(func() {
		var err error
		made, err = m.fetch([]string{query})
		m.busy.Unlock()
		asked <- err
	})
	m.mu.Unlock()
	err := ErrSlow
	select {
	case err = <-asked:
	case <-time.After(m.Wait):
	case <-ctx.Done():
		return nil
	}
	switch {
	case err == nil:
		return m.nearest(made[0], limit)
	case m.ctx.Err() == nil:
		m.failed(err)
	}
	return nil
}

func (m *Model) nearest(query []float32, limit int) (out []Match) {
	names := m.Names()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pause, m.until = 0, time.Time{}
	before := len(m.kept.Vectors)
	maps.DeleteFunc(m.kept.Vectors, func(_ string, v []float32) bool { return len(v) > 0 && len(v) != len(query) })
	if len(m.kept.Vectors) < before { // the name stands for another model now
		m.Changed()
	}
	var sum, squares float64
	for id, v := range m.kept.Vectors {
		if len(v) == len(query) && len(names[id]) > 0 {
			c := dot(query, v)
			out = append(out, Match{Names: names[id], Cosine: c})
			sum, squares = sum+c, squares+c*c
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), slices.Compare(a.Names, b.Names))
	})
	n := float64(len(out))
	out = out[:min(limit, len(out))]
	for i := range out {
		out[i].Out = (out[i].Cosine - sum/n) / math.Sqrt(max(squares/n-sum/n*sum/n, 1e-12))
	}
	return out
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// fetch asks the model once, and returns a vector of length one for each text; all have as many numbers.
func (m *Model) fetch(texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": m.kept.Model, "input": texts})
	req, bad := http.NewRequestWithContext(m.ctx, http.MethodPost, m.URL, bytes.NewReader(body))
	if err := errors.Join(err, bad); err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if m.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.Key)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDown, err)
	}
	defer resp.Body.Close() //nolint:errcheck // read or given up
	if resp.StatusCode != http.StatusOK {
		return nil, StatusError(resp.StatusCode)
	}
	var answer struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	out := make([][]float32, len(texts))
	for _, d := range answer.Data {
		norm := float32(math.Sqrt(dot(d.Embedding, d.Embedding)))
		if d.Index < 0 || d.Index >= len(out) || len(d.Embedding) != len(answer.Data[0].Embedding) || norm <= 0 {
			return nil, ErrAnswer
		}
		for i := range d.Embedding {
			d.Embedding[i] /= norm
		}
		out[d.Index] = d.Embedding
	}
	if slices.ContainsFunc(out, func(v []float32) bool { return v == nil }) {
		return nil, ErrAnswer
	}
	return out, nil
}
