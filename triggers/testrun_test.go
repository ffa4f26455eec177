package triggers

import "testing"

func TestTerminalSequencesAreNoText(t *testing.T) {
	in := "\x1b]633;C\x07\x1b[1;31m--- FAIL: TestA\x1b[0m\x1b]8;;file:///a\x1b\\link\x1b]8;;\x1b\\\x1b=\x1b[?2004h end"
	if got := ansi.ReplaceAllString(in, ""); got != "--- FAIL: TestAlink end" {
		t.Errorf("got %q", got)
	}
}
