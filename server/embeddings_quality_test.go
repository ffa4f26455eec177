package server

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// question is a query and the files that answer it.
type question struct {
	text     string
	relevant []string
}

// unzip opens a file of the real data.
func unzip(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("HANDRAIL_DATA"), name))
	if err != nil {
		t.Skipf("no %s: set HANDRAIL_DATA to a folder that holds it", name)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// bugReports are reports, and later ones of the same bugs.
func bugReports(t *testing.T) (files map[string]string, questions []question) {
	files = map[string]string{}
	in := bufio.NewScanner(unzip(t, "duplicates-dev.jsonl.gz"))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var row struct {
			Kind, ID, Title, Body, Text string
			Relevant                    []string
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Kind == "doc" {
			files[row.ID+".md"] = "# " + row.Title + "\n\n" + row.Body + "\n"
			continue
		}
		q := question{text: row.Text}
		for _, r := range row.Relevant {
			q.relevant = append(q.relevant, r+".md")
		}
		questions = append(questions, q)
	}
	return files, questions
}

// titledNotes are developers' notes without their titles, which are asked for.
func titledNotes(t *testing.T) (files map[string]string, questions []question) {
	files = map[string]string{}
	for in := tar.NewReader(unzip(t, "brain-til.tgz")); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, questions
		}
		if err != nil {
			t.Fatal(err)
		}
		src, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		title, body, _ := strings.Cut(strings.TrimSpace(string(src)), "\n")
		if title, ok := strings.CutPrefix(title, "# "); ok && path.Ext(h.Name) == ".md" && path.Base(h.Name) != "README.md" {
			rel := fmt.Sprintf("%04d.md", len(files))
			files[rel] = body
			questions = append(questions, question{title, []string{rel}})
		}
	}
}

// graded is how well a brain answers.
type graded struct{ hit1, hit10, mrr float64 }

func (w *workspace) grade(t *testing.T, questions []question) (g graded) {
	t.Helper()
	share := 1 / float64(len(questions))
	for _, q := range questions {
		at := slices.IndexFunc(w.ranked(t, q.text), func(h Hit) bool { return slices.Contains(q.relevant, h.Path) })
		if at >= 0 {
			g.hit10 += share
			g.mrr += share / float64(at+1)
		}
		if at == 0 {
			g.hit1 += share
		}
	}
	return g
}

// TestEmbeddingsQuality holds that a real model, which HANDRAIL_EMBEDDINGS_URL names, makes
// no search worse than words alone, by more than one query in a thousand: names of files
// move as many. docs/vectors.md has the figures.
func TestEmbeddingsQuality(t *testing.T) {
	url := os.Getenv("HANDRAIL_EMBEDDINGS_URL")
	if url == "" {
		t.Skip("no model: set HANDRAIL_EMBEDDINGS_URL, for example to that of testdata/embeddings")
	}
	for name, read := range map[string]func(*testing.T) (map[string]string, []question){"reports": bugReports, "notes": titledNotes} {
		t.Run(name, func(t *testing.T) {
			files, questions := read(t)
			words := newWorkspace(t, files).grade(t, questions)
			both := newWorkspace(t, files, func(cfg *Config) {
				cfg.QueryWait = time.Minute
				cfg.Embeddings.Environment = &Embeddings{URL: url, Model: "use", Key: os.Getenv("HANDRAIL_EMBEDDINGS_KEY")}
			})
			both.settled(t)
			got := both.grade(t, questions)
			t.Logf("words %.4f, words and vectors %.4f", words, got)
			const noise = .001
			if got.hit1 < words.hit1-noise || got.hit10 < words.hit10-noise || got.mrr < words.mrr-noise {
				t.Errorf("vectors make it worse: %.4f, words alone %.4f", got, words)
			}
		})
	}
}
