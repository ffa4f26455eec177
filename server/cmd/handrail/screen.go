package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"

	"handrail/server"
)

// screen is the review as a picker at a terminal.
type screen struct {
	*reviewer
	in, to *os.File
	cooked *term.State // the terminal as it was
	top    int         // first line of the preview that is shown
}

// The control sequences of a terminal.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	restOfLine  = "\x1b[K"
	restOfPage  = "\x1b[J"
	reversed    = "\x1b[7m"
	plainly     = "\x1b[m"
)

// screen returns the picker, nil where there is no terminal for one. A console of Windows knows
// no control sequences unless it is asked to.
func (r *reviewer) screen() *screen {
	in, ok := r.app.in.(*os.File)
	to, also := r.stdout.(*os.File)
	if !ok || !also || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(to.Fd())) || r.getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return nil
	}
	return &screen{reviewer: r, in: in, to: to}
}

func (s *screen) run() (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer func() {
		s.leave()
		for _, line := range s.done { // which the picker took along
			s.print("%s\n", line)
		}
	}()
	if open := s.editor(s.in, s.to); open != nil {
		s.edit = open
	}
	for over := false; !over && err == nil; {
		s.draw()
		var key string
		if key, err = s.key(); err != nil {
			return s.ctx.Err() // the terminal is gone, or the program is to end
		}
		over, err = s.pressed(key)
	}
	return err
}

// pressed carries out a key.
func (s *screen) pressed(key string) (over bool, err error) {
	if key == " " {
		s.top += s.page()
		return false, nil
	}
	s.top = 0
	switch key {
	case "up", "k":
		s.at = max(0, s.at-1)
	case "down", "j":
		s.at = min(len(s.list)-1, s.at+1)
	case "r": // the editor, or the questions, need the terminal
		s.leave()
		over, err = s.do(key)
		err = errors.Join(err, s.enter())
	default:
		over, err = s.do(key)
	}
	return over, err
}

func (s *screen) enter() error {
	cooked, err := term.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return fmt.Errorf("take over the terminal: %w", err)
	}
	s.cooked = cooked
	fmt.Fprint(s.to, enterScreen)
	return nil
}

func (s *screen) leave() {
	fmt.Fprint(s.to, leaveScreen)
	_ = term.Restore(int(s.in.Fd()), s.cooked) // a terminal that is gone needs it no more
}

// key waits for a key: its letter, or the name of one that has none. A sequence that it does not know is "".
func (s *screen) key() (string, error) {
	for escaped := false; ; escaped = true {
		c, _, err := s.reviewer.in.ReadRune()
		switch {
		case err != nil:
			return "", err
		case c == 0x1b:
			continue
		case c == 3 || c == 4: // Ctrl-C and Ctrl-D
			return "q", nil
		case !escaped || c != '[' && c != 'O':
			return string(c), nil
		}
		for c = ';'; c == ';' || c >= '0' && c <= '9'; {
			if c, _, err = s.reviewer.in.ReadRune(); err != nil {
				return "", err
			}
		}
		return map[rune]string{'A': "up", 'B': "down"}[c], nil
	}
}

// size returns the terminal's columns and rows.
func (s *screen) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(s.to.Fd()))
	if err != nil || columns < 20 || rows < 8 {
		return 80, 24
	}
	return columns, rows
}

// listed is how many rows the list has at most, and page how many the preview has.
func (s *screen) listed() int {
	_, rows := s.size()
	return min(len(s.list), rows/3)
}

func (s *screen) page() int {
	_, rows := s.size()
	return rows - s.listed() - len([]string{"rule", "message", "keys"})
}

// draw shows the list, what is known of the one that is picked, and the keys.
func (s *screen) draw() {
	width, _ := s.size()
	var page []string
	first := max(0, min(s.at-s.listed()/2, len(s.list)-s.listed()))
	for i, w := range s.list[first : first+s.listed()] {
		line := server.Clip(fmt.Sprintf("%2d  %s", first+i+1, plain(w.Title)), width)
		if first+i == s.at {
			line = reversed + line + plainly
		}
		page = append(page, line)
	}
	page = append(page, strings.Repeat("─", width))
	var preview []string
	for _, line := range s.preview(s.list[s.at]) {
		preview = append(preview, wrap(plain(line), width)...)
	}
	if s.top >= len(preview) {
		s.top = 0
	}
	preview = preview[s.top:]
	for i := range s.page() {
		line := ""
		if i < len(preview) {
			line = preview[i]
		}
		page = append(page, line)
	}
	page = append(page, server.Clip(plain(s.said), width), server.Clip(s.word(say(textScreenKeys)), width))
	fmt.Fprint(s.to, home+strings.Join(page, restOfLine+"\r\n")+restOfLine+restOfPage)
}

// wrap breaks a line into rows of so many columns.
func wrap(line string, width int) (rows []string) {
	from, n := 0, 0
	for i, r := range line {
		w := server.Columns(string(r))
		if n+w > width {
			rows, from, n = append(rows, line[from:i]), i, 0
		}
		n += w
	}
	return append(rows, line[from:])
}
