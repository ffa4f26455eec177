// Package daemon lets every surface of a user share one server.Server: one process for each
// brain owns its index and state, and runs the program for the others.
//
// [Serve] is that process. It answers on a socket and ends by itself when nobody has been
// connected for a while, when its brain or its socket is gone, or when a newer build wants its
// place. [Connect] finds it, starts it where it is missing, and has it run the program;
// [socket.Conn.Pipe] passes the streams on. docs/architecture.md tells where its files are and who may
// speak to it.
//
// Start reading in serve.go (how long the process lives), then session.go (one client) and
// connect.go (the client's end). What is said on the socket is in daemon/socket.
package daemon
