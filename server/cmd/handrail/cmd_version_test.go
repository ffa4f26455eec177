package main

import "testing"

// TestInstaller holds what each place of the program says of its upgrade.
func TestInstaller(t *testing.T) {
	for exe, want := range map[string]string{
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
		"/home/ann/go/bin/handrail":                                 "go install",
		"/home/ann/src/handrail/bin/handrail":                       "make",
	} {
		if got, run := installer(exe); got != want || run == "" {
			t.Errorf("%s: %q, %q, want %q", exe, got, run, want)
		}
	}
}
