package lsp

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"handrail/server"
)

// maxLooked bounds the names that are looked up on disk for the links of one card.
const maxLooked = 200

var (
	wikiLink = regexp.MustCompile(`\[\[([^\]\n|]+\.md)(?:\|[^\]\n]*)?\]\]`)
	// fileName matches a path, or one name with an extension, with a line behind it or not.
	fileName = regexp.MustCompile(`(?:\.{0,2}/)?[\p{L}\p{N}_.@-]+(?:/[\p{L}\p{N}_.@-]+)*(?::(\d{1,6}))?`)
	// commitName matches a hash that is called a commit or written as code.
	commitName = regexp.MustCompile("(?i:(?:commits?|reverts?|reverted|cherry-pick)\\s+`?|커밋\\s*`?|`)([0-9a-f]{7,40})\\b")
)

// links returns where the names in a card lead: files of the workspace that exist, other
// cards, and commits where git knows a remote that shows them.
func (s *session) links(ctx context.Context, p protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	doc, b, _, ok := s.document(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	var out []protocol.DocumentLink
	taken := func(from, to int) bool {
		r := doc.span(from, to)
		return slices.ContainsFunc(out, func(l protocol.DocumentLink) bool {
			return l.Range.Start.Line == r.Start.Line && l.Range.Start.Character < r.End.Character && r.Start.Character < l.Range.End.Character
		})
	}
	add := func(from, to int, target uri.URI) {
		if !taken(from, to) {
			out = append(out, protocol.DocumentLink{Range: doc.span(from, to), Target: &target})
		}
	}
	looked := map[string]string{}
	for _, m := range wikiLink.FindAllStringSubmatchIndex(doc.text, maxLooked) {
		if rel := doc.text[m[2]:m[3]]; b.Brain().Counts(rel) {
			if file := b.lookUp(looked, rel, b.dir); file != "" {
				add(m[0], m[1], uri.File(file))
			}
		}
	}
	for _, m := range fileName.FindAllStringSubmatchIndex(doc.text, -1) {
		name, line := doc.text[m[0]:m[1]], ""
		if m[2] >= 0 {
			name, line = doc.text[m[0]:m[2]-1], doc.text[m[2]:m[3]]
		}
		end := m[1]
		if line == "" { // the full stop of a sentence
			name = strings.TrimRight(name, ".")
			end = m[0] + len(name)
		}
		if !nameLike(name) || partOfMore(doc.text, m[0]) {
			continue
		}
		if file := b.lookUp(looked, name, b.places()...); file != "" {
			target := uri.File(file)
			if line != "" {
				target += uri.URI("#L" + line)
			}
			add(m[0], end, target)
		}
	}
	for _, m := range commitName.FindAllStringSubmatchIndex(doc.text, maxLooked) {
		hash := doc.text[m[2]:m[3]]
		if !strings.ContainsAny(hash, "0123456789") {
			continue // an English word
		}
		if web := b.commitURL(ctx, hash); web != "" {
			add(m[2], m[3], uri.URI(web))
		}
	}
	return out, ctx.Err()
}

// nameLike reports whether a word may name a file: it has a folder or an extension.
func nameLike(name string) bool {
	return strings.Contains(strings.TrimPrefix(name, "./"), "/") || len(filepath.Ext(name)) > 1 && !strings.HasPrefix(name, "..")
}

// partOfMore reports whether what begins at a byte is the rest of something longer: an address
// of the web, a glob, an absolute path.
func partOfMore(text string, at int) bool {
	return at > 0 && strings.IndexByte(`/\:*@}?~$=`, text[at-1]) >= 0 && !strings.HasSuffix(text[:at], ": ")
}

// places returns the folders that the paths in a card are written against: the project's and
// those of the workspace, then the brain's.
func (b *brain) places() []string {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return slices.Concat([]string{filepath.Dir(b.dir)}, b.s.folders, []string{b.dir})
}

// lookUp returns the file of a name below one of some folders, "" where there is none.
func (b *brain) lookUp(looked map[string]string, name string, folders ...string) string {
	if file, known := looked[name]; known || len(looked) >= maxLooked {
		return file
	}
	looked[name] = ""
	for _, dir := range folders {
		if rel := filepath.FromSlash(name); filepath.IsLocal(rel) {
			file := filepath.Join(dir, rel)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				looked[name] = file
				break
			}
		}
	}
	return looked[name]
}

// commitURL returns the page of a commit, "" where git names no remote with pages.
func (b *brain) commitURL(ctx context.Context, hash string) string {
	b.remoteOnce.Do(func() { b.remote = server.CommitPages(ctx, filepath.Dir(b.dir)) })
	if b.remote == "" {
		return ""
	}
	return b.remote + hash
}
