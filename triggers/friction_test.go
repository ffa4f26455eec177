package triggers

import (
	"strings"
	"testing"
	"time"
)

func TestAToolThatFailsOverAndOver(t *testing.T) {
	t.Parallel()
	fails := Event{Kind: Tool, Tool: "Edit", On: []string{"src/router.go"}, Failed: true, Output: "String to replace not found in file."}
	other, works, halted, unnamed, tool := fails, fails, fails, fails, fails
	other.On = []string{"src/main.go"}
	works.Failed = false
	halted.Interrupted = true
	unnamed.On = nil
	tool.Tool = "Write"
	command := Event{Kind: Tool, Tool: "Bash", Command: "./deploy.sh  staging", Failed: true, Output: "Error: no such host"}
	for name, c := range map[string]struct {
		steps []Event
		want  int
	}{
		"three in a row":           {[]Event{fails, fails, fails}, 1},
		"it is said once":          {[]Event{fails, fails, fails, fails, fails, fails, fails}, 1},
		"two":                      {[]Event{fails, fails}, 0},
		"a success between":        {[]Event{fails, fails, works, fails, fails}, 0},
		"another file between":     {[]Event{fails, fails, other, fails}, 0},
		"another tool between":     {[]Event{fails, fails, tool, fails}, 0},
		"interrupted":              {[]Event{halted, halted, halted}, 0},
		"interrupted in the midst": {[]Event{fails, fails, halted, fails}, 0},
		"no file":                  {[]Event{unnamed, unnamed, unnamed}, 0},
		"a command":                {[]Event{command, command, command}, 1},
		"again after a success":    {[]Event{fails, fails, fails, works, other, other, other}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := NewDetector(Options{})
			found := 0
			for i, s := range c.steps {
				s.At, s.SessionID = noon.Add(time.Duration(i)*time.Second), "s"
				if got, ok := d.Observe(s).first(); ok {
					found++
					if got.Trigger != RetryLoop || !strings.HasPrefix(got.Evidence[0], "3×: "+s.Tool) || len(got.Evidence) < 2 {
						t.Errorf("%+v", got)
					}
				}
			}
			if found != c.want {
				t.Errorf("%d candidates, want %d", found, c.want)
			}
		})
	}
}
