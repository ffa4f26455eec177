package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server/agents"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/trust"
)

var (
	textNoneHere  = text{"No agent is connected, and none was found on this machine", "연결된 에이전트가 없고 이 컴퓨터에서 찾지도 못했습니다"}
	textNameYours = text{"handrail setup AGENT, with yours of: %s", "handrail setup AGENT, AGENT는 다음 중 하나: %s"}
	textBeTheUser = text{"work as that user, or with a HOME of your own", "그 사용자로 작업하거나 자신의 HOME을 쓰세요"}
	textMend      = text{"%s. Mend: %s", "%s. 해결: %s"}
	textStartIt   = text{"start it and say something", "실행해서 아무 말이나 해 보세요"}
)

// seenFile is touched when an agent's hook fires; its time is what doctor tells.
func seenFile(host string) string {
	return filepath.Join(xdg.StateHome, "handrail", "agents", "seen", host)
}

// seenEvery is how often that is written down at most.
const seenEvery = time.Minute

// sawHost notes that an agent's hook fired.
func sawHost(host string) {
	name, now := seenFile(host), time.Now()
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) < seenEvery {
		return
	}
	if os.Chtimes(name, now, now) == nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	_ = os.WriteFile(name, nil, 0o600) //nolint:forbidigo // an empty mark, not a card; doctor tells less without it
}

// health is a row of "handrail doctor".
type health struct {
	Agent     string    `json:"agent"`
	Found     bool      `json:"found"`
	Installed bool      `json:"installed"`
	LastEvent time.Time `json:"lastEvent,omitzero"`
}

// problem is what doctor found, and the one command that mends it.
type problem struct {
	Text string `json:"text"`
	Mend string `json:"mend"`

	silent bool // the daemon answers nothing else either
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say for each agent whether its hooks fire, and what mends what does not work",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, problems, stats, err := a.examine(cmd.Context())
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				a.status = exitFailed
			}
			if a.json {
				return a.printJSON(map[string]any{"agents": rows, "problems": problems})
			}
			if week := a.locale().Week(stats.Week, stats.Model); week != "" {
				a.print("%s\n\n", week)
			}
			head := strings.Split(a.word(say(text{"AGENT\tFOUND\tHOOKS\tLAST EVENT\tyes\tno\tnever", "에이전트\t설치됨\thook\t마지막 이벤트\t예\t아니요\t없음"})), "\t")
			table := [][]any{{head[0], head[1], head[2], head[3]}}
			for _, r := range rows {
				yes, last := map[bool]string{true: head[4], false: head[5]}, head[6]
				if !r.LastEvent.IsZero() {
					last = r.LastEvent.Format("2006-01-02 15:04")
				}
				table = append(table, []any{r.Agent, yes[r.Found], yes[r.Installed], last})
			}
			a.table(table)
			for _, p := range problems {
				a.tell(textMend, p.Text, p.Mend)
			}
			if len(problems) == 0 {
				a.tell(text{"Nothing to mend.", "고칠 것이 없습니다."})
			}
			return nil
		},
	}
}

// examine looks at every agent, the copied programs, the brain and its daemon, which says what came of its cards.
func (a *app) examine(ctx context.Context) (rows []health, problems []problem, stats desk.Stats, err error) {
	m, self, err := machine()
	if err != nil {
		return nil, nil, stats, err
	}
	found := func(mend string, t text, args ...any) {
		problems = append(problems, problem{Text: a.word(say(t, args...)), Mend: a.called(mend)})
	}
	problems = []problem{}
	var hooked []string
	for _, g := range agents.All() {
		ours, _ := m.Uninstall(g) // of a file that cannot be read nothing is known
		r := health{Agent: g.Name, Found: g.Found(m), Installed: len(ours.Changes) > 0}
		hosts := []string{g.Name}
		if g.Name == "copilot" {
			hosts = append(hosts, "vscode") // whose own agent reads Copilot's hooks
		}
		for _, host := range hosts {
			if info, err := os.Stat(seenFile(host)); err == nil && info.ModTime().After(r.LastEvent) {
				r.LastEvent = info.ModTime()
			}
		}
		rows = append(rows, r)
		if r.Installed {
			hooked = append(hooked, g.Name)
		}
		_, planErr := m.Install(g, false)
		switch {
		case !r.Found && !r.Installed:
		case errors.Is(planErr, agents.ErrComments), errors.Is(planErr, agents.ErrUnreadable), errors.Is(planErr, agents.ErrForeign), errors.Is(planErr, agents.ErrNotAFile):
			found("handrail setup "+g.Name, text{"The settings of %s must be edited first: %s", "%s의 설정 파일을 먼저 고쳐야 합니다: %s"}, g.Title, strings.TrimSuffix(a.explain(explainAgents(planErr)), "."))
		case !r.Installed:
			found("handrail setup "+g.Name, text{"%s is here and not connected", "%s이(가) 있지만 연결되어 있지 않습니다"}, g.Title)
		case r.LastEvent.IsZero() && g.Trust:
			found(g.Name, text{"%s is connected, but no event of it ever came: it skips hooks until you trust them; type /hooks in it", "%s은(는) 연결되어 있지만 이벤트가 온 적이 없습니다. hook을 신뢰해야 실행되니 그 안에서 /hooks를 입력하세요"}, g.Title)
		case r.LastEvent.IsZero():
			found(g.Name+" ("+a.word(say(textStartIt))+")", text{"%s is connected, but no event of it ever came", "%s은(는) 연결되어 있지만 이벤트가 온 적이 없습니다"}, g.Title)
		}
	}
	if !slices.ContainsFunc(rows, func(r health) bool { return r.Found || r.Installed || !r.LastEvent.IsZero() }) {
		found(a.word(say(textNameYours, strings.Join(agents.Names(), ", "))), textNoneHere)
	}
	if len(hooked) > 0 && m.Stale(self) { // the others are the person's to connect
		found("handrail setup "+strings.Join(hooked, " ")+" --yes", text{"The program that hooks call is missing or not this version", "hook이 부르는 프로그램이 없거나 이 버전이 아닙니다"})
	}
	folder, err := a.findBrain()
	if err != nil {
		found("handrail init", text{"This folder has no brain", "이 폴더에는 brain이 없습니다"})
		return rows, problems, stats, nil
	}
	if p := a.beyond(folder); p != nil {
		problems = append(problems, *p)
		if p.silent {
			return rows, problems, stats, nil
		}
	}
	t, err := asks[trust.Trust](ctx, a, nil, "trust")
	if err != nil {
		return nil, nil, stats, err
	}
	switch {
	case !t.Trusted:
		found("handrail trust", text{"Others wrote cards of this brain, and you have not trusted it", "다른 사람이 쓴 카드가 있는 brain을 아직 신뢰하지 않았습니다"})
	case len(t.Waiting) > 0:
		found("handrail trust --review", text{"Cards by others wait for your approval: %d", "다른 사람이 쓴 카드가 승인을 기다립니다: %d개"}, len(t.Waiting))
	}
	if !t.Paused.IsZero() {
		found("handrail pause --off", text{"Lessons are paused: no card comes without being asked for", "교훈을 멈춰 두어 카드가 저절로 전달되지 않습니다"})
	}
	if changed := a.changedDocuments(ctx); changed > 0 {
		found("handrail ingest --refresh", text{"Documents that were kept as notes have changed since: %d", "노트로 보관한 뒤 바뀐 문서: %d개"}, changed)
	}
	stats, err = asks[desk.Stats](ctx, a, nil, "stats")
	return rows, problems, stats, err
}

// beyond says why hooks get no daemon of a brain from here, nil where they do.
func (a *app) beyond(folder string) *problem {
	note, why := daemon.Beyond(daemonConfig(folder))
	if why == nil {
		return nil
	}
	mend, reason := text{"end the agents and editors that started it, where they run, or work there", "데몬을 시작한 에이전트와 편집기를 그쪽에서 끝내거나, 그쪽에서 작업하세요"}, why.Error()
	switch {
	case errors.Is(why, daemon.ErrSilent):
		kill := "kill -9 %d"
		if runtime.GOOS == "windows" {
			kill = "taskkill /F /PID %d"
		}
		return &problem{a.word(say(text{"The daemon of this brain does not answer (process %d)", "이 brain의 데몬이 응답하지 않습니다 (프로세스 %d)"}, note.PID)), fmt.Sprintf(kill, note.PID), true}
	case errors.Is(why, daemon.ErrStranger):
		mend, reason = textBeTheUser, a.word(say(text{"it belongs to another user", "다른 사용자의 것입니다"}))
	case note.PID == 0:
		mend = text{"end the other Handrail (\"handrail lsp --standalone\"?), then start an agent again", "다른 Handrail(\"handrail lsp --standalone\"?)을 끝내고 에이전트를 다시 시작하세요"}
	case errors.Is(why, fs.ErrNotExist):
		reason = a.word(say(text{"there is no socket here, as in a container", "컨테이너에서처럼 소켓이 여기에는 없습니다"}))
	}
	if note.PID == 0 {
		return &problem{Text: a.word(say(text{"The daemon of this brain does not start, so cards come from the files alone and nothing is counted: %s", "이 brain의 데몬이 시작되지 않아, 카드를 파일에서 읽기만 하고 횟수는 세지 않습니다: %s"}, reason)), Mend: a.word(say(mend))}
	}
	return &problem{Text: a.word(say(text{"The daemon of this brain (process %d, at %s) cannot be reached from here, so cards come from the files alone and nothing is counted: %s", "이 brain의 데몬(프로세스 %d, %s)에 여기서는 닿을 수 없어, 카드를 파일에서 읽기만 하고 횟수는 세지 않습니다: %s"}, note.PID, note.Socket, reason)), Mend: a.word(say(mend))}
}
