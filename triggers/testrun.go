package triggers

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"handrail/lessons/lazyregexp"
)

// outcome is how a test run ended.
type outcome int

const (
	unknown outcome = iota
	passed
	failed
)

// wrapper matches what stands before the real command and does not change what it tests:
// variables, sudo, time limits, package runners.
var wrapper = lazyregexp.New(`^(?:(?:[A-Za-z_][A-Za-z0-9_]*=(?:"[^"]*"|'[^']*'|\S*)|sudo|env|time|nice|command|exec|npx|pnpx|bunx|(?:timeout|gtimeout)(?:\s+-\S+)*\s+\S+|(?:poetry|pipenv|uv|pdm|hatch|bundle|rtx|mise|xvfb-run)\s+(?:run|exec)|xvfb-run(?:\s+-\S+)*|yarn\s+exec|pnpm\s+exec|npm\s+exec(?:\s+--)?)\s+)+`)

// runners recognises commands that run tests.
var runners = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`go\s+test`, `gotestsum`, `ginkgo`,
		`(?:python[\d.]*\s+-m\s+)?(?:pytest|py\.test|unittest|nose2|tox|nox)`, `python[\d.]*\s+manage\.py\s+test`, `tox`, `nox`,
		`(?:jest|vitest|mocha|ava|tap|karma|cypress|playwright)(?:\s+(?:run|test))?`, `node\s+(?:\S+\s+)*--test`, `deno\s+test`,
		`(?:npm|pnpm|yarn|bun)\s+(?:run\s+|run-script\s+)?(?:tests?(?:[:_-][\w:-]*)?|t|check)`,
		`cargo\s+(?:\+\S+\s+)?(?:test|t|nextest)`,
		`(?:mvn|mvnw|\./mvnw)\s.*(?:test|verify|install)`, `(?:gradle|gradlew|\./gradlew)\s.*(?:test|check|build)`, `sbt\s.*test`, `bazel\s+test`,
		`dotnet\s+test`, `(?:\S+/)?rspec`, `(?:\S+/)?phpunit`, `(?:rake|rails)\s+test`, `mix\s+test`, `swift\s+test`, `flutter\s+test`, `dart\s+test`, `zig\s+(?:build\s+)?test`,
		`ctest`, `(?:make|just|task|ninja)\s+(?:-\S+\s+)*(?:\S*test\S*|check)`, `prove`, `bats`, `stack\s+test`, `cabal\s+test`,
	}, "|") + `)(?:\s|$)`)
})

var (
	redirect = lazyregexp.New(`\s*(?:\d?>&?\d?\s*\S*|&>\s*\S+|2>&1)`)
	filters  = lazyregexp.New(`^\s*(?:tee|tail|head|grep|egrep|rg|cat|less|more|sed|awk|sort|uniq|wc|tr|cut|ts|jq)\b`)
	chdir    = lazyregexp.New(`^(?:cd|pushd)\s+("[^"]*"|'[^']*'|\S+)$`)
	silence  = lazyregexp.New(`\s+(?:-v+|-q|--quiet|--verbose|--color(?:=\S+)?|--colour(?:=\S+)?|--no-color|--nocapture|-s|-count=1|--silent)\b`)
)

// run is a test command brought to the form in which two runs are compared.
type run struct {
	command string // without wrappers, pipes and flags that only change what is printed
	dir     string
	piped   bool // an exit status is that of the pipe's last command
}

// testRun reads a command line. ok is false when it runs no tests.
func testRun(line, dir string) (r run, ok bool) {
	r.dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	line = strings.TrimSpace(line)
	for part := range splitCommands(line) {
		if m := chdir.FindStringSubmatch(part); m != nil {
			to := strings.Trim(m[1], `"'`)
			if path.IsAbs(to) {
				r.dir = path.Clean(to)
			} else {
				r.dir = path.Join(r.dir, to)
			}
			continue
		}
		segments := strings.Split(part, "|")
		first := strings.TrimSpace(redirect.ReplaceAllString(segments[0], ""))
		first = wrapper.ReplaceAllString(first, "")
		if !runners().MatchString(first) {
			continue
		}
		for _, s := range segments[1:] {
			r.piped = r.piped || filters.MatchString(s)
		}
		r.piped = r.piped && !strings.Contains(line, "pipefail")
		r.command = strings.Join(strings.Fields(silence.ReplaceAllString(first, "")), " ")
		return r, true
	}
	return run{}, false
}

// reportedRun returns a run of tests that no known runner made: whoever reports it knows
// better than the list of runners.
func reportedRun(c Command) run {
	return run{command: strings.Join(strings.Fields(c.Command), " "), dir: c.Dir}
}

// splitCommands yields the commands of a line, split at && ; and || outside quotes.
func splitCommands(line string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		quote := byte(0)
		start := 0
		emit := func(end int) bool {
			s := strings.TrimSpace(line[start:end])
			return s == "" || yield(s)
		}
		for i := 0; i < len(line); i++ {
			c := line[i]
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == ';' || c == '\n':
				if !emit(i) {
					return
				}
				start = i + 1
			case (c == '&' || c == '|') && i+1 < len(line) && line[i+1] == c:
				if !emit(i) {
					return
				}
				i++
				start = i + 1
			}
		}
		emit(len(line))
	}
}

// What runners print when tests fail and when they pass, a line each.
var (
	redOutput = lazyregexp.New(`(?m)^(?:--- FAIL|FAIL(?:\s|$)|panic: |# \S+.*\n\S+\.go:\d+:\d+:|=+ .*\b\d+ (?:failed|errors?)\b.*=+\s*$|E   |Tests?:\s+.*\b[1-9]\d* failed|\s*Tests\s+[1-9]\d* failed|\s*[1-9]\d* (?:failing|failed)\b|test result: FAILED|error(?:\[E\d+\])?: |\[ERROR\]|.*BUILD FAILURE|BUILD FAILED|FAILURES!|Failed!|not ok \d+|# fail [1-9]|FAILED \(|.*\b[1-9]\d* examples?, [1-9]\d* failures?|\d+% tests passed, [1-9]\d* tests? failed|make(?:\[\d+\])?: \*\*\* |npm ERR!)`)
	greenLine = lazyregexp.New(`(?m)^(?:ok\s+\S+|PASS$|=+ .*\b\d+ passed\b.*=+\s*$|Tests?:\s+.*\b\d+ passed|\s*Tests\s+\d+ passed|\s*\d+ passing\b|test result: ok|.*BUILD SUCCESS|BUILD SUCCESSFUL|OK(?: \(|$)|Passed!|# fail 0$|.*\b[1-9]\d* examples?, 0 failures|100% tests passed|\s*\d+ passed)`)
	ansi      = lazyregexp.New("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z^_=>])")
)

// outcomeOf tells how a run ended: by its exit status where that is the runner's own,
// else by what it printed.
func outcomeOf(r run, exit *int, output string) outcome {
	output = ansi.ReplaceAllString(clip(output, maxOutput), "")
	output = strings.ReplaceAll(output, "\r", "")
	printed := unknown
	switch {
	case redOutput.MatchString(output):
		printed = failed
	case greenLine.MatchString(output):
		printed = passed
	}
	switch {
	case exit == nil, r.piped && *exit == 0:
		return printed
	case Stopped(exit):
		return unknown // whatever it had printed by then
	case *exit == 0:
		return passed
	}
	return failed
}

// Stopped reports whether a command was ended by somebody rather than by itself: by an
// interrupt or by SIGTERM, as shells tell it, or by Ctrl-C as Windows does.
func Stopped(exit *int) bool {
	if exit == nil {
		return false
	}
	switch int32(*exit) { //nolint:gosec // G115: Windows' statuses come with and without their sign
	case 128 + 2, 128 + 15, -1073741510: // STATUS_CONTROL_C_EXIT
		return true
	}
	return false
}

// maxOutput bounds the output that is read: the beginning and the end, in bytes each.
const maxOutput = 64 << 10

func clip(s string, n int) string {
	if len(s) <= 2*n {
		return s
	}
	return s[:n] + "\n" + s[len(s)-n:]
}

// maxExcerpt bounds what of a failing run is kept as evidence, in bytes.
const maxExcerpt = 1000

// Excerpt returns the lines of a failing command's output that say what failed.
func Excerpt(output string) string { return excerptOf(output) }

// excerptOf returns the lines of a failing run that say what failed.
func excerptOf(output string) string {
	output = strings.ReplaceAll(ansi.ReplaceAllString(clip(output, maxOutput), ""), "\r", "")
	var kept []string
	size := 0
	lines := strings.Split(output, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || !redOutput.MatchString(l) && !errorLine.MatchString(l) {
			continue
		}
		for _, l := range lines[i:min(i+2, len(lines))] { // the line below often holds the reason
			l = strings.TrimRight(l, " \t")
			if n := len(kept); l == "" || n > 0 && kept[n-1] == l {
				continue
			}
			if size += len(l) + 1; size > maxExcerpt {
				return strings.Join(kept, "\n")
			}
			kept = append(kept, l)
		}
	}
	if len(kept) == 0 {
		return strings.TrimSpace(strings.ToValidUTF8(output[:min(len(output), maxExcerpt)], ""))
	}
	return strings.Join(kept, "\n")
}

var errorLine = lazyregexp.New(`(?i)(\berror\b|\w+Error\b|\w+Exception\b|assert|expected|panicked|undefined:|cannot find|^\s+\S+_test\.\w+:\d+|^\s*[✕✗●×] )`)
