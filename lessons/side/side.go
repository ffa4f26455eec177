// Package side writes the files that Handrail keeps beside the cards, and names things by what they hold. It needs the
// standard library alone: the program of hooks uses it, which is to start at once.
package side

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write puts a file in place whole, synced to disk, or not at all: who reads it finds the old one or the new one. Its folder
// has to be there; several may write it at once.
func Write(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name) //nolint:forbidigo // the one place where it is done
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Sum returns the SHA-256 of a text in hexadecimal.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Name returns the first bytes of the SHA-256 of some texts in hexadecimal: a short name of what they are about.
func Name(bytes int, texts ...string) string {
	return Sum([]byte(strings.Join(texts, "\x00")))[:2*bytes]
}
