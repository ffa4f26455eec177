package near

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// request is what a fake endpoint was sent.
type request struct {
	path, auth string
	Model      string
	Input      []string
}

// endpoint is a fake of a vendor's model, which answers with what answer says.
func endpoint(t *testing.T, answer func(w http.ResponseWriter, r request)) (url string, seen *[]request) {
	t.Helper()
	seen = &[]request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		r := request{path: h.URL.Path, auth: h.Header.Get("Authorization")}
		if err := json.NewDecoder(h.Body).Decode(&r); err != nil || h.Method != http.MethodPost || h.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", h.Method, h.Header, err)
		}
		*seen = append(*seen, r)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, seen
}

func says(body string) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, _ request) { io.WriteString(w, body) }
}

func clientOf(t *testing.T, cfg Config) *client {
	t.Helper()
	c, err := newClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

func TestEmbed(t *testing.T) {
	url, seen := endpoint(t, says(`{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[1,0]}],"model":"m","usage":{}}`))
	got, err := clientOf(t, Config{URL: url, Model: " m ", Key: "k-1"}).embed(t.Context(), []string{"a", "b"})
	if err != nil || len(got) != 2 || got[0][0] != 1 || got[1][1] != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	r := (*seen)[0]
	if r.path != "/v1/embeddings" || r.auth != "Bearer k-1" || r.Model != "m" || !slices.Equal(r.Input, []string{"a", "b"}) {
		t.Errorf("asked %+v", r)
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		url, key, want string
		err            error
	}{
		{"http://localhost:11434", "", "http://localhost:11434/v1/embeddings", nil},
		{"http://localhost:11434/v1", "", "http://localhost:11434/v1/embeddings", nil},
		{" http://localhost:11434/v1/ ", "", "http://localhost:11434/v1/embeddings", nil},
		{"https://gateway.example/llm/v1/embeddings", "k", "https://gateway.example/llm/v1/embeddings", nil},
		{"http://10.0.0.7:1234", "", "http://10.0.0.7:1234/v1/embeddings", nil},
		{"http://127.0.0.1:1234", "k", "http://127.0.0.1:1234/v1/embeddings", nil},
		{"http://[::1]:1234", "k", "http://[::1]:1234/v1/embeddings", nil},
		{"http://10.0.0.7:1234", "k", "", PlainHTTP},
		{"http://localhost.evil.example", "k", "", PlainHTTP},
		{"", "", "", BadURL},
		{"localhost:11434", "", "", BadURL},
		{"file:///etc/passwd", "", "", BadURL},
		{"ftp://host/v1", "", "", BadURL},
		{"unix:///run/x.sock", "", "", BadURL},
		{"https://", "", "", BadURL},
		{"https://me:secret@host/v1", "", "", BadURL},
		{"https://host/v1?api-key=secret", "", "", BadURL},
	} {
		got, err := newClient(Config{URL: c.url, Model: "m", Key: c.key})
		if !errors.Is(err, c.err) || err == nil && got.endpoint != c.want {
			t.Errorf("%q: %+v, %v", c.url, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is repeated: %v", c.url, err)
		}
	}
	if _, err := newClient(Config{URL: "http://localhost", Model: " "}); !errors.Is(err, NoModel) {
		t.Errorf("no model: %v", err)
	}
}

// TestAnswersThatAreNone: whatever an endpoint says instead of vectors is an error, and
// none of it is repeated, since it may hold the key.
func TestAnswersThatAreNone(t *testing.T) {
	for name, body := range map[string]string{
		"broken":    `{"data":[{"index":0,"embe`,
		"a page":    `<html>k-secret</html>`,
		"nothing":   `{}`,
		"too few":   `{"data":[{"index":0,"embedding":[1]}]}`,
		"too many":  `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`,
		"twice":     `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		"outside":   `{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`,
		"uneven":    `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`,
		"empty":     `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`,
		"base64":    `{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`,
		"too large": `{"data":[{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}]}`,
	} {
		url, _ := endpoint(t, says(body))
		got, err := clientOf(t, Config{URL: url, Model: "m"}).embed(t.Context(), []string{"a", "b"})
		if !errors.Is(err, BadAnswer) || got != nil || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestStatus(t *testing.T) {
	for code, want := range map[int]struct{ refused, tooMuch bool }{
		400: {false, true}, 401: {true, false}, 403: {true, false}, 404: {}, 413: {false, true}, 429: {}, 500: {false, true}, 503: {},
	} {
		url, _ := endpoint(t, func(w http.ResponseWriter, r request) {
			w.WriteHeader(code)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+r.auth+`"}}`)
		})
		_, err := clientOf(t, Config{URL: url, Model: "m", Key: "k-secret"}).embed(t.Context(), []string{"a"})
		var status StatusError
		if !errors.As(err, &status) || int(status) != code || errors.Is(err, Refused) != want.refused || errors.Is(err, Failed) == want.refused || status.tooMuch() != want.tooMuch || strings.Contains(err.Error(), "secret") {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// TestRedirectsAreNotFollowed: the texts and the key go to the host that was named alone.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere, stolen := endpoint(t, says(`{"data":[{"index":0,"embedding":[1]}]}`))
	for _, code := range []int{301, 302, 307, 308} {
		url, _ := endpoint(t, func(w http.ResponseWriter, _ request) {
			w.Header().Set("Location", elsewhere+"/v1/embeddings")
			w.WriteHeader(code)
		})
		_, err := clientOf(t, Config{URL: url, Model: "m", Key: "k"}).embed(t.Context(), []string{"a"})
		var status StatusError
		if !errors.As(err, &status) || int(status) != code {
			t.Errorf("%d: %v", code, err)
		}
	}
	if len(*stolen) > 0 {
		t.Errorf("sent elsewhere: %v", *stolen)
	}
}

// TestUnknownCertificate: an endpoint that cannot say who it is gets nothing.
func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = nil
	if _, err := clientOf(t, Config{URL: s.URL, Model: "m", Key: "k"}).embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

func TestDownAndCancelled(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	if _, err := clientOf(t, Config{URL: s.URL, Model: "m"}).embed(t.Context(), []string{"a"}); err == nil {
		t.Error("nobody answered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	url, _ := endpoint(t, func(w http.ResponseWriter, _ request) {
		io.WriteString(w, `{"data":[`) // and no more until the asker has gone
		w.(http.Flusher).Flush()
		cancel()
		<-ctx.Done()
	})
	if _, err := clientOf(t, Config{URL: url, Model: "m"}).embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
