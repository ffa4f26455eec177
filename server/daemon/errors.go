package daemon

import (
	"errors"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// Why there is no daemon to be had.
var (
	ErrRunning = errors.New("another daemon serves this brain")
	ErrOwned   = errors.New("another process owns this brain's index and state")
	ErrNewer   = errors.New("a daemon of another build serves this brain in a way this one does not know")
	ErrBeyond  = errors.New("the daemon of this brain cannot be reached from here")
	ErrNone    = errors.New("no daemon serves this brain")
)

// ErrStranger says that the daemon, or the folder of what it leaves, is another user's.
var ErrStranger = socket.ErrStranger

// ErrLost says that a daemon ended before the program it ran came to its end.
var ErrLost = errors.New("the daemon ended before it answered")
