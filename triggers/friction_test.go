package triggers

import (
	"strings"
	"testing"
	"time"
)

// talk hands messages to a detector, five minutes apart, and returns what they raise.
func talk(d *Detector, session string, texts ...string) []Candidate {
	var out []Candidate
	at := noon
	for _, text := range texts {
		if c, ok := d.Observe(Event{Kind: Message, At: at, SessionID: session, Text: text}).first(); ok {
			out = append(out, c)
		}
		at = at.Add(5 * time.Minute)
	}
	return out
}

func TestTheSameAskedForThreeTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts []string
		want  int
	}{
		"three": {[]string{
			"make the login redirect keep the query string",
			"please make the login redirect keep its query string",
			"the login redirect should keep the whole query string",
		}, 1},
		"Korean, in three tones": {[]string{
			"로그인 리다이렉트가 쿼리 스트링을 유지하게 해줘",
			"로그인 리다이렉트에서 쿼리 스트링 유지하도록 해 주세요",
			"리다이렉트할 때 로그인 쿼리스트링을 유지해야 하는데 부탁해",
		}, 1},
		"with others between": {[]string{
			"make the login redirect keep the query string",
			"rename the column to created_at",
			"please make the login redirect keep its query string",
			"what does this stack trace mean?",
			"the login redirect should keep the whole query string",
		}, 1},
		"twice": {[]string{"make the login redirect keep the query string", "please make the login redirect keep its query string"}, 0},
		"six times": {[]string{
			"make the login redirect keep the query string", "make the login redirect keep query strings", "make login redirects keep the query string",
			"make the login redirect keep its query string", "make a login redirect keep the query string", "make the login redirect keep that query string",
		}, 2},
		"routine":           {[]string{"run all the tests and commit", "run all the tests and commit", "run all the tests and commit them"}, 0},
		"routine in Korean": {[]string{"테스트 전부 돌리고 커밋해줘", "테스트 돌리고 커밋해줘", "테스트 다시 돌리고 커밋해 주세요"}, 0},
		"the same work elsewhere": {[]string{
			"add a retry with backoff to the billing client",
			"write the migration for the invoices table",
			"extract the tax rules into their own package",
		}, 0},
		"a topic that drifts": {[]string{
			"show the invoice total in the cart header",
			"show the invoice discount in the page header",
			"show a coupon discount in the page footer",
		}, 0},
		"a secret in the last": {[]string{
			"connect the payment gateway sandbox with the key",
			"connect the payment gateway sandbox with this key",
			"connect the payment gateway sandbox with api_key=sk_live_51HxQ0aZb7GkPq93nVw",
		}, 0},
		"a secret in the first": {[]string{
			"connect the payment gateway sandbox with api_key=sk_live_51HxQ0aZb7GkPq93nVw",
			"connect the payment gateway sandbox with the key",
			"connect the payment gateway sandbox with this key",
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := talk(NewDetector(Options{}), "s", c.texts...)
			if len(got) != c.want {
				t.Fatalf("%d candidates, want %d: %+v", len(got), c.want, got)
			}
			for _, g := range got {
				if g.Trigger != Repeated || !strings.HasPrefix(g.Evidence[0], "3×: ") || len(g.Evidence) < 3 {
					t.Errorf("%+v", g)
				}
			}
		})
	}
}

func TestPromptsOfTwoConversationsAreNotCompared(t *testing.T) {
	t.Parallel()
	d := NewDetector(Options{})
	const text = "make the login redirect keep the query string"
	for _, id := range []string{"a", "b", "c", ""} {
		if got := talk(d, id, text, text); len(got) > 0 {
			t.Errorf("%q: %+v", id, got)
		}
	}
}

func TestAPromptThatCameTwoWaysIsOne(t *testing.T) {
	t.Parallel()
	d := NewDetector(Options{})
	for i := range 4 {
		c, ok := d.Observe(Event{Kind: Message, At: noon.Add(time.Duration(i) * time.Second), SessionID: "s", Text: "make the login redirect keep the query string"}).first()
		if ok {
			t.Errorf("%+v", c)
		}
	}
}

func TestFrictionOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	d := NewDetector(Options{})
	talk(d, "s", "make the login redirect keep the query string", "please make the login redirect keep its query string")
	d = NewDetector(Options{Memory: map[string]Memory{"s": d.Memory("s")}})
	c, ok := d.Observe(Event{Kind: Message, At: noon.Add(time.Hour), SessionID: "s", Text: "the login redirect should keep the whole query string"}).first()
	if !ok || c.Trigger != Repeated {
		t.Errorf("%+v, %v", c, ok)
	}
}

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

func FuzzAskedFor(f *testing.F) {
	for _, s := range []string{"make the login redirect keep the query string", "로그인 리다이렉트 고쳐줘", "줘", "", "```\ncode\n```", "a\x00b \ufffd 가"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, _ := askedFor(text)
		if len(words) > 0 && jaccard(words, words) != 1 {
			t.Errorf("%q is not the same as itself", text)
		}
	})
}
