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
)

// ErrForeign reports that a path Handrail needs is taken by something else.
var ErrForeign = errors.New("the place is taken by something else")

// ErrUnreadable reports that a file does not have the expected format. It is not changed.
var ErrUnreadable = errors.New("the file cannot be read safely")

var bom = []byte("\xef\xbb\xbf")

// document is a JSON file, perhaps with comments, on its way through edits by position.
// Everything that is not edited keeps its bytes.
type document struct {
	src  []byte
	root hujson.Value
	unit string // one step of indentation; "" writes on one line
	eol  string
}

func parseJSON(src []byte) (*document, error) {
	d := &document{src: src, unit: indentation(src), eol: "\n"}
	if bytes.Contains(src, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if len(bytes.TrimSpace(src)) == 0 {
		d.src = []byte("{}\n")
	}
	if err := d.reread(); err != nil {
		return nil, err
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%w: it holds no object", ErrUnreadable)
	}
	return d, nil
}

func (d *document) reread() (err error) {
	if d.root, err = hujson.Parse(bytes.Clone(d.src)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	d.root.UpdateOffsets()
	return nil
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

// at returns the value under keys, nil when there is none.
func (d *document) at(keys ...string) *hujson.Value {
	v := &d.root
	for _, k := range keys {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == k })
		if i < 0 {
			return nil
		}
		v = &o.Members[i].Value
	}
	return v
}

func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// plainOf returns a value as encoding/json reads it.
func plainOf(v *hujson.Value) any {
	std := v.Clone()
	std.Standardize()
	var out any
	_ = json.Unmarshal(std.Pack(), &out) // what hujson has read is JSON
	return out
}

// span is the place of an element: a member with its name, or an item of an array.
type span struct{ from, to int }

func spansOf(v *hujson.Value) []span {
	var out []span
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			out = append(out, span{m.Name.StartOffset, m.Value.EndOffset})
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			out = append(out, span{e.StartOffset, e.EndOffset})
		}
	}
	return out
}

// put appends an element to the composite under keys: an array's item, or with a name an
// object's member.
func (d *document) put(value any, name string, keys ...string) error {
	v := d.at(keys...)
	depth := len(keys) + 1
	text, err := d.format(value, depth)
	if err != nil {
		return err
	}
	if name != "" {
		text = quote(name) + ":" + text
		if d.unit != "" {
			text = quote(name) + ": " + text[len(quote(name))+1:]
		}
	}
	lead, tail := "", ""
	if d.unit != "" {
		lead, tail = d.eol+strings.Repeat(d.unit, depth), d.eol+strings.Repeat(d.unit, depth-1)
	}
	list := spansOf(v)
	closing := v.EndOffset - 1
	var b []byte
	if len(list) == 0 {
		keep := len(bytes.TrimRight(d.src[:closing], " \t\r\n"))
		if keep <= v.StartOffset { // nothing but white space
			keep = v.StartOffset + 1
		}
		b = slices.Concat(d.src[:keep], []byte(lead+text+tail), d.src[closing:])
	} else {
		end := list[len(list)-1].to
		gap := d.src[end:closing]
		comma, rest := ",", end
		if i := commaIn(gap); i >= 0 { // a trailing comma is there already, and stays the style
			comma, rest = "", end+i+1
			text += ","
		}
		// A comment on the line of the last element stays with it.
		at := rest
		if line, _, more := bytes.Cut(d.src[rest:closing], []byte("\n")); more && (bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*"))) {
			at = rest + len(bytes.TrimRight(line, "\r"))
		}
		b = slices.Concat(d.src[:end], []byte(comma), d.src[end:at], []byte(lead+text), d.src[at:])
	}
	d.src = b
	return d.reread()
}

// commaIn returns where a comma stands in what is between an element and the next, outside
// comments; -1 for none.
func commaIn(gap []byte) int {
	for i := 0; i < len(gap); i++ {
		switch {
		case gap[i] == ',':
			return i
		case bytes.HasPrefix(gap[i:], []byte("//")):
			n := bytes.IndexByte(gap[i:], '\n')
			if n < 0 {
				return -1
			}
			i += n
		case bytes.HasPrefix(gap[i:], []byte("/*")):
			n := bytes.Index(gap[i:], []byte("*/"))
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

// cut takes element i out of the composite under keys, with the comma that joined it.
func (d *document) cut(i int, keys ...string) error {
	v := d.at(keys...)
	list := spansOf(v)
	closing := v.EndOffset - 1
	from := len(bytes.TrimRight(d.src[:list[i].from], " \t\r\n"))
	to := list[i].to
	switch {
	case i+1 < len(list): // the comma behind it
		to += commaIn(d.src[to:list[i+1].from]) + 1
	case i > 0:
		if c := commaIn(d.src[to:closing]); c >= 0 { // a trailing comma: the one before stays
			to += c + 1
			break
		}
		before := list[i-1].to
		c := before + commaIn(d.src[before:list[i].from])
		from = d.seam(from, to)
		d.src = slices.Concat(d.src[:c], d.src[c+1:from], d.src[to:])
		return d.reread()
	default: // the only one
		if c := commaIn(d.src[to:closing]); c >= 0 {
			to += c + 1
		}
		if len(bytes.TrimSpace(d.src[to:closing])) == 0 {
			to = closing
		}
	}
	d.src = slices.Concat(d.src[:d.seam(from, to)], d.src[to:])
	return d.reread()
}

// seam returns where a cut that begins at from may begin: behind a line comment the line
// break stays, unless another follows.
func (d *document) seam(from, to int) int {
	line := d.src[bytes.LastIndexByte(d.src[:from], '\n')+1 : from]
	next := bytes.TrimLeft(d.src[to:], " \t\r")
	if !bytes.Contains(line, []byte("//")) || bytes.HasPrefix(next, []byte("\n")) {
		return from
	}
	if n := bytes.IndexByte(d.src[from:to], '\n'); n >= 0 {
		return from + n + 1
	}
	return from
}

// drop takes the member of this name out of the object under keys.
func (d *document) drop(name string, keys ...string) error {
	o, ok := d.at(keys...).Value.(*hujson.Object)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
	if i < 0 {
		return nil
	}
	return d.cut(i, keys...)
}

func (d *document) format(value any, depth int) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // && is for people to read
	if d.unit != "" {
		enc.SetIndent(strings.Repeat(d.unit, depth), d.unit)
	}
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", d.eol), nil
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

// edited runs an edit of a JSON file, its byte order mark kept.
func edited(src []byte, change func(*document) error) ([]byte, error) {
	body, marked := bytes.CutPrefix(src, bom)
	d, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	before := bytes.Clone(d.src)
	if err := change(d); err != nil {
		return nil, err
	}
	if bytes.Equal(before, d.src) {
		return src, nil
	}
	if marked {
		return slices.Concat(bom, d.src), nil
	}
	return d.src, nil
}

// addHooks registers one entry for each event, unless just these are there already.
func addHooks(src []byte, entries map[string]any, version bool, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		if err := d.checkHooks(); err != nil {
			return err
		}
		if reflect.DeepEqual(d.ownHooks(ours), normal(entries)) {
			return nil
		}
		if err := d.cutHooks(ours, false); err != nil {
			return err
		}
		if version && d.at("version") == nil {
			if err := d.put(1, "version"); err != nil {
				return err
			}
		}
		if d.at("hooks") == nil {
			if err := d.put(map[string]any{}, "hooks"); err != nil {
				return err
			}
		}
		for _, event := range slices.Sorted(maps.Keys(entries)) {
			if d.at("hooks", event) == nil {
				if err := d.put([]any{}, event, "hooks"); err != nil {
					return err
				}
			}
			if err := d.put(entries[event], "", "hooks", event); err != nil {
				return err
			}
		}
		return nil
	})
}

// removeHooks takes Handrail's entries out, and what held nothing else.
func removeHooks(src []byte, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error { return d.cutHooks(ours, true) })
}

// checkHooks refuses a file in which "hooks" is not what hosts take.
func (d *document) checkHooks() error {
	hooks := d.at("hooks")
	if hooks == nil {
		return nil
	}
	o, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%w: hooks is no object", ErrForeign)
	}
	for _, m := range o.Members {
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			return fmt.Errorf("%w: hooks.%s is no list", ErrForeign, nameOf(m))
		}
	}
	return nil
}

// normal returns a value as it looks after a way through JSON.
func normal(v any) any {
	b, _ := json.Marshal(v) // entries are plain maps and lists
	var out any
	_ = json.Unmarshal(b, &out)
	return out
}

// ownHooks returns Handrail's entry of each event. Two in one event are no entry of ours.
func (d *document) ownHooks(ours func(string) bool) any {
	out := map[string]any{}
	hooks, _ := plainOf(&d.root).(map[string]any)["hooks"].(map[string]any)
	for event, list := range hooks {
		items, _ := list.([]any)
		for _, item := range items {
			if mine, others := owners(item, ours); mine && !others {
				if _, twice := out[event]; twice {
					return nil
				}
				out[event] = item
			} else if mine {
				return nil
			}
		}
	}
	return out
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

// cutHooks takes our entries out; of a group that others share only our command. With
// emptied set, what is left empty goes too.
func (d *document) cutHooks(ours func(string) bool, emptied bool) error {
	hooks := d.at("hooks")
	if hooks == nil {
		return nil
	}
	o, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var events []string
	for _, m := range o.Members {
		events = append(events, nameOf(m))
	}
	touched := false
	for _, event := range events {
		list, ok := d.at("hooks", event).Value.(*hujson.Array)
		if !ok {
			continue
		}
		cutAny := false
		for i := len(list.Elements) - 1; i >= 0; i-- {
			mine, others := owners(plainOf(&list.Elements[i]), ours)
			switch {
			case mine && !others:
				if err := d.cut(i, "hooks", event); err != nil {
					return err
				}
			case mine:
				if err := d.cutShared(event, i, ours); err != nil {
					return err
				}
			default:
				continue
			}
			touched, cutAny = true, true
			list, _ = d.at("hooks", event).Value.(*hujson.Array)
		}
		if cutAny && emptied && len(list.Elements) == 0 {
			if err := d.drop(event, "hooks"); err != nil {
				return err
			}
		}
	}
	if o, ok := d.at("hooks").Value.(*hujson.Object); ok && touched && emptied && len(o.Members) == 0 {
		return d.drop("hooks")
	}
	return nil
}

// cutShared removes our command from a group that also holds others'.
func (d *document) cutShared(event string, i int, ours func(string) bool) error {
	group := d.at("hooks", event).Value.(*hujson.Array).Elements[i]
	o, _ := group.Value.(*hujson.Object)
	k := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == "hooks" })
	inner := &o.Members[k].Value
	list, _ := inner.Value.(*hujson.Array)
	for j := len(list.Elements) - 1; j >= 0; j-- {
		if mine, _ := owners(plainOf(&list.Elements[j]), ours); !mine {
			continue
		}
		at := spansOf(inner)
		from, to := at[j].from, at[j].to
		switch {
		case j+1 < len(at):
			to = at[j+1].from
		case j > 0:
			from = at[j-1].to
		}
		d.src = slices.Concat(d.src[:from], d.src[to:])
		if err := d.reread(); err != nil {
			return err
		}
		return d.cutShared(event, i, ours)
	}
	return nil
}

// serverName is Handrail's name among a host's MCP servers.
const serverName = "handrail"

func addServer(src []byte, key string, server map[string]any, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		if list := d.at(key); list != nil {
			if _, ok := list.Value.(*hujson.Object); !ok {
				return fmt.Errorf("%w: %s is no object", ErrForeign, key)
			}
		} else if err := d.put(map[string]any{}, key); err != nil {
			return err
		}
		if old := d.at(key, serverName); old != nil {
			entry, _ := plainOf(old).(map[string]any)
			if c, _ := entry["command"].(string); !ours(c) {
				return fmt.Errorf("%w: %s.%s", ErrForeign, key, serverName)
			}
			if reflect.DeepEqual(entry, normal(server)) {
				return nil
			}
			if err := d.drop(serverName, key); err != nil {
				return err
			}
		}
		return d.put(server, serverName, key)
	})
}

func removeServer(src []byte, key string, ours func(string) bool) ([]byte, error) {
	return edited(src, func(d *document) error {
		old := d.at(key, serverName)
		if old == nil {
			return nil
		}
		entry, _ := plainOf(old).(map[string]any)
		if c, _ := entry["command"].(string); !ours(c) {
			return nil
		}
		if err := d.drop(serverName, key); err != nil {
			return err
		}
		if o, ok := d.at(key).Value.(*hujson.Object); ok && len(o.Members) == 0 {
			return d.drop(key)
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
