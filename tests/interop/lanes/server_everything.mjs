// npm's server-everything: the reference server, on the TypeScript SDK v1.
import assert from 'node:assert/strict';
import { common, ending, needs } from '../scenarios.mjs';

const program = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

const call = ({ client }, tool, args = {}) => client.call(tool, args).result;
const textOf = (result) => result.content.map(({ text }) => text).join('\n');

// This upstream's form has arrays to choose several from, which came with
// 2025-11-25: Gatehouse judges it by the revision that was granted.
async function form(context) {
  const result = await call(context, 'trigger-elicitation-request');
  if (context.through && context.revision < '2025-11-25') {
    assert.equal(result.isError, true);
    return;
  }
  assert.match(textOf(result), /User provided the requested information/);
  assert.match(textOf(result), /"name": "Ann"/);
}

const scenarios = {
  ...common,
  'list': async ({ client }) => {
    const names = (await client.list()).tools.map((tool) => tool.name);
    for (const name of ['echo', 'get-sum', 'trigger-sampling-request', 'get-roots-list',
      'trigger-elicitation-request']) assert.ok(names.includes(name), name);
  },
  'call': async (context) => {
    assert.equal(textOf(await call(context, 'echo', { message: 'päivää \u{1f600}' })),
      'Echo: päivää \u{1f600}');
    assert.match(textOf(await call(context, 'get-sum', { a: 2, b: 3.5 })), /5\.5/);
  },
  'wrong arguments': async (context) => {
    const outcome = await call(context, 'get-sum', { a: 'two' }).catch((error) => error);
    assert.ok(outcome.isError || outcome.code, JSON.stringify(outcome));
  },
  'structured content': async (context) => {
    const result = await call(context, 'get-structured-content', { location: 'Chicago' });
    assert.deepEqual(result.structuredContent, JSON.parse(textOf(result)));
  },
  'image': async (context) => {
    const { content } = await call(context, 'get-tiny-image');
    assert.ok(content.some(({ type, data }) => type === 'image' && data.length > 1000));
  },
  'annotations': async (context) => {
    const { content } = await call(context, 'get-annotated-message',
      { messageType: 'error', includeImage: true });
    assert.equal(content[0].annotations.priority, 1);
  },
  'resource links': async (context) => {
    const { content } = await call(context, 'get-resource-links', { count: 3 });
    assert.equal(content.filter(({ type }) => type === 'resource_link').length, 3);
  },
  'progress': needs(['progress'], async ({ client }) => {
    const running = client.call('trigger-long-running-operation', { duration: 0.2, steps: 4 });
    await running.result;
    await client.beats(running, 4);
    assert.deepEqual(running.beats.map(({ progress, total }) => [progress, total]),
      [[1, 4], [2, 4], [3, 4], [4, 4]]);
  }),
  'sampling': needs(['sampling'], async (context) => {
    const result = await call(context, 'trigger-sampling-request',
      { prompt: 'hello', maxTokens: 50 });
    assert.match(textOf(result), /heard: Resource trigger-sampling-request context: hello/);
  }),
  'form': needs(['elicitation'], form),
  'roots': needs(['roots'], async (context) => {
    assert.match(textOf(await call(context, 'get-roots-list')), /file:\/\/\/srv\/project/);
  }),
  // Late, for the server goes on working and never answers: until Gatehouse gives
  // it up, what it asks outside a call's stream could be either's.
  'cancel': needs(['cancel'], async ({ client }) => {
    const running = client.call('trigger-long-running-operation', { duration: 20, steps: 100 });
    await client.beats(running, 1);
    await client.cancel(running);
    await assert.rejects(running.result);
  }),
  'still alive': async (context) => {
    assert.equal(textOf(await call(context, 'echo', { message: 'still' })), 'Echo: still');
  },
  ...ending,
};

export default {
  name: 'server-everything',
  part: 'test',
  scenarios,
  prepare: async (kit) => ({
    upstream: {
      async http() {
        const { listen } = await kit.start(kit.node, ['--import', kit.file('peers/loopback.mjs'),
          kit.packageFile(program), 'streamableHttp']);
        return { url: `http://${listen}/mcp` };
      },
      stdio: () => (
        { command: kit.reachableNode, args: [kit.reachablePackageFile(program), 'stdio'] }),
    },
  }),
};
