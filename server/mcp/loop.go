package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	words "github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
)

// Request is what an agent's session asks of the loop.
type Request struct {
	Name    string          `json:"name"` // of a tool, or of what the session asks for itself
	Args    json.RawMessage `json:"args,omitempty"`
	Session string          `json:"session"`          // joins the turns of a session
	Client  string          `json:"client,omitempty"` // the agent's name
	About   json.RawMessage `json:"about,omitempty"`  // PreflightArgs of the last one: no daemon keeps a person's words
}

// AsksTitles is what a session asks for itself, which no agent can call: what a conversation begins with, deliver.Heads.
const AsksTitles = "titles"

// Reply is what comes of a Request.
type Reply struct {
	Text      string          `json:"text"` // one sentence where it is refused
	Structure json.RawMessage `json:"structure,omitempty"`
	Refused   bool            `json:"refused,omitempty"`
	Nothing   bool            `json:"nothing,omitempty"` // was found: Text says so
}

// Loop is where requests are carried out.
type Loop struct {
	*server.Server
	Locale  words.Locale
	Project string // of requests that name none
}

// Answer carries a request out.
func Answer(ctx context.Context, loop Loop, r Request) Reply {
	c := &call{Loop: loop, Request: r}
	if err := c.answer(ctx); err != nil {
		return Reply{Text: c.Locale.Explain(err), Refused: true}
	}
	c.reply.Nothing = c.reply.Text == c.Locale.Say(textNothingServed) || c.reply.Text == c.Locale.Say(textNothingFound)
	return c.reply
}

// Asks reports whether a request asks what is known, so that the person's own brain has an answer, too.
func (r Request) Asks() bool {
	return slices.Contains([]string{AsksTitles, PreflightTool, "lessons_search", "lessons_get"}, r.Name)
}

// With returns the answer of a project's brain with what the person's own says to the same request.
func (r Request) With(project, own Reply) Reply {
	switch {
	case own.Refused || own.Nothing:
	case project.Refused || project.Nothing:
		return own
	case r.Name == AsksTitles:
		var all, more deliver.Heads
		if json.Unmarshal(project.Structure, &all) == nil && json.Unmarshal(own.Structure, &more) == nil {
			all.Text = words.Joined("\n", all.Text, more.Text)
			project.Structure, _ = json.Marshal(all)
		}
	case r.Name != "lessons_get": // the project has the card
		project.Text = words.Joined("\n\n", project.Text, own.Text)
	}
	return project
}

// call is a request at work.
type call struct {
	Loop
	Request
	reply Reply
}

func (c *call) answer(ctx context.Context) (err error) {
	if c.Name == AsksTitles {
		c.reply.Structure, err = json.Marshal(c.titles(ctx))
		return err
	}
	err = c.Keeper.Distrust(ctx)
	if err != nil {
		return err
	}
	for _, t := range tools() {
		if t.Name == c.Name {
			return t.run(c, ctx)
		}
	}
	return &brain.RequestError{Field: "tool", Value: c.Name}
}

// titlesPatience is how long titles may take: an agent that begins waits for them.
const titlesPatience = 300 * time.Millisecond

// titles are those of the cards that matter most, to go after the instructions. The loop learns who
// has these tools, so that its hooks may speak of them.
func (c *call) titles(ctx context.Context) (h deliver.Heads) {
	ctx, done := context.WithTimeout(ctx, titlesPatience)
	defer done()
	_, err := c.Observe(ctx, triggers.Event{Kind: triggers.Tools, Agent: c.Client})
	if err == nil {
		err = c.complete(ctx)
	}
	if err == nil {
		h, err = c.Heads(ctx, deliver.HeadsRequest{
			SessionID: c.Session, Client: c.Client, Locale: c.Locale, Project: c.Project,
		})
	}
	if err != nil || !c.Trusted(ctx) {
		h.Text = ""
	}
	return h
}

// complete waits until the loop knows every card, which it need not to answer a query.
func (c *call) complete(ctx context.Context) error {
	select {
	case <-c.Ready():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tool is a tool, and how the loop carries a call of it out.
type tool struct {
	sdk.Tool
	run func(*call, context.Context) error
}

// toolOf returns a tool that f carries out: from its arguments to a structure, and a text beside it,
// because many hosts show a model the text alone. Text of cards is data, so that all of both is made
// inert but what lessons.Block and lessons.Context made.
func toolOf[In, Out any](t sdk.Tool, f func(*call, context.Context, In) (Out, string, error)) tool {
	schema, err := schemaOf[In]()
	if err != nil { // a type of this package that no start would pass with: the SDK takes no tool without a schema
		return tool{t, func(*call, context.Context) error { return err }}
	}
	t.InputSchema = schema // a schema of what comes back would be read each turn and asked for by nobody
	return tool{t, func(c *call, ctx context.Context) error {
		args, err := arguments[In](schema, c.Args)
		if err != nil {
			return err
		}
		out, text, err := f(c, ctx, args)
		if err != nil {
			return err
		}
		p, blocks := any(out).(deliver.Preflight)
		if !blocks {
			text = lessons.Inert(text)
		}
		raw, err := json.Marshal(out)
		c.reply.Text, c.reply.Structure = text, lessons.InertJSON(raw, true, p.Block, p.Context)
		return err
	}}
}

// count is how many of something a tool is asked for, maxCount at most; 0 leaves it to the tool.
type count int

const maxCount = 100

// valued are the argument types whose values are few, as a schema says it.
var valued = sync.OnceValue(func() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[lessons.Kind]():     {Type: "string", Enum: anyOf(lessons.Kinds()...)},
		reflect.TypeFor[lessons.Source]():   {Type: "string", Enum: anyOf(lessons.Sources()...)},
		reflect.TypeFor[lessons.Status]():   {Type: "string", Enum: anyOf(lessons.Statuses()...)},
		reflect.TypeFor[lessons.Severity](): {Type: "string", Enum: anyOf(lessons.Severities()...)},
		reflect.TypeFor[count]():            {Type: "integer", Minimum: new(1.0), Maximum: new(float64(maxCount))},
	}
})

func anyOf[T ~string](values ...T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// schemaOf returns the schema of a struct. Lists of ours are never null, which the
// schema of a Go slice would allow.
func schemaOf[T any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: valued()})
	if err != nil {
		return nil, fmt.Errorf("the schema of %v: %w", reflect.TypeFor[T](), err)
	}
	for _, p := range s.Properties {
		if i := slices.Index(p.Types, "null"); i >= 0 && len(p.Types) == 2 {
			p.Type, p.Types = p.Types[1-i], nil
		}
	}
	return s, nil
}

// arguments reads what an agent passed to a tool. A name that the tool does not know is
// an error and not passed over: it is a misspelt one, and the agent can mend it.
func arguments[In any](schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return in, say(textNotAnObject)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] == nil {
			return in, &brain.RequestError{
				Field: "arguments", Value: name, Need: brain.NeedArgument, Allowed: schema.PropertyOrder,
			}
		}
	}
	err = json.Unmarshal(raw, &in)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return in, say(textWrongType, wrong.Field, typeName(wrong.Type))
	}
	for _, name := range schema.Required {
		var value string
		_ = json.Unmarshal(given[name], &value) // not given is not said
		if slices.Contains(needed, name) && strings.TrimSpace(value) == "" {
			return in, say(textMissing, name, schema.Properties[name].Description)
		}
	}
	return in, err
}

// needed are the arguments that may not be empty.
var needed = []string{"query", "path", "answer"}

// typeName names a type as JSON does.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "array"
	case reflect.Int:
		return "integer"
	case reflect.Struct:
		return "object"
	}
	return t.Kind().String()
}

// or returns how many are asked for, def where nobody says.
func (n count) or(def int) int { return min(max(cmp.Or(int(n), def), 1), maxCount) }
