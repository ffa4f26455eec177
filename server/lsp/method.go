package lsp

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

// method is one row of the table.
type method struct {
	name         string
	notification bool
	inOrder      bool // a call that must end before the next message is read
	params       reflect.Type
	result       reflect.Type // nil for a notification
	call         func(context.Context, *session, jsonrpc2.RawMessage) (jsonrpc2.RawMessage, error)
}

func request[P, R any](name string, f func(*session, context.Context, P) (R, error)) method {
	return method{
		name: name, params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		call: func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (jsonrpc2.RawMessage, error) {
			p, err := decode[P](s, name, raw)
			if err != nil {
				return nil, err
			}
			r, err := f(s, ctx, p)
			if err != nil {
				return nil, err
			}
			return encode(r)
		},
	}
}

// ofBrain is a request that needs a brain; files and cards are resolved ([openBrain.resolve]).
func ofBrain[P, R any](name string, f func(*openBrain, context.Context, P) (R, error)) method {
	return request(name, func(s *session, ctx context.Context, p P) (r R, err error) {
		b, err := s.opened()
		if err == nil {
			err = b.resolve(reflect.ValueOf(&p).Elem())
		}
		if err != nil {
			return r, err
		}
		return f(b, ctx, p)
	})
}

// direct is a request that the Server takes as it came.
func direct[P, R any](f func(*server.Server, context.Context, P) (R, error)) func(*openBrain, context.Context, P) (R, error) {
	return func(b *openBrain, ctx context.Context, p P) (R, error) { return f(b.Server, ctx, p) }
}

func notification[P any](name string, f func(*session, context.Context, P) error) method {
	m := request(name, func(s *session, ctx context.Context, p P) (Nothing, error) { return Nothing{}, f(s, ctx, p) })
	m.notification, m.result = true, nil
	return m
}

func (m method) ordered() method { m.inOrder = true; return m }

// decode reads parameters; absent ones are the zero value.
func decode[P any](s *session, name string, raw jsonrpc2.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		return p, nil
	}
	if err := protocol.Unmarshal(raw, &p); err != nil {
		s.Log.Debug("wrong parameters", "method", name, "err", err)
		where := ""
		if wrong, ok := errors.AsType[*json.SemanticError](err); ok && wrong.JSONPointer != "" {
			where = " (" + clip(string(wrong.JSONPointer)) + ")"
		}
		return p, s.errorWith(jsonrpc2.InvalidParams, s.say(textBadParams, name, where), ErrorData{Code: "bad-params"})
	}
	return p, nil
}

func encode(v any) (jsonrpc2.RawMessage, error) {
	// The library's encoders follow a nil pointer.
	if rv := reflect.ValueOf(v); !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil() {
		return jsonrpc2.RawMessage("null"), nil
	}
	return codec{}.Marshal(v)
}

// wireError turns an error into an answer: the code for programs, the sentence for people.
func (s *session) wireError(ctx context.Context, err error) error {
	if ready, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return ready
	}
	if ctx.Err() != nil {
		err = ctx.Err() // whatever it says, it failed because nobody waits for it
	}
	data := ErrorData{Code: say.Code(err)}
	if weak, ok := errors.AsType[*brain.WeakError](err); ok {
		for _, p := range weak.Problems {
			data.Problems = append(data.Problems, ProblemData{Code: p.Code, Message: s.locale.Problem(p), Line: p.Line})
		}
	}
	code := jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed) // understood, and could not be done
	switch data.Code {
	case "bad-request":
		code = jsonrpc2.InvalidParams
	case "cancelled":
		code = protocol.CodeRequestCancelled
	case "internal":
		code = jsonrpc2.InternalError
		s.Log.Error("request failed", "err", err)
	}
	return s.errorWith(code, s.locale.Explain(err), data)
}

func (s *session) errorWith(code jsonrpc2.Code, message string, data ErrorData) error {
	raw, err := encode(data)
	if err != nil {
		return jsonrpc2.NewError(code, message)
	}
	return &jsonrpc2.Error{Code: code, Message: message, Data: raw}
}

// resolve puts paths as the Server knows them in the place of what an editor calls files and cards, in the fields of a
// request that say names:"file" or names:"card". Of a list those that no disk has are left out. It also says the
// person's language.
func (b *openBrain) resolve(request reflect.Value) error {
	if request.Kind() != reflect.Struct {
		return nil
	}
	for i := range request.NumField() {
		f := request.Type().Field(i)
		if locale, ok := request.Field(i).Addr().Interface().(*say.Locale); ok {
			*locale = cmp.Or(*locale, b.s.locale)
		}
		kind := f.Tag.Get("names")
		if kind == "" {
			continue
		}
		field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch v := request.Field(i).Addr().Interface().(type) {
		case *string:
			if *v == "" {
				continue
			}
			name, err := b.name(kind, field, *v)
			if err != nil {
				return err
			}
			*v = cmp.Or(name, *v) // a document that no disk has stays what it is
		case *[]string:
			names := make([]string, 0, len(*v))
			for _, s := range *v {
				name, err := b.name(kind, field, s)
				if err != nil {
					return err
				}
				if name != "" {
					names = append(names, name)
				}
			}
			*v = names
		}
	}
	return nil
}

// name returns the path of a file URI, or a path, as the Server knows it. A URI of another scheme (an unsaved or a
// virtual document) has none, which is not an error. What else may name a card is left for the Server to judge.
func (b *openBrain) name(kind, field, s string) (string, error) {
	switch {
	case filepath.IsAbs(s):
		return b.real(s), nil
	case kind == "card" && !strings.HasPrefix(s, "file:"):
		return s, nil
	}
	u, err := uri.Parse(s)
	switch {
	case kind == "card" && err != nil:
		return "", &lessons.PathError{Path: clip(s), Err: lessons.ErrBadPath}
	case err != nil || !strings.Contains(s, ":"):
		return "", &brain.RequestError{Field: field, Value: clip(s), Need: brain.NeedURI}
	case !u.IsFile():
		return "", nil
	}
	return b.real(u.FsPath()), nil
}
