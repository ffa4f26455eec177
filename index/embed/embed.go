// Package embed asks an embeddings model, through any endpoint that speaks OpenAI's
// /v1/embeddings: Ollama, LM Studio, llama.cpp, a company's gateway. It is the only place
// of Handrail that speaks to a network, and only to the host that a person named. It does
// not know what the texts are, keeps nothing, and does not try again.
package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Config names a model and where it is.
type Config struct {
	URL   string // http or https: the endpoint itself, or the base that ends in /v1
	Model string
	Key   string // sent as a bearer token; may be empty
}

// The reasons why a Config is no good.
var (
	ErrURL       = errors.New("not an http or https address")
	ErrModel     = errors.New("no model is named")
	ErrPlainHTTP = errors.New("a key is not sent over plain http to another machine")
)

// ErrAnswer says that what came back is not the vectors that were asked for.
var ErrAnswer = errors.New("not the embeddings that were asked for")

// StatusError is an answer that is not 200 OK. What the endpoint says of it is left out:
// it may repeat the key or the texts.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("the endpoint answers %d %s", int(e), http.StatusText(int(e)))
}

// Refused reports that the key is missing or wrong.
func (e StatusError) Refused() bool {
	return e == http.StatusUnauthorized || e == http.StatusForbidden
}

// TooMuch reports that the endpoint may have failed over a text that is too long for the
// model; llama.cpp says so with 500.
func (e StatusError) TooMuch() bool {
	return e == http.StatusBadRequest || e == http.StatusRequestEntityTooLarge || e == http.StatusUnprocessableEntity || e == http.StatusInternalServerError
}

// maxAnswer bounds an answer: more than the vectors of a large batch take as text.
const maxAnswer = 64 << 20

// Client asks one model. It is safe for concurrent use.
type Client struct {
	endpoint, model, key string
	http                 *http.Client
}

// New returns a Client; nothing is asked yet.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(cfg.URL))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrURL // not err: it would repeat a password
	}
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, ErrModel
	}
	if cfg.Key != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return nil, ErrPlainHTTP
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasSuffix(path, "/embeddings"):
		u.Path = path
	case path == "":
		u.Path = "/v1/embeddings"
	default:
		u.Path = path + "/embeddings"
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true,
	}
	return &Client{
		endpoint: u.String(), model: strings.TrimSpace(cfg.Model), key: cfg.Key,
		http: &http.Client{
			Transport: transport,
			// Somewhere else is not where the person sent these texts.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Close gives up idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Embed returns a vector for each text, in their order. All have the same length.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{c.model, texts})
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
		return nil, fmt.Errorf("ask for embeddings: %w", err)
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
			return nil, fmt.Errorf("read embeddings: %w", ctx.Err())
		}
		return nil, fmt.Errorf("read embeddings: %w: %w", ErrAnswer, err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10)) // so that the connection is used again
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrAnswer, len(answer.Data), len(texts))
	}
	out := make([][]float32, len(texts))
	for _, d := range answer.Data {
		switch {
		case d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil:
			return nil, fmt.Errorf("%w: index %d", ErrAnswer, d.Index)
		case len(d.Embedding) == 0 || len(d.Embedding) != len(answer.Data[0].Embedding):
			return nil, fmt.Errorf("%w: vectors of %d and %d numbers", ErrAnswer, len(answer.Data[0].Embedding), len(d.Embedding))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
