package main

import (
	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
)

// ask is what a command asks of a brain: how it opens it, what it asks, and how the answer
// reads without --json.
type ask[R any] struct {
	open func(*cobra.Command) (*server.Server, error)
	do   func(s *server.Server, cmd *cobra.Command, list []string) (R, error)
	show func(R)
}

// run carries a command out.
func (q ask[R]) run(a *app) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, list []string) (err error) {
		s, err := q.open(cmd)
		if err != nil {
			return err
		}
		r, err := q.do(s, cmd, list)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(r)
		}
		q.show(r)
		return nil
	}
}

// openTrusted opens the brain for a command that shows what agents get. Where none of it comes to any, that is all
// it says.
func (a *app) openTrusted(cmd *cobra.Command) (*server.Server, error) {
	s, err := a.openReady(cmd.Context())
	if err == nil && a.untrusted(cmd.Context(), s) {
		err = errDone
	}
	return s, err
}

// openIndexed opens the brain for a command that needs its index.
func (a *app) openIndexed(cmd *cobra.Command) (*server.Server, error) {
	return a.openReady(cmd.Context())
}
