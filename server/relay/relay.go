// Package relay holds what handrail-hook and "handrail hook" have in common. It needs the standard library alone, so that handrail-hook starts at once.
package relay

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

const (
	// Within is how long a host waits for us at most: less than a person notices between a
	// prompt and the first word.
	Within = 300 * time.Millisecond
	// Start is how long a conversation's beginning waits for a daemon whose start is under way. Titles come there for the
	// whole conversation, and hosts give hooks five seconds.
	Start = 2 * time.Second
	// Patience is how long an event whose time is up may take to be read, and its brain to be
	// found, before it is lost.
	Patience = time.Second
	// Until is the flag by which "handrail hook" learns when the time of an event that
	// handrail-hook began to answer is over, in milliseconds since 1970.
	Until = "until"
	// Event is the flag that names an event, so that it is taken once by whatever way it comes.
	Event = "event"
	// Late is the flag by which "handrail hook" learns that its host does not wait any more.
	Late = "late"
	// Beside is the flag by which "handrail hook" learns that another brain asks the person.
	Beside = "beside"
)

// Env names the variables of a hook's environment that count.
func Env() []string {
	return []string{"COPILOT_HOOK_DIR", "CURSOR_VERSION", "GEMINI_SESSION_ID", "HANDRAIL_AGENTS", "HANDRAIL_BRAIN", "HANDRAIL_PROJECT", "HANDRAIL_TRUST", "LC_ALL", "LC_MESSAGES", "LANG", "QWEN_CODE_SESSION_ID"}
}

// Begins reports whether a host's event of this name is the beginning of a conversation.
func Begins(event string) bool {
	return slices.Contains([]string{"SessionStart", "sessionStart", "TaskStart", "TaskResume", "start"}, event)
}

// NewEvent names an event. Names sort by time.
func NewEvent(at time.Time) string { return fmt.Sprintf("%016x-%d", at.UnixNano(), os.Getpid()) }

// Environment returns the variables of [Env] that are set, "name=value", and a brain by its absolute path.
func Environment() []string {
	var out []string
	for _, name := range Env() {
		if v := os.Getenv(name); v != "" {
			if abs, err := filepath.Abs(v); name == "HANDRAIL_BRAIN" && err == nil {
				v = abs // who gets it works in another folder
			}
			out = append(out, name+"="+v)
		}
	}
	return out
}

// Log opens the log of hooks, which done closes. through is what its lines go through. Without a place for it nothing is logged.
func Log(through func(line string) string) (log *slog.Logger, done func()) {
	dir := socket.Own().State
	_ = os.MkdirAll(dir, 0o700) // then there is no file either
	file, err := side.OpenLog(filepath.Join(dir, "hook.log"), through)
	if err != nil {
		return slog.New(slog.DiscardHandler), func() {}
	}
	log = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelWarn})).With("pid", os.Getpid())
	return log, func() { _ = file.Close() } // the last line is lost with the disk
}
