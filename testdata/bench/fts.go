package main

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	_ "github.com/mattn/go-sqlite3" // built with sqlite_fts5

	"github.com/handrail-dev/handrail/lessons"
)

// fts is SQLite FTS5 as one would use it plainly: porter stemming, BM25 with the title
// weighing twice, any of the words.
type fts struct {
	*sql.DB
	find *sql.Stmt
}

// buildFTS puts a brain's files into a table. titles has those that are not a file's
// first line; reading them is not FTS5's work, and so not part of its time.
func buildFTS(path, dir string, titles map[string]string) (*fts, error) {
	db, err := sql.Open("sqlite3", path+"?_journal_mode=WAL&_synchronous=NORMAL")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, title, body, tokenize='porter unicode61')`); err != nil {
		return nil, fmt.Errorf("make the FTS5 table: %w", err)
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	insert, err := tx.Prepare(`INSERT INTO notes VALUES (?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !lessons.IsMarkdown(p) {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		title, body, _ := strings.Cut(string(src), "\n")
		if t, ok := titles[rel]; ok && strings.TrimSpace(title) == "---" { // frontmatter
			title = t
		}
		_, err = insert.Exec(rel, strings.TrimLeft(title, "# "), body)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	find, err := db.Prepare(`SELECT path FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 0, 2.0, 1.0) LIMIT 10`)
	return &fts{db, find}, err
}

func (f *fts) search(text string) ([]string, error) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := f.find.Query(strings.Join(words, " OR "))
	if err != nil {
		return nil, fmt.Errorf("search FTS5: %w", err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var p string
		if err := rows.Scan(&p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}
