// Package server is the loop itself: record, retrieve, inject before the next similar
// request, check the answer. One [Server] serves one brain, for any number of
// connections; it speaks no protocol and words nothing except the summary of a footer.
//
// Start with [New]. The walks are short: [Server.Preflight] asks index, lets lessons
// build the block and notes in the ledger what was served; [Server.Touch] hands over the
// cards that belong beside an action; [Server.Answered] looks the
// cards up and asks postcheck; [Server.Observe] asks triggers and tells every
// connection of a candidate, writing nothing; [Server.Confirm] is where a person's word
// becomes a card. Every change of a file, whoever made it, goes through
// [Server.FilesChanged].
package server
