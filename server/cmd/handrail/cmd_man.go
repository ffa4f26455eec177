package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			fmt.Fprintf(a.out, ".TH HANDRAIL 1 \"\" %s Handrail\n.SH NAME\nhandrail \\- %s\n.SH SYNOPSIS\n.B handrail\n.I command\n[flags] [arguments]\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n",
				roff(versionText()), roff(root.Short), roff(root.Long))
			a.manOf(root)
			fmt.Fprintf(a.out, ".SH FLAGS OF ALL COMMANDS\n")
			root.PersistentFlags().VisitAll(a.manOfFlag)
			fmt.Fprintf(a.out, ".SH EXIT STATUS\n0: done. 1: failed; standard error says why. 2: the call was wrong.\n")
			return nil
		},
	}
}

// manOf prints a command's commands, and theirs.
func (a *app) manOf(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "completion" {
			continue
		}
		text := c.Short + "."
		if c.Long != "" {
			text = c.Long
		}
		fmt.Fprintf(a.out, ".SS %s\n%s\n", roff(c.UseLine()), roff(text))
		c.LocalNonPersistentFlags().VisitAll(a.manOfFlag)
		a.manOf(c)
	}
}

func (a *app) manOfFlag(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(a.out, ".TP\n.B \\-\\-%s\n%s\n", roff(strings.TrimSpace(f.Name+" "+value)), roff(usage))
}

// roff returns text as a manual page shows it: no line of it is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return strings.ReplaceAll(strings.ReplaceAll(`\&`+text, "\n\n", "\n.PP\n"), "\n'", "\n\\&'")
}
