// Package mcp lets an agent reach the loop over the Model Context Protocol: eight tools.
// It knows no editor and writes nothing but drafts and notes.
//
// It has two ends. [Serve] is the session in the agent's own process (session.go, and client.go for
// the folders that it asks the agent for). Whatever needs the brain is a [Request], which a daemon carries
// out by [Answer] (loop.go; tools.go has a function for each tool, show.go the text that goes with
// the structured result). A daemon may end between two requests: the session does not notice.
package mcp
