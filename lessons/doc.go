// Package lessons says what a lesson card is and changes one without harming it.
//
// Start with [Parse], which reads a file of the brain into a [Card] and never fails on
// what people wrote; [Block] makes the text that goes before a request; [Bump] and
// [SetStatus] edit a card line by line; [Brain] is the folder itself, the only part
// that touches the disk.
//
// The package does not rank, watch or talk to anyone.
package lessons
