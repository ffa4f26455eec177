package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// spawn starts a daemon that outlives this process, and returns a channel that tells
// how that went: nil when it serves, ErrRunning when another one does, else why there is
// none.
func spawn(args []string) (<-chan error, error) {
	cmd := exec.Command(args[0], args[1:]...) //nolint:forbidigo // Handrail itself
	cmd.Args[0] = "handrail"
	cmd.Env = ownEnvironment()
	cmd.Dir = filepath.VolumeName(args[0]) + string(filepath.Separator) // holds on to nobody's folder
	out, err := cmd.StdoutPipe()                                        // standard input and error are the null device
	if err != nil {
		return nil, fmt.Errorf("start the daemon: %w", err)
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the daemon: %w", err), out.Close())
	}
	told := make(chan error, 1) // nobody may listen
	go func() {                 // as long as the daemon lives, so that it does not stay as a zombie
		line, err := bufio.NewReader(out).ReadString('\n')
		told <- reported(strings.TrimSpace(line), err)
		_ = cmd.Wait() // its log says more than its status
	}()
	return told, nil
}

// ownEnvironment is this process's environment without what Git tells its hooks of one repository:
// a daemon outlives them, and looks into several.
func ownEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}, name)
	})
}

// reported reads the line of a Report.
func reported(line string, err error) error {
	switch reason, failed := strings.CutPrefix(line, saysFailed); {
	case failed:
		return fmt.Errorf("the daemon did not start: %s", reason)
	case line == saysServing:
		return nil
	case line == saysRunning:
		return ErrRunning
	case line == saysOwned:
		return ErrOwned
	default:
		return errors.Join(errors.New("the daemon did not start"), err)
	}
}
