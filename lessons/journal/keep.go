package journal

// Keep keeps a text, synced to disk, and returns its SHA-256 in hexadecimal, under which Kept
// returns it.
func (j *Journal) Keep(text []byte) (sum string, err error) { return j.keep(text) }
