package mcp

import (
	"context"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
	"handrail/server"
)

// A draft is put to the person where the host can ask them: kept, to be edited, or dropped. It
// is written before that, so that whatever goes wrong leaves it where drafts wait.

// keepKey names the question and its one field.
const keepKey = "keep"

// keepPatience is how long a person may take: less than the minute after which hosts give up a call.
const keepPatience = 50 * time.Second

// The answers to the question.
const (
	keepYes  = "yes"
	keepEdit = "edit"
	keepNo   = "no"
)

// keepWanted says that a call must be sent again with the person's answer about a draft.
type keepWanted struct {
	question *sdk.ElicitParams
	path     string
}

func (keepWanted) Error() string { return "the person has yet to be asked" }

// callerKey is where the context of a tool has the client that calls it.
type callerKey struct{}

// asked returns the draft whose answer came with this call.
func (s *session) asked(ctx context.Context) (path string, ok bool) {
	c, _ := ctx.Value(callerKey{}).(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.roots[keepKey] == nil || !s.asking[c.state] {
		return "", false
	}
	delete(s.asking, c.state)
	return c.state, true
}

// settle does with a new draft what the person says. One who says nothing leaves it waiting.
func (s *session) settle(ctx context.Context, loop Loop, path string) (result[server.Created], error) {
	made := server.Created{Path: path}
	answer, err := s.ask(ctx, loop, path)
	if err != nil {
		return result[server.Created]{}, err
	}
	switch answer {
	case keepYes:
		card, err := loop.Promote(ctx, path, "")
		if err != nil {
			return result[server.Created]{}, err
		}
		return result[server.Created]{server.Created{Path: card.Path}, s.word(textKept, card.Path)}, nil
	case keepNo:
		if _, err := loop.Delete(ctx, path); err != nil {
			return result[server.Created]{}, err
		}
		return result[server.Created]{server.Created{}, s.word(textDropped)}, nil
	case keepEdit:
		return result[server.Created]{made, s.word(textToEdit, path)}, nil
	}
	return result[server.Created]{made, s.word(textDrafted, path)}, nil
}

// ask returns the person's answer about a draft, "" where there is none to be had.
func (s *session) ask(ctx context.Context, loop Loop, path string) (string, error) {
	c, _ := ctx.Value(callerKey{}).(client)
	said, told := c.roots[keepKey].(*sdk.ElicitResult)
	if !told {
		if c.caps == nil || c.caps.Elicitation == nil || c.caps.Elicitation.Form == nil && c.caps.Elicitation.URL != nil {
			return "", nil
		}
		question, err := s.question(loop, path)
		if err != nil {
			return "", err
		}
		if c.version >= rootless {
			s.mu.Lock()
			s.asking[path] = true
			s.mu.Unlock()
			return "", keepWanted{question, path}
		}
		asking, stop := context.WithTimeout(ctx, keepPatience)
		defer stop()
		defer context.AfterFunc(s.heard, stop)()
		if said, err = c.session.Elicit(asking, question); err != nil {
			s.Log.Debug("the person was not asked", "err", err)
			return "", ctx.Err()
		}
	}
	if said.Action != "accept" {
		return "", nil
	}
	answer, _ := said.Content[keepKey].(string)
	return answer, nil
}

// question shows a person a draft as the file has it.
func (s *session) question(loop Loop, path string) (*sdk.ElicitParams, error) {
	src, err := loop.Brain().Read(path)
	if err != nil {
		return nil, err
	}
	card, _ := lessons.Parse(path, src)
	parts := []string{s.word(textKeep, lessons.Visible(card.Title))} // hosts show few lines
	for _, name := range []lessons.SectionName{lessons.RootCause, lessons.Prevention} {
		if text, _ := card.Section(name); strings.TrimSpace(text) != "" {
			parts = append(parts, strings.TrimSpace(text))
		}
	}
	return &sdk.ElicitParams{
		Mode: "form", Message: lessons.Inert(strings.Join(parts, "\n")),
		RequestedSchema: map[string]any{"type": "object", "required": []string{keepKey}, "properties": map[string]any{
			keepKey: map[string]any{"type": "string", "title": s.word(textKeepIt), "description": s.word(textKeepHow), "enum": []string{keepYes, keepEdit, keepNo}},
		}},
	}, nil
}
