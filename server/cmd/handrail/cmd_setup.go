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

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/git"
	"handrail/server"
	"handrail/server/agents"
	"handrail/server/daemon"
	"handrail/server/relay"
)

var (
	textNoAgentHere = text{"No agent was found on this machine. Name yours (\"handrail setup AGENT\"): %s.", "이 컴퓨터에서 에이전트를 찾지 못했습니다. \"handrail setup AGENT\"로 지정해 주세요. 가능한 이름: %s."}
	textSkipped     = text{"%s: left out. %s", "%s: 건너뜁니다. %s"}
	textNewBrain    = text{"new brain: %s", "새 brain: %s"}
	textAllThere    = text{"All is set up already.", "이미 모두 설정되어 있습니다."}
	textTried       = text{"Tried it: a prompt got its lesson in %d ms.", "시험해 보았습니다. 프롬프트가 %d ms 만에 교훈을 받았습니다."}
	textTriedNot    = text{"Tried it: a prompt got no lesson. \"handrail doctor\" and %s may say why.", "시험해 보았지만 프롬프트가 교훈을 받지 못했습니다. \"handrail doctor\"와 %s에서 이유를 볼 수 있습니다."}
	textNext        = text{"Next: work as always. When the agent errs, tell it so; \"handrail review\" shows what there is to record.", "이제 평소처럼 일하세요. 에이전트가 틀리면 그렇다고 말해 주세요. \"handrail review\"에서 기록할 것을 볼 수 있습니다."}

	textAskRemove = text{"Remove all of this? [y/N] ", "모두 지울까요? [y/N] "}
	textRemoves   = text{"remove %s", "삭제: %s"}
	textLeaves    = text{"left: %s", "남김: %s"}
	textStopped   = text{"daemons ended: %d", "끝낸 데몬: %d개"}
	textByMake    = text{"this program (\"make uninstall\" removes what \"make install\" installed)", "이 프로그램 (\"make install\"로 설치했다면 \"make uninstall\"로 지웁니다)"}
	textExtension = text{"the VS Code extension (\"code --uninstall-extension handrail.handrail\")", "VS Code 확장 (\"code --uninstall-extension handrail.handrail\")"}
)

func (a *app) setupCommand() *cobra.Command {
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "setup [AGENT…]",
		Short: "Connect the agents of this machine, make a brain if there is none, and try the loop",
		Long: `Setup finds the agents on this machine, or takes those you name, and shows what changes:
their hooks and the MCP server in their settings, a brain for this workspace if it has none,
and in a git repository the merge of cards by Handrail. It asks once, keeps a copy of each file, and then tries the loop on a prompt in a
folder of its own. "handrail uninstall" takes everything out again.`,
		Example: `  handrail setup
  handrail setup claude codex --yes`,
		Args: func(_ *cobra.Command, names []string) error {
			if _, missing := agents.Named(names); missing != "" {
				return usageError{said{text: textNoAgent, args: []any{missing, strings.Join(agents.Names(), ", ")}}}
			}
			return nil
		},
		ValidArgs: agents.Names(),
		RunE:      func(cmd *cobra.Command, names []string) error { return a.setup(cmd.Context(), names, dry, yes) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the changes without making them")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; needed without a terminal")
	return cmd
}

func (a *app) setup(ctx context.Context, names []string, dry, yes bool) error {
	m, self, err := machine()
	if err != nil {
		return err
	}
	list, _ := agents.Named(names)
	if len(names) == 0 {
		list = slices.DeleteFunc(agents.All(), func(g agents.Agent) bool { return g.Name == "instructions" || !g.Found(m) })
	}
	if len(list) == 0 {
		a.tell(textNoAgentHere, strings.Join(agents.Names(), ", "))
	}
	var jobs []job
	for _, g := range list {
		plan, err := m.Install(g, m.Kept(g, agents.Options{MCP: true}))
		if err != nil { // the others can be set up all the same
			a.tell(textSkipped, g.Name, a.explain(explainAgents(err)))
			a.status = exitFailed
			continue
		}
		jobs = append(jobs, job{g, plan})
	}
	changes := a.showPlans(jobs)
	brain, err := a.findBrain()
	if errors.Is(err, lessons.ErrNoBrain) {
		dir, err := a.workDir()
		if err != nil {
			return err
		}
		brain = find.New(dir)
		a.tell(textNewBrain, brain)
		changes++
	} else if err != nil {
		return err
	}
	program := installed(m, self)
	if len(jobs) > 0 {
		program = m.Binary // copied there
		if m.Stale(self) {
			changes++
		}
	}
	driver, shared := planDriver(ctx, brain, program)
	if shared {
		for _, line := range a.driverChanges(driver) {
			a.print("%s\n", line)
			changes++
		}
	}
	switch {
	case changes == 0:
		if len(jobs) > 0 && a.status == exitDone {
			a.tell(textAllThere)
		}
	case dry:
		return nil
	case !yes:
		if agreed, err := a.agrees(textAsk); err != nil || !agreed {
			return err
		}
	}
	if changes > 0 {
		if err := server.MakeBrain(brain); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if len(jobs) > 0 {
			if err := a.apply(m, self, jobs, true); err != nil {
				return err
			}
		}
		if shared {
			if err := driver.apply(ctx); err != nil {
				return err
			}
		}
	}
	if len(jobs) == 0 || dry {
		return nil
	}
	took, ok, err := try(ctx, m)
	if err != nil {
		return err
	}
	if !ok {
		a.status = exitFailed
		a.tell(textTriedNot, filepath.Join(xdg.StateHome, "handrail", "hook.log"))
		return nil
	}
	a.tell(textTried, took.Milliseconds())
	a.tell(textNext)
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
	dir, err := os.MkdirTemp("", "handrail-setup-")
	if err != nil {
		return 0, false, fmt.Errorf("try the loop: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // its daemon ends when its brain is gone
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return 0, false, fmt.Errorf("try the loop: %w", err)
	}
	brain := filepath.Join(dir, ".brain")
	err = errors.Join(lessons.MakeBrain(filepath.Join(brain, "lessons")), os.Mkdir(filepath.Join(dir, "run"), 0o700))
	if err == nil {
		err = os.WriteFile(filepath.Join(brain, "lessons", "trial.md"), []byte(trial), 0o600) //nolint:forbidigo // not a person's card
	}
	payload, jsonErr := json.Marshal(map[string]string{
		"hook_event_name": "UserPromptSubmit", "session_id": "setup", "permission_mode": "default", "cwd": dir, "transcript_path": "",
		"prompt": "add a telegram command that restarts the server",
	})
	if err = errors.Join(err, jsonErr); err != nil {
		return 0, false, fmt.Errorf("try the loop: %w", err)
	}
	program, args := m.Hook()
	cmd := exec.CommandContext(ctx, program, append(args, "--within", trialWait.String())...) //nolint:forbidigo // Handrail itself
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(payload)
	cmd.Env = append(os.Environ(), "HANDRAIL_BRAIN="+brain, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"))
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return 0, false, fmt.Errorf("try the loop: run %s: %w", program, err)
	}
	return time.Since(began), bytes.Contains(out, []byte("lessons/trial.md")), nil
}

// trialWait is how long setup's prompt may take: a daemon is started for it, and its index made.
const trialWait = 10 * relay.Within

func (a *app) uninstallCommand() *cobra.Command {
	var dry, yes, cards bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take everything of Handrail out of this machine but the cards and the program",
		Long: `Uninstall takes hooks, MCP servers and instructions out of agents' settings, for the user and for
this project, and the merge driver out of its git settings, ends the daemons, and removes the copied programs and the state and cache folders:
counters, candidates, the log that undo needs. Cards stay, unless --cards removes this workspace's brain.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.uninstall(cmd.Context(), dry, yes, cards) },
	}
	f := cmd.Flags()
	f.BoolVar(&dry, "dry-run", false, "show what would go without removing it")
	f.BoolVar(&yes, "yes", false, "do not ask; needed without a terminal")
	f.BoolVar(&cards, "cards", false, "also remove this workspace's brain with all its cards")
	return cmd
}

func (a *app) uninstall(ctx context.Context, dry, yes, cards bool) error {
	m, _, err := machine()
	if err != nil {
		return err
	}
	project, err := projectDir()
	if err != nil {
		return err
	}
	var jobs []job
	for _, g := range agents.All() {
		var user agents.Plan
		for _, o := range []agents.Options{{}, {Project: project}} {
			if g.Name == "instructions" && o.Project == "" {
				continue
			}
			plan, err := m.Uninstall(g, o)
			if err != nil { // the rest can go all the same
				a.tell(textSkipped, g.Name, a.explain(explainAgents(err)))
				a.status = exitFailed
				continue
			}
			if plan = plan.Beyond(user); o.Project == "" {
				user = plan
			}
			if len(plan.Changes) > 0 {
				jobs = append(jobs, job{g, plan})
			}
		}
	}
	gone := []string{m.Binary, agents.Beside(m.Binary), filepath.Join(xdg.StateHome, "handrail"), filepath.Join(xdg.CacheHome, "handrail")}
	brain, err := a.findBrain()
	if err == nil && cards {
		gone = append(gone, brain)
	}
	gone = slices.DeleteFunc(append(gone, daemon.RunFolders()...), func(name string) bool { _, err := os.Lstat(name); return err != nil })
	a.showPlans(jobs)
	for _, name := range gone {
		a.tell(textRemoves, name)
	}
	driver := hasDriver(ctx, project, "--local")
	if driver {
		a.tell(textRemoves, "git config --local "+driverSection)
	}
	if dry {
		return nil
	}
	if !yes {
		if agreed, err := a.agrees(textAskRemove); err != nil || !agreed {
			return err
		}
	}
	if err := a.apply(m, "", jobs, false); err != nil {
		return err
	}
	if driver {
		if _, err := git.Output(ctx, project, "config", "--local", "--remove-section", driverSection); err != nil {
			return err
		}
	}
	elsewhere := m.Files() // of other projects: their hooks are silent without the program
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	stopped, err := daemon.StopAll(wait)
	if err != nil {
		return err
	}
	if stopped > 0 {
		a.tell(textStopped, stopped)
	}
	for _, name := range gone {
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	_ = os.Remove(filepath.Dir(m.Binary)) // where nothing else is in it
	_ = os.Remove(filepath.Dir(filepath.Dir(m.Binary)))
	if brain != "" && !cards {
		elsewhere = append(elsewhere, brain)
	}
	for _, name := range elsewhere {
		a.tell(textLeaves, name)
	}
	a.tell(textLeaves, a.word(say(textExtension)))
	a.tell(textLeaves, a.word(say(textByMake)))
	return nil
}

// stopWait is how long daemons may take to end.
const stopWait = 10 * time.Second
