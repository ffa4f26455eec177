// Package agents registers Handrail with the agents on a machine, and removes it.
// It edits files that belong to others, so it changes nothing but its own entries: it
// shows what it is about to do, refuses a file it cannot read, keeps a copy, and puts every
// byte back when nothing else has changed since.
//
// Start with [All], the table of agents; [Machine.Install] and [Machine.Uninstall] plan,
// [Plan.Apply] writes. json.go and toml.go edit in place the two sorts of file.
package agents
