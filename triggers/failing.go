package triggers

import (
	"slices"
	"strings"
)

// Failing is a test run that failed and has not passed since, as far as it is worth keeping
// beyond a process. What it printed is not: it may hold secrets.
type Failing struct {
	Dir     string   `json:"dir"`
	Command string   `json:"command"`
	Edited  []string `json:"edited,omitempty"` // files, last first
}

// Failing returns the test runs that wait for a pass, those that failed last at the end.
func (d *Detector) Failing() []Failing {
	var out []Failing
	for _, key := range d.failing.Keys() {
		if f, ok := d.failing.Peek(key); ok {
			dir, _, _ := strings.Cut(key, "\x00")
			out = append(out, Failing{Dir: dir, Command: f.command, Edited: slices.Clone(f.edited)})
		}
	}
	return out
}

// remind makes the detector know test runs of a process before.
func (d *Detector) remind(list []Failing) {
	for _, f := range list {
		d.failing.Add(f.Dir+"\x00"+f.Command, &failure{command: f.Command, edited: f.Edited})
	}
}
