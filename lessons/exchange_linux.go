package lessons

import "golang.org/x/sys/unix"

const swapFlag = unix.RENAME_EXCHANGE

var swapNames = unix.Renameat2
