// Package home keeps tests out of the folders of the person who runs them.
package home

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/adrg/xdg"
)

// Run runs the tests of a package with a home that is gone after them, and returns their status. Go's own caches stay
// where they are.
func Run(tests interface{ Run() int }) int {
	home, err := os.MkdirTemp("", "handrail-test-")
	if err == nil {
		err = enter(home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "give the tests a home:", err)
		return 1
	}
	defer os.RemoveAll(home) //nolint:errcheck // a folder of the system's
	return tests.Run()
}

func enter(home string) error {
	var err error
	caches, _ := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output() // a system without Go has none
	if lines := strings.Fields(string(caches)); len(lines) == 2 {
		err = errors.Join(os.Setenv("GOCACHE", lines[0]), os.Setenv("GOMODCACHE", lines[1]))
	}
	for _, name := range []string{"HOME", "USERPROFILE", "LocalAppData", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		err = errors.Join(err, os.Setenv(name, home))
	}
	xdg.Reload() // it has read them already
	return err
}
