package daemon

import (
	"os/exec"
	"syscall"
)

// closeToOthers has nothing to add: folders below the user's own inherit who may use them.
func closeToOthers(string) error { return nil }

const detachedProcess = 0x8 // DETACHED_PROCESS: no console, not even the starter's

// detach makes a program survive its starter and its starter's console.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess, HideWindow: true}
}
