// An MCP upstream on the official SDK: `node upstream.mjs http|stdio REVISION
// NOTES`. Its tools do as their arguments say. What a test must learn later
// goes to the file NOTES, a line each. Over HTTP it says where it listens.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema, CreateMessageResultSchema, ElicitResultSchema,
  ListRootsResultSchema, ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const [transportKind, revision, notes] = process.argv.slice(2);
const note = (line) => appendFileSync(notes, `${line}\n`);

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

const tools = {
  async echo(args) {
    return JSON.stringify(args);
  },
  async progress({ steps }, extra) {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= steps; progress++) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: steps, message: `step ${progress}` },
      });
    }
    return 'done';
  },
  async hang({ name }, extra) {
    note(`started ${name}`);
    await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    note(`cancelled ${name}`);
    return 'never seen';
  },
  // Asks the client's side and tells what came back.
  async ask({ method, params, timeoutMs }, extra) {
    try {
      const result = await extra.sendRequest({ method, params }, resultSchemas[method],
        { timeout: timeoutMs ?? 60000 });
      return JSON.stringify({ result });
    } catch (error) {
      const { code, message, data } = error;
      return JSON.stringify({ error: { code, message, data } });
    }
  },
};

function newServer() {
  const server = new Server({ name: 'sdk-upstream', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: Object.keys(tools).map((name) => (
      { name, title: `The ${name}`, description: 'as told', inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const text = await tools[params.name](params.arguments ?? {}, extra);
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

async function serveHttp() {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
        onsessionclosed: (id) => sessions.delete(id),
      });
      await newServer().connect(transport);
      pinRevision(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ event: 'ready', listen: `127.0.0.1:${http.address().port}` }));
  });
}

if (transportKind === 'http') {
  await serveHttp();
} else {
  const transport = new StdioServerTransport();
  await newServer().connect(transport);
  pinRevision(transport);
}
