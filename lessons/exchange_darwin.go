package lessons

import "golang.org/x/sys/unix"

const swapFlag = unix.RENAME_SWAP

var swapNames = unix.RenameatxNp
