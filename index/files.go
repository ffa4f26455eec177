package index

import (
	"hash/fnv"
)

// File is a file of the brain as the index has read it: two of one size and hash say the
// same.
type File struct {
	Path string // slash path relative to the brain
	Size int64
	Hash uint64 // HashOf its bytes
}

// HashOf returns the hash that a File has of its bytes.
func HashOf(src []byte) uint64 {
	h := fnv.New64a()
	h.Write(src)
	return h.Sum64()
}

// Files returns every file of the brain, in no order.
func (x *Index) Files() []File {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]File, 0, len(x.pic.heads))
	for path, h := range x.pic.heads {
		out = append(out, File{Path: path, Size: h.Size, Hash: h.Hash})
	}
	return out
}

// Hit returns the file at path as a hit for a query that it was found for by other means
// than its words: with its boosts, and without relevance. ok is false where the query asks
// for other files.
func (x *Index) Hit(q Query, path string) (hit Hit, ok bool) {
	x.mu.RLock()
	h, ok := x.pic.heads[path]
	x.mu.RUnlock()
	if !ok || h.IsCard && !q.Cards || !h.IsCard && !q.Notes {
		return Hit{}, false
	}
	c := h.at(path)
	if !q.admits(c) {
		return Hit{}, false
	}
	return Hit{Card: c, Boosts: boosts(c, q.Files)}, true
}
