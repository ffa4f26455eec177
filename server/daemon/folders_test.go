package daemon

import (
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// TestTheFoldersAreXDGs holds that the program of hooks, which goes without the library,
// looks where the rest of the program does.
func TestTheFoldersAreXDGs(t *testing.T) {
	home := t.TempDir()
	for _, value := range []string{"", "not/absolute", filepath.Join(home, "elsewhere")} {
		t.Run(value, func(t *testing.T) {
			t.Cleanup(xdg.Reload) // after the environment is as it was
			for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": value, "XDG_CACHE_HOME": value, "XDG_RUNTIME_DIR": value} {
				t.Setenv(name, value)
			}
			xdg.Reload()
			want := socket.Folders{State: filepath.Join(xdg.StateHome, "handrail"), Cache: filepath.Join(xdg.CacheHome, "handrail"), Run: filepath.Join(xdg.RuntimeDir, "handrail")}
			if got := socket.Own(); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
