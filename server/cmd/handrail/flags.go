package main

import (
	"errors"
	"strconv"
	"strings"

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
