package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/handrail-dev/handrail/lessons/find"
)

// errNoSQLite says that a database cannot be read, for nothing here reads one.
var errNoSQLite = errors.New("no sqlite3 on the PATH")

// withLog returns what is known of a database with its log, to which it is written first.
func withLog(path string, info fs.FileInfo) (out read) {
	out = read{Size: info.Size(), Changed: info.ModTime()}
	if log, err := os.Stat(path + "-wal"); err == nil {
		out.Size += log.Size()
		if log.ModTime().After(out.Changed) {
			out.Changed = log.ModTime()
		}
	}
	return out
}

// rows has the program sqlite3 answer a query whose rows are JSON objects, and calls with each. It changes nothing.
func rows(ctx context.Context, db, query string, each func(row []byte) (bool, error)) error {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		return errNoSQLite
	}
	cmd := exec.CommandContext(ctx, program, "-readonly", "-batch", "-list", "-noheader", "-cmd", ".timeout 2000", db, query)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = lines(out, each)
	_ = out.Close() // nobody reads what is left
	if ended := cmd.Wait(); err == nil && ctx.Err() == nil && ended != nil {
		return errForm
	}
	return err
}

// quoted returns a list of values for a query.
func quoted(values []string) string {
	var out []string
	for _, v := range values {
		out = append(out, "'"+strings.ReplaceAll(v, "'", "''")+"'")
	}
	return strings.Join(out, ",")
}

// opencode, 1.1 (2026-11): $XDG_DATA_HOME/opencode/opencode.db, a conversation a row of session, what was said and called in
// the JSON of part.
func readOpencode(_ io.Reader, t *talk) error {
	var dirs []string
	err := rows(t.of.ctx, t.file, "select distinct json_object('dir',directory) from session", decoded(func(r struct{ Dir string }) (bool, error) {
		if t.of.place(r.Dir) != elsewhere {
			dirs = append(dirs, r.Dir)
		}
		return r.Dir != "", nil
	}))
	if err != nil || len(dirs) == 0 {
		return err
	}
	type part struct {
		Type, Text, Tool, CallID string
		Synthetic, Ignored       bool
		State                    struct {
			Status, Output, Error string
			Input                 json.RawMessage
			Metadata              struct{ Exit json.RawMessage }
		}
	}
	type record struct {
		ID, Dir, Role string
		At            json.RawMessage
		Part          part
	}
	return rows(t.of.ctx, t.file, `select json_object('id',s.id,'dir',s.directory,'at',m.time_created,'role',json_extract(m.data,'$.role'),'part',json(p.data))
		from session s join message m on m.session_id=s.id join part p on p.message_id=m.id
		where s.parent_id is null and s.directory in (`+quoted(dirs)+`) and json_extract(p.data,'$.type') in ('text','tool')
		order by s.id, m.time_created, p.id`, decoded(func(r record) (bool, error) {
		if err := t.next(r.ID, r.Dir); err != nil {
			return true, err
		}
		t.at = stamp(r.At)
		p := r.Part
		switch {
		case p.Type == "text" && r.Role == "user" && !p.Synthetic && !p.Ignored:
			t.prompt(p.Text)
		case p.Type == "tool" && (p.State.Status == "completed" || p.State.Status == "error"):
			tool, _ := json.Marshal(map[string]any{
				"id": p.CallID, "name": p.Tool, "input": p.State.Input, "output": p.State.Output + p.State.Error,
				"exit": p.State.Metadata.Exit, "failed": p.State.Status == "error",
			}) // all of it was JSON
			t.told(payload{"host": str("opencode"), "event": str("tool"), "session": str(r.ID), "tool": tool})
		}
		return true, nil
	}))
}

// Cursor, 2.1 (2026-11): globalStorage/state.vscdb has each conversation's messages by its id; which are of a folder stands in
// workspaceStorage/*/state.vscdb. Only the person's words are taken.
func readCursor(_ io.Reader, t *talk) error {
	type record struct {
		ID, Text string
		At       json.RawMessage
	}
	user := filepath.Dir(filepath.Dir(t.file))
	places, _ := filepath.Glob(filepath.Join(escaped(user), "workspaceStorage", "*", "workspace.json")) // the pattern is well formed
	for _, place := range places {
		dir := folderOf(place)
		if dir == "" || t.of.place(dir) != here {
			continue
		}
		var talks []string
		err := rows(t.of.ctx, filepath.Join(filepath.Dir(place), "state.vscdb"), `select json_object('id',json_extract(c.value,'$.composerId'))
			from ItemTable i, json_each(cast(i.value as text),'$.allComposers') c where i.key='composer.composerData'`, decoded(func(r struct{ ID string }) (bool, error) {
			if r.ID != "" {
				talks = append(talks, "composerData:"+r.ID)
			}
			return true, nil
		}))
		if err != nil {
			return err
		}
		err = rows(t.of.ctx, t.file, `select json_object('id',substr(c.key,14),'at',json_extract(b.value,'$.createdAt'),'text',json_extract(b.value,'$.text'))
			from cursorDiskKV c, json_each(cast(c.value as text),'$.fullConversationHeadersOnly') h
			join cursorDiskKV b on b.key='bubbleId:'||substr(c.key,14)||':'||json_extract(h.value,'$.bubbleId')
			where c.key in (`+quoted(talks)+`) and json_extract(h.value,'$.type')=1 order by c.key, h.id`, decoded(func(r record) (bool, error) {
			t.at = stamp(r.At)
			err := t.next(r.ID, dir)
			t.prompt(r.Text)
			return true, err
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// folderOf returns the folder that a workspace.json names, "" for several.
func folderOf(file string) string {
	var storage struct{ Folder string }
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(bytes.TrimSpace(raw), &storage) != nil {
		return ""
	}
	dir, _ := find.FilePath(storage.Folder)
	return dir
}
