package near

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Config names an embeddings model and where it is: any endpoint that speaks OpenAI's
// /v1/embeddings (Ollama, LM Studio, llama.cpp, a company's gateway).
type Config struct {
	URL   string // http or https: the endpoint itself, or the base that ends in /v1
	Model string
	Key   string // sent as a bearer token; may be empty; kept in memory alone, never logged
}

// Fault is an error of the model or its settings that a person should know.
type Fault string

// The faults.
const (
	BadURL        Fault = "embeddings-url"       // not an http or https address
	NoModel       Fault = "embeddings-model"     // no model is named
	PlainHTTP     Fault = "embeddings-plain"     // a key would go over plain http to another machine
	Down          Fault = "embeddings-down"      // nobody answers
	Refused       Fault = "embeddings-refused"   // the key is missing or wrong
	Failed        Fault = "embeddings-status"    // the answer is an error
	BadAnswer     Fault = "embeddings-answer"    // the answer is not the vectors that were asked for
	Slow          Fault = "embeddings-slow"      // no vector within the time that a query has
	OtherLength   Fault = "embeddings-dimension" // vectors of another length than before
	NotOnDisk     Fault = "embeddings-store"     // the vectors cannot be kept
	maxAnswer           = 64 << 20               // bytes; more than the vectors of a large batch take as text
	embeddingPath       = "/embeddings"
)

func (f Fault) Error() string { return string(f) }

// StatusError is an answer that is not 200 OK; it is Refused or Failed. What the endpoint
// says of it is left out: it may repeat the key or the texts.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("the endpoint answers %d %s", int(e), http.StatusText(int(e)))
}

// Unwrap returns the Fault.
func (e StatusError) Unwrap() error {
	if e == http.StatusUnauthorized || e == http.StatusForbidden {
		return Refused
	}
	return Failed
}

// tooMuch reports that the endpoint may have failed over a text that is too long for the
// model; llama.cpp says so with 500.
func (e StatusError) tooMuch() bool {
	return e == http.StatusBadRequest || e == http.StatusRequestEntityTooLarge || e == http.StatusUnprocessableEntity || e == http.StatusInternalServerError
}

// client asks one model. It keeps nothing and does not try again.
type client struct {
	endpoint, model, key string
	http                 *http.Client
}

func newClient(cfg Config) (*client, error) {
	u, err := url.Parse(strings.TrimSpace(cfg.URL))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, BadURL // not err: it would repeat a password
	}
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, NoModel
	}
	ip := net.ParseIP(u.Hostname())
	if local := strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback(); cfg.Key != "" && u.Scheme == "http" && !local {
		return nil, PlainHTTP
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasSuffix(path, embeddingPath):
		u.Path = path
	case path == "":
		u.Path = "/v1" + embeddingPath
	default:
		u.Path = path + embeddingPath
	}
	return &client{
		endpoint: u.String(), model: strings.TrimSpace(cfg.Model), key: cfg.Key,
		http: &http.Client{
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true},
			// Somewhere else is not where the person sent these texts.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// embed returns a vector for each text, in their order. All have the same length.
func (c *client) embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": c.model, "input": texts})
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "handrail")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w: %w", Down, err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end or given up
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask for embeddings: %w", StatusError(resp.StatusCode))
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&answer); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read embeddings: %w: %w", Down, ctx.Err())
		}
		return nil, fmt.Errorf("read embeddings: %w: %w", BadAnswer, err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10)) // so that the connection is used again
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", BadAnswer, len(answer.Data), len(texts))
	}
	out := make([][]float32, len(texts))
	for _, d := range answer.Data {
		switch {
		case d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil:
			return nil, fmt.Errorf("%w: index %d", BadAnswer, d.Index)
		case len(d.Embedding) == 0 || len(d.Embedding) != len(answer.Data[0].Embedding):
			return nil, fmt.Errorf("%w: vectors of %d and %d numbers", BadAnswer, len(answer.Data[0].Embedding), len(d.Embedding))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
