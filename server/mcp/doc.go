// Package mcp lets an agent reach the loop over the Model Context Protocol: seven tools,
// the cards as resources and a prompt. It knows no editor and writes nothing but drafts.
//
// Start with [Serve]. A session finds its brain when it is first needed (session.go);
// tools.go has a line for each tool and a function from its arguments to its result,
// call.go what all of them share, show.go the text that goes with the structured
// result. transport.go reads lines and survives those that are no message.
package mcp
