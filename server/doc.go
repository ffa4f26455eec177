// Package server is the loop itself: record, retrieve, inject before the next similar
// request, check the answer. One [Server] serves one brain, for any number of
// connections; it speaks no protocol.
//
// Start with [New]. A Server wires four rooms over one brain.Base: deliver (Preflight, Touch, Heads),
// hear (Observe), judge (Answered, Guard) and desk (Confirm, Review, Tidy, Undo). No room
// knows another: what two of them need stands in brain, or the Server hands it on. Every change of a
// file, whoever made it, goes through FilesChanged.
package server
