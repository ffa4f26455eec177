package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
)

// onePage returns a PDF with a line of text on each of its pages.
func onePage(lines ...string) []byte { return pdfOf("", lines...) }

// pdfOf is onePage with more in its trailer.
func pdfOf(trailer string, lines ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range lines {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	object("<< /Type /Pages /Kids [ %s] /Count %d >>", kids, len(lines))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, line := range lines {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		text := "BT /F1 12 Tf 72 700 Td (" + line + ") Tj ET"
		object("<< /Length %d >>\nstream\n%s\nendstream", len(text), text)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, trailer, table)
	return b.Bytes()
}

func TestReadFiles(t *testing.T) {
	page := `<html><head><title>The runbook</title></head><body><nav>Home</nav><main><h2>Restart</h2><p>Ask first.</p>` +
		`<pre><code>systemctl restart bot</code></pre></main><footer>2026</footer></body></html>`
	half := strings.Repeat("x", 32) // of no password that is empty
	tests := []struct {
		name, file string
		data       []byte
		title      string
		has, lacks string
		err        error
	}{
		{"markdown", "a.md", []byte("---\ndraft: true\n---\n\n# Deploys\n\nNever on Friday.\n"), "Deploys", "Never on Friday.", "draft", nil},
		{"text", "notes.txt", []byte("Ports are opened by hand.\r\n"), "notes", "Ports are opened by hand.", "\r", nil},
		{"a page", "a.html", []byte(page), "The runbook", "systemctl restart bot", "Home", nil},
		{"a PDF", "a.pdf", onePage("Keys are rotated each quarter", "By two people"), "a", "## Page 2", "", nil},
		{"a PDF without text", "scan.pdf", onePage(""), "", "", "", ErrEmpty},
		{"a locked PDF", "locked.pdf", pdfOf("/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ("+half+") /U ("+half+") >> /ID [(a) (a)]", "Keys"), "", "", "", ErrLocked},
		{"a damaged PDF", "bad.pdf", []byte("%PDF-1.4\n1 0 obj\n<<"), "", "", "", ErrKind},
		{"a picture", "a.png", []byte("x"), "", "", "", ErrKind},
		{"a picture called text", "b.txt", []byte("\x89PNG\x00"), "", "", "", ErrKind},
		{"an empty file", "empty.md", nil, "", "", "", ErrEmpty},
		{"a heading alone", "hello.html", []byte("<h1>Hello</h1>"), "", "", "", ErrEmpty},
		{"frontmatter alone", "draft.md", []byte("---\ndraft: true\n---\n"), "", "", "", ErrEmpty},
		{"too much text", "large.txt", bytes.Repeat([]byte("word "), MaxText/5+1), "", "", "", ErrLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			docs, _, err := Reader{}.Read(t.Context(), path)
			if !errors.Is(err, tt.err) || tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Fatalf("error %v, want %v", err, tt.err)
				}
				return
			}
			text := strings.Join(docs[0].Parts, "\n")
			if docs[0].Title != tt.title || !strings.Contains(text, tt.has) || tt.lacks != "" && strings.Contains(text, tt.lacks) {
				t.Errorf("%q: %q", docs[0].Title, text)
			}
		})
	}
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# A\n\ntext", "sub/b.txt": "text", ".git/c.md": "no", "node_modules/d.md": "no", "e.go": "no", "bad.pdf": "no",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		link = dir // a machine without
	}
	for _, source := range []string{dir, link} {
		docs, refused, err := Reader{}.Read(t.Context(), source)
		if err != nil || len(docs) != 2 || len(refused) != 1 || !errors.Is(refused[0].Err, ErrKind) || !strings.HasPrefix(docs[0].Source, source) {
			t.Errorf("%s: read %+v, refused %+v, %v", source, docs, refused, err)
		}
	}
	if _, _, err := (Reader{}).Read(t.Context(), t.TempDir()); !errors.Is(err, ErrKind) {
		t.Errorf("a folder without documents: %v", err)
	}
}

// TestParts: no word is lost, and no part is too large.
func TestParts(t *testing.T) {
	for name, text := range map[string]string{
		"sections":  strings.Repeat("## A heading\n\n"+strings.Repeat("some words of a paragraph ", 60)+"\n\n", 40),
		"one line":  strings.Repeat("word ", 20_000),
		"no spaces": strings.Repeat("가나다라마바사", 9_000),
		"code":      "```\n" + strings.Repeat("call(a, b)\n\n", 3_000) + "```",
	} {
		t.Run(name, func(t *testing.T) {
			got := parts(text)
			for _, p := range got {
				if n := lessons.CountTokens(p); n > MaxPart || !utf8.ValidString(p) {
					t.Fatalf("a part has %d tokens", n)
				}
			}
			letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if letters(strings.Join(got, "")) != letters(text) {
				t.Error("something was lost")
			}
		})
	}
}

func TestReadPages(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<title>Ports</title><p>Opened by hand.</p>"))
	})
	for from, to := range map[string]string{"/moved": "/page", "/round": "/round", "/inside": "http://127.0.0.2/page", "/out": "ftp://a.example/page"} {
		mux.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	mux.HandleFunc("/picture", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/torn", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") })
	srv, secret, gone := httptest.NewServer(mux), httptest.NewTLSServer(mux), httptest.NewServer(mux)
	defer srv.Close()
	defer secret.Close()
	gone.Close()
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	here := netip.MustParseAddr("127.0.0.1")
	r := Reader{Reach: func(a netip.Addr) bool { return a == here }}

	for _, path := range []string{"/page", "/moved"} {
		docs, _, err := r.Read(t.Context(), srv.URL+path)
		if err != nil || docs[0].Title != "Ports" || docs[0].Parts[0] != "Opened by hand." {
			t.Errorf("%s: %+v, %v", path, docs, err)
		}
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		ctx    context.Context
		source string
		want   error
	}{
		{soon, srv.URL + "/slow", ErrServer},
		{ended, srv.URL + "/page", context.Canceled},
		{t.Context(), srv.URL + "/round", Status("302 Found")},
		{t.Context(), srv.URL + "/out", ErrServer},
		{t.Context(), srv.URL + "/inside", ErrPrivate},
		{t.Context(), srv.URL + "/picture", ErrKind},
		{t.Context(), srv.URL + "/none", Status("404 Not Found")},
		{t.Context(), srv.URL + "/torn", ErrServer},
		{t.Context(), gone.URL + "/page", ErrServer},
		{t.Context(), secret.URL + "/page", ErrSecure},
		{t.Context(), strings.Replace(srv.URL, "http", "https", 1) + "/page", ErrServer},
		{t.Context(), "http://no-such-host.invalid/page", ErrHost},
		{t.Context(), "https:///page", ErrServer},
		{t.Context(), "http://a.invalid:99999/page", ErrServer},
	} {
		if _, _, err := r.Read(tt.ctx, tt.source); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.source, err, tt.want)
		}
	}
	if _, _, err := (Reader{}).Read(t.Context(), srv.URL+"/page"); !errors.Is(err, ErrPrivate) {
		t.Errorf("this machine was asked: %v", err)
	}
}

func TestPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f::1": true,
		"127.0.0.1": false, "10.1.2.3": false, "192.168.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false,
		"::1": false, "fe80::1": false, "fd00::1": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "224.0.0.1": false,
	} {
		if got := public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, kind := range []string{kindText, kindMarkdown, kindHTML, kindPDF} {
		f.Add(kind, []byte("<p>text"))
		f.Add(kind, onePage("text"))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		d, err := document("source", "name.x", kind, data)
		for _, p := range d.Parts {
			if n := lessons.CountTokens(p); err == nil && (n > MaxPart || !utf8.ValidString(p)) {
				t.Errorf("a part of %d tokens", n)
			}
		}
	})
}
