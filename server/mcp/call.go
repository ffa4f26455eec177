package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
	"handrail/server"
)

// count is how many of something a tool is asked for; 0 leaves it to the tool.
type count int

const maxCount = 100

// tokens is how many estimated tokens a tool's answer may quote; 0 means no bound.
type tokens int

// valued are the argument types whose values are few, as a schema says it.
func valued() map[reflect.Type]*jsonschema.Schema {
	lo, hi := 1.0, float64(maxCount)
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[listed]():           {Type: "string", Enum: any1(listedCards, listedStats)},
		reflect.TypeFor[tokens]():           {Type: "integer", Minimum: &lo},
		reflect.TypeFor[server.Scope]():     {Type: "string", Enum: any1(server.Today, server.Week, server.All)},
		reflect.TypeFor[lessons.Kind]():     {Type: "string", Enum: any1(lessons.Kinds()...)},
		reflect.TypeFor[lessons.Source]():   {Type: "string", Enum: any1(lessons.Sources()...)},
		reflect.TypeFor[lessons.Status]():   {Type: "string", Enum: any1(lessons.Statuses()...)},
		reflect.TypeFor[lessons.Severity](): {Type: "string", Enum: any1(lessons.Severities()...)},
		reflect.TypeFor[count]():            {Type: "integer", Minimum: &lo, Maximum: &hi},
	}
}

func any1[T ~string](values ...T) []any {
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
	neverNull(s)
	return s, nil
}

func neverNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
}

// result is what a tool gives back: structured, and as a short text.
type result[Out any] struct {
	out  Out
	text string
}

// addTool adds a tool to the session's server. What goes wrong in it is told to the
// agent in one sentence, for the agent can do something about it.
func addTool[In, Out any](s *session, t sdk.Tool, run func(*session, context.Context, Loop, In) (result[Out], error)) error {
	in, err := schemaOf[In]()
	if err != nil {
		return err
	}
	t.InputSchema = in // a schema of what comes back would be read each turn and asked for by nobody
	s.server.AddTool(&t, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var made result[Out]
		args, err := arguments[In](in, r.Params.Arguments)
		if err == nil {
			c := toolClient(r)
			ctx = context.WithValue(ctx, callerKey{}, c)
			made, err = with(s, ctx, c, func(loop Loop) (result[Out], error) { return run(s, ctx, loop, args) })
		}
		var keep keepWanted
		switch {
		case errors.As(err, &keep):
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{keepKey: keep.question}, RequestState: keep.path}, nil
		case errors.Is(err, errAskRoots):
			return &sdk.CallToolResult{InputRequests: rootsWanted()}, nil
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err() // nobody waits for it any more
		case err != nil:
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: lessons.Inert(s.explain(err))}}}, nil
		}
		structure, err := inert(made.out)
		if err != nil {
			return nil, err
		}
		if _, blocks := any(made.out).(server.Preflight); !blocks {
			made.text = lessons.Inert(made.text)
		}
		return &sdk.CallToolResult{StructuredContent: structure, Content: []sdk.Content{&sdk.TextContent{Text: made.text}}}, nil
	})
	return nil
}

// inert returns a structure as JSON with every text in it inert; the block and the context of a
// Preflight are so, and keep our markers.
func inert(structure any) (json.RawMessage, error) {
	p, _ := structure.(server.Preflight)
	raw, err := json.Marshal(structure)
	return lessons.InertJSON(raw, true, p.Block, p.Context), err
}

// with runs f on the brain, where the person trusts it.
func with[T any](s *session, ctx context.Context, c client, f func(Loop) (T, error)) (T, error) {
	loop, err := s.brain(ctx, c)
	if err == nil {
		err = loop.Distrust(ctx)
	}
	if err != nil {
		var none T
		return none, err
	}
	return f(loop)
}

// arguments reads what an agent passed to a tool. A name that the tool does not know is
// an error and not passed over: it is a misspelt one, and the agent can mend it.
func arguments[In any](schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return in, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return in, say(textNotAnObject)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] == nil {
			return in, &server.RequestError{Field: "arguments", Value: name, Need: server.NeedArgument, Allowed: schema.PropertyOrder}
		}
	}
	err = json.Unmarshal(raw, &in)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return in, say(textWrongType, wrong.Field, typeName(wrong.Type))
	}
	return in, err
}

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

// limit returns how many are asked for, or def.
func limit(n *count, def int) (int, error) {
	switch {
	case n == nil:
		return def, nil
	case *n < 1 || *n > maxCount:
		return 0, say(textLimit, maxCount)
	}
	return int(*n), nil
}
