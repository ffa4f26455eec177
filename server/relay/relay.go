// Package relay holds what the two programs of a hook and the daemon tell each other:
// handrail-hook hands an event to the daemon, or to "handrail hook" where that has more to do.
// It needs the standard library alone, so that handrail-hook starts at once.
package relay

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"handrail/server/daemon/socket"
)

const (
	// Within is how long a host waits for us at most: less than a person notices between a
	// prompt and the first word.
	Within = 300 * time.Millisecond
	// Method is the daemon's name for an Event.
	Method = "hook"
	// Until is the flag by which "handrail hook" learns when the time of an event that
	// handrail-hook began to answer is over, in milliseconds since 1970.
	Until = "until"
	// maxLog is when the log of hooks is begun anew; the one before is kept.
	maxLog = 1 << 20
)

// Event is a hook's event on its way to the daemon.
type Event struct {
	Host    string            `json:"host,omitempty"`
	Name    string            `json:"name,omitempty"`
	Guard   bool              `json:"guard,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Brain   string            `json:"brain,omitempty"`   // when it was named, whatever folder the event is from
	Program string            `json:"program,omitempty"` // file of handrail; one of a newer build is not answered
	Within  time.Duration     `json:"within"`            // that is left to answer
	Payload json.RawMessage   `json:"payload"`
}

// Reply is what the daemon makes of it.
type Reply struct {
	Out       string `json:"out,omitempty"`       // to be printed
	Elsewhere bool   `json:"elsewhere,omitempty"` // it is not this daemon's to answer: nothing was done
	Wrong     string `json:"wrong,omitempty"`     // for the log of hooks
}

// Env names the variables of a hook's environment that count.
func Env() []string {
	return []string{"COPILOT_HOOK_DIR", "CURSOR_VERSION", "GEMINI_SESSION_ID", "HANDRAIL_DIGEST", "HANDRAIL_EPISODES", "HANDRAIL_HINTS", "HANDRAIL_HOLD_OUT", "HANDRAIL_OVERVIEW", "HANDRAIL_PROJECT", "LC_ALL", "LC_MESSAGES", "LANG"}
}

// Log opens the log of hooks, which done closes. Without a place for it nothing is logged.
func Log() (log *slog.Logger, done func()) {
	discard := slog.New(slog.DiscardHandler)
	dir := socket.Own().State
	if os.MkdirAll(dir, 0o700) != nil {
		return discard, func() {}
	}
	name := filepath.Join(dir, "hook.log")
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		_ = os.Rename(name, name+".1") //nolint:forbidigo // side data, not a card; kept as it is when it cannot be moved
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return discard, func() {}
	}
	log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelWarn})).With("pid", os.Getpid())
	return log, func() { _ = f.Close() } // the last line is lost with the disk
}
