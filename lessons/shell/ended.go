package shell

import "strings"

// Printed tells whether the output says that a kind of command failed; ok is false when it says nothing.
func (l Line) Printed(k Kind) (failed, ok bool) {
	if k == Run || l.Output == "" {
		return false, false
	}
	good, bad := is(string(k)+"-green", l.Output), is(string(k)+"-red", l.Output)
	return bad && (k != Commit || !good), good || bad // what follows a commit is the push
}

// Idle reports whether nothing ran, or there was nothing to do.
func (l Line) Idle() bool { return is("idle", l.Output) }

// Ended tells whether the i-th command of a line failed as one of a kind, nil when nothing says it for sure:
// a status is that of the last command of a pipe, and of those that ran.
func (l Line) Ended(i int, k Kind) *bool {
	if l.Commands[i].op == "&" || is("elsewhere", l.Output) {
		return nil
	}
	piped := l.Commands[i].op == "|" && !l.pipefail
	next := i + 1 // behind its pipe
	for next < len(l.Commands) && l.Commands[next-1].op == "|" {
		next++
	}
	if next < len(l.Commands) {
		m := re("status").FindStringSubmatch(l.Commands[next].Text)
		all := re("exit").FindAllStringSubmatch(l.Output, -1)
		if m != nil && (!piped || m[1] != "?") && len(all) > 0 {
			failed := strings.Trim(all[len(all)-1][1], "0") != ""
			return &failed
		}
	}
	if l.Failed != nil && !piped && !l.Commands[i].hidden && (i == 0 || l.Commands[i-1].op != "||") && l.decides(i, next) {
		return l.Failed
	}
	if failed, ok := l.Printed(k); ok {
		return &failed
	}
	return nil
}

// decides reports whether the status of the line is that of its i-th command, whose pipe ends before next: of a line that failed, another one may be to
// blame.
func (l Line) decides(i, next int) bool {
	for _, c := range l.Commands[next-1 : len(l.Commands)-1] {
		if c.op != "&&" {
			return false
		}
	}
	for j, c := range l.Commands {
		if *l.Failed && j != i && (j >= next || j < i && c.op == "&&") && !is("safe", c.Text) {
			return false
		}
	}
	return true
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

// maxOutput bounds the output that is read: the beginning and the end, in bytes each; maxExcerpt what of it says what failed.
const (
	maxOutput  = 64 << 10
	maxExcerpt = 1000
)

// plain returns what is read of an output.
func plain(s string) string {
	if len(s) > 2*maxOutput {
		s = s[:maxOutput] + "\n" + s[len(s)-maxOutput:]
	}
	return re("task").ReplaceAllString(strings.ReplaceAll(re("ansi").ReplaceAllString(s, ""), "\r", ""), "")
}

// Excerpt returns the lines of a failing command's output that say what failed.
func Excerpt(output string) string {
	output = plain(output)
	var kept []string
	size := 0
	lines := strings.Split(output, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || !is("tests-red", l) && !is("error", l) {
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
		if len(output) > maxExcerpt { // between words: of half a secret nobody would know what it is
			output = output[:max(0, strings.LastIndexAny(output[:maxExcerpt], " \t\n"))]
		}
		return strings.TrimSpace(strings.ToValidUTF8(output, ""))
	}
	return strings.Join(kept, "\n")
}
