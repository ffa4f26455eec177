package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the transcripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"handrail": func() { os.Exit(run()) }})
}

// TestScripts runs the transcripts in testdata/cli against the real program, each with a
// home and side data of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("..", "..", "..", "testdata", "cli"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for _, dir := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
				env.Setenv(dir, filepath.Join(env.WorkDir, ".side", dir))
			}
			env.Setenv("LC_ALL", "")
			env.Setenv("LANG", "en_US.UTF-8")
			return os.MkdirAll(filepath.Join(env.WorkDir, ".git"), 0o755) // the search for a brain ends here
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// repeat N TEXT FILE writes TEXT N times.
			"repeat": func(ts *testscript.TestScript, _ bool, args []string) {
				n := 0
				for _, c := range args[0] {
					n = 10*n + int(c-'0')
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(args[1], n)), 0o644))
			},
			// damage FOLDER cuts every file below it short.
			"damage": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(p string, d os.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					return os.Truncate(p, 7)
				}))
			},
		},
	})
}
