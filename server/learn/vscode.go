package learn

import (
	"encoding/json"
	"io"
	"path/filepath"
)

// VS Code's chat, 1.109 (2026-11): workspaceStorage/<id>/chatSessions/<id>.json to 1.108, then a log of what changed in that
// object (kind 0 all of it, 1 set, 2 push, 3 delete). Only the person's words are told for sure: what tools did is kept in a
// form of the view.
func readVSCode(r io.Reader, t *talk) error {
	dir := folderOf(filepath.Join(filepath.Dir(filepath.Dir(t.file)), "workspace.json"))
	if dir == "" {
		return errElsewhere
	}
	if err := t.in(dir); err != nil {
		return err
	}
	type request struct {
		Time    json.RawMessage `json:"timestamp"`
		Message struct{ Text string }
	}
	tell := func(list []request) {
		for _, q := range list {
			t.at = stamp(q.Time)
			t.prompt(q.Message.Text)
		}
	}
	type record struct {
		Kind     *int
		Path     []any           `json:"k"`
		Value    json.RawMessage `json:"v"`
		Requests []request
	}
	return objects(r, decoded(func(row record) (bool, error) {
		if row.Kind == nil {
			tell(row.Requests)
			return row.Requests != nil, nil
		}
		var whole struct{ Requests []request }
		var pushed []request
		switch {
		case *row.Kind == 0 && json.Unmarshal(row.Value, &whole) == nil:
			tell(whole.Requests)
		case *row.Kind == 2 && len(row.Path) == 1 && row.Path[0] == "requests" && json.Unmarshal(row.Value, &pushed) == nil:
			tell(pushed)
		}
		return true, nil
	}))
}
