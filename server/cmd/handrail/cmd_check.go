package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

var levelNames = map[lessons.ProblemLevel]string{lessons.Error: "error", lessons.Warning: "warning", lessons.Info: "info", lessons.Hint: "hint"}

// finding is a problem as check --json prints it.
type finding struct {
	Path     string `json:"path"`
	Line     int    `json:"line"` // 1-based; 1 for what is about the whole file
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// showFindings prints the problems of a brain's cards. For GitHub the paths are those of the work tree.
func (a *app) showFindings(all []finding, folder string, github bool) error {
	if a.json {
		return a.printJSON(all)
	}
	dir, err := a.workDir()
	if err != nil {
		return fmt.Errorf("check the brain: %w", err)
	}
	for _, f := range all {
		if !github {
			a.print("%s:%d: %s: %s [%s]\n", f.Path, f.Line, f.Severity, f.Message, f.Code)
			continue
		}
		level := f.Severity
		if level == "info" || level == "hint" {
			level = "notice"
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		if short, err := filepath.Rel(dir, path); err == nil {
			path = short
		}
		a.annotate(level, filepath.ToSlash(path), f.Line, f.Code, f.Message)
	}
	return nil
}

func (a *app) checkCommand() *cobra.Command {
	var strict, hints, fix bool
	var base, format string
	cmd := &cobra.Command{
		Use:   "check [PATH…] | check --diff [BASE]",
		Short: "List problems of cards, or the checks of cards that a change breaks",
		Long: `List problems of cards, one a line: path:line: severity: message [code]. The exit status is
1 if there is an error, with --strict also for a warning. A card that cannot be read is
reported on standard error, and the others are checked. --fix settles what nobody has to choose
where git left conflict markers in a card.

With --diff, run the checks of active cards on the changes of the work tree since the last
commit or since it left BASE, or on a patch from standard input ("-"), and print
path:line: broken: item [card]. The exit status is 1 if a check is broken.`,
		Example: `  handrail check
  handrail check --format github
  handrail check --diff
  handrail check --diff origin/main --format github
  git diff --cached | handrail check --diff -`,
		RunE: func(cmd *cobra.Command, paths []string) (err error) {
			github, diff := format == "github", cmd.Flags().Changed("diff")
			if format != "" && (!github && (format != "gitlab" || !diff) || a.json) {
				return usageError{say(textFlagValue, "--format", format)}
			}
			if diff {
				if base == lastCommit && len(paths) == 1 { // a flag whose value may be left out takes none behind a space
					base, paths = paths[0], nil
				}
				if len(paths) > 0 || strict || hints || fix {
					return usageError{say(text{"Give --diff at most one commit, and neither cards nor --strict, --hints or --fix.", "--diff에는 커밋 하나만 줄 수 있고, 카드나 --strict, --hints, --fix와 함께 쓸 수 없습니다."})}
				}
				return a.checkDiff(cmd.Context(), base, format)
			}
			s, err := a.openReady(cmd.Context(), brain.Config{})
			if err != nil {
				return err
			}
			b := s.Brain()
			fail := func(err error) {
				a.warn(a.explain(err))
				a.status = exitFailed
			}
			var rels []string
			for _, p := range paths {
				rel, err := b.Rel(a.cardPath(b, p))
				if err != nil {
					fail(err)
					continue
				}
				rels = append(rels, rel)
			}
			if len(paths) == 0 {
				err := b.Walk(cmd.Context(), func(rel string, _ fs.FileInfo) error {
					rels = append(rels, rel)
					return nil
				}, func(rel string, err error) {
					a.warn(rel + ": " + a.locale().Explain(err))
					if !errors.Is(err, lessons.ErrTooLarge) && !errors.Is(err, lessons.ErrTooDeep) { // such a file is no card
						a.status = exitFailed
					}
				})
				if err != nil {
					return fmt.Errorf("check the brain: %w", err)
				}
			}
			all, settles := []finding{}, false
			diagnose := s.Diagnoser()
			for _, rel := range rels {
				if err := cmd.Context().Err(); err != nil {
					return fmt.Errorf("check the brain: %w", err)
				}
				src, err := b.Read(rel)
				if errors.Is(err, fs.ErrNotExist) && len(paths) == 0 {
					continue // removed meanwhile
				}
				if err != nil {
					fail(err)
					continue
				}
				after, ok := lessons.Settle(src)
				if ok {
					card, _ := lessons.Parse(rel, src)
					ok = card.Kind.IsCard()
				}
				if ok {
					settles = settles || !fix
					if fix {
						if _, err := s.SettleMerge(cmd.Context(), rel); err != nil {
							fail(err)
							continue
						}
						a.warn(a.word(say(text{"%s: counters, dates, lists and items of the merge are settled. \"handrail undo\" reverts it.", "%s: 병합의 횟수, 날짜, 목록, 항목을 합쳤습니다. \"handrail undo\"로 되돌립니다."}, rel)))
						src = after
					}
				}
				for _, p := range diagnose(rel, src) {
					if p.Severity == lessons.Hint && !hints {
						continue
					}
					if p.Severity == lessons.Error || strict && p.Severity == lessons.Warning {
						a.status = exitFailed
					}
					all = append(all, finding{rel, max(1, p.Line), levelNames[p.Severity], string(p.Code), a.locale().Problem(p)})
				}
			}
			if settles {
				a.next(text{"What a merge left in conflict: \"handrail check --fix\" settles counters, dates, lists and items.", "병합 충돌 가운데 횟수, 날짜, 목록, 항목은 \"handrail check --fix\"로 합칠 수 있습니다."})
			}
			return a.showFindings(all, b.Root(), github)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 1 for warnings too")
	cmd.Flags().BoolVar(&hints, "hints", false, "show hints too")
	cmd.Flags().BoolVar(&fix, "fix", false, "settle counters, dates, lists and items where a merge left a conflict")
	cmd.Flags().StringVar(&base, "diff", "", "run the checks of cards on changes since `BASE`, or on a patch (-)")
	cmd.Flags().Lookup("diff").NoOptDefVal = lastCommit
	cmd.Flags().StringVar(&format, "format", "", "github: commands of its workflows, which annotate lines; gitlab, with --diff: its report of code quality")
	return cmd
}
