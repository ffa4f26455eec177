// Package daemon lets every surface of a user share one loop: one process for each brain
// owns its index and state, and the others speak to it over a socket.
//
// [Serve] is that process. It makes the server.Server, answers on the socket, and ends by
// itself when nobody has been connected for a while, when its brain or its socket is gone,
// or when a newer build wants its place. [Connect] is the other end: a [Client] has the
// methods of server.Server, starts the process when it is missing and starts it again when
// it dies. docs/daemon.md tells where its files are and who may speak to it.
//
// Start reading in methods.go, which lists what can be asked, a line each. Then: place.go
// says where the socket is, serve.go how long the process lives, session.go is one client
// as the process sees it, client.go, calls.go and link.go are the client's end.
package daemon
