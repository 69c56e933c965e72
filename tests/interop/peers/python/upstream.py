"""An MCP upstream on the official Python SDK, as ../README.md describes one:
upstream.py http|stdio REVISION NOTES."""

import json
import socket
import sys

import anyio
import mcp_types as types
import uvicorn
from mcp.server import NotificationOptions, Server, runner
from mcp.server.stdio import stdio_server
from mcp.server.validation import validate_sampling_tools
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

DEFAULT_ASK_TIMEOUT_MS = 60_000

OWN_TOOLS = ["echo", "progress", "hang", "ask", "fail", "grow"]

QUESTIONS = {
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def pin_revision(revision):
    """The SDK grants whatever it knows; this makes it know one revision."""
    assert revision in runner.HANDSHAKE_PROTOCOL_VERSIONS, revision
    runner.HANDSHAKE_PROTOCOL_VERSIONS = (revision,)
    assert runner.LATEST_HANDSHAKE_VERSION
    runner.LATEST_HANDSHAKE_VERSION = revision


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def problem(error):
    """An error as JSON-RPC would tell it; the SDK's own have no code."""
    if not isinstance(error, MCPError):
        return {"message": str(error)}
    told = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return told


async def put(context, method, params=None, timeoutMs=DEFAULT_ASK_TIMEOUT_MS):  # noqa: N803
    """Asks as the SDK's own calls do, which have no timeout of their own. They
    have no way to tie `roots/list` to a call: over HTTP it goes out on the GET
    stream."""
    request_type, result_type = QUESTIONS[method]
    question = request_type.model_validate({"method": method, "params": params or None})
    if method == "sampling/createMessage":
        validate_sampling_tools(
            context.session.client_capabilities, question.params.tools, question.params.tool_choice
        )
    related = None if method == "roots/list" else context.request_id
    return await context.session.send_request(
        question,
        result_type,
        request_read_timeout_seconds=timeoutMs / 1000,
        metadata=ServerMessageMetadata(related_request_id=related),
    )


def session_of(context):
    """The session's id; over stdio there is one, without an id."""
    return context.request.headers.get("mcp-session-id") if context.request else None


class Tools:
    """What the tools do. What a test must learn later goes to `notes`."""

    def __init__(self, notes):
        self._notes = notes
        self._grown = {}  # the names, by session

    def names(self, context):
        return [*OWN_TOOLS, *self._grown.get(session_of(context), [])]

    async def call(self, context, name, arguments):
        if name not in self.names(context):
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}")
        if name in self._grown.get(session_of(context), []):
            return f"I am {name}"
        return await getattr(self, name)(context, arguments)

    def _note(self, line):
        with open(self._notes, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    async def echo(self, _context, arguments):
        return to_json(arguments)

    async def progress(self, context, arguments):
        steps = arguments["steps"]
        for step in range(1, steps + 1):
            await context.session.report_progress(step, steps, f"step {step}")
        return "done"

    async def hang(self, _context, arguments):
        self._note(f"started {arguments['name']}")
        try:
            await anyio.Event().wait()
        finally:
            self._note(f"cancelled {arguments['name']}")

    async def ask(self, context, arguments):
        """Asks the client's side and tells what came back."""
        try:
            result = await put(context, **arguments)
        except (MCPError, ValueError) as error:
            return to_json({"error": problem(error)})
        told = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return to_json({"result": told})

    async def grow(self, context, arguments):
        self._grown.setdefault(session_of(context), []).append(arguments["name"])
        await context.session.send_tool_list_changed()
        return "grown"

    async def fail(self, _context, arguments):
        if arguments["how"] == "thrown":
            raise MCPError(types.INVALID_PARAMS, "thrown as told")
        return types.CallToolResult(
            content=[types.TextContent(text="failed as told")], is_error=True
        )


class GrowingServer(Server):
    """Says that its list of tools may change, which the SDK's own does not."""

    def create_initialization_options(self, notification_options=None, *others, **more):
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *others, **more)


def new_server(notes):
    tools = Tools(notes)

    async def list_tools(context, _params):
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    title=f"The {name}",
                    description="as told",
                    input_schema={"type": "object"},
                )
                for name in tools.names(context)
            ]
        )

    async def call_tool(context, params):
        said = await tools.call(context, params.name, params.arguments or {})
        if isinstance(said, str):
            said = types.CallToolResult(content=[types.TextContent(text=said)])
        return said

    return GrowingServer(
        "python-sdk-upstream", version="1", on_list_tools=list_tools, on_call_tool=call_tool
    )


async def serve_http(server):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        print(json.dumps({"event": "ready", "listen": f"{host}:{port}"}), flush=True)
        config = uvicorn.Config(
            server.streamable_http_app(),
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        await uvicorn.Server(config).serve(sockets=[listener])


async def serve_stdio(server):
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("http", "stdio"):
        sys.exit("usage: upstream.py http|stdio REVISION NOTES")
    transport, revision, notes = sys.argv[1:]
    pin_revision(revision)
    anyio.run(serve_http if transport == "http" else serve_stdio, new_server(notes))


if __name__ == "__main__":
    main()
