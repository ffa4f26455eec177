package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"syscall"

	"go.lsp.dev/jsonrpc2"

	"handrail/lessons"
	"handrail/server"
)

// Errors of a daemon that does not come to serve. Those of calls are server's.
var (
	ErrRunning = errors.New("another daemon serves this brain")
	ErrOwned   = errors.New("another process owns this brain's index and state")
	ErrNewer   = errors.New("a newer daemon serves this brain in a way this build does not know")
	ErrNone    = errors.New("no daemon serves this brain")
)

// identities are the errors that callers tell apart, by the names they have on the wire.
// Both ends may be of different builds, so a name never changes its meaning.
var identities = map[string]error{
	"no-brain":          lessons.ErrNoBrain,
	"no-base":           server.ErrNoBase,
	"not-a-folder":      lessons.ErrNotAFolder,
	"outside-brain":     lessons.ErrOutsideBrain,
	"bad-path":          lessons.ErrBadPath,
	"too-large":         lessons.ErrTooLarge,
	"frontmatter":       lessons.ErrFrontmatter,
	"busy":              lessons.ErrBusy,
	"not-a-card":        server.ErrNotACard,
	"unknown-candidate": server.ErrUnknownCandidate,
	"stale-candidate":   server.ErrStale,
	"held":              server.ErrHeld,
	"not-asked":         server.ErrNotAsked,
	"forbidden":         server.ErrForbidden,
	"unknown-answer":    server.ErrUnknownAnswer,
	"unknown-episode":   server.ErrUnknownEpisode,
	"quarantined":       server.ErrQuarantined,
	"nothing-to-undo":   server.ErrNothingToUndo,
	"changed":           server.ErrChanged,
	"no-vectors":        server.ErrNoVectors,
	"unreachable":       server.ErrUnreachable,
	"uncertain":         server.ErrUncertain,
	"exists":            fs.ErrExist,
	"not-found":         fs.ErrNotExist,
	"permission":        fs.ErrPermission,
	"enotdir":           syscall.ENOTDIR,
	"erofs":             syscall.EROFS,
	"enospc":            syscall.ENOSPC,
	"efbig":             syscall.EFBIG,
	"eloop":             syscall.ELOOP,
	"cancelled":         context.Canceled,
	"deadline":          context.DeadlineExceeded,
	"message-too-large": errTooLarge,
}

// errorData is an error on the wire: what it says, what it is and what it names.
type errorData struct {
	Is      []string             `json:"is,omitempty"`   // names in identities
	Path    string               `json:"path,omitempty"` // of a *lessons.PathError
	File    string               `json:"file,omitempty"` // of a *fs.PathError
	Op      string               `json:"op,omitempty"`   // of a *fs.PathError
	Weak    *server.WeakError    `json:"weak,omitempty"`
	Request *server.RequestError `json:"request,omitempty"`
	Value   *lessons.ValueError  `json:"value,omitempty"`
}

// toWire turns an error into the answer to a call.
func toWire(err error) *jsonrpc2.Error {
	var d errorData
	for name, is := range identities {
		if errors.Is(err, is) {
			d.Is = append(d.Is, name)
		}
	}
	var named *lessons.PathError
	if errors.As(err, &named) {
		d.Path = named.Path
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		d.File, d.Op = file.Path, file.Op
	}
	errors.As(err, &d.Weak)
	errors.As(err, &d.Request)
	errors.As(err, &d.Value)
	raw, _ := json.Marshal(d) // strings and numbers alone
	return &jsonrpc2.Error{Code: jsonrpc2.UnknownError, Message: err.Error(), Data: raw}
}

// remoteError is an error that a daemon answered: it says what the daemon's said, and is
// and holds what that was and held.
type remoteError struct {
	text string
	are  []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.are }

// fromWire turns the error of an answer back into what it was.
func fromWire(err error) error {
	var answered *jsonrpc2.Error
	if !errors.As(err, &answered) {
		return err
	}
	out := &remoteError{text: answered.Message}
	var d errorData
	if json.Unmarshal(answered.Data, &d) != nil {
		return out // an error of the protocol itself has no data
	}
	for _, name := range d.Is {
		if is, ok := identities[name]; ok {
			out.are = append(out.are, is)
		}
	}
	if d.Path != "" {
		out.are = append(out.are, &lessons.PathError{Path: d.Path})
	}
	if d.File != "" {
		out.are = append(out.are, &fs.PathError{Op: d.Op, Path: d.File})
	}
	if d.Weak != nil {
		out.are = append(out.are, d.Weak)
	}
	if d.Request != nil {
		out.are = append(out.are, d.Request)
	}
	if d.Value != nil {
		out.are = append(out.are, d.Value)
	}
	return out
}
