//go:build !race

package triggers

// raced is whether the race detector looks on.
const raced = false
