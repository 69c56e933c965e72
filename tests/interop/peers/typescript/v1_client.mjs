// An interop client on the official TypeScript SDK v1 (see ../README.md).
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answerForm, answerSampling, bendAnswer, roots } from './answers.mjs';
import { beatsOf, commandKey, say, serveCommands } from './client_loop.mjs';

const target = JSON.parse(process.argv[2]);
const revision = process.argv[3];
const timeout = 60000;

// The SDK always offers its newest revision; a run wants to offer another.
function offer(message) {
  if (message.method !== 'initialize') return message;
  return { ...message, params: { ...message.params, protocolVersion: revision } };
}

function newClient() {
  const client = new Client({ name: 'interop-client', version: '1' },
    { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => answerSampling(
    params, (code, message) => Object.assign(new McpError(code, message), { message })));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerForm(params));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  client.setNotificationHandler(ToolListChangedNotificationSchema,
    () => say({ event: 'listChanged' }));
  return client;
}

async function connect() {
  const transport = target.url
    ? new StreamableHTTPClientTransport(new URL(target.url))
    : new StdioClientTransport({ ...target, stderr: 'ignore' });
  const beats = beatsOf();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    beats.onSent(message);
    return send(bendAnswer(offer(message)), options);
  };
  let granted;
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    granted = version;
    setProtocolVersion?.(version);
  };
  const client = newClient();
  await client.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    beats.onReceived(message);
    return deliver(message, extra);
  };
  return { client, transport, granted };
}

const { client, transport, granted } = await connect();
await serveCommands({
  granted,
  can: ['sampling', 'elicitation', 'roots', 'malformed', 'progress', 'cancel', 'ping', 'level',
    'listChanged', ...(target.url ? ['terminate'] : [])],
  list: () => client.listTools(),
  call: ({ id, tool, arguments: args }, signal) => client.callTool(
    { name: tool, arguments: args, _meta: { [commandKey]: id } }, undefined,
    { timeout, signal, onprogress: () => {} }),
  ping: () => client.ping(),
  level: ({ level }) => client.setLoggingLevel(level),
  terminate: async () => {
    await transport.terminateSession();
    return {};
  },
  close: () => client.close(),
});
