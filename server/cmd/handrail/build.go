package main

import (
	"os"
	"runtime/debug"
	"time"

	"github.com/handrail-dev/handrail/server/daemon"
)

// build says which build this program is: as old as its commit or, when it was built from changed
// files, as the program's file.
func build() daemon.Build {
	b := daemon.Build{Version: versionText()}
	changed := false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				b.Time, _ = time.Parse(time.RFC3339, s.Value) // none, then the file says
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	exe, err := os.Executable()
	if err == nil && (changed || b.Time.IsZero()) {
		if file, err := os.Stat(exe); err == nil {
			b.Time = file.ModTime().UTC()
		}
	}
	return b
}
