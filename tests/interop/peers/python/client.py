"""An MCP client on the official Python SDK, as ../README.md describes one:
client.py TARGET REVISION, with commands on its standard input."""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

CAN = ["sampling", "elicitation", "roots", "malformed", "progress", "cancel", "ping", "listChanged"]

MALFORMED_MODEL = "answered without a model"


def say(line):
    print(json.dumps(line, ensure_ascii=False), flush=True)


# ---- a user who answers as the question itself asks for


async def answer_sampling(_context, params):
    content = params.messages[0].content
    wish = getattr(content, "text", "")
    if wish == "silent":
        await anyio.Event().wait()
    if wish == "decline":
        return types.ErrorData(code=-1, message="User rejected sampling request")
    return types.CreateMessageResult(
        model=MALFORMED_MODEL if wish == "malformed" else "interop-model",
        role="assistant",
        content=types.TextContent(text=f"heard: {wish}"),
        stop_reason="endTurn",
    )


async def answer_form(_context, params):
    wish = params.message
    if wish == "silent":
        await anyio.Event().wait()
    if wish == "decline":
        return types.ElicitResult(action="decline")
    if wish == "dismiss":
        return types.ElicitResult(action="cancel")
    filled = {"name": "Ann", "age": "old" if wish == "malformed" else 7}
    wanted = params.requested_schema.get("properties", {})
    return types.ElicitResult(
        action="accept", content={name: filled[name] for name in filled if name in wanted}
    )


async def answer_roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///srv/project", name="project")])


async def hear(message):
    if isinstance(message, types.ToolListChangedNotification):
        say({"event": "listChanged"})


# ---- the transport


class BentStream:
    """The SDK offers its newest revision and checks its own answers; a test
    wants to offer another, and to send what a broken client would."""

    def __init__(self, stream, revision):
        self._stream = stream
        self._revision = revision

    def __getattr__(self, name):
        return getattr(self._stream, name)

    async def __aenter__(self):
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error):
        return await self._stream.__aexit__(*error)

    async def send(self, item):
        message = item.message
        if getattr(message, "method", None) == "initialize":
            message.params["protocolVersion"] = self._revision
        result = getattr(message, "result", None)
        if isinstance(result, dict) and result.get("model") == MALFORMED_MODEL:
            del result["model"]
        await self._stream.send(item)


@asynccontextmanager
async def bent(transport, revision):
    async with transport as (read_stream, write_stream):
        yield read_stream, BentStream(write_stream, revision)


def open_target(target):
    if "url" in target:
        return streamable_http_client(target["url"])
    return stdio_client(
        StdioServerParameters(
            command=target["command"], args=target.get("args", []), env=target.get("env")
        )
    )


# ---- the commands


def problem(error):
    if not isinstance(error, MCPError):
        return {"message": str(error) or type(error).__name__}
    told = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return told


class Commands:
    """Carries out commands, several at a time."""

    def __init__(self, client):
        self._client = client
        self._calls = {}  # the scopes of those under way, by the command's id

    async def _call(self, order):
        async def on_progress(progress, total, message):
            beat = {"event": "progress", "id": order["id"], "progress": progress}
            beat |= {} if total is None else {"total": total}
            beat |= {} if message is None else {"message": message}
            say(beat)

        return await self._client.call_tool(
            order["tool"], order.get("arguments"), progress_callback=on_progress
        )

    def _cancel(self, order):
        """Ends a call, as a user would who has seen enough."""
        scope = self._calls.get(order["call"])
        if scope is None:
            return {"error": {"message": f"{order['call']}: no such call is under way"}}
        scope.cancel()
        return {"result": {}}

    async def _outcome(self, order):
        try:
            match order["do"]:
                case "list":
                    result = await self._client.list_tools(cache_mode="bypass")
                case "ping":
                    result = await self._client.send_ping()
                case "call":
                    result = await self._call(order)
                case other:
                    return {"error": {"message": f"{other}: no such command"}}
        except (MCPError, ValueError, RuntimeError) as error:
            return {"error": problem(error)}
        return {"result": result.model_dump(by_alias=True, mode="json", exclude_none=True)}

    async def obey(self, order):
        if order["do"] == "cancel":
            say({"id": order["id"], **self._cancel(order)})
            return
        outcome = {"error": {"message": "cancelled"}}
        with anyio.CancelScope() as scope:
            self._calls[order["id"]] = scope
            outcome = await self._outcome(order)
        del self._calls[order["id"]]
        say({"id": order["id"], **outcome})


async def obey_all(client):
    """Reads commands until `close` or the end of the input."""
    commands = Commands(client)
    async with anyio.create_task_group() as tasks:
        async for line in anyio.wrap_file(sys.stdin):
            order = json.loads(line)
            if order["do"] == "close":
                break
            tasks.start_soon(commands.obey, order)
        tasks.cancel_scope.cancel()


async def run(target, revision):
    client = Client(
        bent(open_target(target), revision),
        mode="legacy",
        client_info=types.Implementation(name="python-sdk-client", version="1"),
        sampling_callback=answer_sampling,
        elicitation_callback=answer_form,
        list_roots_callback=answer_roots,
        message_handler=hear,
    )
    async with client:
        say(
            {
                "event": "ready",
                "granted": client.protocol_version,
                "can": CAN,
            }
        )
        await obey_all(client)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: client.py TARGET REVISION")
    anyio.run(run, json.loads(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()
