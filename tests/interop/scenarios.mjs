// What is tried, on each road. A scenario throws if it did not go as it should.
// Where the roads must differ, `through` says that Gatehouse is between.
import assert from 'node:assert/strict';
import { roots } from './client.mjs';

const call = async ({ client }, name, args, options) => {
  const result = await client.callTool({ name, arguments: args }, undefined,
    { timeout: 40000, ...options });
  return result.content[0].text;
};

const ask = async (context, method, params, timeoutMs) =>
  JSON.parse(await call(context, 'ask', { method, params, timeoutMs }));

const sample = (context, wish, timeoutMs) => ask(context, 'sampling/createMessage', {
  messages: [{ role: 'user', content: { type: 'text', text: wish } }], maxTokens: 50,
}, timeoutMs);

const form = (context, wish, timeoutMs) => ask(context, 'elicitation/create', {
  message: wish,
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  },
}, timeoutMs);

// The gateway's own deadline ends it; without a gateway, the upstream's does.
async function unanswered(context, question) {
  const { error } = await question(context, 'silent', context.through ? 30000 : 1000);
  assert.equal(error.code, context.through ? -32603 : -32001);
  if (context.through) assert.equal(error.data.reason, 'expired');
}

export const scenarios = {
  'revision': async ({ granted, revision }) => assert.equal(granted, revision),

  'list': async ({ client }) => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['echo', 'progress', 'hang', 'ask']);
    assert.equal(tools[0].title, 'The echo');
  },

  'call': async (context) => {
    const args = { text: 'päivää \u20ac', list: [1, 2.5, null], deep: { a: { b: true } } };
    assert.deepEqual(JSON.parse(await call(context, 'echo', args)), args);
  },

  'progress': async (context) => {
    await call(context, 'progress', { steps: 4 }, { onprogress: () => {} });
    assert.deepEqual(context.beats.map((beat) => beat.progress), [1, 2, 3, 4]);
    assert.equal(context.beats[3].message, 'step 4');
  },

  'cancel': async (context) => {
    const name = `call-${Math.random()}`;
    const abort = new AbortController();
    const hanging = call(context, 'hang', { name }, { signal: abort.signal });
    await context.noted(`started ${name}`);
    abort.abort('enough');
    await assert.rejects(hanging);
    await context.noted(`cancelled ${name}`);
  },

  'sampling accepted': async (context) => {
    const { result } = await sample(context, 'accept');
    assert.equal(result.content.text, 'heard: accept');
    assert.equal(result.model, 'interop-model');
  },
  'sampling declined': async (context) => {
    const { error } = await sample(context, 'decline');
    assert.equal(error.code, -1);
    if (context.through) assert.equal(error.data.reason, 'declined');
  },
  'sampling malformed': async (context) => {
    const { error } = await sample(context, 'malformed');
    assert.ok(error);
    if (context.through) {
      assert.equal(error.code, -32603);
      assert.equal(error.data.reason, 'invalid_response');
    }
  },
  'sampling unanswered': (context) => unanswered(context, sample),

  'form accepted': async (context) => {
    const { result } = await form(context, 'accept');
    assert.deepEqual(result, { action: 'accept', content: { name: 'Ann', age: 7 } });
  },
  'form declined': async (context) => {
    assert.equal((await form(context, 'decline')).result.action, 'decline');
  },
  'form dismissed': async (context) => {
    assert.equal((await form(context, 'dismiss')).result.action, 'cancel');
  },
  // Without a gateway nobody checks it here: the upstream's own affair.
  'form malformed': async (context) => {
    const { result, error } = await form(context, 'malformed');
    if (!context.through) {
      assert.equal(result.content.age, 'old');
    } else {
      assert.equal(error.code, -32603);
      assert.equal(error.data.reason, 'invalid_response');
    }
  },
  'form unanswered': (context) => unanswered(context, form),

  'roots': async (context) => {
    assert.deepEqual((await ask(context, 'roots/list', {})).result.roots, roots);
  },
  'still alive': async (context) => assert.equal(await call(context, 'echo', {}), '{}'),
};
