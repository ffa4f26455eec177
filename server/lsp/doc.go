// Package lsp is one editor's session over JSON-RPC: it turns messages into calls of
// server.Server and what that has to say into notifications. It holds what one editor
// told it and nothing that two would share.
//
// [Serve] is the only way in. Start reading at methods.go, where one table lists
// everything an editor can say, a line each; wire.go has the parameters, conn.go the
// dispatch, session.go the life from initialize to exit, push.go what goes out unasked,
// documents.go and authoring.go help while a card is written.
//
// A new method is one line in the table and one function from its parameters to its
// result. docs/protocol.md is the page for those who write clients.
package lsp
