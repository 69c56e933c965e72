// Command client is an MCP client on the official Go SDK, as ../../README.md
// describes one: client TARGET REVISION, with commands on its standard input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const maxCommandBytes = 16 << 20

// target is where the MCP server is: at a URL, or behind a command's pipes.
type target struct {
	URL     string            `json:"url"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type command struct {
	ID        json.RawMessage `json:"id"`
	Do        string          `json:"do"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Call      json.RawMessage `json:"call"`
}

// client carries out commands, several at a time.
type client struct {
	session *mcp.ClientSession

	printing sync.Mutex

	guard sync.Mutex
	calls map[string]context.CancelFunc // by the command's id
}

func (c *client) print(line map[string]any) {
	said, err := json.Marshal(line)
	if err != nil {
		said, _ = json.Marshal(map[string]any{
			"id": line["id"], "error": map[string]any{"message": err.Error()}})
	}
	c.printing.Lock()
	defer c.printing.Unlock()
	fmt.Println(string(said))
}

// finish prints how a command ended.
func (c *client) finish(id json.RawMessage, result any, err error) {
	if err == nil {
		c.print(map[string]any{"id": id, "result": result})
		return
	}
	problem := map[string]any{"message": err.Error()}
	var peers *jsonrpc.Error
	if errors.As(err, &peers) {
		problem["code"] = peers.Code
		problem["message"] = peers.Message
		if len(peers.Data) > 0 {
			problem["data"] = peers.Data
		}
	}
	c.print(map[string]any{"id": id, "error": problem})
}

func (c *client) call(ctx context.Context, order command) {
	params := &mcp.CallToolParams{Name: order.Tool}
	if len(order.Arguments) > 0 {
		params.Arguments = order.Arguments
	}
	// The command's id, so that a beat names its command.
	params.SetProgressToken(string(order.ID))
	result, err := c.session.CallTool(ctx, params)
	c.finish(order.ID, result, err)
}

func (c *client) onProgress(_ context.Context, beat *mcp.ProgressNotificationClientRequest) {
	line := map[string]any{"event": "progress", "progress": beat.Params.Progress}
	if token, ok := beat.Params.ProgressToken.(string); ok {
		line["id"] = json.RawMessage(token)
	}
	if beat.Params.Total != 0 {
		line["total"] = beat.Params.Total
	}
	if beat.Params.Message != "" {
		line["message"] = beat.Params.Message
	}
	c.print(line)
}

func (c *client) onListChanged(context.Context, *mcp.ToolListChangedRequest) {
	c.print(map[string]any{"event": "listChanged"})
}

// cancel ends a call, as a user would who has seen enough.
func (c *client) cancel(order command) {
	c.guard.Lock()
	stop := c.calls[string(order.Call)]
	c.guard.Unlock()
	if stop == nil {
		c.finish(order.ID, nil, fmt.Errorf("%s: no such call is under way", order.Call))
		return
	}
	stop()
	c.finish(order.ID, struct{}{}, nil)
}

func (c *client) obey(order command) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	switch order.Do {
	case "list":
		result, err := c.session.ListTools(ctx, nil)
		c.finish(order.ID, result, err)
	case "ping":
		c.finish(order.ID, struct{}{}, c.session.Ping(ctx, nil))
	case "terminate":
		// The SDK ends its session with a DELETE.
		c.finish(order.ID, struct{}{}, c.session.Close())
	case "call":
		c.guard.Lock()
		c.calls[string(order.ID)] = stop
		c.guard.Unlock()
		c.call(ctx, order)
		c.guard.Lock()
		delete(c.calls, string(order.ID))
		c.guard.Unlock()
	case "cancel":
		c.cancel(order)
	default:
		c.finish(order.ID, nil, fmt.Errorf("%s: no such command", order.Do))
	}
}

// obeyAll reads commands until `close` or the end of the input.
func (c *client) obeyAll() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxCommandBytes)
	for lines.Scan() {
		var order command
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil {
			return fmt.Errorf("a command that is no JSON: %w", err)
		}
		if order.Do == "close" {
			return nil
		}
		go c.obey(order)
	}
	return lines.Err()
}

func (where target) transport() (mcp.Transport, error) {
	switch {
	case where.URL != "":
		return &mcp.StreamableClientTransport{Endpoint: where.URL}, nil
	case where.Command != "":
		process := exec.Command(where.Command, where.Args...)
		process.Stderr = os.Stderr
		process.Env = os.Environ()
		for name, value := range where.Env {
			process.Env = append(process.Env, name+"="+value)
		}
		return &mcp.CommandTransport{Command: process}, nil
	}
	return nil, errors.New("the target has neither url nor command")
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: client TARGET REVISION")
	}
	var where target
	if err := json.Unmarshal([]byte(args[0]), &where); err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	transport, err := where.transport()
	if err != nil {
		return err
	}
	user := newUser()
	c := &client{calls: map[string]context.CancelFunc{}}
	options := user.options()
	options.ProgressNotificationHandler = c.onProgress
	options.ToolListChangedHandler = c.onListChanged
	made := mcp.NewClient(&mcp.Implementation{Name: "go-sdk-client", Version: "1"}, options)
	made.AddRoots(&mcp.Root{URI: "file:///srv/project", Name: "project"})
	made.AddReceivingMiddleware(user.spoilForms)
	c.session, err = made.Connect(context.Background(), transport,
		&mcp.ClientSessionOptions{ProtocolVersion: args[1]})
	if err != nil {
		return err
	}
	c.print(map[string]any{
		"event":   "ready",
		"granted": c.session.InitializeResult().ProtocolVersion,
		"can": []string{"sampling", "elicitation", "roots", "malformed", "progress",
			"cancel", "ping", "listChanged", "terminate"},
	})
	err = c.obeyAll()
	user.leave()
	return errors.Join(err, c.session.Close())
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
