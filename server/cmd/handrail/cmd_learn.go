package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/learn"
)

// mostLearned is how many candidates one run puts on the list: an evening's worth.
const mostLearned = 10

// learned is what came of "handrail learn".
type learned struct {
	Added []brain.Candidate `json:"added"`
	learn.Report
}

func (a *app) learnCommand() *cobra.Command {
	var all, dry, offer bool
	var since, page string
	cmd := &cobra.Command{
		Use:   "learn",
		Short: "Look for past mistakes in agents' conversations and in git's history",
		Long: `Learn reads the conversations that Claude Code, Codex, Gemini CLI, Copilot, Qwen Code, Cline, VS Code,
SpecStory, opencode and Cursor (these two by the program sqlite3) keep on this machine, as far as they are
about this project, and git's history. What went wrong there waits in "handrail review", ten at a time, most often first. Nothing is written without you, and
nothing leaves the machine.`,
		Example: `  handrail learn
  handrail learn --replay=replay.html
  handrail learn --dry-run --since 90d`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, words []string) error {
			most := mostLearned
			if all {
				most = 0
			}
			if offer {
				return ask[[]brain.Candidate]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, _ []string) ([]brain.Candidate, error) {
					var list []brain.Candidate
					if err := json.NewDecoder(io.LimitReader(a.in, maxOffer)).Decode(&list); err != nil {
						return nil, fmt.Errorf("read what was found: %w", err)
					}
					return s.Offer(cmd.Context(), list, most, dry)
				}, func([]brain.Candidate) {}}.run(a)(cmd, words)
			}
			o, folder, done, err := a.learnOptions(since, all)
			if err != nil {
				return err
			}
			defer done()
			if cmd.Flags().Changed("replay") {
				name, err := a.replay(cmd.Context(), o, folder, strings.TrimSpace(page))
				if err != nil {
					return err
				}
				return a.result(map[string]string{"page": name}, func() { a.tell(text{"What the cards would have done: %s", "그때 카드가 있었다면: %s"}, name) })
			}
			var found learned // in this process: a large transcript is no burden to those who work
			found.Report, err = learn.Find(cmd.Context(), o)
			if err != nil {
				return err
			}
			done()
			raw, err := json.Marshal(found.Candidates)
			if err != nil {
				return err
			}
			found.Added, err = asks[[]brain.Candidate](cmd.Context(), a, raw, "learn", "--offer", fmt.Sprint("--all=", all), fmt.Sprint("--dry-run=", dry))
			if err != nil {
				return err
			}
			return a.result(found, func() { a.showLearned(found, dry) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "put all that is found on the list")
	f.BoolVar(&dry, "dry-run", false, "show what would be put on the list")
	f.StringVar(&since, "since", "", "leave out what is older than a `date`, or so many days: 90d")
	f.StringVar(&page, "replay", "", "write a page of what the cards would have done in these conversations, to this `file`")
	f.Lookup("replay").NoOptDefVal = " " // a temporary one
	f.BoolVar(&offer, "offer", false, "")
	_ = f.MarkHidden("offer") // it is there
	return cmd
}

// maxOffer bounds what is handed to the loop, in bytes.
const maxOffer = 64 << 20

// learnOptions returns what is looked through, and what ends the line that says how far it is.
func (a *app) learnOptions(since string, all bool) (o learn.Options, folder string, done func(), err error) {
	done = func() {}
	folder, err = a.findBrain()
	if err != nil {
		return o, folder, done, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return o, folder, done, fmt.Errorf("find the home folder: %w", err)
	}
	o = learn.Options{Project: filepath.Dir(folder), Home: home, Getenv: a.getenv, Memory: brain.Learned(folder), All: all}
	if since != "" {
		o.Since, err = sinceWhen(since)
		if err != nil {
			return o, folder, done, usageError{err}
		}
	}
	if at, ok := a.err.(*os.File); ok && term.IsTerminal(int(at.Fd())) {
		o.Progress = func(done, all int) {
			fmt.Fprintf(at, "\r\x1b[K%s", a.word(say(text{"Reading %d of %d", "%d/%d 읽는 중"}, done, all)))
		}
		done = func() { fmt.Fprint(at, "\r\x1b[K") }
	}
	return o, folder, done, nil
}

// sinceWhen reads a date, or a number of days before now.
func sinceWhen(when string) (time.Time, error) {
	var days int
	if n, err := fmt.Sscanf(when, "%dd", &days); n == 1 && err == nil && days > 0 && when == fmt.Sprintf("%dd", days) {
		return time.Now().AddDate(0, 0, -days), nil
	}
	at, err := time.ParseInLocation(time.DateOnly, when, time.Local)
	if err != nil {
		return at, say(text{"Give a date, such as 2026-09-01, or a number of days, such as 90d.", "2026-09-01 같은 날짜나 90d 같은 일수를 주세요."})
	}
	return at, nil
}

func (a *app) showLearned(l learned, dry bool) {
	why := map[string]text{
		learn.UnknownForm: {"Files of %[2]s with an unknown form, skipped: %[1]d", "%[2]s 파일 %[1]d개는 알 수 없는 형식이라 건너뛰었습니다"},
		learn.Unreadable:  {"Files of %[2]s that may not be read, skipped: %[1]d", "%[2]s 파일 %[1]d개는 읽을 권한이 없어 건너뛰었습니다"},
		learn.NoSQLite:    {"Skipped %[2]s: its conversations need the program sqlite3 on the PATH.", "%[2]s의 대화를 읽으려면 PATH에 sqlite3 프로그램이 필요합니다."},
	}
	for _, s := range l.Skipped {
		a.tell(why[s.Why], s.Files, s.Host)
	}
	switch {
	case l.Talks+l.Commits == 0:
		a.tell(text{"This machine has no agent's conversation about this project, and git no commit.", "이 컴퓨터에 이 프로젝트에 관한 에이전트 대화가 없고, git에 커밋도 없습니다."})
		return
	case len(l.Added) == 0 && !l.New:
		a.tell(text{"Nothing new since the last time.", "지난번 이후 새로운 것이 없습니다."})
		return
	}
	a.print("%s\n", a.word(say(text{"Conversations read: %d. Commits: %d. Mistakes to look at: %d.", "읽은 대화: %d. 커밋: %d. 살펴볼 실수: %d."}, l.Talks, l.Commits, len(l.Added))))
	for _, c := range a.locale().Named(l.Added...) {
		a.showCandidate(c)
	}
	if len(l.Added) > 0 && !dry {
		a.print("\n%s\n", a.word(say(text{"Go through them: handrail review", "하나씩 보기: handrail review"})))
	}
}
