// An MCP client on the official SDK, whose user answers as the question itself
// asks for: `accept`, `decline`, `dismiss`, `malformed` or `silent`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, McpError,
} from '@modelcontextprotocol/sdk/types.js';

export const roots = [{ uri: 'file:///srv/project', name: 'project' }];
const malformedModel = 'answered without a model';

const silence = () => new Promise(() => {});

function answerSampling({ params }) {
  const wish = params.messages[0].content.text;
  if (wish === 'silent') return silence();
  if (wish === 'decline') throw new McpError(-1, 'User rejected sampling request');
  return {
    model: wish === 'malformed' ? malformedModel : 'interop-model',
    role: 'assistant',
    content: { type: 'text', text: `heard: ${wish}` },
    stopReason: 'endTurn',
  };
}

function answerForm({ params }) {
  const wish = params.message;
  if (wish === 'silent') return silence();
  if (wish === 'decline') return { action: 'decline' };
  if (wish === 'dismiss') return { action: 'cancel' };
  return { action: 'accept', content: { name: 'Ann', age: wish === 'malformed' ? 'old' : 7 } };
}

// The SDK offers its newest revision and checks its own answers; a test wants
// to offer another, and to send what a broken client would.
function bend(transport, revision) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method === 'initialize') {
      message = { ...message, params: { ...message.params, protocolVersion: revision } };
    } else if (message.result?.model === malformedModel) {
      const { model, ...rest } = message.result;
      message = { ...message, result: rest };
    }
    return send(message, options);
  };
  return transport;
}

// `target` is {url} or {command, args}.
export async function connect(target, revision) {
  const client = new Client({ name: 'interop-client', version: '1' },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, answerSampling);
  client.setRequestHandler(ElicitRequestSchema, answerForm);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  const transport = target.url
    ? new StreamableHTTPClientTransport(new URL(target.url))
    : new StdioClientTransport(target);
  let granted;
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    granted = version;
    setProtocolVersion?.(version);
  };
  await client.connect(bend(transport, revision));
  // Seen on the wire: the SDK drops a progress notification that comes in one
  // read with the call's result.
  const beats = [];
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method === 'notifications/progress') beats.push(message.params);
    return deliver(message, extra);
  };
  return { client, granted, beats };
}
