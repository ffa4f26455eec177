package server

import (
	"fmt"
	"slices"
	"testing"
)

// shortCards are ordinary cards as people write them: a title, a cause, one item.
var shortCards = []struct{ title, cause, item, request string }{
	{"Telegram commands need an allowlist", "The handler trusted every chat.", "The allowlist is checked before any command runs", "write a telegram bot command to show disk usage"},
	{"Migrations must be reversible", "A release could not be rolled back.", "Every migration has a down step", "we need a migration for the new invoices table"},
	{"Never log access tokens", "A token stood in the logs for a week.", "Tokens are masked before they are logged", "add logging to the token refresh code"},
	{"Store dates in UTC", "Reports of two offices showed different days.", "Dates are converted only when they are shown", "the dates in the export are off by one day, fix it"},
	{"Webhook handlers must be idempotent", "The same event came twice.", "The event id is looked up before it is handled", "write the webhook handler for cancelled subscriptions"},
	{"Retry HTTP calls with backoff", "A burst of retries took the partner down.", "Retries wait longer each time", "retry the weather call when it fails"},
	{"Feature flags are removed after release", "Dead flags hid a bug.", "A flag has an owner and an end date", "put the new checkout behind a feature flag"},
	{"Emails are sent from the queue", "Sign-up waited for the mail server.", "No request waits for a mail", "email the invoice as a PDF to the customer"},
	{"Snapshot tests are not updated blindly", "A regression was written into the snapshot.", "The diff of a snapshot is read before it is updated", "the snapshot test of the header fails, fix it"},
	{"이미지는 webp로 저장한다", "png가 커서 목록이 느렸다.", "업로드할 때 webp로 바꾼다", "이미지 썸네일을 추가해줘"},
	{"로그인 실패는 다섯 번까지만 허용한다", "무차별 대입을 막지 않았다.", "다섯 번 실패하면 잠근다", "로그인 실패 메시지를 바꿔줘"},
	{"Uploads are checked for size on the server", "The browser's limit was bypassed.", "The server refuses a file over the limit", "the upload of large files fails with a size error"},
}

// TestAShortCardComesForItsSubject holds that the card of a request that names its subject comes whole, in a brain of any
// size, and none for a request about something else.
func TestAShortCardComesForItsSubject(t *testing.T) {
	write := func(i int) string {
		c := shortCards[i]
		return fmt.Sprintf("---\ntype: lesson\ntitle: %q\n---\n\n# %s\n\n## Root Cause\n\n%s\n\n## Prevention Checklist\n\n- [ ] %s\n", c.title, c.title, c.cause, c.item)
	}
	for _, size := range []int{1, 6, 12, 30} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			for i, c := range shortCards {
				files := map[string]string{}
				for n := range size {
					at := (i + n) % len(shortCards)
					files[fmt.Sprintf("lessons/%d-%d.md", at, n)] = write(at)
					if n >= len(shortCards) { // others, of which there are not that many
						delete(files, fmt.Sprintf("lessons/%d-%d.md", at, n))
						files[fmt.Sprintf("lessons/other-%d.md", n)] = fmt.Sprintf("# The %dth kettle whistles\n\nIt stands on stove %d.\n", n, n)
					}
				}
				w := newWorkspace(t, files)
				serve := func(query string) (out []string) {
					t.Helper()
					p, err := w.Preflight(ctx, PreflightRequest{Query: query})
					if err != nil {
						t.Fatal(err)
					}
					for _, h := range p.Lessons {
						out = append(out, h.Path)
					}
					return out
				}
				if got, want := serve(c.request), fmt.Sprintf("lessons/%d-0.md", i); !slices.Contains(got, want) {
					t.Errorf("%q gets %v, not %q", c.request, got, c.title)
				}
				for _, other := range []string{"rename the helper to something clearer", "explain how the build works", "버튼 색을 파란색으로 바꿔줘"} {
					if got := serve(other); len(got) > 0 {
						t.Errorf("%q gets %v", other, got)
					}
				}
			}
		})
	}
}
