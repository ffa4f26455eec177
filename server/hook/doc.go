// Package hook is how agents outside the editor reach the loop: they start a process at
// fixed moments, hand it JSON on standard input and take at most one JSON object back. A
// hook never blocks: what it cannot read, does not know or cannot answer in time it passes
// over in silence.
//
// Start with [Answer]. Each host has a file of its own with its events, how its payload is
// read and what it may be told (claude.go, codex.go …); host.go tells them apart. What
// must be remembered between two processes is the server's to remember.
package hook
