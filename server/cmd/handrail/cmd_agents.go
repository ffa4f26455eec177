package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"github.com/handrail-dev/handrail/server/agents"
)

// machine is this one, with this program on it.
func machine() (m agents.Machine, self string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return m, "", err
	}
	self, err = os.Executable()
	if err != nil {
		return m, "", err
	}
	_, missing := os.Stat(agents.Beside(self))
	name := "handrail"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return agents.Machine{
		Home: home, Quick: missing == nil, State: filepath.Join(xdg.StateHome, "handrail", "agents"), Binary: filepath.Join(xdg.DataHome, "handrail", "bin", name),
		Getenv: os.Getenv,
		Look:   func(program string) bool { _, err := exec.LookPath(program); return err == nil },
	}, self, nil
}

// tell prints a line of the result in the person's language.
func (a *app) tell(t text, args ...any) { a.print("%s\n", a.word(say(t, args...))) }

// yeses are the answers that agree.
var yeses = []string{"y", "yes", "예", "네"}

// answer asks on a terminal and returns what the person typed, in lower case; "" where nothing came. Without
// a terminal it is wrong usage not to have agreed before.
func (a *app) answer(question text) (string, error) {
	if !a.atTerminal() {
		return "", usageError{say(text{"There is no terminal to ask on; add --yes.", "물어볼 터미널이 없습니다. --yes를 붙이세요."})}
	}
	fmt.Fprint(a.err, plain(a.word(say(question))))
	line, _ := bufio.NewReader(a.in).ReadString('\n') // a terminal hands out one line at a time; none is no answer
	return strings.ToLower(strings.TrimSpace(line)), nil
}

// atTerminal reports whether a person can be asked.
func (a *app) atTerminal() bool {
	in, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

// explainAgents words what is wrong with an agent's file.
func explainAgents(err error) error {
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	name := filepath.ToSlash(at.Path) // quoted, a backslash would be two
	for _, e := range []struct {
		is   error
		text text
	}{
		{agents.ErrNotAFile, text{"Nothing was changed, because %q is not a regular file of yours (a device, a pipe, a folder, a link to one of these or to nothing). Take it away, then try again.", "%q이(가) 본인의 일반 파일이 아니라(장치, 파이프, 폴더, 또는 그런 것이나 없는 곳을 가리키는 링크) 아무것도 바꾸지 않았습니다. 치운 다음 다시 시도해 주세요."}},
		{agents.ErrForeign, text{"Something else stands in %q where Handrail would go (%s), so nothing was changed. Rename it or take it away, then try again.", "%q에서 Handrail이 들어갈 자리에 다른 것이 있어(%s) 아무것도 바꾸지 않았습니다. 이름을 바꾸거나 치운 다음 다시 시도해 주세요."}},
		{agents.ErrUnreadable, text{"The file %q could not be read safely (%s), so nothing was changed. Mend it, then try again.", "%q 파일을 안전하게 읽을 수 없어(%s) 아무것도 바꾸지 않았습니다. 바로잡고 다시 시도해 주세요."}},
		{agents.ErrChanged, text{"Somebody changed %q meanwhile. Try again.", "그 사이에 %q 파일이 바뀌었습니다. 다시 시도해 주세요."}},
		{agents.ErrComments, text{"Nothing was changed: the agent reads no JSON with comments or trailing commas and ignores %q. Take them out, then try again.", "아무것도 바꾸지 않았습니다. 에이전트는 주석이나 끝 쉼표가 있는 JSON을 읽지 않아 %q 파일을 무시합니다. 지우고 다시 시도해 주세요."}},
	} {
		if !errors.Is(err, e.is) {
			continue
		}
		args := []any{name}
		if strings.Count(e.text[0], "%") > 1 {
			args = append(args, detail(at.Err.Error(), e.is.Error()+": "))
		}
		return said{Text: e.text, Args: args, Err: err}
	}
	return err
}

// detail is what an error says beyond what it is: of a parser that names the place, the place.
func detail(message, is string) string {
	for _, lead := range []string{is, "hujson: ", "toml: "} {
		message = strings.TrimPrefix(message, lead)
	}
	if strings.HasPrefix(message, "line ") {
		message, _, _ = strings.Cut(message, ": ")
	}
	return message
}
