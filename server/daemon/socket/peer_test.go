package socket

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestPeers(t *testing.T) {
	own := os.Geteuid()
	if err := sameUser(own, true, own); err != nil {
		t.Error(err)
	}
	if err := sameUser(own+1, true, own); !errors.Is(err, ErrStranger) {
		t.Errorf("another user: %v", err)
	}
	if err := sameUser(0, false, own); err != nil {
		t.Errorf("where nobody can know: %v", err)
	}
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("unix", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	there, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	if err := CheckPeer(there); err != nil {
		t.Errorf("same user: %v", err)
	}
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		raw, err := there.(*net.UnixConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if err := raw.Control(func(fd uintptr) {
			if uid, known, err := peerUser(fd); uid != own || !known || err != nil {
				t.Errorf("uid %d, known %v, %v", uid, known, err)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}
