// What is tried, on each road. A scenario throws if it did not go as it should,
// and NotApplicable if the peers of the lane cannot do it. Where the roads must
// differ, `through` says that Gatehouse is between.
//
// A scenario's context: {client, connect(), through, revision, noted(line)}.
// `client` is a ClientProgram; `connect()` gives one more on the same road.
import assert from 'node:assert/strict';

export class NotApplicable extends Error {}

const roots = [{ uri: 'file:///srv/project', name: 'project' }];

// `words` of the client (peers/README.md) without which there is no scenario.
export function needs(words, scenario) {
  return async (context) => {
    for (const word of words) {
      if (!context.client.can.includes(word)) throw new NotApplicable(`the client has no ${word}`);
    }
    return scenario(context);
  };
}

async function needTool({ client }, name) {
  const { tools } = await client.list();
  if (!tools.some((tool) => tool.name === name)) {
    throw new NotApplicable(`the upstream has no tool ${name}`);
  }
}

const textOf = (result) => result.content[0].text;
const call = async ({ client }, name, args) => textOf(await client.call(name, args).result);
const echo = async (context, args) => assert.deepEqual(
  JSON.parse(await call(context, 'echo', args)), args);

const ask = async (context, method, params, timeoutMs = 30000) =>
  JSON.parse(await call(context, 'ask', { method, params, timeoutMs }));

const samplingParams = (wish) => ({
  messages: [{ role: 'user', content: { type: 'text', text: wish } }], maxTokens: 50,
});
const sample = (context, wish, timeoutMs) => (
  ask(context, 'sampling/createMessage', samplingParams(wish), timeoutMs));

const form = (context, wish, timeoutMs) => ask(context, 'elicitation/create', {
  message: wish,
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  },
}, timeoutMs);

// The gateway's own deadline, 5 s and what a busy machine adds, ends it; without a
// gateway, the upstream's.
async function unanswered(context, question) {
  const { error } = await question(context, 'silent', context.through ? 30000 : 1000);
  assert.ok(error);
  if (context.through) {
    assert.equal(error.code, -32603);
    assert.equal(error.data.reason, 'expired');
  }
}

function assertInvalid(error) {
  assert.equal(error.code, -32603);
  assert.equal(error.data.reason, 'invalid_response');
}

const plain = {
  'revision': async ({ client, revision }) => assert.equal(client.granted, revision),

  'ping': needs(['ping'], ({ client }) => client.ping()),
};

const calls = {
  'list': async ({ client }) => {
    const { tools } = await client.list();
    const names = tools.map((tool) => tool.name);
    for (const name of ['echo', 'progress', 'hang', 'ask']) assert.ok(names.includes(name), name);
  },

  'call': (context) => echo(context, { list: [1, 2.5, null], deep: { a: { b: true } } }),
  // Both clients count their ids from the same start.
  'equal ids of two clients': async (context) => {
    const clients = [context.client, await context.connect()];
    await Promise.all(clients.flatMap((client, who) => [1, 2, 3, 4].map(
      (turn) => echo({ client }, { who, turn }))));
    await clients[1].close();
  },
  'unicode': (context) => echo(context,
    { text: 'päivää \u20ac \u{1f600} \u2028 \u0000', 'ключ': '\\"' }),
  'big result': (context) => echo(context, { text: 'gatehouse '.repeat(100000) }),

  'tool says isError': async (context) => {
    await needTool(context, 'fail');
    const result = await context.client.call('fail', { how: 'result' }).result;
    assert.equal(result.isError, true);
    assert.equal(textOf(result), 'failed as told');
  },
  'tool throws': async (context) => {
    await needTool(context, 'fail');
    await assert.rejects(context.client.call('fail', { how: 'thrown' }).result,
      { code: -32602, message: /thrown as told/ });
  },
  // An error, or a result that says so: what the SDKs make of it differs.
  'unknown tool': async ({ client, through }) => {
    const outcome = await client.call('no-such-tool', {}).result.then(
      ({ isError }) => ({ isError }), ({ code }) => ({ code }));
    if (through) assert.deepEqual(outcome, { code: -32602 });
    else assert.ok(outcome.isError || outcome.code, JSON.stringify(outcome));
  },

  'progress': needs(['progress'], async ({ client }) => {
    const calling = client.call('progress', { steps: 4 });
    await calling.result;
    await client.beats(calling, 4);
    assert.deepEqual(calling.beats.map((beat) => beat.progress), [1, 2, 3, 4]);
    assert.equal(calling.beats[3].message, 'step 4');
  }),

  'cancel': needs(['cancel'], async ({ client, noted, nextName }) => {
    const name = nextName('call');
    const hanging = client.call('hang', { name });
    await noted(`started ${name}`);
    await client.cancel(hanging);
    await assert.rejects(hanging.result);
    await noted(`cancelled ${name}`);
  }),

  'list changed': needs(['listChanged'], async (context) => {
    await needTool(context, 'grow');
    const { client } = context;
    const before = client.listChanges;
    assert.equal(await call(context, 'grow', { name: 'fresh' }), 'grown');
    await client.listChanged(before + 1);
    assert.ok((await client.list()).tools.some((tool) => tool.name === 'fresh'));
    assert.equal(await call(context, 'fresh', {}), 'I am fresh');
  }),
};

const sampling = {
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
  // Without a gateway it is the upstream's own affair whether it looks.
  'sampling malformed': needs(['malformed'], async (context) => {
    const { result, error } = await sample(context, 'malformed');
    assert.ok(result || error);
    if (context.through) assertInvalid(error);
  }),
  'sampling unanswered': (context) => unanswered(context, sample),
  // The client declared sampling without tools. Direct, it is up to the SDKs
  // whether they look; through, Gatehouse refuses it.
  'sampling with undeclared tools': async (context) => {
    const { result, error } = await ask(context, 'sampling/createMessage', {
      ...samplingParams('accept'),
      tools: [{ name: 'look', inputSchema: { type: 'object' } }],
    });
    assert.ok(result || error);
    if (!context.through) return;
    assert.equal(error.code, -32602);
    assert.equal(error.data.reason, 'capability_not_declared');
  },
};

const forms = {
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
  // Without a gateway it is the upstream's own affair whether it looks.
  'form malformed': needs(['malformed'], async (context) => {
    const { result, error } = await form(context, 'malformed');
    if (context.through) assertInvalid(error);
    else assert.ok(error ?? result.content.age === 'old');
  }),
  'form unanswered': (context) => unanswered(context, form),
};

const endings = {
  'roots': needs(['roots'], async (context) => {
    assert.deepEqual((await ask(context, 'roots/list', {})).result.roots, roots);
  }),
  'log level': needs(['level'], async () => {
    throw new NotApplicable('this build of Gatehouse serves no logging');
  }),
  'still alive': (context) => echo(context, { still: 'alive' }),
  // The last one: nothing can be asked in this session any more. (Some upstreams
  // take what comes without a session.)
  'terminate': needs(['terminate'], async ({ client, through }) => {
    await client.terminate();
    if (through) await assert.rejects(client.ping());
    else await client.ping().catch(() => {});
  }),
};

const each = (words, named) => Object.fromEntries(
  Object.entries(named).map(([name, scenario]) => [name, needs(words, scenario)]));

// The ping is late, since Gatehouse answers it itself: so an upstream's ids differ
// from a client's before it.
export const scenarios = {
  'revision': plain.revision,
  ...calls, ...each(['sampling'], sampling), ...each(['elicitation'], forms),
  'ping': plain.ping,
  ...endings,
};

// Those that fit any server; the second is always the last.
export const common = { ...plain, 'unknown tool': calls['unknown tool'] };
export const ending = { 'terminate': endings.terminate };

// The scenarios that fit any server. `good` is {tool, arguments, check(result)}, `bad` a
// call of a real tool that must fail.
export function plainScenarios({ tools, good, bad }) {
  return {
    ...common,
    'list': async ({ client }) => {
      const names = (await client.list()).tools.map((tool) => tool.name);
      for (const name of tools) assert.ok(names.includes(name), name);
    },
    'call': async ({ client }) => {
      const result = await client.call(good.tool, good.arguments).result;
      assert.ok(!result.isError, JSON.stringify(result));
      good.check?.(result);
    },
    ...(bad && {
      'call that fails': async ({ client }) => {
        const outcome = await client.call(bad.tool, bad.arguments).result.catch((error) => error);
        assert.ok(outcome.isError || outcome.code !== undefined, JSON.stringify(outcome));
      },
    }),
    'equal ids of two clients': async (context) => {
      const other = await context.connect();
      for (const client of [context.client, other]) await client.list();
      await Promise.all([context.client, other].map(
        async (client) => client.call(good.tool, good.arguments).result));
      await other.close();
    },
    ...ending,
  };
}
