package main

import (
	"debug/buildinfo"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/server/daemon"
)

// build says which build this program is.
func build() daemon.Build {
	b := daemon.Build{Version: versionText()}
	info, _ := debug.ReadBuildInfo()
	if exe, err := os.Executable(); err == nil {
		file, _ := os.Stat(exe) // nil then
		b.Time = built(info, file)
	}
	return b
}

// built says how old a build is: as old as its commit or, when it was built from changed
// files, as the program's file. Both may be nil.
func built(info *debug.BuildInfo, file fs.FileInfo) time.Time {
	var commit time.Time
	changed := false
	if info != nil {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				commit, _ = time.Parse(time.RFC3339, s.Value) // none, then the file says
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	if file == nil || !changed && !commit.IsZero() {
		return commit
	}
	return file.ModTime().UTC()
}

// programs remembers how old other programs of ours are.
type programs struct {
	own time.Time // of this one

	mu   sync.Mutex // guards what follows
	last string
	file fs.FileInfo
	time time.Time
}

// newer reports whether a program is of a newer build than this one. Hooks name it: they have
// no time to look for themselves.
func (p *programs) newer(exe string) bool {
	file, err := os.Stat(exe)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != exe || !os.SameFile(p.file, file) || !p.file.ModTime().Equal(file.ModTime()) || p.file.Size() != file.Size() {
		info, _ := buildinfo.ReadFile(exe) // nil for what is no program of Go's
		p.last, p.file, p.time = exe, file, built(info, file)
	}
	return p.time.After(p.own)
}
