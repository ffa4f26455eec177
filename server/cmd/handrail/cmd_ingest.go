package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/ingest"
)

func (a *app) ingestCommand() *cobra.Command {
	var refresh bool
	cmd := &cobra.Command{
		Use:   "ingest [FILE|FOLDER|URL]…",
		Short: "Keep documents as notes that say where they come from",
		Long: `Ingest keeps documents as notes, which are searched and quoted and are never lessons: markdown, text, HTML
and PDF with text in it; a folder's, or a page of the web that you name. A long one becomes several notes. One that
has changed takes the place of what was kept of it; --refresh looks at all. Undo takes it back.`,
		Example: `  handrail ingest docs/runbook.md
  handrail ingest https://example.com/handbook.html
  handrail ingest --refresh`,
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "read again what was kept before")
	cmd.RunE = func(cmd *cobra.Command, sources []string) error {
		if refresh == (len(sources) > 0) {
			return usageError{say(text{"Name a file, a folder or a URL, or use --refresh alone.", "파일, 폴더 또는 URL을 지정하거나 --refresh만 쓰세요."})}
		}
		var docs []desk.Ingested
		if a.inside != nil { // the caller has read them: a daemon opens nobody's documents, and asks no server
			if err := json.NewDecoder(a.in).Decode(&docs); err != nil {
				return fmt.Errorf("read what was ingested: %w", err)
			}
		} else {
			if refresh {
				known, err := a.knownDocuments(cmd.Context())
				if err != nil {
					return err
				}
				for _, d := range known {
					sources = append(sources, d.Source)
				}
			}
			docs = a.readDocuments(cmd, sources)
			in, err := json.Marshal(docs)
			if err != nil {
				return fmt.Errorf("pass on what was read: %w", err)
			}
			a.in = bytes.NewReader(in)
		}
		if len(docs) == 0 {
			return nil
		}
		failed := a.status // of a document that was not read
		err := ask[[]desk.Ingested]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) ([]desk.Ingested, error) {
			return s.Ingest(cmd.Context(), docs)
		}, func(kept []desk.Ingested) {
			for _, d := range kept {
				if d.Same {
					a.print("%s\n", a.word(say(text{"%s has not changed.", "%s은(는) 그대로입니다."}, plain(d.Source))))
					continue
				}
				a.print("%s\n", a.word(say(text{"%s: %d notes, from %s on", "%s: 노트 %d개, %s부터"}, plain(d.Source), len(d.Notes), plain(d.Notes[0]))))
			}
		}}.run(a)(cmd, sources)
		a.status = max(a.status, failed)
		return err
	}
	return cmd
}

// knownDocuments returns the documents that the brain has notes of, their sources as they are read from here.
func (a *app) knownDocuments(ctx context.Context) (docs []desk.Ingested, err error) {
	folder, err := a.findBrain()
	if err != nil {
		return nil, err
	}
	s, err := a.alone(ctx, brain.Config{Brain: folder, FilesOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	docs, err = s.Documents(ctx)
	for i, d := range docs {
		if !ingest.Remote(d.Source) && !filepath.IsAbs(d.Source) { // a file of the workspace is kept by its path there
			docs[i].Source = filepath.Join(filepath.Dir(s.Brain().Root()), filepath.FromSlash(d.Source))
		}
	}
	return docs, err
}

// changedDocuments counts the files that say something else than what was kept of them. Pages of the web are not asked
// for, and of what cannot be read nothing is said.
func (a *app) changedDocuments(ctx context.Context) (n int) {
	docs, _ := a.knownDocuments(ctx)
	for _, d := range docs {
		if ingest.Remote(d.Source) {
			continue
		}
		if sum, err := ingest.Sum(d.Source); err == nil && sum != d.Sum {
			n++
		}
	}
	return n
}

// readDocuments reads sources, and names what cannot be read.
func (a *app) readDocuments(cmd *cobra.Command, sources []string) (docs []desk.Ingested) {
	folder, err := a.findBrain()
	if err != nil {
		folder = "" // what opens it says so
	}
	refuse := func(source string, err error) {
		a.status = exitFailed
		a.warn(a.word(say(text{"%s was not read: %s.", "%s을(를) 읽지 않았습니다: %s."}, plain(source), a.refusal(err))))
	}
	for _, source := range sources {
		if !ingest.Remote(source) {
			source = a.abs(source)
		}
		read, refused, err := ingest.Reader{}.Read(cmd.Context(), source)
		if err != nil {
			refuse(source, err)
			continue
		}
		for _, r := range refused {
			refuse(r.Source, r.Err)
		}
		for _, d := range read {
			from := d.Source
			if rel, err := filepath.Rel(filepath.Dir(a.abs(folder)), from); err == nil && !ingest.Remote(from) && filepath.IsLocal(rel) {
				from = filepath.ToSlash(rel)
			}
			docs = append(docs, desk.Ingested{Source: from, Title: d.Title, Parts: d.Parts, Sum: d.Sum})
		}
	}
	return docs
}

// refusal says why a document was not read, and what to do about it.
func (a *app) refusal(err error) string {
	if status, ok := errors.AsType[ingest.Status](err); ok {
		return a.word(say(text{"its server answers %q; open it in a browser, save the page and ingest the file", "서버의 응답은 %q입니다. 브라우저에서 열어 저장한 파일을 지정하세요"}, string(status)))
	}
	for _, why := range []struct {
		err  error
		text text
	}{
		{ingest.ErrHost, text{"its host is not known; check the address and your network", "호스트를 찾을 수 없습니다. 주소와 네트워크를 확인하세요"}},
		{ingest.ErrPrivate, text{"it leads to a private network, which is never asked; save the page and ingest the file", "사설망 주소로 이어져 요청하지 않습니다. 저장한 파일을 지정하세요"}},
		{ingest.ErrServer, text{"its server does not answer; check the address and your network, or save the page and ingest the file", "서버가 응답하지 않습니다. 주소와 네트워크를 확인하거나 저장한 파일을 지정하세요"}},
		{ingest.ErrSecure, text{"its server's certificate is not trusted; if you trust it, save the page in a browser and ingest the file", "서버의 인증서를 믿을 수 없습니다. 그래도 믿는다면 브라우저에서 저장한 파일을 지정하세요"}},
		{ingest.ErrKind, text{"it holds no markdown, text, HTML or PDF that can be read; save it as one of these", "읽을 수 있는 마크다운, 텍스트, HTML, PDF가 없습니다. 그 가운데 하나로 저장하세요"}},
		{ingest.ErrLocked, text{"it is locked by a password; save a copy without one", "암호로 잠겨 있습니다. 암호 없는 사본을 저장하세요"}},
		{ingest.ErrLarge, text{"it is larger than 100 MB, 5 MB of text or 1,000 pages; split it", "100MB, 텍스트 5MB 또는 1,000쪽보다 큽니다. 나누세요"}},
		{ingest.ErrEmpty, text{"there is no text in it; a scan needs text recognition (OCR) first", "텍스트가 없습니다. 스캔이면 먼저 글자 인식(OCR)을 하세요"}},
		{ingest.ErrMany, text{"there are more than 500 documents; name a smaller folder", "문서가 500개를 넘습니다. 더 작은 폴더를 지정하세요"}},
		{fs.ErrPermission, text{"you may not read it; check its permissions", "읽을 권한이 없습니다. 권한을 확인하세요"}},
		{fs.ErrNotExist, text{"there is no such file; check its name", "그런 파일이 없습니다. 이름을 확인하세요"}},
		{syscall.ENOTDIR, text{"there is no such file; check its name", "그런 파일이 없습니다. 이름을 확인하세요"}},
	} {
		if errors.Is(err, why.err) {
			return a.word(say(why.text))
		}
	}
	return strings.TrimSuffix(a.explain(err), ".")
}
