package socket

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
)

const (
	// maxSpooled bounds the events that wait for a daemon: more than an agent has in the minute
	// that a machine may take to start one.
	maxSpooled = 500
	// maxAge is how long an event waits. What a conversation said a day ago is no news.
	maxAge = 24 * time.Hour
	// maxKept bounds the payload of a spooled event, in bytes.
	maxKept = 1 << 20
)

// Event is a hook's event that found no answer in time, as the daemon takes it up later: a
// call of the program, and its input. It waits beside the lock.
type Event struct {
	Run     Run    `json:"run"`
	Payload []byte `json:"payload"`
}

// Keep has an event wait until the daemon takes it up, under the name in its Run. It fails when too many wait.
func (p Place) Keep(e Event) error {
	dir := p.Spool()
	if len(e.Payload) > maxKept {
		return fmt.Errorf("keep the event for later: the payload has more than %d bytes", maxKept)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the event for later: %w", err)
	}
	if len(p.Kept()) >= maxSpooled {
		return fmt.Errorf("keep the event for later: %d wait in %s", maxSpooled, dir)
	}
	if err := side.WriteJSON(filepath.Join(dir, e.Run.Event+kept), e); err != nil {
		return fmt.Errorf("keep the event for later: %w", err)
	}
	return nil
}

const kept = ".json"

// Kept returns the names of the events that wait, the oldest first.
func (p Place) Kept() []string {
	entries, err := os.ReadDir(p.Spool())
	if err != nil {
		return nil // mostly there is no such folder
	}
	var out []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), kept); ok {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Take takes an event out. One that is too old, or cannot be read, is gone: ok is false.
func (p Place) Take(id string) (e Event, ok bool) {
	name := filepath.Join(p.Spool(), id+kept)
	raw, err := os.ReadFile(name)
	if os.Remove(name) != nil || err != nil || json.Unmarshal(raw, &e) != nil {
		return Event{}, false
	}
	stamp, _, _ := strings.Cut(id, "-")
	at, err := strconv.ParseInt(stamp, 16, 64)
	return e, err == nil && time.Since(time.Unix(0, at)) < maxAge
}
