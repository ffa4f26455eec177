package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server/agents"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/relay"
)

var (
	textAskSetup  = text{"Make these changes? [y/N, d shows them in full] ", "이대로 바꿀까요? [y/N, d: 전체 내용 보기] "}
	textRemoves   = text{"remove %s", "삭제: %s"}
	textLeaves    = text{"left: %s", "남김: %s"}
	textExtension = text{"the VS Code extension (\"code --uninstall-extension handrail.handrail\")", "VS Code 확장 (\"code --uninstall-extension handrail.handrail\")"}
)

// textUses says what a file is for.
var textUses = map[agents.Use]text{
	agents.Hooks: {"hooks", "hook"}, agents.Server: {"MCP server", "MCP 서버"},
	agents.HooksAndServer: {"hooks and MCP server", "hook, MCP 서버"},
}

// setupOptions are the flags of setup.
type setupOptions struct {
	guard, dry, diff, yes, remove bool
	given                         func(flag string) bool
}

func (a *app) setupCommand() *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup [AGENT…]",
		Short: "Connect the agents of this machine, make a brain if there is none, and try the loop",
		Long: `Setup finds the agents on this machine, or takes those you name, and says what changes:
their hooks and the MCP server in their settings, copies of the programs that hooks call, and a
brain for this workspace if it has none. It asks once (d shows the changes in full), keeps a copy
of each file, and then tries the loop on a prompt in a folder of its own. --remove takes agents'
entries out again, to the byte where nothing else changed; "handrail uninstall" takes out all.`,
		Example: `  handrail setup
  handrail setup claude codex --yes
  handrail setup copilot --dry-run --diff
  handrail setup --remove claude`,
		Args: func(_ *cobra.Command, names []string) error {
			if _, missing := agents.Named(names); missing != "" {
				return usageError{say(text{"There is no agent %q; there are: %s.", "에이전트 %q은(는) 없습니다. 가능한 이름: %s."}, missing, strings.Join(agents.Names(), ", "))}
			}
			return nil
		},
		ValidArgs: agents.Names(),
		RunE: func(cmd *cobra.Command, names []string) error {
			o.given = cmd.Flags().Changed
			return a.setup(cmd.Context(), names, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.remove, "remove", false, "take Handrail out of the agents' settings")
	f.BoolVar(&o.guard, "guard", false, "also hook in before a tool runs: guarded cards ask or refuse, and calls that you reject are noticed")
	f.BoolVar(&o.dry, "dry-run", false, "show the changes without making them")
	f.BoolVar(&o.diff, "diff", false, "show the changes in full")
	f.BoolVar(&o.yes, "yes", false, "do not ask; needed without a terminal")
	return cmd
}

// setupPlan is what setup or uninstall is to change.
type setupPlan struct {
	jobs    []job
	left    []string // agents that are left out, and why
	brain   string   // which need not exist yet
	fresh   bool     // it does not
	copies  bool     // the programs are copied to where hooks call them
	gone    []string // files and folders that are removed
	machine agents.Machine
	self    string // this program
}

// job is what happens to one agent.
type job struct {
	agent agents.Agent
	plan  agents.Plan
}

// changes counts what is to change.
func (p setupPlan) changes() int {
	n := len(p.gone)
	for _, j := range p.jobs {
		n += len(j.plan.Changes)
	}
	for _, b := range []bool{p.fresh, p.copies} {
		if b {
			n++
		}
	}
	return n
}

// diff shows all that changes in files.
func (p setupPlan) diff() string {
	var b strings.Builder
	for _, j := range p.jobs {
		b.WriteString(j.plan.Diff())
	}
	return b.String()
}

func (a *app) setup(ctx context.Context, names []string, o setupOptions) error {
	p, err := a.planSetup(names, o)
	if err != nil {
		return err
	}
	summary := a.summary(p, o.remove)
	if o.dry && a.json {
		return a.printJSON(struct {
			Agents  int      `json:"agents"`  // that are connected then
			Changes int      `json:"changes"` // 0: all is set up
			Summary []string `json:"summary"`
			Diff    string   `json:"diff"`
		}{len(p.jobs), p.changes(), summary, p.diff()})
	}
	if o.diff {
		a.showDiff(p.diff())
	}
	for _, line := range summary {
		a.print("%s\n", line)
	}
	if o.dry {
		return nil
	}
	if p.changes() > 0 {
		if agreed, err := a.agreesTo(textAskSetup, p, o.yes); err != nil || !agreed {
			return err
		}
		if err := a.change(p, o.remove); err != nil {
			return err
		}
	}
	if o.remove {
		return nil
	}
	if err := a.offerTrust(ctx, o.yes); err != nil || len(p.jobs) == 0 {
		return err
	}
	took, ok, err := try(ctx, p.machine)
	if err != nil {
		return err
	}
	if !ok {
		a.status = exitFailed
		a.tell(text{"Tried it: a prompt got no lesson. \"handrail doctor\" and %s may say why.", "시험해 보았지만 프롬프트가 교훈을 받지 못했습니다. \"handrail doctor\"와 %s에서 이유를 볼 수 있습니다."}, filepath.Join(xdg.StateHome, "handrail", "hook.log"))
		return nil
	}
	a.tell(text{"Tried it: a prompt got its lesson in %d ms.", "시험해 보았습니다. 프롬프트가 %d ms 만에 교훈을 받았습니다."}, took.Milliseconds())
	if far := a.beyond(p.brain); far != nil { // the trial's brain is another one
		a.status = exitFailed
		a.tell(textMend, far.Text, far.Mend)
	}
	a.tell(text{"Next: work as always. When the agent errs, tell it so; \"handrail review\" shows what there is to record. \"handrail learn\" looks for what went wrong before.", "이제 평소처럼 일하세요. 에이전트가 틀리면 그렇다고 말해 주세요. \"handrail review\"에서 기록할 것을 볼 수 있습니다. 전에 있었던 실수는 \"handrail learn\"으로 찾습니다."})
	return nil
}

// planSetup looks at what the agents with these names, or all that are found, lack here, or have where that is removed.
func (a *app) planSetup(names []string, o setupOptions) (p setupPlan, err error) {
	p.machine, p.self, err = machine()
	if err != nil {
		return p, err
	}
	list, _ := agents.Named(names)
	if len(names) == 0 {
		list = slices.DeleteFunc(agents.All(), func(g agents.Agent) bool { return !o.remove && !g.Found(p.machine) })
	}
	for _, g := range list {
		look := p.machine.Uninstall
		if !o.remove { // a guard that it has it keeps, unless the person says otherwise
			look = func(g agents.Agent) (agents.Plan, error) {
				return p.machine.Install(g, o.guard || !o.given("guard") && p.machine.Guarded(g))
			}
		}
		plan, err := look(g)
		if err != nil && len(names) == 1 {
			return p, explainAgents(err)
		}
		if err != nil { // the others can be set up all the same
			p.left = append(p.left, a.word(say(text{"%s: left out. %s", "%s: 건너뜁니다. %s"}, g.Name, a.explain(explainAgents(err)))))
			a.status = exitFailed
		} else if !o.remove || len(plan.Changes) > 0 {
			p.jobs = append(p.jobs, job{g, plan})
		}
	}
	if o.remove {
		return p, nil
	}
	p.copies = len(p.jobs) > 0 && p.machine.Stale(p.self)
	p.brain, err = a.findBrain()
	if !errors.Is(err, lessons.ErrNoBrain) {
		return p, err
	}
	dir, derr := a.workDir()
	p.brain, p.fresh = find.New(dir), true
	if stray, ok := errors.AsType[*lessons.PathError](err); !ok || stray.Path != p.brain {
		err = derr
	}
	return p, err
}

// summary says in at most 11 lines what setup changes, what for, and how that is undone: one for each of the
// 8 agents, one for the brain, one for the programs and one for the way back.
func (a *app) summary(p setupPlan, remove bool) []string {
	lines := slices.Clone(p.left)
	if len(p.jobs)+len(p.left) == 0 && !remove {
		lines = append(lines, a.word(say(text{"No agent was found on this machine. Name yours (\"handrail setup AGENT\"): %s.", "이 컴퓨터에서 에이전트를 찾지 못했습니다. \"handrail setup AGENT\"로 지정해 주세요. 가능한 이름: %s."}, strings.Join(agents.Names(), ", "))))
	}
	for _, j := range p.jobs {
		line := j.agent.Name + ": " + a.files(p.machine, j.plan)
		if remove {
			line = a.word(say(textRemoves, line))
		}
		if len(j.plan.Changes) > 0 {
			lines = append(lines, line)
		}
	}
	for _, name := range p.gone {
		lines = append(lines, a.word(say(textRemoves, name)))
	}
	if p.fresh {
		lines = append(lines, a.word(say(text{"new brain: %s", "새 brain: %s"}, p.brain)))
	}
	if p.copies {
		program, beside := tilde(p.machine, p.machine.Binary), filepath.Base(agents.Beside(p.machine.Binary))
		lines = append(lines, a.word(say(text{"programs that hooks call, copied: %s and %s", "hook이 부를 프로그램 복사: %s, %s"}, program, beside)))
	}
	switch {
	case remove && p.changes() == 0 && len(p.left) == 0:
		return append(lines, a.word(say(text{"Nothing of Handrail's is there.", "Handrail 설정이 없습니다."})))
	case remove:
	case p.changes() > 0:
		return append(lines, a.word(say(text{"\"handrail uninstall\" takes this out again; the brain stays. Files are kept as they were in %s.", "\"handrail uninstall\"로 되돌리며 brain은 남습니다. 바꾼 파일의 원본은 %s에 보관합니다."}, tilde(p.machine, p.machine.Backups()))))
	case len(p.jobs) > 0 && len(p.left) == 0:
		return append(lines, a.word(say(text{"All is set up already.", "이미 모두 설정되어 있습니다."})))
	}
	return lines
}

// files names the files of a plan with what each is for. Several of one folder are named together.
func (a *app) files(m agents.Machine, plan agents.Plan) string {
	var out []string
	for i, c := range plan.Changes {
		like := func(o agents.Change) bool { return o.Use == c.Use && filepath.Dir(o.Name) == filepath.Dir(c.Name) }
		if slices.ContainsFunc(plan.Changes[:i], like) {
			continue // named with the first
		}
		name, about := tilde(m, c.Name), a.word(say(textUses[c.Use]))
		if slices.ContainsFunc(plan.Changes[i+1:], like) {
			name = tilde(m, filepath.Dir(c.Name)) + string(filepath.Separator)
		}
		if c.Before == nil {
			about += ", " + a.word(say(text{"new", "새 파일"}))
		}
		out = append(out, name+" ("+about+")")
	}
	return strings.Join(out, ", ")
}

// tilde shortens a path below the person's home.
func tilde(m agents.Machine, name string) string {
	if rel, err := filepath.Rel(m.Home, name); err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return name
}

// agreesTo asks whether a plan is to be carried out, and shows it in full where the person wants to see it first.
func (a *app) agreesTo(question text, p setupPlan, yes bool) (bool, error) {
	for !yes {
		answer, err := a.answer(question)
		if err != nil {
			return false, err
		}
		if answer != "d" {
			return slices.Contains(yeses, answer), nil
		}
		a.showDiff(p.diff())
	}
	return true, nil
}

func (a *app) showDiff(diff string) {
	for line := range strings.Lines(diff) {
		a.print("%s\n", strings.TrimRight(line, "\r\n"))
	}
}

// change makes the changes, and tells of each.
func (a *app) change(p setupPlan, remove bool) error {
	if p.fresh {
		if err := brain.MakeBrain(p.brain, ""); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if p.copies {
		if err := p.machine.CopyPrograms(p.self); err != nil {
			return explainAgents(err)
		}
	}
	told := text{"%s: installed", "%s: 설치함"}
	if remove {
		told = text{"%s: removed", "%s: 제거함"}
	}
	for _, j := range p.jobs {
		if len(j.plan.Changes) == 0 {
			continue
		}
		err := j.plan.Apply()
		if err != nil {
			return explainAgents(err)
		}
		a.tell(told, j.agent.Name)
		if !remove && j.agent.Note[0] != "" {
			a.tell(text{"  note: %s", "  참고: %s"}, text(j.agent.Note))
		}
	}
	return nil
}

// trial is the card of the brain on which setup tries the loop.
const trial = `---
type: lesson
title: Telegram commands need an allowlist
---

## Root Cause

The handler trusted every chat.

## Prevention Checklist

- [ ] The allowlist is checked before any command runs
`

// try sends a prompt through the program that hooks call, to a brain in a folder of its own with a state of its own, and
// returns how long the answer took and whether it holds the lesson.
func try(ctx context.Context, m agents.Machine) (took time.Duration, ok bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("try the loop: %w", err)
		}
	}()
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err == nil {
		dir, err = os.MkdirTemp(dir, "handrail-setup-")
	}
	if err != nil {
		return 0, false, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // its daemon ends when its brain is gone
	folder, state := filepath.Join(dir, ".brain"), filepath.Join(dir, "state")
	cards := filepath.Join(folder, "lessons")
	payload, err := json.Marshal(map[string]string{
		"hook_event_name": "UserPromptSubmit", "session_id": "setup", "permission_mode": "default", "cwd": dir,
		"transcript_path": "", "prompt": "add a telegram command that restarts the server",
	})
	err = errors.Join(err, brain.MakeBrain(folder, filepath.Join(state, "handrail")), os.Mkdir(cards, 0o700),
		os.Mkdir(filepath.Join(dir, "run"), 0o700),
		os.WriteFile(filepath.Join(cards, "trial.md"), []byte(trial), 0o600)) //nolint:forbidigo // not a person's card
	if err != nil {
		return 0, false, err
	}
	program, args := m.Hook()
	cmd := exec.CommandContext(ctx, program, append(args, "--within", trialWait.String())...) //nolint:forbidigo // Handrail itself
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(payload)
	cmd.Env = append(os.Environ(), "HANDRAIL_BRAIN="+folder, "XDG_STATE_HOME="+state,
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"))
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return 0, false, fmt.Errorf("run %s: %w", program, err)
	}
	return time.Since(began), bytes.Contains(out, []byte("lessons/trial.md")), nil
}

// trialWait is how long setup's prompt may take: a daemon is started for it, and its index made, maybe on a busy machine.
const trialWait = 50 * relay.Within

func (a *app) uninstallCommand() *cobra.Command {
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take everything of Handrail out of this machine but the cards and the program",
		Long: `Uninstall takes hooks and MCP servers out of agents' settings, ends the daemons, and removes the
copied programs and what is kept of all brains: counters, candidates, the log that undo needs. Other files in the
same folders stay, and so do cards.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.uninstall(cmd.Context(), dry, yes) },
	}
	f := cmd.Flags()
	f.BoolVar(&dry, "dry-run", false, "show what would go without removing it")
	f.BoolVar(&yes, "yes", false, "do not ask; needed without a terminal")
	return cmd
}

func (a *app) uninstall(ctx context.Context, dry, yes bool) error {
	p, err := a.planSetup(nil, setupOptions{remove: true})
	if err != nil {
		return err
	}
	p.gone = append([]string{p.machine.Binary, agents.Beside(p.machine.Binary), filepath.Join(xdg.StateHome, "handrail")}, brain.Caches()...)
	p.brain, _ = a.findBrain() // there may be none
	p.gone = slices.DeleteFunc(p.gone, func(name string) bool { _, err := os.Lstat(name); return err != nil })
	for _, line := range a.summary(p, true) {
		a.print("%s\n", line)
	}
	if dry {
		return nil
	}
	if agreed, err := a.agreesTo(text{"Remove all of this? [y/N] ", "모두 지울까요? [y/N] "}, p, yes); err != nil || !agreed {
		return err
	}
	if err := a.change(p, true); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	stopped, err := daemon.StopAll(wait)
	if err != nil {
		return err
	}
	if stopped > 0 {
		a.tell(text{"daemons ended: %d", "끝낸 데몬: %d개"}, stopped)
	}
	for _, name := range p.gone {
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
		// Folders in which nothing else is go too, up to the home folder: those that all programs share were made
		// by the first one.
		for dir := filepath.Dir(name); dir != p.machine.Home && os.Remove(dir) == nil; {
			dir = filepath.Dir(dir)
		}
	}
	if p.brain != "" {
		a.tell(textLeaves, p.brain)
	}
	a.tell(textLeaves, a.word(say(textExtension)))
	a.tell(textLeaves, a.word(say(text{"this program (\"handrail version\" says what installed it)", "이 프로그램 (무엇으로 설치했는지는 \"handrail version\"에 나옵니다)"})))
	return nil
}

// stopWait is how long daemons may take to end.
const stopWait = 10 * time.Second
