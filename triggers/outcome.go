package triggers

// Ended is how a run of tests ended.
type Ended struct {
	Command, Dir string // the test command without what changes only its output, and its folder
	Passed       bool
}

// TestsEnded tells how the tests that an event is about ended. ok is false for an event that
// ran none, and for a run that does not say how it ended.
func TestsEnded(e Event) (end Ended, ok bool) {
	var c Command
	switch e := e.(type) {
	case Command:
		c = e
	case TestRun:
		c = Command(e)
	default:
		return Ended{}, false
	}
	r, tests := testRun(c.Command, c.Dir)
	if _, reported := e.(TestRun); !tests && reported {
		r, tests = reportedRun(c), true
	}
	if !tests {
		return Ended{}, false
	}
	how := outcomeOf(r, c.ExitCode, c.Output)
	return Ended{Command: r.command, Dir: r.dir, Passed: how == passed}, how != unknown
}
