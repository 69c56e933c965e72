// An interop upstream on the official TypeScript SDK v2, in its legacy mode
// (see ../README.md).
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveHttp } from './serve_http.mjs';
import { capabilities, info, newTools } from './upstream_tools.mjs';

const [transportKind, revision, notes] = process.argv.slice(2);

function callOf({ mcpReq }) {
  return {
    signal: mcpReq.signal,
    progress: (params) => mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: mcpReq._meta?.progressToken, ...params },
    }),
    ask: (method, params, timeout) => mcpReq.send({ method, params }, { timeout }),
    listChanged: () => mcpReq.notify({ method: 'notifications/tools/list_changed' }),
    invalid: (message) => new ProtocolError(ProtocolErrorCode.InvalidParams, message),
  };
}

async function connect(transport) {
  const server = new Server(info, { capabilities, supportedProtocolVersions: [revision] });
  const tools = newTools(notes);
  server.setRequestHandler('tools/list', async () => ({ tools: tools.list() }));
  server.setRequestHandler('tools/call',
    async ({ params }, context) => tools.call(params, callOf(context)));
  await server.connect(transport);
  return transport;
}

if (transportKind === 'http') {
  serveHttp((options) => connect(new NodeStreamableHTTPServerTransport(options)));
} else {
  await connect(new StdioServerTransport());
}
