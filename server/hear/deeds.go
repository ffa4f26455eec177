package hear

import (
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/brain"
)

// RolledBack observes what git undid, with files named as cards name them.
func (s *Room) RolledBack(ev brain.Event) {
	ev.Files = s.RelFiles(ev.Files)
	for i, c := range ev.Changes {
		ev.Changes[i].File = s.ProjectPath(c.File)
	}
	if _, err := s.observe(s.Ctx, ev); err != nil && s.Ctx.Err() == nil {
		s.Logger.Warn("event not observed", "err", err)
	}
}

// noteDeed notes in the ledger what a tool did.
func (s *Room) noteDeed(e brain.Event) {
	switch e.Kind {
	case brain.EditEvent:
		if !e.Failed {
			s.Enqueue(func() { s.Deeds.Edited(e.SessionID, e.Files, e.Changes, s.ProjectPath) })
		}
	case brain.CommandEvent, brain.TestEvent:
		s.Enqueue(func() { s.Deeds.Ran(e.SessionID, e.Command, e.Output, e.HasFailed()) })
	case brain.ToolEvent:
		if mayRun().MatchString(e.Tool) {
			s.Enqueue(func() { s.Deeds.Ran(e.SessionID, brain.Elsewhere, "", nil) })
		}
	}
}

// mayRun matches tools that may run tests or push although they are no shell: another agent, a server's tool, a task.
var mayRun = lazyregexp.New(`(?i)agent|task$|mcp|__|terminal|shell|bash|exec|run|test|lint|build|error|problem|` +
	`diagnos|commit|push|git|pull_?request|workflow|command`)
