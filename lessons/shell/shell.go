// Package shell is the one place that says what a shell line does (tests, a build, a commit, a push, which command and where) and how it ended, by its
// status and by what it printed. It runs nothing, opens no file and knows nothing of cards.
//
// Start with [Read], which cuts a line into commands. How they ended is in ended.go, the words of both in patterns.txt.
package shell

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

//go:embed patterns.txt
var patterns string

var re = lazyregexp.Named(patterns)

func is(name, text string) bool { return re(name).MatchString(text) }

// Kind is what a command proves.
type Kind string

// The kinds.
const (
	Tests  Kind = "tests"
	Build  Kind = "build" // compilers and type checkers
	Lint   Kind = "lint"
	Run    Kind = "run" // a program or a script, which may have done anything
	Commit Kind = "commit"
	Push   Kind = "push"
)

// kinds are all of them; a command that is of another kind is no mere Run.
var kinds = []Kind{Build, Lint, Tests, Commit, Push, Run}

// KindsOf returns what a command proves.
func KindsOf(command string) []Kind {
	var out []Kind
	tasks := tasksOf(command)
	for _, k := range kinds {
		named := func(task string) bool {
			return (k == Tests || k == Build || k == Lint) && is(string(k)+"-task", task) && !is("no-task", task)
		}
		does := is(string(k), command) || slices.ContainsFunc(tasks, named)
		if does && (k != Run || len(out) == 0) && !is("asked", mask(command)) {
			out = append(out, k)
		}
	}
	return out
}

// tasksOf returns the tasks of a project that a command runs by their names, as make and its like do.
func tasksOf(command string) (tasks []string) {
	words := strings.Fields(command[len(re("runner").FindString(command)):])
	if !is("runner", command) {
		return nil
	}
	for i, w := range words {
		switch {
		case w == "--":
			return tasks
		case strings.HasPrefix(w, "-"), strings.Contains(w, "="), i > 0 && is("takes", words[i-1]) && !many[words[0]]:
		default:
			tasks = append(tasks, strings.Split(w, ",")...)
		}
	}
	return tasks
}

// many run the tasks that their -t names.
var many = map[string]bool{"run-many": true, "affected": true}

// Command is one command of a shell line.
type Command struct {
	Text   string // in one line, without wrappers and redirections
	Kinds  []Kind
	Opaque bool // a program that is not known here: it may have done anything
	Edits  bool // it changes code

	writes []string // files that it surely writes, as it names them
	op     string   // what joins it to the next: && || ; | & or nothing
	inner  bool     // it begins a group or a shell of its own
	hidden bool     // in a loop or a condition: the line's status is not its own
}

// Line is a shell line that ended.
type Line struct {
	Commands []Command
	Output   string // the beginning and the end of what it printed, without the terminal's own
	Failed   *bool  // nil where it is not known

	pipefail bool
}

// Read reads a line.
func Read(line, output string, failed *bool) Line {
	return Line{Commands: split(line), Output: plain(output), Failed: failed, pipefail: strings.Contains(line, "pipefail")}
}

// TestRun is a run of tests, in the form in which two runs are compared.
type TestRun struct {
	Command string // without what changes only its output
	Dir     string
	Failed  *bool // nil where it is not known
}

// Tests returns the first run of tests on a line that began in a folder; ok is false when it has none.
func (l Line) Tests(dir string) (r TestRun, ok bool) {
	dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	for i, c := range l.Commands {
		if m := re("chdir").FindStringSubmatch(c.Text); m != nil {
			dir = join(dir, strings.Trim(m[1], `"'`))
		}
		if slices.Contains(c.Kinds, Tests) {
			return TestRun{re("quiet").ReplaceAllString(c.Text, ""), dir, l.Ended(i, Tests)}, true
		}
	}
	return TestRun{}, false
}

// inPlace returns the words of a command that rewrites files in place among which those files are.
func inPlace(command string) []string {
	words := strings.Fields(mask(command))
	if len(words) == 0 {
		return nil
	}
	program, words := path.Base(words[0]), words[1:]
	files := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") || strings.Trim(w, "_") == "" })
	switch {
	case program == "tee":
		return files
	case program != "sed" && program != "gsed" && program != "perl":
	case slices.ContainsFunc(words, func(w string) bool {
		letters, short := strings.CutPrefix(w, "-")
		if n := strings.IndexAny(letters, "efIMm"); n >= 0 { // a script, a folder or a module follows
			letters = letters[:n]
		}
		return strings.HasPrefix(w, "--in-place") || short && !strings.HasPrefix(letters, "-") && strings.Contains(letters, "i")
	}):
		return files
	}
	return nil
}

// Writes returns the files that a line writes by redirection, tee, sed -i or perl -i, from the folder in which it
// runs. Some of them are no files but other words of the command. What only the shell can tell is left out.
func (l Line) Writes() (files []string) {
	dir := ""
	for _, c := range l.Commands {
		if m := re("chdir").FindStringSubmatch(c.Text); m != nil {
			dir = join(dir, strings.Trim(m[1], `"'`))
			if c.op != "&&" && c.op != ";" || c.inner || strings.ContainsAny(dir, unsure) {
				return files // where the next one runs is not known
			}
		}
		for _, f := range c.writes {
			f = strings.Trim(f, `"'`)
			if f != "" && !strings.ContainsAny(f, unsure) && !strings.HasPrefix(f, "/dev/") {
				files = append(files, join(dir, f))
			}
		}
	}
	return files
}

// unsure are the signs of a name that the shell makes another of.
const unsure = "$*?[{~`&"

func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// split cuts a shell line into its commands, at && || ; | & and line ends outside quotes,
// substitutions, comments and here-documents.
func split(line string) []Command {
	line = WithoutDocuments(strings.ReplaceAll(line, "\\\n", " "))
	var out []Command
	var open []byte // what is open: quotes and brackets
	start := 0
	emit := func(end int, op string) {
		if c, ok := commandOf(line[start:end], op); ok {
			out = append(out, c)
		}
		start = end + len(op)
	}
	for i := 0; i < len(line); i++ {
		c, top := line[i], byte(0)
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case top == '\'' && c != '\'':
		case c == '\\':
			i++
		case top == '(' && c == ')' || top != 0 && top != '(' && c == top:
			open = open[:len(open)-1]
		case c == '$' && strings.HasPrefix(line[i+1:], "("):
			open = append(open, '(')
			i++
		case top == '(' && c == '(', c == '`', c == '"', c == '\'' && top != '"':
			open = append(open, c)
		case top != 0:
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", line[i-1]) >= 0):
			line = line[:i] + line[i+strings.IndexByte(line[i:]+"\n", '\n'):]
			i--
		case c == ';' || c == '\n':
			emit(i, ";")
		case c == '&' && (i > 0 && strings.IndexByte("<>|", line[i-1]) >= 0 || strings.HasPrefix(line[i+1:], ">")), c == '|' && i > 0 && line[i-1] == '>':
		case c == '|' || c == '&':
			op := string(c)
			if strings.HasPrefix(line[i+1:], op) {
				op += op
			}
			emit(i, op)
			i = start - 1
		}
	}
	emit(len(line), "")
	return out
}

// WithoutDocuments takes the bodies of here-documents out of a line: they are no commands.
func WithoutDocuments(line string) string {
	if !strings.Contains(line, "<<") {
		return line
	}
	lines := strings.Split(line, "\n")
	var kept []string
	for i := 0; i < len(lines); i++ {
		kept = append(kept, lines[i])
		for _, m := range re("heredoc").FindAllStringSubmatch(lines[i], -1) {
			ends := func(l string) bool { return strings.TrimSpace(l) == m[1]+m[2]+m[3] }
			if n := slices.IndexFunc(lines[i+1:], ends); n >= 0 { // else it is a word in a text
				lines = slices.Delete(lines, i+1, i+n+2)
			}
		}
	}
	return strings.Join(kept, "\n")
}

// mask returns a text as long, with its quotes blotted out.
func mask(s string) string {
	return re("quoted").ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("_", len(q)) })
}

// commandOf reads one command.
func commandOf(raw, op string) (c Command, ok bool) {
	raw = strings.TrimSpace(raw)
	bare := re("opening").ReplaceAllString(raw, "")
	c.inner = bare != raw
	if m := mask(bare); strings.Count(m, ")") > strings.Count(m, "(") {
		bare = strings.TrimRight(bare, ") ")
	}
	text := re("keyword").ReplaceAllString(bare, "")
	c.op, c.hidden = op, text != bare
	from, words := 0, ""
	for _, m := range re("redirect").FindAllStringIndex(mask(text), -1) {
		_, to, written := strings.Cut(text[m[0]:m[1]], ">")
		to = strings.TrimLeft(to, "> |")
		c.Edits = c.Edits || written && strings.Contains(to, ".") && IsCode(to)
		if written {
			c.writes = append(c.writes, to)
		}
		words, from = words+text[from:m[0]]+" ", m[1]
	}
	words = strings.TrimSpace(words + text[from:])
	c.Text = strings.Join(strings.Fields(re("wrapper").ReplaceAllString(words, "")), " ")
	if is("editing", c.Text) && !is("dry", c.Text) {
		files := re("file").FindAllString(c.Text, -1)
		c.Edits = len(files) == 0 || slices.ContainsFunc(files, IsCode)
	}
	c.writes = append(c.writes, inPlace(c.Text)...)
	c.Kinds = KindsOf(c.Text)
	c.Opaque = len(c.Kinds) == 0 && (!is("trivial", c.Text) || is("spawns", c.Text))
	return c, c.Text != "" && c.Text != "}" && c.Text != ")"
}

// IsCode reports whether a change of a file ages what was proved before it.
func IsCode(file string) bool {
	file = strings.ToLower(strings.Trim(strings.ReplaceAll(file, `\`, "/"), `"'`))
	return !is("prose", file) || is("manifest", file)
}
