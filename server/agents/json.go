package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/handrail-dev/handrail/lessons/side"
)

// ErrForeign reports that a path Handrail needs is taken by something else.
var ErrForeign = errors.New("the place is taken by something else")

// ErrUnreadable reports that a file does not have the expected format. It is not changed.
var ErrUnreadable = errors.New("the file cannot be read safely")

var bom = []byte("\xef\xbb\xbf")

// document is a JSON file, perhaps with comments, as a tree in which every value keeps the white space and the comments
// around it. What is not edited keeps its bytes.
type document struct {
	root hujson.Value
	unit string // one step of indentation; "" writes on one line
	eol  string
}

func parseJSON(src []byte) (*document, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	root, err := hujson.Parse(bytes.Clone(src))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%w: it holds no object", ErrUnreadable)
	}
	d := &document{root: root, unit: indentation(src), eol: "\n"}
	if bytes.Contains(src, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	return d, nil
}

// indentation returns the first indentation of a text.
func indentation(src []byte) string {
	text := strings.TrimSpace(string(src))
	if len(text) > 2 && !strings.Contains(text, "\n") {
		return ""
	}
	for line := range strings.Lines(text) {
		if rest := strings.TrimLeft(line, " \t"); rest != line && strings.TrimSpace(rest) != "" && !strings.HasPrefix(rest, "*") {
			return line[:len(line)-len(rest)]
		}
	}
	return "  "
}

// slot is an element of an object or a list.
type slot struct {
	name   string // of a member
	before *hujson.Extra
	value  *hujson.Value
}

// slots returns the elements of an object or a list, and what stands before its closing bracket; none and nil for other values.
func slots(v *hujson.Value) (list []slot, end *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			name, _ := c.Members[i].Name.Value.(hujson.Literal)
			list = append(list, slot{name.String(), &c.Members[i].Name.BeforeExtra, &c.Members[i].Value})
		}
		end = &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, slot{"", &c.Elements[i].BeforeExtra, &c.Elements[i]})
		}
		end = &c.AfterExtra
	}
	return list, end
}

// at returns the value under keys, nil when there is none.
func (d *document) at(keys ...string) *hujson.Value {
	return d.root.Find(strings.Join(append([]string{""}, keys...), "/"))
}

// plainOf returns a value as encoding/json reads it.
func plainOf(v *hujson.Value) any {
	std := v.Clone()
	std.Standardize()
	var out any
	_ = json.Unmarshal(std.Pack(), &out) // what hujson has read is JSON
	return out
}

// meaning returns what a file says to its host. In which order the hooks of one event stand is no part of it.
func meaning(root *hujson.Value) any {
	out, _ := plainOf(root).(map[string]any)
	hooks, _ := out["hooks"].(map[string]any)
	for _, list := range hooks {
		items, _ := list.([]any)
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return out
}

// put appends an element to what is under keys: a list's item, or with a name an object's member. Comments before the closing
// bracket stay with the element that they follow.
func (d *document) put(value any, name string, keys ...string) {
	v := d.at(keys...)
	list, end := slots(v)
	gap := bytes.TrimRight(*end, " \t\r\n")
	lead, tail := "", ""
	if d.unit != "" {
		lead, tail = d.eol+strings.Repeat(d.unit, len(keys)+1), d.eol+strings.Repeat(d.unit, len(keys))
	}
	src, _ := side.JSON(value, strings.Repeat(d.unit, len(keys)+1), d.unit) // entries are plain maps and lists
	element, _ := hujson.Parse(bytes.ReplaceAll(bytes.TrimSpace(src), []byte("\n"), []byte(d.eol)))
	if len(list) > 0 {
		tail = string((*end)[len(gap):])
		if last := list[len(list)-1].value; last.AfterExtra != nil { // a trailing comma is the style of the file
			element.AfterExtra = hujson.Extra{}
		}
	}
	before := slices.Concat(gap, []byte(lead))
	*end = hujson.Extra(tail)
	switch c := v.Value.(type) {
	case *hujson.Object:
		member := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: element}
		if d.unit != "" {
			member.Value.BeforeExtra = hujson.Extra(" ")
		}
		c.Members = append(c.Members, member)
	case *hujson.Array:
		element.BeforeExtra = before
		c.Elements = append(c.Elements, element)
	}
}

// cut takes element i out of an object or a list, with its comma. Comments stay.
func (d *document) cut(v *hujson.Value, i int) {
	list, end := slots(v)
	gone := list[i]
	next := end
	if last := i == len(list)-1; !last {
		next = list[i+1].before
	} else if i > 0 {
		before := list[i-1].value
		if comma := gone.value.AfterExtra != nil; comma && before.AfterExtra == nil {
			before.AfterExtra = hujson.Extra{}
		} else if !comma && before.AfterExtra != nil { // it stood before a comma that goes
			*end, before.AfterExtra = append(before.AfterExtra, *end...), nil
		}
	}
	rest := slices.Concat(gone.value.AfterExtra, *next)
	if comments := bytes.TrimRight(*gone.before, " \t\r\n"); len(comments) > 0 {
		if !bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")) {
			rest = slices.Concat([]byte(d.eol), rest) // one may end with its line
		}
		rest = slices.Concat(comments, rest)
	}
	if len(list) == 1 && len(bytes.TrimSpace(rest)) == 0 {
		rest = nil
	}
	*next = rest
	switch c := v.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// drop takes a member out of the object under keys.
func (d *document) drop(name string, keys ...string) {
	v := d.at(keys...)
	list, _ := slots(v)
	d.cut(v, slices.IndexFunc(list, func(s slot) bool { return s.name == name }))
}

// quote returns a string, a list of some or a bool as JSON.
func quote(v any) string {
	b, _ := json.Marshal(v) // each of these always marshals
	return string(b)
}

// edited runs an edit of a JSON file, its byte order mark kept. One after which the file means the same is none.
func edited(src []byte, change func(*document) error) ([]byte, error) {
	body, marked := bytes.CutPrefix(src, bom)
	d, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	before := meaning(&d.root)
	if err := change(d); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(before, meaning(&d.root)) {
		return src, nil
	}
	if marked {
		return slices.Concat(bom, d.root.Pack()), nil
	}
	return d.root.Pack(), nil
}

// addHooks registers one entry for each event, in place of those that are there.
func addHooks(src []byte, entries map[string]any, version bool, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		if err := d.checkHooks(); err != nil {
			return err
		}
		d.cutHooks(ours, false)
		if version && d.at("version") == nil {
			d.put(1, "version")
		}
		if d.at("hooks") == nil {
			d.put(map[string]any{}, "hooks")
		}
		for _, event := range slices.Sorted(maps.Keys(entries)) {
			if d.at("hooks", event) == nil {
				d.put([]any{}, event, "hooks")
			}
			d.put(entries[event], "", "hooks", event)
		}
		return nil
	})
}

// checkHooks refuses a file in which "hooks" is not what hosts take.
func (d *document) checkHooks() error {
	hooks := d.at("hooks")
	if hooks == nil {
		return nil
	}
	if _, ok := hooks.Value.(*hujson.Object); !ok {
		return fmt.Errorf("%w: hooks is no object", ErrForeign)
	}
	events, _ := slots(hooks)
	for _, e := range events {
		if _, ok := e.value.Value.(*hujson.Array); !ok {
			return fmt.Errorf("%w: hooks.%s is no list", ErrForeign, e.name)
		}
	}
	return nil
}

// owners reports whether an entry holds a command of ours, and of others.
func owners(item any, ours func(string) bool) (mine, others bool) {
	entry, _ := item.(map[string]any)
	if inner, ok := entry["hooks"].([]any); ok {
		for _, h := range inner {
			m, o := owners(h, ours)
			mine, others = mine || m, others || o
		}
		return mine, others
	}
	for _, key := range []string{"command", "bash", "powershell", "windows", "exec"} {
		if c, ok := entry[key].(string); ok && ours(c) {
			return true, false
		}
	}
	return false, true
}

// cutHooks takes our entries out. With emptied set, what is left empty goes too.
func (d *document) cutHooks(ours func(string) bool, emptied bool) {
	hooks := d.at("hooks")
	if hooks == nil {
		return
	}
	events, _ := slots(hooks)
	touched := false
	for i, e := range slices.Backward(events) {
		if e.name == "" || !d.cutOurs(e.value, ours) {
			continue
		}
		touched = true
		if left, _ := slots(e.value); emptied && len(left) == 0 {
			d.cut(hooks, i)
		}
	}
	if left, _ := slots(hooks); touched && emptied && len(left) == 0 {
		d.drop("hooks")
	}
}

// cutOurs takes our entries out of a list, of a group that others share only our command, and reports whether it had any.
func (d *document) cutOurs(list *hujson.Value, ours func(string) bool) (had bool) {
	if _, ok := list.Value.(*hujson.Array); !ok {
		return false
	}
	items, _ := slots(list)
	for i, item := range slices.Backward(items) {
		mine, others := owners(plainOf(item.value), ours)
		if mine && others {
			d.cutOurs(item.value.Find("/hooks"), ours)
		} else if mine {
			d.cut(list, i)
		}
		had = had || mine
	}
	return had
}

// serverName is Handrail's name among a host's MCP servers.
const serverName = "handrail"

func addServer(src []byte, key string, server map[string]any, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		if list := d.at(key); list == nil {
			d.put(map[string]any{}, key)
		} else if _, ok := list.Value.(*hujson.Object); !ok {
			return fmt.Errorf("%w: %s is no object", ErrForeign, key)
		}
		if old := d.at(key, serverName); old != nil {
			if !oursServer(old, ours) {
				return fmt.Errorf("%w: %s.%s", ErrForeign, key, serverName)
			}
			d.drop(serverName, key)
		}
		d.put(server, serverName, key)
		return nil
	})
}

// oursServer reports whether a server's entry calls Handrail.
func oursServer(v *hujson.Value, ours func(string) bool) bool {
	entry, _ := plainOf(v).(map[string]any)
	command, _ := entry["command"].(string)
	return ours(command)
}

func removeServer(src []byte, key string, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		if old := d.at(key, serverName); old == nil || !oursServer(old, ours) {
			return nil
		}
		d.drop(serverName, key)
		if left, _ := slots(d.at(key)); len(left) == 0 {
			d.drop(key)
		}
		return nil
	})
}

// bare reports whether a JSON file has no content.
func bare(src []byte) bool {
	d, err := parseJSON(bytes.TrimPrefix(src, bom))
	if err != nil {
		return false
	}
	o, _ := plainOf(&d.root).(map[string]any)
	delete(o, "version")
	return len(o) == 0
}
