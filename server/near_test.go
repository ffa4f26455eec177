package server

import (
	"bytes"
	"context"
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

	"handrail/index/near"
)

// fakeModel stands in for a vendor's embeddings model: it knows that some words mean the
// same, and counts what is meant. It is deterministic, and fails as it is told to.
type fakeModel struct {
	*httptest.Server

	mu    sync.Mutex
	texts []string // all that it was sent
	calls int
	auth  string
	dim   int
	fail  func(w http.ResponseWriter, texts []string) bool // true when it has answered
}

// meanings are words that a real model would find near to each other.
var meanings = map[string]string{"car": "vehicle", "automobile": "vehicle", "wreck": "crash", "collision": "crash", "accident": "crash"}

func newFakeModel(t *testing.T) *fakeModel {
	t.Helper()
	f := &fakeModel{dim: 256}
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
	dim, fail := f.dim, f.fail
	f.mu.Unlock()
	if fail != nil && fail(w, asked.Input) {
		return
	}
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
func (f *fakeModel) behave(fail func(w http.ResponseWriter, texts []string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func (f *fakeModel) asked() (calls int, texts string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, strings.Join(f.texts, "\n")
}

func status(code int) func(http.ResponseWriter, []string) bool {
	return func(w http.ResponseWriter, _ []string) bool { w.WriteHeader(code); return true }
}

func (f *fakeModel) on(cfg *Config) {
	cfg.Embeddings.Environment = &Embeddings{URL: f.URL, Model: "fake"}
	cfg.QueryWait = time.Minute
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

// settled waits until every file has its vector.
func (w *workspace) settled(t *testing.T) Embedded {
	t.Helper()
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := w.Embedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e
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
// words that match go first.
func TestVectorsFindWhatSharesNoWord(t *testing.T) {
	f := newFakeModel(t)
	off := newWorkspace(t, wrecks())
	if _, ok := hitOf(off.ranked(t, "automobile accident"), "lessons/car.md"); ok {
		t.Fatal("words alone find it; the test needs another card")
	}
	if e := off.settled(t); e != (Embedded{}) {
		t.Errorf("it is off and says %v", e)
	}
	if n, _ := f.asked(); n != 0 {
		t.Fatalf("asked %d times while it is off", n)
	}
	w := newWorkspace(t, wrecks(), f.on)
	if e := w.settled(t); e != (Embedded{"fake", 42}) {
		t.Errorf("embedded %v", e)
	}
	hits := w.ranked(t, "automobile accident")
	car, ok := hitOf(hits, "lessons/car.md")
	if !ok || car.Why.Similarity < .9 || len(car.Why.Terms) != 0 || car.Why.Relevance != 0 {
		t.Errorf("the card: %v in %v", car, pathsOf(hits))
	}
	if hits[0].Path != "lessons/read.md" || hits[0].Why.Boosts["vectors"] <= 1 || hits[0].Why.Similarity <= 0 {
		t.Errorf("first: %+v", hits[0])
	}
	// What no vector is near to is found as without.
	plain, near := off.ranked(t, "flour3 and sugar4"), w.ranked(t, "flour3 and sugar4")
	for _, h := range plain {
		if _, ok := hitOf(near, h.Path); !ok {
			t.Errorf("%s is lost", h.Path)
		}
	}
}

// TestPreflightInjectsByVectorOnlyWhatIsCertain: nearly the same request gets the card,
// one that is only about the same things gets nothing, and no note comes this way.
func TestPreflightInjectsByVectorOnlyWhatIsCertain(t *testing.T) {
	f := newFakeModel(t)
	files := wrecks()
	delete(files, "lessons/read.md")
	files["notes/car.md"] = "# Car wreck\n\nCar wreck car wreck, a note.\n"
	w := newWorkspace(t, files, f.on)
	w.settled(t)
	for query, want := range map[string]int{
		"automobile accident": 1,
		"who pays for the repair of the rental automobile that had an accident abroad": 0,
		"penguins huddle": 0,
	} {
		p, err := w.Preflight(t.Context(), PreflightRequest{Query: query})
		if err != nil || len(p.Lessons) != want || len(p.Notes) != 0 {
			t.Errorf("%q: %v and %v, %v", query, pathsOf(p.Lessons), pathsOf(p.Notes), err)
		}
	}
}

// TestVectorsOrderWhatWordsServe: which cards go before a request is for words to say;
// vectors say which comes first.
func TestVectorsOrderWhatWordsServe(t *testing.T) {
	f := newFakeModel(t)
	files := map[string]string{}
	for i := range 9 { // all alike to words; 3 and 8 to vectors more like the query
		last := []string{"wall", "tree", "lamp", "crash", "desk", "door", "roof", "sofa", "crash"}[i]
		files[fmt.Sprintf("lessons/%d.md", i)] = "---\ntype: lesson\n---\n\n# Rollback of the tenant migration, " + last + "\n\nThe tenant migration has no rollback.\n"
	}
	served := func(w *workspace) []string {
		p, err := w.Preflight(t.Context(), PreflightRequest{Query: "rollback tenant migration accident"})
		if err != nil {
			t.Fatal(err)
		}
		return pathsOf(p.Lessons)
	}
	off, on := newWorkspace(t, files), newWorkspace(t, files, f.on)
	on.settled(t)
	words, both := served(off), served(on)
	if len(words) != maxLessons || words[0] == both[0] || both[0] != "lessons/3.md" {
		t.Errorf("words serve %v, with vectors %v", words, both)
	}
	slices.Sort(words)
	slices.Sort(both)
	if !slices.Equal(words, both) {
		t.Errorf("vectors change what is served: %v, %v", both, words)
	}
}

// notices collects notices.
type notices struct {
	mu   sync.Mutex
	list []near.Fault
	told chan struct{}
}

func (w *workspace) listen() *notices {
	h := &notices{told: make(chan struct{}, 100)}
	w.Attach(Notify{Notice: func(n Notice) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.list = append(h.list, n.Code)
		h.told <- struct{}{}
	}})
	return h
}

func (h *notices) codes() []near.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// TestFaultsLeaveWordsAlone: whatever a model does wrong with a query, words find what
// they find without it; the person is told once, and the model is left in peace.
func TestFaultsLeaveWordsAlone(t *testing.T) {
	say := func(body string) func(http.ResponseWriter, []string) bool {
		return func(w http.ResponseWriter, _ []string) bool { io.WriteString(w, body); return true }
	}
	for name, c := range map[string]struct {
		fail func(http.ResponseWriter, []string) bool
		want near.Fault
	}{
		"500":          {status(500), near.Failed},
		"429":          {status(429), near.Failed},
		"key missing":  {status(401), near.Refused},
		"broken JSON":  {say(`{"data":[{"index"`), near.BadAnswer},
		"no vectors":   {say(`{"data":[]}`), near.BadAnswer},
		"wrong length": {say(`{"data":[{"index":0,"embedding":[1,2,3]}]}`), near.OtherLength},
		"hung up":      {func(http.ResponseWriter, []string) bool { panic(http.ErrAbortHandler) }, near.Down},
		"slow":         {nil, near.Slow},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeModel(t)
			w := newWorkspace(t, wrecks(), f.on, func(cfg *Config) {
				if c.want == near.Slow {
					cfg.QueryWait = 30 * time.Millisecond
				}
			})
			if c.want == near.Slow {
				blocked := make(chan struct{})
				t.Cleanup(func() { close(blocked) })
				c.fail = func(http.ResponseWriter, []string) bool { <-blocked; return true }
			}
			w.settled(t)
			off := newWorkspace(t, wrecks())
			notices := w.listen()
			f.behave(func(w http.ResponseWriter, texts []string) bool {
				return len(texts) == 1 && strings.Contains(texts[0], "accident") && c.fail(w, texts)
			})
			before, _ := f.asked()
			for range 3 {
				want, got := off.ranked(t, "accident reports"), w.ranked(t, "accident reports")
				if fmt.Sprint(pathsOf(want)) != fmt.Sprint(pathsOf(got)) || got[0].Why.Similarity != 0 {
					t.Errorf("%v, not %v", pathsOf(got), pathsOf(want))
				}
			}
			<-notices.told
			if got := notices.codes(); !slices.Equal(got, []near.Fault{c.want}) {
				t.Errorf("told %v", got)
			}
			after, _ := f.asked()
			if after-before > 1 && c.want != near.OtherLength { // which has it asked again how long they are
				t.Errorf("asked %d times within its pause", after-before)
			}
		})
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

// TestSettingsThatAreNone: a model that cannot be asked is never asked, and the person
// who attaches later is told.
func TestSettingsThatAreNone(t *testing.T) {
	for code, e := range map[near.Fault]Embeddings{
		near.BadURL:    {URL: "file:///etc/passwd", Model: "m"},
		near.NoModel:   {URL: "http://localhost:1"},
		near.PlainHTTP: {URL: "http://192.0.2.1", Model: "m", Key: "k-secret"},
		near.Down:      {URL: "http://127.0.0.1:1", Model: "m"},
	} {
		w := newWorkspace(t, wrecks(), func(cfg *Config) { cfg.Embeddings.Editor = &e })
		if _, err := w.Embedded(t.Context()); err != ErrNoVectors { //nolint:errorlint // it is this very one
			t.Errorf("%s: %v", code, err)
		}
		notices := w.listen()
		<-notices.told
		if got := notices.codes(); !slices.Equal(got, []near.Fault{code}) {
			t.Errorf("%s: told %v", code, got)
		}
		if again := w.listen().codes(); len(again) > 0 {
			t.Errorf("%s: told again %v", code, again)
		}
	}
	for code := range noticeText {
		for _, l := range []Locale{English, Korean} {
			if s := l.Notice(Notice{code, ""}); s == "" {
				t.Errorf("%s has no sentence", code)
			}
			if s := l.Notice(Notice{code, "m"}); strings.Contains(s, "%!") && strings.Contains(noticeText[code][0], "%") {
				t.Errorf("%s: %s", code, s)
			}
		}
	}
}

// TestVectorsAreOfOneModel: going to another model embeds everything, starting again
// nothing.
func TestVectorsAreOfOneModel(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	w.settled(t)
	first, _ := f.asked()
	w.Embed(EmbeddingSettings{Environment: w.cfg.Embeddings.Environment})
	w.settled(t)
	if again, _ := f.asked(); again != first {
		t.Errorf("the same settings had %d files asked for", again-first)
	}
	f.mu.Lock()
	f.dim = 128
	f.mu.Unlock()
	w.Embed(EmbeddingSettings{Editor: &Embeddings{URL: f.URL + "/v1", Model: "other"}})
	if e := w.settled(t); e != (Embedded{"other", 42}) {
		t.Errorf("%v", e)
	}
	second, _ := f.asked()
	if second < 2*first {
		t.Errorf("another model was asked %d times, the first one %d", second-first, first)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.cfg.Embeddings = EmbeddingSettings{Editor: &Embeddings{URL: f.URL, Model: "other"}}
	w.open(t)
	w.settled(t)
	if third, _ := f.asked(); third != second {
		t.Errorf("%d calls for what is kept", third-second)
	}
	if _, ok := hitOf(w.ranked(t, "automobile accident"), "lessons/car.md"); !ok {
		t.Error("what was kept finds nothing")
	}
}

// TestModelThatChangesItsLength: a model of the same name whose vectors have another
// length is noticed at a query, and the brain is embedded anew.
func TestModelThatChangesItsLength(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	w.settled(t)
	notices := w.listen()
	f.mu.Lock()
	f.dim = 128
	f.mu.Unlock()
	w.ranked(t, "automobile accident")
	<-notices.told
	if got := notices.codes(); !slices.Equal(got, []near.Fault{near.OtherLength}) {
		t.Errorf("told %v", got)
	}
	if e := w.settled(t); e != (Embedded{"fake", 42}) {
		t.Errorf("embedded %v", e)
	}
	if _, ok := hitOf(w.ranked(t, "automobile collision"), "lessons/car.md"); !ok {
		t.Error("it is not embedded anew")
	}
}

// TestEditsAreFollowed: a card that is written is found by what it says now, and of one
// that is deleted no vector is kept.
func TestEditsAreFollowed(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	w.settled(t)
	before, _ := f.asked()
	w.put(t, "notes/00.md", "# Car wreck, once more\n\nCar wreck.\n")
	w.FilesChanged(t.Context(), Saved)
	w.settled(t)
	if calls, _ := f.asked(); calls != before+1 {
		t.Errorf("one file took %d calls", calls-before)
	}
	if _, ok := hitOf(w.ranked(t, "automobile accident"), "notes/00.md"); !ok {
		t.Error("what is new is not found")
	}
	for _, rel := range []string{"notes/00.md", "lessons/car.md"} {
		if err := os.Remove(filepath.Join(w.cfg.Brain, filepath.FromSlash(rel))); err != nil {
			t.Fatal(err)
		}
	}
	w.FilesChanged(t.Context(), Saved)
	if e := w.settled(t); e.Texts != 40 {
		t.Errorf("%d vectors", e.Texts)
	}
	for _, h := range w.ranked(t, "automobile accident") {
		if h.Path == "notes/00.md" || h.Path == "lessons/car.md" {
			t.Errorf("%s is found and gone", h.Path)
		}
	}
	before, _ = f.asked()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if e := w.settled(t); e.Texts != 40 {
		t.Errorf("%d vectors are kept", e.Texts)
	}
	if calls, _ := f.asked(); calls != before {
		t.Errorf("%d calls for what is kept", calls-before)
	}
}

// TestTextTooLong: one text that the model refuses costs no other its vector.
func TestTextTooLong(t *testing.T) {
	for _, code := range []int{400, 500} {
		f := newFakeModel(t)
		f.behave(func(w http.ResponseWriter, texts []string) bool {
			return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "recipe 7\n") || strings.Contains(s, "Recipe 7\n") }) && status(code)(w, texts)
		})
		w := newWorkspace(t, wrecks(), f.on)
		if e := w.settled(t); e.Texts != 41 {
			t.Errorf("%d: %d files have a vector", code, e.Texts)
		}
	}
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
		"notes/long.md": "# Long\n\n" + strings.Repeat("word ", (maxEmbedded-20)/5) + secret + "\n",
	}, func(cfg *Config) {
		cfg.Embeddings.Editor = &Embeddings{URL: f.URL, Model: "fake", Key: key}
		cfg.QueryWait = time.Minute
		cfg.Log = slog.New(slog.NewTextHandler(&locked{w: &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	w.settled(t)
	w.ranked(t, "the bot with token "+secret+" fails")
	f.behave(status(401))
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
	w.settled(t)
	cfg := w.cfg
	other.on(&cfg)
	second, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	hits, err := second.Rank(t.Context(), RetrieveRequest{Query: "accident reports"})
	if calls, _ := other.asked(); err != nil || len(hits) == 0 || second.Owner() || calls != 0 {
		t.Errorf("%v, %v, owner %v, %d calls", pathsOf(hits), err, second.Owner(), calls)
	}
}

// TestCancelledQuery: who gives up is not kept waiting by the model.
func TestCancelledQuery(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	w.settled(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	f.behave(func(http.ResponseWriter, []string) bool { cancel(); <-gone; return true })
	if _, err := w.Rank(ctx, RetrieveRequest{Query: "accident reports"}); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	close(gone)
}

// TestEditsAndSearchesAtOnce is for the race detector.
func TestEditsAndSearchesAtOnce(t *testing.T) {
	f := newFakeModel(t)
	w := newWorkspace(t, wrecks(), f.on)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 20 {
			w.put(t, "notes/00.md", fmt.Sprintf("# Car wreck %d\n", i))
			w.FilesChanged(t.Context(), Saved)
			if i%5 == 4 {
				w.Embed(EmbeddingSettings{Editor: &Embeddings{URL: f.URL, Model: fmt.Sprint("m", i)}})
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
	w.settled(t)
	if h, ok := hitOf(w.ranked(t, "automobile accident"), "notes/00.md"); !ok || h.Title != "Car wreck 19" {
		t.Errorf("%+v", h)
	}
}
