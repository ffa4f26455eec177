package main

import "testing"

// TestInstaller holds what each place of the program says of its upgrade.
func TestInstaller(t *testing.T) {
	for exe, want := range map[string]string{
		"/home/ann/.npm/_npx/1f2/node_modules/@handrail-dev/handrail-linux-x64/bin/handrail":        "npx",
		"/home/ann/.local/share/pnpm/global/5/.pnpm/x/node_modules/y/bin/handrail":                  "pnpm",
		"/home/ann/.bun/install/global/node_modules/@handrail-dev/handrail-linux-x64/bin/handrail":  "Bun",
		"/usr/lib/node_modules/handrail/node_modules/@handrail-dev/handrail-linux-x64/bin/handrail": "npm",
		"/home/ann/.vscode/extensions/handrail.handrail-0.1.0-linux-x64/bin/handrail":               "VS Code",
		"/opt/homebrew/Caskroom/handrail/0.1.0/handrail":                                            "Homebrew",
		"C:/Users/Ann/scoop/apps/handrail/current/handrail.exe":                                     "Scoop",
		"C:/Users/Ann/AppData/Local/Microsoft/WinGet/Packages/Handrail.Handrail_x/handrail.exe":     "winget",
		"/home/ann/.gemini/extensions/handrail/handrail":                                            "Gemini CLI",
		"/home/ann/.local/share/handrail/bin/handrail":                                              "handrail setup",
		"C:/Users/Ann/AppData/Local/handrail/bin/handrail.exe":                                      "handrail setup",
		"/usr/bin/handrail": "deb/rpm",
		"C:/Users/Ann/AppData/Local/Programs/Handrail/handrail.exe": "install.ps1",
		"/home/ann/.local/bin/handrail":                             "install.sh",
		"/home/ann/src/handrail/bin/handrail":                       "make",
	} {
		if got, run := installer(exe, "v1.2.3-rc.1"); got != want || run == "" {
			t.Errorf("%s: %q, %q, want %q", exe, got, run, want)
		}
	}
	for version, want := range map[string]string{"": "go install", "0c886cb9-dirty": "make"} {
		if got, run := installer("/home/ann/go/bin/handrail", version); got != want || run == "" {
			t.Errorf("version %q: %q, %q, want %q", version, got, run, want)
		}
	}
	if got, _ := installer("/home/ann/.local/bin/handrail", "v1.2.3-4-g0c886cb"); got != "make install" {
		t.Errorf("between two releases: %q", got)
	}
}

// TestNpxStandsBeforeCommandsAlone: not twice, and in no path.
func TestNpxStandsBeforeCommandsAlone(t *testing.T) {
	for sentence, want := range map[string]string{
		`next: "handrail review"`:                                     `next: "npx handrail review"`,
		`"npx handrail setup" and "handrail learn"`:                   `"npx handrail setup" and "npx handrail learn"`,
		"copied: ~/.local/share/handrail/bin/handrail and the hook's": "copied: ~/.local/share/handrail/bin/handrail and the hook's",
		`C:\Users\Ann\handrail is no folder`:                          `C:\Users\Ann\handrail is no folder`,
	} {
		if got := npxed.Replace(sentence); got != want {
			t.Errorf("%s: %s", sentence, got)
		}
	}
}
