// An interop upstream on the official TypeScript SDK v1 (see ../README.md).
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema, CreateMessageResultSchema, ElicitResultSchema, ErrorCode,
  ListRootsResultSchema, ListToolsRequestSchema, McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { serveHttp } from './serve_http.mjs';
import { capabilities, info, newTools } from './upstream_tools.mjs';

const [transportKind, revision, notes] = process.argv.slice(2);

const resultSchemas = {
  'sampling/createMessage': CreateMessageResultSchema,
  'elicitation/create': ElicitResultSchema,
  'roots/list': ListRootsResultSchema,
};

// The SDK always grants what it knows; this makes it know one revision.
function pinRevision(transport) {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method === 'initialize') {
      message = structuredClone(message);
      message.params.protocolVersion = revision;
    }
    return deliver(message, extra);
  };
}

function callOf(extra) {
  return {
    signal: extra.signal,
    progress: (params) => extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: extra._meta?.progressToken, ...params },
    }),
    ask: (method, params, timeout) => extra.sendRequest({ method, params },
      resultSchemas[method], { timeout }),
    listChanged: () => extra.sendNotification({ method: 'notifications/tools/list_changed' }),
    invalid: (message) => Object.assign(
      new McpError(ErrorCode.InvalidParams, message), { message }),
  };
}

async function connect(transport) {
  const server = new Server(info, { capabilities });
  const tools = newTools(notes);
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: tools.list() }));
  server.setRequestHandler(CallToolRequestSchema,
    async ({ params }, extra) => tools.call(params, callOf(extra)));
  await server.connect(transport);
  pinRevision(transport);
  return transport;
}

if (transportKind === 'http') {
  serveHttp((options) => connect(new StreamableHTTPServerTransport(options)));
} else {
  await connect(new StdioServerTransport());
}
