package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

// fakeModel stands in for a vendor's embeddings model: it knows that some words mean the
// same, and counts what is meant. It is deterministic, and fails as it is told to.
type fakeModel struct {
	*httptest.Server

	mu    sync.Mutex
	texts []string // all that it was sent
	calls int
	auth  string
	fail  func(w http.ResponseWriter) // answers in place of the model
	log   chan string
}

// meanings are words that a real model would find near to each other.
var meanings = map[string]string{"car": "vehicle", "automobile": "vehicle", "wreck": "crash", "collision": "crash", "accident": "crash"}

func newFakeModel(t *testing.T) *fakeModel {
	t.Helper()
	f := &fakeModel{log: make(chan string, 1000)}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.calls++
	f.texts = append(f.texts, asked.Input...)
	f.auth = r.Header.Get("Authorization")
	fail := f.fail
	f.mu.Unlock()
	if fail != nil {
		fail(w)
		return
	}
	const dim = 256
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []datum `json:"data"`
	}
	for i, text := range asked.Input {
		v := make([]float32, dim)
		v[0] = .1 // no text means nothing at all
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if m, ok := meanings[word]; ok {
				word = m
			}
			h := fnv.New32a()
			h.Write([]byte(word))
			v[1+int(h.Sum32())%(dim-1)]++
		}
		out.Data = append(out.Data, datum{i, v})
	}
	json.NewEncoder(w).Encode(out)
}

// behave sets how the model fails; nil ends it.
func (f *fakeModel) behave(fail func(http.ResponseWriter)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func (f *fakeModel) asked() (calls int, texts string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, strings.Join(f.texts, "\n")
}

func (f *fakeModel) on(cfg *Config) {
	cfg.Embeddings, cfg.QueryWait = &Embeddings{URL: f.URL + "#fake"}, time.Minute
	cfg.Log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write takes a line of the log, which says when the model has had all texts.
func (f *fakeModel) Write(p []byte) (int, error) { f.log <- string(p); return len(p), nil }

// settled waits until the model has had all texts, and returns how many were new to it.
func (f *fakeModel) settled(t *testing.T) (count int) {
	t.Helper()
	for line := range f.log {
		if _, said, ok := strings.Cut(line, "texts were embedded\" count="); ok {
			fmt.Sscan(said, &count)
			return count
		}
	}
	return 0
}

// wrecks is a brain where the right card shares no word with "automobile accident".
func wrecks() map[string]string {
	files := map[string]string{
		"lessons/car.md":  "---\ntype: lesson\n---\n\n# Car wreck\n\nCar wreck car wreck.\n",
		"lessons/read.md": "---\ntype: lesson\n---\n\n# Accident reports are read aloud\n\nReports are read aloud, and a report of an accident too.\n",
	}
	for i := range 40 {
		files[fmt.Sprintf("notes/%02d.md", i)] = fmt.Sprintf("# Recipe %d\n\nFlour%d, butter%d and sugar%d make dough%d.\n", i, i, i, i, i)
	}
	return files
}

func (w *workspace) ranked(t *testing.T, query string) []Hit {
	t.Helper()
	hits, err := w.Rank(t.Context(), RetrieveRequest{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func hitOf(hits []Hit, path string) (Hit, bool) {
	i := slices.IndexFunc(hits, func(h Hit) bool { return h.Path == path })
	if i < 0 {
		return Hit{}, false
	}
	return hits[i], true
}

// TestVectorsFindWhatSharesNoWord: a search finds by meaning, says by how much, and lets
// words that match go first. Nothing is added to what goes before a request.
func TestVectorsFindWhatSharesNoWord(t *testing.T) {
	f := newFakeModel(t)
	off := newWorkspace(t, wrecks())
	if _, ok := hitOf(off.ranked(t, "automobile accident"), "lessons/car.md"); ok {
		t.Fatal("words alone find it; the test needs another card")
	}
	w := newWorkspace(t, wrecks(), f.on)
	if n := f.settled(t); n != 42 {
		t.Errorf("%d texts are embedded", n)
	}
	hits := w.ranked(t, "automobile accident")
	car, ok := hitOf(hits, "lessons/car.md")
	if !ok || car.Why.Similarity < .9 || len(car.Why.Terms) != 0 || car.Why.Relevance != 0 {
		t.Errorf("the card: %v in %v", car, deliver.PathsOf(hits))
	}
	if hits[0].Path != "lessons/read.md" || hits[0].Why.Boosts["vectors"] <= 1 || hits[0].Why.Similarity <= 0 {
		t.Errorf("first: %+v", hits[0])
	}
	near := w.ranked(t, "flour3 and sugar4")
	for _, h := range off.ranked(t, "flour3 and sugar4") {
		if got, ok := hitOf(near, h.Path); !ok || got.Why.Boosts["vectors"] <= 1 {
			t.Errorf("%s is lost or has no vector: %+v", h.Path, got.Why)
		}
	}
	if p, err := w.Preflight(t.Context(), PreflightRequest{Query: "automobile collision"}); err != nil || len(p.Lessons)+len(p.Notes) > 0 {
		t.Errorf("before a request: %v, %v", deliver.PathsOf(p.Lessons), err)
	}
	w.put(t, "notes/00.md", "# Car wreck, once more\n\nCar wreck.\n")
	w.FilesChanged()
	if n := f.settled(t); n != 1 {
		t.Errorf("an edit had %d texts embedded", n)
	}
	if _, ok := hitOf(w.ranked(t, "automobile accident"), "notes/00.md"); !ok {
		t.Error("what is new is not found")
	}
	w.Embed(nil)
	w.Embed(&Embeddings{URL: f.URL + "#fake"})
	calls, _ := f.asked()
	w.Embed(&Embeddings{})
	if got := w.ranked(t, "automobile accident"); got[0].Why.Similarity != 0 {
		t.Errorf("turned off, it finds %+v", got[0])
	}
	if again, _ := f.asked(); again != calls {
		t.Errorf("turned off, it was asked %d times", again-calls)
	}
}

// TestVectorsOrderWhatWordsServe: which cards go before a request is for words to say;
// vectors say which comes first.
func TestVectorsOrderWhatWordsServe(t *testing.T) {
	f := newFakeModel(t)
	files := map[string]string{}
	for i := range 9 { // all alike to words; 2 and 8 to vectors more like the query
		last := []string{"wall", "tree", "crash", "lamp", "desk", "door", "roof", "sofa", "crash"}[i]
		files[fmt.Sprintf("lessons/%d.md", i)] = "---\ntype: lesson\n---\n\n# Rollback of the tenant migration, " + last + "\n\nThe tenant migration has no rollback.\n"
	}
	served := func(w *workspace) []string {
		p, err := w.Preflight(t.Context(), PreflightRequest{Query: "rollback tenant migration accident"})
		if err != nil {
			t.Fatal(err)
		}
		return deliver.PathsOf(p.Lessons)
	}
	off, on := newWorkspace(t, files), newWorkspace(t, files, f.on)
	f.settled(t)
	words, both := served(off), served(on)
	if len(words) != brain.MaxLessons || words[0] == both[0] || both[0] != "lessons/2.md" {
		t.Errorf("words serve %v, with vectors %v", words, both)
	}
	slices.Sort(words)
	slices.Sort(both)
	if !slices.Equal(words, both) {
		t.Errorf("vectors change what is served: %v, %v", both, words)
	}
}

// TestFaultsLeaveWordsAlone: whatever a model does wrong, words find what they find without it;
// the person is told once, also one who comes later, and the model is left in peace.
func TestFaultsLeaveWordsAlone(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	for want, e := range map[string]Embeddings{
		"http or https":        {URL: "file:///etc/passwd"},
		"over plain http":      {URL: "http://192.0.2.1", Key: "k-secret"},
		"nobody answers":       {URL: down.URL},
		"404 Not Found":        {URL: "404"},
		"longer than a search": {URL: "slow"},
	} {
		f := newFakeModel(t)
		wait, blocked := time.Minute, make(chan struct{})
		w := newWorkspace(t, wrecks(), func(cfg *Config) {
			f.on(cfg)
			cfg.Embeddings = &e
			if e.URL == "404" || e.URL == "slow" {
				cfg.Embeddings = &Embeddings{URL: f.URL}
			}
			if e.URL == "slow" {
				wait = 30 * time.Millisecond
			}
			cfg.QueryWait = wait
		})
		if w.cfg.Embeddings.URL == f.URL {
			f.settled(t)
			f.behave(func(w http.ResponseWriter) {
				if w.WriteHeader(http.StatusNotFound); e.URL == "slow" {
					<-blocked
				}
			})
		}
		off := newWorkspace(t, wrecks())
		before, _ := f.asked()
		for range 3 {
			if got, plain := w.ranked(t, "accident reports"), off.ranked(t, "accident reports"); !slices.Equal(deliver.PathsOf(got), deliver.PathsOf(plain)) || got[0].Why.Similarity != 0 {
				t.Errorf("%s: %v, not %v", want, deliver.PathsOf(got), deliver.PathsOf(plain))
			}
		}
		close(blocked)
		if after, _ := f.asked(); after > before+1 {
			t.Errorf("%s: asked %d times within its pause", want, after-before)
		}
		told := make(chan error, 10)
		w.Attach(Notify{NoEmbeddings: func(why error) { told <- why }})
		said := English.NoEmbeddings(<-told)
		w.Attach(Notify{NoEmbeddings: func(why error) { told <- why }}) // who comes when it was told hears nothing
		if !strings.Contains(said, want) || strings.Contains(said, "secret") || Korean.NoEmbeddings(ErrNotACard) == "" || len(told) > 0 {
			t.Errorf("%s: told %q, and %d more", want, said, len(told))
		}
	}
}

// locked is a writer that many may use.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// TestSecretsStayHere: nothing that looks like a secret is sent, from a card or a query,
// and the key of the model is in no log and in no file.
func TestSecretsStayHere(t *testing.T) {
	const key = "model-key-5f2b"
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	f := newFakeModel(t)
	var log bytes.Buffer
	w := newWorkspace(t, map[string]string{
		"lessons/token.md": "---\ntype: lesson\n---\n\n# Token of the bot\n\nWe had used " + secret + " for it, and password = \"hunter2-hunter2\".\n",
		// The cut falls into the secret.
		"notes/long.md": "# Long\n\n" + strings.Repeat("word ", (brain.MaxEmbedded-20)/5) + secret + "\n",
	}, func(cfg *Config) {
		f.on(cfg)
		cfg.Embeddings.Key = key
		cfg.Log = slog.New(slog.NewTextHandler(io.MultiWriter(f, &locked{w: &log}), &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	f.settled(t)
	w.ranked(t, "the bot with token "+secret+" fails")
	f.behave(func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) })
	w.ranked(t, "another query")
	calls, texts := f.asked()
	if calls < 3 || !strings.Contains(texts, "Token of the bot") || !strings.Contains(texts, "[redacted]") {
		t.Fatalf("%d calls: %s", calls, texts)
	}
	if strings.Contains(texts, secret[:8]) || strings.Contains(texts, "hunter2") {
		t.Errorf("sent: %s", texts)
	}
	if f.auth != "Bearer "+key {
		t.Errorf("the key was sent as %q", f.auth)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.open(t) // for the one who closes it
	if strings.Contains(log.String(), key) || !strings.Contains(log.String(), "401") {
		t.Errorf("log: %s", log.String())
	}
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		if strings.Contains(string(src), key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOnlyTheOwnerEmbeds: of two processes on one brain the second asks nothing and finds
// by words.
func TestOnlyTheOwnerEmbeds(t *testing.T) {
	f, other := newFakeModel(t), newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	f.settled(t)
	cfg := w.cfg
	other.on(&cfg)
	second, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	hits, err := second.Rank(t.Context(), RetrieveRequest{Query: "accident reports"})
	if calls, _ := other.asked(); err != nil || len(hits) == 0 || second.Owner() || calls != 0 {
		t.Errorf("%v, %v, owner %v, %d calls", deliver.PathsOf(hits), err, second.Owner(), calls)
	}
}

// TestEditsAndSearchesAtOnce is for the race detector.
func TestEditsAndSearchesAtOnce(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 20 {
			w.put(t, "notes/00.md", fmt.Sprintf("# Car wreck %d\n", i))
			w.FilesChanged()
			if i%5 == 4 {
				w.Embed(&Embeddings{URL: fmt.Sprint(f.URL, "#m", i)})
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for i := range 20 {
				if _, err := w.Rank(t.Context(), RetrieveRequest{Query: fmt.Sprint("automobile accident ", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
