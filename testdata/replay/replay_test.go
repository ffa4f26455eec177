package replay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadKnowsEachForm holds the forms of SpecStory's files that were seen.
func TestReadKnowsEachForm(t *testing.T) {
	text := strings.ReplaceAll(`# A title

_**User (2025-06-01 10:00Z)**_

Make it blue.

---

No, the header.

---

_**Assistant (default)**_

I look first.

---

Read file: src/head.css

---

~~~bash
make
~~~

~~~
make: command not found
~~~

---

Tool use: **run_terminal_cmd**

~~~bash
ls
---
~~~

---

Tool use: **search_replace**


<details><summary>Edit file: /home/ada/my_shop/src/head.css</summary>

**Chunk 1**
Lines added: 1, lines removed: 1

~~~diff
@@ -1,2 +1,2 @@
  h1 {
-   color: red
+   color: blue
~~~

</details>

---

It is blue now:

~~~bash
make look
~~~

---

_**User**_

Thanks

---

_**Agent (copilot/x)**_

<tool-use data-tool-type="generic" data-tool-name="replace_string_in_file"><details>
<summary>Tool use: **replace_string_in_file**</summary>

**Input:**

- filePath: ~/home/ada/sessions/my-shop/sessions/7/a.md~
- newString:

~~~
- b:
~~~
- oldString:

~~~
- a:
~~~

</details></tool-use>

_**Agent (copilot/x)**_

<tool-use data-tool-type="unknown" data-tool-name="run_in_terminal">
<details>
<summary>Tool use: **run_in_terminal**</summary>


Parameters:

~~~json
{
  "commandLine": {
    "original": "make &amp;&amp; make look"
  }
}
~~~
Result:

~~~json
{
  "content": "ok"
}
~~~

</details>
</tool-use>

Done.
`, "~", "`")
	text = strings.ReplaceAll(text, "```/", "`/")
	want := []Turn{
		{
			Prompt: "Make it blue.\n\n---\n\nNo, the header.",
			Uses: []Use{
				{Tool: "Read", File: "src/head.css"},
				{Tool: "Bash", Command: "make", Output: "make: command not found", Shown: true, Failed: true},
				{Tool: "Bash", Command: "ls\n---"},
				{Tool: "Edit", File: "src/head.css", Old: "h1 {\n  color: red", New: "h1 {\n  color: blue"},
			},
			Answer: "It is blue now:\n\n```bash\nmake look\n```",
		},
		{
			Prompt: "Thanks",
			Uses: []Use{
				{Tool: "Edit", File: "a.md", Old: "- a:", New: "- b:"},
				{Tool: "Bash", Command: "make && make look", Output: "ok", Shown: true},
			},
			Answer: "Done.",
		},
	}
	if diff := cmp.Diff(want, Read(text, "my-shop")); diff != "" {
		t.Error(diff)
	}
}

// TestSessionsAreRead guards against a form that is not read any more.
func TestSessionsAreRead(t *testing.T) {
	sessions, repos, count := Sessions(t), map[string]int{}, map[string]int{}
	for _, s := range sessions {
		repos[s.Repo]++
		count["sessions"]++
		for _, turn := range s.Turns {
			count["turns"]++
			if turn.Answer != "" {
				count["answers"]++
			}
			for _, u := range turn.Uses {
				count[u.Tool]++
				if u.Shown {
					count["outputs"]++
				}
				if u.Failed {
					count["failed"]++
				}
				if u.File != "" && u.Tool != "Bash" {
					count[u.Tool+" of a file"]++
				}
			}
		}
	}
	t.Log(repos, count)
	for what, least := range map[string]int{"turns": 2000, "answers": 1800, "Bash": 1500, "Edit": 3000, "Edit of a file": 1000, "Read of a file": 1500} {
		if count[what] < least {
			t.Errorf("%d %s, want %d at least", count[what], what, least)
		}
	}
}

// TestPlaySendsWhatATurnDid plays a turn of each kind of call to a brain.
func TestPlaySendsWhatATurnDid(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.brain/lessons/refund.md", "---\ntype: lesson\ntitle: Never send a refund twice\npaths: [src/refund.py]\n---\n\n# Never send a refund twice\n\n"+
		"## Root Cause\n\nThe queue sends again.\n\n## Prevention Checklist\n\n- [ ] A refund is stored before it is sent\n")
	p := Start(t, dir)
	got := p.Play(Session{Repo: "ada/shop", Name: "1.md", Turns: []Turn{{Prompt: "make the header blue"}, {
		Prompt: "look at the header again",
		Uses: []Use{
			{Tool: "Read", File: "src/refund.py"},
			{Tool: "Edit", File: "src/refund.py", Old: "a", New: "b"},
			{Tool: "Write", File: "src/new.py", New: "c"},
			{Tool: "Bash", Command: "make", Output: "no", Failed: true},
			{Tool: "list_dir"},
		},
		Answer: "Done.",
	}}})
	var events []string
	for _, g := range got {
		events = append(events, g.Event)
	}
	want := "SessionStart UserPromptSubmit UserPromptSubmit PreToolUse PostToolUse PreToolUse PostToolUse PreToolUse PostToolUse PreToolUse PostToolUseFailure Stop"
	if s := strings.Join(events, " "); s != want {
		t.Errorf("events %s", s)
	}
	if g := got[5]; !strings.Contains(g.Context, "A refund is stored before it is sent") || g.Turn != 1 || g.Use != 1 {
		t.Errorf("the edit got %+v", g)
	}
}
