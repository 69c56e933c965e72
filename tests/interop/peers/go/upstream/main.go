// Command upstream is an MCP upstream on the official Go SDK, as
// ../../README.md describes one: upstream http|stdio REVISION NOTES.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The answer to a question that was given up: the code that the TypeScript SDK
// has for it, so that one scenario serves all upstreams.
const codeTimeout = -32001

const defaultAskTimeout = 60 * time.Second

type upstream struct {
	revision string
	notes    string
}

// note appends a line that a scenario waits for.
func (u *upstream) note(line string) error {
	file, err := os.OpenFile(u.notes, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, line)
	return err
}

func text(said string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}
}

func echo(_ context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(call.Params.Arguments) == 0 {
		return text("{}"), nil
	}
	return text(string(call.Params.Arguments)), nil
}

func progress(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct{ Steps int }
	if err := json.Unmarshal(call.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	for step := 1; step <= arguments.Steps; step++ {
		beat := &mcp.ProgressNotificationParams{
			ProgressToken: call.Params.GetProgressToken(),
			Progress:      float64(step),
			Total:         float64(arguments.Steps),
			Message:       fmt.Sprintf("step %d", step),
		}
		if err := call.Session.NotifyProgress(ctx, beat); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

func (u *upstream) hang(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct{ Name string }
	if err := json.Unmarshal(call.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	if err := u.note("started " + arguments.Name); err != nil {
		return nil, err
	}
	<-ctx.Done()
	if err := u.note("cancelled " + arguments.Name); err != nil {
		return nil, err
	}
	return text("never seen"), nil
}

// put asks the client's side by the SDK's own call for that method.
func put(ctx context.Context, session *mcp.ServerSession, method string, params json.RawMessage) (any, error) {
	switch method {
	case "sampling/createMessage":
		question := new(mcp.CreateMessageWithToolsParams)
		if err := json.Unmarshal(params, question); err != nil {
			return nil, err
		}
		return session.CreateMessageWithTools(ctx, question)
	case "elicitation/create":
		question := new(mcp.ElicitParams)
		if err := json.Unmarshal(params, question); err != nil {
			return nil, err
		}
		return session.Elicit(ctx, question)
	case "roots/list":
		return session.ListRoots(ctx, nil)
	}
	return nil, fmt.Errorf("%s: no such question", method)
}

// problem tells an error as JSON-RPC would; the SDK's own have no code.
func problem(err error) map[string]any {
	var peers *jsonrpc.Error
	if errors.As(err, &peers) {
		told := map[string]any{"code": peers.Code, "message": peers.Message}
		if len(peers.Data) > 0 {
			told["data"] = peers.Data
		}
		return told
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return map[string]any{"code": codeTimeout, "message": err.Error()}
	}
	return map[string]any{"message": err.Error()}
}

func ask(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct {
		Method    string
		Params    json.RawMessage
		TimeoutMs int64
	}
	if err := json.Unmarshal(call.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	patience := defaultAskTimeout
	if arguments.TimeoutMs > 0 {
		patience = time.Duration(arguments.TimeoutMs) * time.Millisecond
	}
	asking, done := context.WithTimeout(ctx, patience)
	defer done()
	told := map[string]any{}
	result, err := put(asking, call.Session, arguments.Method, arguments.Params)
	if err != nil {
		told["error"] = problem(err)
	} else {
		told["result"] = result
	}
	said, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	return text(string(said)), nil
}

func fail(_ context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct{ How string }
	if err := json.Unmarshal(call.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	if arguments.How == "thrown" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "thrown as told"}
	}
	failed := text("failed as told")
	failed.IsError = true
	return failed, nil
}

// grow gives a tool that lets `server`, which is one session's own, grow.
func grow(server *mcp.Server) mcp.ToolHandler {
	return func(_ context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var arguments struct{ Name string }
		if err := json.Unmarshal(call.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		// The SDK tells the client that the list has changed.
		addTool(server, arguments.Name,
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return text("I am " + arguments.Name), nil
			})
		return text("grown"), nil
	}
}

func addTool(server *mcp.Server, name string, handler mcp.ToolHandler) {
	server.AddTool(&mcp.Tool{
		Name:        name,
		Title:       "The " + name,
		Description: "as told",
		InputSchema: json.RawMessage(`{"type":"object"}`),
	}, handler)
}

func (u *upstream) newServer() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "go-sdk-upstream", Version: "1"},
		&mcp.ServerOptions{SupportedProtocolVersions: []string{u.revision}})
	tools := map[string]mcp.ToolHandler{
		"echo": echo, "progress": progress, "hang": u.hang, "ask": ask,
		"fail": fail, "grow": grow(server),
	}
	for name, handler := range tools {
		addTool(server, name, handler)
	}
	return server
}

func (u *upstream) serveHTTP() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return u.newServer() }, nil)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	if _, err := fmt.Printf("{\"event\":\"ready\",\"listen\":%q}\n", listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, mux)
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: upstream http|stdio REVISION NOTES")
	}
	u := &upstream{revision: args[1], notes: args[2]}
	switch args[0] {
	case "http":
		return u.serveHTTP()
	case "stdio":
		return u.newServer().Run(context.Background(), &mcp.StdioTransport{})
	}
	return fmt.Errorf("%s: no such transport; http or stdio", args[0])
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
