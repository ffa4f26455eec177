package socket

import "io/fs"

// onlyOurs has nothing to add: folders below the user's own inherit who may use them.
func onlyOurs(string, fs.FileInfo) error { return nil }
