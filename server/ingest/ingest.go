// Package ingest reads a document from a file, a folder or the web, and cuts it into parts that are
// searched and quoted as notes. Start reading with Reader.Read.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
)

// The bounds of one document. Whatever is larger is refused whole, before it is read.
const (
	MaxDisk  = 100 << 20 // bytes of the file, or of what a server sends
	MaxText  = 5 << 20   // bytes of its text
	MaxPages = 1000      // of a PDF
	MaxPart  = 2000      // estimated tokens of one part
	maxFiles = 500       // of a folder
)

// Why a document is refused.
var (
	ErrKind    = errors.New("not a document that can be read")
	ErrLarge   = errors.New("larger than is read")
	ErrEmpty   = errors.New("no text in it")
	ErrLocked  = errors.New("locked by a password")
	ErrMany    = errors.New("more documents than are read at once")
	ErrHost    = errors.New("a host that is not known")
	ErrPrivate = errors.New("an address of a private network")
	ErrServer  = errors.New("a server that does not answer")
	ErrSecure  = errors.New("a server whose certificate is not trusted")
)

// Document is one that was read.
type Document struct {
	Source string   // as Reader.Read was given it, or the path of a file of that folder
	Title  string   // its first heading, else its name
	Parts  []string // markdown, each of MaxPart estimated tokens at most
	Sum    string   // SHA-256 of its bytes, hex
}

// Refused is a document of a folder that was not read.
type Refused struct {
	Source string
	Err    error
}

// Reader reads documents. The zero value is ready for use.
type Reader struct {
	// Reach says which addresses may be asked; nil means those of no private network.
	Reach func(netip.Addr) bool
}

// Read reads a file, the documents of a folder, or an http or https URL. Files of a folder that cannot be
// read are returned as refused; hidden ones, links and those of other kinds are passed over. Errors are
// those above, a Status, and those of files.
func (r Reader) Read(ctx context.Context, source string) (docs []Document, refused []Refused, err error) {
	if Remote(source) {
		name, data, kind, err := r.fetch(ctx, source)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", source, err)
		}
		d, err := document(source, name, kind, data)
		return []Document{d}, nil, err
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, nil, fmt.Errorf("read a document: %w", err)
	}
	if !info.IsDir() {
		d, err := file(source)
		return []Document{d}, nil, err
	}
	var files []string
	root := source + string(filepath.Separator) // also of a link
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			refused = append(refused, Refused{path, err})
			return nil
		}
		switch name := e.Name(); {
		case path != root && strings.HasPrefix(name, ".") || name == "node_modules":
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular() && kindOf(name) != "":
			files = append(files, path)
		}
		if len(files) > maxFiles {
			return fmt.Errorf("read %s: %w", source, ErrMany)
		}
		return ctx.Err()
	})
	for _, path := range files {
		if err != nil || ctx.Err() != nil {
			return nil, nil, errors.Join(err, ctx.Err())
		}
		d, err := file(path)
		if err != nil {
			refused = append(refused, Refused{path, err})
			continue
		}
		docs = append(docs, d)
	}
	if err == nil && len(files)+len(refused) == 0 {
		err = fmt.Errorf("read %s: %w", source, ErrKind)
	}
	return docs, refused, err
}

func file(path string) (Document, error) {
	kind := kindOf(path)
	if kind == "" {
		return Document{}, fmt.Errorf("read %s: %w", path, ErrKind)
	}
	data, err := load(path)
	if err != nil {
		return Document{}, err
	}
	return document(path, filepath.Base(path), kind, data)
}

// Sum returns what Document.Sum is of a file now. Errors are ErrLarge and those of files.
func Sum(path string) (string, error) {
	data, err := load(path)
	return side.Sum(data), err
}

// load reads a file. A pipe or a device, which may have no end, is not even opened.
func load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > MaxDisk {
		return nil, fmt.Errorf("read %s: %w", path, ErrLarge)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	return data, nil
}

// The kinds of documents.
const (
	kindText     = "text"
	kindMarkdown = "markdown"
	kindHTML     = "html"
	kindPDF      = "pdf"
)

// kinds are how names of documents end.
var kinds = map[string]string{
	".md": kindMarkdown, ".markdown": kindMarkdown,
	".txt": kindText, ".text": kindText, ".rst": kindText, ".adoc": kindText, ".org": kindText,
	".html": kindHTML, ".htm": kindHTML, ".xhtml": kindHTML, ".pdf": kindPDF,
}

func kindOf(name string) string { return kinds[strings.ToLower(filepath.Ext(name))] }

// document makes one of its bytes.
func document(source, name, kind string, data []byte) (d Document, err error) {
	d = Document{Source: source, Sum: side.Sum(data)}
	text := string(data)
	switch kind {
	case kindHTML:
		d.Title, text, err = fromHTML(data)
	case kindPDF:
		text, err = fromPDF(data)
	}
	switch text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); {
	case err != nil:
	case len(text) > MaxText:
		err = ErrLarge
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		err = ErrKind
	}
	if err == nil && kind == kindMarkdown {
		text = strings.TrimSpace(lessons.BodyOf(text))
	}
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
		d.Title, text = strings.TrimSpace(first[2:]), strings.TrimSpace(rest)
	}
	if err == nil && text == "" {
		err = ErrEmpty
	}
	if err != nil {
		return d, fmt.Errorf("read %s: %w", source, err)
	}
	d.Title = cmp.Or(d.Title, strings.TrimSuffix(name, filepath.Ext(name)))
	d.Parts = parts(text)
	return d, nil
}

// parts cuts a text at headings, else between paragraphs, else where is left, so that each part has MaxPart
// estimated tokens at most. Nothing is left out.
func parts(text string) []string {
	return gathered(lessons.Paragraphs(text), "\n\n", "\n", " ", "")
}

// gathered joins the units of a text that stand between two marks as far as a part has room; a larger unit
// is cut at the next of the marks, between its characters at last.
func gathered(units []string, between string, marks ...string) (out []string) {
	size := 0 // of the last part
	for _, unit := range units {
		n := lessons.CountTokens(unit)
		switch {
		case n > MaxPart:
			out, size = append(out, gathered(strings.Split(unit, marks[0]), marks[0], marks[1:]...)...), MaxPart
		case len(out) == 0 || size+n > MaxPart || size > MaxPart/2 && strings.HasPrefix(unit, "#"):
			out, size = append(out, unit), n
		default:
			out[len(out)-1] += between + unit
			size += n
		}
	}
	return out
}
