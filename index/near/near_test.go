package near

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// model opens a model of three texts, which answers with what answer says. Each pass over the
// texts ends with a message of the log.
func model(t *testing.T, c Config, file string, answer http.HandlerFunc) (m *Model, log chan string, told chan error) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	log, told = make(chan string, 100), make(chan error, 100)
	ready := make(chan struct{})
	close(ready)
	c.URL = s.URL + c.URL
	m, err := Open(Options{
		Config: c, File: file, Wait: time.Minute, Ready: ready, Tell: func(err error) { told <- err },
		Names: func() map[string][]string { return map[string][]string{"1": {"a"}, "2": {"b"}, "3": {"c"}} },
		Text:  func(name string) string { return strings.Repeat(name, 2*shortText) },
		Log:   slog.New(slog.NewTextHandler(lines(log), &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, log, told
}

type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

func await(t *testing.T, log chan string, want string) {
	t.Helper()
	for line := range log {
		if strings.Contains(line, want) {
			return
		}
	}
}

// vectors answers with a direction for each first letter.
func vectors(dim int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var data []string
		for i, text := range strings.Split(string(body[strings.IndexByte(string(body), '['):]), `","`) {
			v := make([]string, dim)
			for j := range v {
				v[j] = fmt.Sprint(max(0, 3-max(j-int(strings.Trim(text, `["`)[0]-'a'), int(strings.Trim(text, `["`)[0]-'a')-j)))
			}
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, i, strings.Join(v, ",")))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		url, key, want string
		err            error
	}{
		{"http://localhost:11434", "", "http://localhost:11434/v1/embeddings", nil},
		{" http://LOCALHOST:11434/v1/#nomic-embed-text ", "k", "http://LOCALHOST:11434/v1/embeddings#nomic-embed-text", nil},
		{"https://gateway.example/llm/v1/embeddings", "k", "https://gateway.example/llm/v1/embeddings", nil},
		{"http://10.0.0.7:1234", "", "http://10.0.0.7:1234/v1/embeddings", nil},
		{"http://[::1]:1234", "k", "http://[::1]:1234/v1/embeddings", nil},
		{"http://10.0.0.7:1234", "k", "", ErrPlain},
		{"http://localhost.evil.example", "k", "", ErrPlain},
		{"localhost:11434", "", "", ErrAddress},
		{"file:///etc/passwd", "", "", ErrAddress},
		{"https://me:secret@host/v1", "", "", ErrAddress},
		{"https://host/v1?api-key=secret", "", "", ErrAddress},
	} {
		m, err := Open(Options{Config: Config{c.url, c.key}, Log: slog.New(slog.DiscardHandler)})
		if !errors.Is(err, c.err) || err == nil && m.URL != c.want {
			t.Errorf("%q: %v, %v", c.url, m, err)
		}
		if m != nil {
			m.Close()
		}
	}
}

// TestVectorsAreKept: a second start asks for nothing; another model's vectors, and a damaged
// file, are made anew.
func TestVectorsAreKept(t *testing.T) {
	file, asked := filepath.Join(t.TempDir(), "new", "vectors.db"), 0
	start := func(name string) []Match {
		m, log, _ := model(t, Config{URL: "#" + name}, file, func(w http.ResponseWriter, r *http.Request) { asked++; vectors(8)(w, r) })
		await(t, log, "count=")
		defer m.Close()
		return m.Rank(t.Context(), "bb", 2)
	}
	for i, c := range []struct {
		model string
		asked int
	}{{"m", 2}, {"m", 3}, {"other", 5}} {
		if got := start(c.model); asked != c.asked || len(got) != 2 || got[0].Names[0] != "b" || got[0].Cosine < .99 || got[0].Out <= got[1].Out {
			t.Errorf("start %d: asked %d times, %v", i, asked, got)
		}
	}
	if err := os.WriteFile(file, []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if start("other"); asked != 7 {
		t.Errorf("after damage: asked %d times", asked)
	}
}

// TestAnswersThatAreNone: whatever an endpoint says instead of vectors, the texts and the key go
// nowhere else, nothing of it is repeated, and it is left alone after one request.
func TestAnswersThatAreNone(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"refused":  {401, "Incorrect API key provided: k-secret", StatusError(401)},
		"moved":    {307, "", StatusError(307)},
		"a page":   {200, "<html>k-secret</html>", ErrAnswer},
		"too few":  {200, `{"data":[{"index":0,"embedding":[1]}]}`, ErrAnswer},
		"outside":  {200, `{"data":[{"index":-1,"embedding":[1]}]}`, ErrAnswer},
		"uneven":   {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]},{"index":2,"embedding":[1]}]}`, ErrAnswer},
		"nowhere":  {200, `{"data":[{"index":0,"embedding":[0]},{"index":1,"embedding":[0]},{"index":2,"embedding":[0]}]}`, ErrAnswer},
		"too much": {400, "", StatusError(400)},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			m, _, told := model(t, Config{Key: "k-secret"}, filepath.Join(t.TempDir(), "v"), func(w http.ResponseWriter, r *http.Request) {
				if asked++; r.Header.Get("Authorization") != "Bearer k-secret" || r.URL.Path != "/v1/embeddings" {
					t.Errorf("asked %s with %v", r.URL, r.Header)
				}
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			if err := <-told; !errors.Is(err, c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("told %v", err)
			}
			before := asked
			if m.Changed(); m.Rank(t.Context(), "b", 1) != nil || asked != before || m.pause != firstPause {
				t.Errorf("asked %d times, then %d; pause %v", before, asked, m.pause)
			}
		})
	}
}

// TestTextTooLong: a text that the model refuses is cut, and passed over if that does not help;
// the others have their vectors.
func TestTextTooLong(t *testing.T) {
	var lengths []int
	m, log, _ := model(t, Config{}, filepath.Join(t.TempDir(), "v"), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		lengths = append(lengths, len(body))
		if len(body) > shortText+100 || strings.Contains(string(body), "aaa") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		vectors(8)(w, r)
	})
	await(t, log, "count=3")
	got := m.Rank(t.Context(), "cc", 3)
	if len(got) != 2 || got[0].Names[0] != "c" || len(lengths) != 6 {
		t.Errorf("%v after texts of %v", got, lengths)
	}
}

// TestOtherLength: a model that makes other vectors than before has all texts embedded again.
func TestOtherLength(t *testing.T) {
	dim := make(chan int, 1)
	dim <- 8
	m, log, _ := model(t, Config{}, filepath.Join(t.TempDir(), "v"), func(w http.ResponseWriter, r *http.Request) {
		n := <-dim
		dim <- n
		vectors(n)(w, r)
	})
	await(t, log, "count=3")
	<-dim
	dim <- 9
	if got := m.Rank(t.Context(), "b", 3); got != nil {
		t.Errorf("compared %v", got)
	}
	await(t, log, "count=3")
	got := m.Rank(t.Context(), "b", 3)
	if len(got) != 3 || !slices.Equal(got[0].Names, []string{"b"}) {
		t.Errorf("found %v", got)
	}
}
