package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server/daemon"
)

const latest = "https://github.com/handrail-dev/handrail/releases/latest"

// installers are told by where the program lies and, after an @, the version built in: what each is called, and what
// upgrades the program then. What make builds between two releases names its commit; go install builds no version in.
var installers = []struct {
	name, run string
	in        *regexp.Regexp
}{
	{"npx", "npx handrail@latest setup", regexp.MustCompile(`/_npx/`)},
	{"pnpm", "pnpm add -g handrail@latest", regexp.MustCompile(`/pnpm/`)},
	{"Bun", "bun add -g handrail@latest", regexp.MustCompile(`/\.bun/`)},
	{"npm", "npm install -g handrail@latest", regexp.MustCompile(`/node_modules/`)},
	{"VS Code", "code --install-extension handrail.handrail --force", regexp.MustCompile(`/extensions/handrail\.handrail-`)},
	{"Homebrew", "brew upgrade handrail", regexp.MustCompile(`/(Caskroom|Cellar)/`)},
	{"Scoop", "scoop update handrail", regexp.MustCompile(`(?i)/scoop/apps/`)},
	{"winget", "winget upgrade Handrail.Handrail", regexp.MustCompile(`(?i)/winget/packages/`)},
	{"Gemini CLI", "gemini extensions update handrail", regexp.MustCompile(`/\.gemini/extensions/`)},
	{"handrail setup", "handrail setup", regexp.MustCompile(`(share|Application Support|AppData/Local)/handrail/bin/`)},
	{"deb/rpm", latest, regexp.MustCompile(`^/usr/bin/`)},
	{"install.ps1", "irm " + latest + "/download/install.ps1 | iex", regexp.MustCompile(`(?i)/programs/handrail/`)},
	{"install.sh", "curl -fsSL " + latest + "/download/install.sh | sh", regexp.MustCompile(`/\.local/bin/.*@v[\d.]+(-[a-z.\d]+)?$`)},
	{"make install", "git pull && make install", regexp.MustCompile(`/\.local/bin/`)},
	{"go install", "go install github.com/handrail-dev/handrail/server/cmd/...@latest", regexp.MustCompile(`@$`)},
	{"make", "git pull && make", regexp.MustCompile(``)},
}

// installer says what put a program where it lies, and what upgrades it.
func installer(exe, version string) (name, run string) {
	for _, i := range installers {
		if i.in.MatchString(filepath.ToSlash(exe) + "@" + version) {
			return i.name, i.run
		}
	}
	return "", "" // never: the last fits all
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Args: args(cobra.NoArgs),
		Short: "Say what a report of a fault needs: version, commit, system, and what installed the program",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !a.json {
				a.print("handrail %s\n%s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				info, found := debug.ReadBuildInfo()
				for i := 0; found && i < len(info.Settings); i++ {
					if s := info.Settings[i]; strings.HasPrefix(s.Key, "vcs.") {
						a.print("%s %s\n", s.Key, s.Value)
					}
				}
			}
			return a.whence(cmd, nil)
		},
	}
}

func (a *app) upgradeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "upgrade", Args: args(cobra.NoArgs), RunE: a.whence,
		Short: "Say what installed the program and what to run for a newer one; it changes nothing",
	}
	cmd.Flags().Bool("check", true, "change nothing, which is all it can do")
	return cmd
}

// whence prints what installed this program.
func (a *app) whence(*cobra.Command, []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real // Homebrew and npm link to it
	}
	name, run := installer(exe, version)
	return a.result(map[string]string{"version": versionText(), "installer": name, "path": exe, "upgrade": run}, func() {
		a.tell(text{"installed by %s, in %s", "설치 방법: %s, 위치: %s"}, name, exe)
		a.tell(text{"to upgrade: %s", "업그레이드: %s"}, run)
	})
}

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
