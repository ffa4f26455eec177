//go:build race

package hook_test

// raced says that the race detector is on.
const raced = true
