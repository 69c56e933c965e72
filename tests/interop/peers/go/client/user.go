package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a question may ask of the user who is to answer it.
const (
	wishDecline   = "decline"
	wishDismiss   = "dismiss"
	wishMalformed = "malformed"
	wishSilent    = "silent"
)

const codeDeclined = -1

// user answers each question as the question itself asks for.
type user struct {
	left chan struct{} // closed: whoever is silent goes home
}

func newUser() *user { return &user{left: make(chan struct{})} }

func (u *user) leave() { close(u.left) }

func (u *user) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		CreateMessageHandler: u.sample,
		ElicitationHandler:   u.fillForm,
	}
}

func (u *user) keepSilent(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-u.left:
		return context.Canceled
	}
}

func (u *user) sample(ctx context.Context, question *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	wish := ""
	if len(question.Params.Messages) > 0 {
		if block, ok := question.Params.Messages[0].Content.(*mcp.TextContent); ok {
			wish = block.Text
		}
	}
	answer := &mcp.CreateMessageResult{
		Model:      "interop-model",
		Role:       "assistant",
		Content:    &mcp.TextContent{Text: "heard: " + wish},
		StopReason: "endTurn",
	}
	switch wish {
	case wishSilent:
		return nil, u.keepSilent(ctx)
	case wishDecline:
		return nil, &jsonrpc.Error{Code: codeDeclined, Message: "User rejected sampling request"}
	case wishMalformed:
		// The SDK writes every member; a role of nobody is what it lets through.
		answer.Role = ""
	}
	return answer, nil
}

func (u *user) fillForm(ctx context.Context, question *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	switch question.Params.Message {
	case wishSilent:
		return nil, u.keepSilent(ctx)
	case wishDecline:
		return &mcp.ElicitResult{Action: "decline"}, nil
	case wishDismiss:
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	filled := map[string]any{"name": "Ann", "age": 7}
	schema, _ := question.Params.RequestedSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name := range filled {
		if _, wanted := properties[name]; !wanted {
			delete(filled, name)
		}
	}
	return &mcp.ElicitResult{Action: "accept", Content: filled}, nil
}

// spoilForms makes an answer malformed behind the SDK's own check of it.
func (u *user) spoilForms(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		question, asked := request.(*mcp.ElicitRequest)
		form, answered := result.(*mcp.ElicitResult)
		if asked && answered && err == nil && question.Params.Message == wishMalformed {
			form.Content["age"] = "old"
		}
		return result, err
	}
}
