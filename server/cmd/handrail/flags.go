package main

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/server"
)

// atMost is a flag that bounds how many of something are shown.
type atMost int

func (n *atMost) String() string { return strconv.Itoa(int(*n)) }
func (n *atMost) Type() string   { return "int" }

func (n *atMost) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil {
		return err
	}
	if v < 0 {
		return errors.New("it is below zero")
	}
	*n = atMost(v)
	return nil
}

// language is a flag that names a language of messages or headings, as people and
// environments spell it; "" where it is not given.
type language string

func (l *language) String() string { return string(*l) }
func (l *language) Type() string   { return "language" }

func (l *language) Set(s string) error {
	tag, _, _ := strings.Cut(strings.ToLower(s), ".")
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if tag != "en" && server.LocaleOf(s) != server.Korean {
		return &lessons.ValueError{Value: s, Allowed: []string{"en", "ko"}}
	}
	*l = language(s)
	return nil
}

// oneOf completes a flag's value from those that there are.
func oneOf[T ~string](cmd *cobra.Command, flag string, values ...T) {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	complete(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// freeText keeps a shell from offering files where any text will do.
func freeText(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		complete(cmd, flag, cobra.NoFileCompletions)
	}
}

// completes reports whether a shell called this process to complete a line.
var completes = len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd)

// complete says how a flag's value is completed, to whom that is of use: cobra keeps each flag
// of which it is told, with all that hangs on it, for as long as the process lives, and a
// daemon makes the flags anew for every call. Cobra refuses only where there is no such flag;
// the transcript of completion asks for them.
func complete(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if completes {
		_ = cmd.RegisterFlagCompletionFunc(flag, with)
	}
}

// completeCard completes the path of the one card a command takes.
func (a *app) completeCard(cmd *cobra.Command, list []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(list) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeCards(cmd, nil, prefix)
}

// completeCards completes the paths of cards; those that stand there already are left out.
func (a *app) completeCards(cmd *cobra.Command, list []string, prefix string) ([]string, cobra.ShellCompDirective) {
	brain, err := a.findBrain()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	b, err := lessons.OpenBrain(brain)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer b.Close() //nolint:errcheck // read only
	var out []string
	err = b.Walk(cmd.Context(), func(rel string, _ os.FileInfo) error {
		if strings.HasPrefix(rel, prefix) && rel == lessons.Visible(rel) && !slices.Contains(list, rel) {
			if src, err := b.Read(rel); err == nil && lessons.KindOf(rel, src).IsCard() {
				out = append(out, rel)
			}
		}
		return nil
	}, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
