// An interop client on the official TypeScript SDK v2, in its legacy mode (see
// ../README.md).
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answerForm, answerSampling, bendAnswer, roots } from './answers.mjs';
import { beatsOf, commandKey, say, serveCommands } from './client_loop.mjs';

const target = JSON.parse(process.argv[2]);
const revision = process.argv[3];
const timeout = 60000;

function newClient() {
  const client = new Client({ name: 'interop-client', version: '2' }, {
    capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
    versionNegotiation: { mode: 'legacy' },
    supportedProtocolVersions: [revision],
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => answerSampling(
    params, (code, message) => new ProtocolError(code, message)));
  client.setRequestHandler('elicitation/create', ({ params }) => answerForm(params));
  client.setRequestHandler('roots/list', () => ({ roots }));
  client.setNotificationHandler('notifications/tools/list_changed',
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
    return send(bendAnswer(message), options);
  };
  const client = newClient();
  await client.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    beats.onReceived(message);
    return deliver(message, extra);
  };
  return { client, transport };
}

const { client, transport } = await connect();
await serveCommands({
  granted: client.getNegotiatedProtocolVersion(),
  can: ['sampling', 'elicitation', 'roots', 'malformed', 'progress', 'cancel', 'ping', 'level',
    'listChanged', ...(target.url ? ['terminate'] : [])],
  list: () => client.listTools(),
  call: ({ id, tool, arguments: args }, signal) => client.callTool(
    { name: tool, arguments: args, _meta: { [commandKey]: id } },
    { timeout, signal, onprogress: () => {} }),
  ping: () => client.ping(),
  level: ({ level }) => client.setLoggingLevel(level),
  terminate: async () => {
    await transport.terminateSession();
    return {};
  },
  close: () => client.close(),
});
