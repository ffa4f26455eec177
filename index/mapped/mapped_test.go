package mapped

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	if err := Read(func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Read(func() error { return os.ErrClosed }); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := Read(func() error { panic("a bad offset") }); err == nil || !strings.Contains(err.Error(), "a bad offset") {
		t.Error(err)
	}
}
