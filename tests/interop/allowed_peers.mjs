// The allowed differences (allowed_differences.mjs) that only the lanes of
// `tools/test --peers` have: other SDKs, and servers that somebody else made.
const part = 'peers';

const each = (paths, reason, more) => paths.map((path) => ({ part, ...more, path, reason }));

const goServers = ['go sdk upstream', 'mcp-cron', 'kubernetes-mcp-server',
  'kubernetes-mcp-server stateless'];

const handshake = [
  ...each(['/message/result/serverInfo/websiteUrl'], 'Gatehouse is the server that the client sees',
    { side: 'client', method: 'initialize', change: 'missing' }),
  ...each(['/message/result/capabilities/tools/listChanged'],
    'a list may change with the policy, whatever the upstream does',
    { side: 'client', method: 'initialize', through: true }),
  ...each(['/message/params/capabilities/elicitation/url'],
    'what the policy does not permit is not offered to an upstream',
    { side: 'upstream', method: 'initialize', lane: 'python sdk client', change: 'missing' }),
  ...each(['/message/params'], 'no params and empty params say the same',
    { side: 'upstream', method: 'notifications/initialized', lane: 'go sdk client',
      change: 'missing', direct: {} }),
];

const revisions = each(['/http/headers/mcp-protocol-version', '/message/result/protocolVersion'],
  'this upstream grants 2025-03-26 whatever is asked; each hop has its own revision',
  { side: 'client', lane: 'mcp-time', direct: '2025-03-26' });

const ownHop = 'each hop has its own connections and its own HTTP programs';
const headers = [
  ...each(['accept', 'cache-control', 'content-type'].map((name) => `/http/headers/${name}`),
    ownHop, { side: 'upstream', kind: 'http', lane: 'python sdk client' }),
  ...each(['allow', 'x-content-type-options'].map((name) => `/http/answer/headers/${name}`),
    ownHop, { side: 'client' }),
  ...each(['/http/answer/status'], 'Gatehouse has a GET stream, whatever its upstreams have',
    { side: 'client', kind: 'http', method: 'GET', direct: 405, through: 200 }),
];

const ownList = 'a list is Gatehouse\'s own: what the upstream says of its list is left out';
const alike = 'calls that say the same are compared in the order in which they came';
const lists = [
  ...each(['/message/result/ttlMs', '/message/result/cacheScope'], ownList,
    { side: 'client', method: 'tools/list', change: 'missing' }),
  ...each(['/message/result/tools/*/inputSchema/properties/format/description'],
    'this upstream says the formats in another order each time',
    { method: 'tools/list', lane: 'mcp-time' }),
  ...each(['/message/id'], alike, { side: 'client', scenario: 'equal ids of two clients' }),
  ...each(['/message/params/_meta/**'], alike,
    { scenario: 'equal ids of two clients', method: 'tools/call' }),
  ...each([''], 'the SDK lists the tools by itself until it has them, once a call or less',
    { lane: 'python sdk client', scenario: 'equal ids of two clients', method: 'tools/list' }),
  ...each(['/message/params'], 'no params and empty params say the same',
    { side: 'client', method: 'notifications/tools/list_changed', change: 'missing', direct: {} }),
  ...each([''], 'said once after each handshake, and those come at other moments through Gatehouse',
    { lane: 'mcp-cron', transport: 'stdio', method: 'notifications/tools/list_changed' }),
];

const clusters = each(['/message/result/content/0/text'],
  'each road has a cluster of its own, at a port of its own, which this upstream tells of',
  { lane: ['kubernetes-mcp-server', 'kubernetes-mcp-server stateless'], method: 'tools/call',
    direct: /http:\/\/127\.0\.0\.1:\d+/, through: /http:\/\/127\.0\.0\.1:\d+/ });

// A client asks for its stream beside its first requests. Where it is granted the
// framework waits for it; this server refuses it (405), in any scenario.
const refusedStream = each([''],
  'the GET that this server refuses falls into whichever scenario runs',
  { lane: 'kubernetes-mcp-server stateless', kind: 'http', method: 'GET' });

const expiry = 'Gatehouse\'s reply deadline ends a question, not the upstream\'s patience';
const unanswered = ['sampling unanswered', 'form unanswered'];
const questions = [
  ...each(['/http/answer/status', '/http/answer/headers'],
    'the SDK drops the request of a cancelled call, maybe before its answer has begun',
    { scenario: 'cancel', lane: 'go sdk client', method: 'tools/call', change: 'added' }),
  ...each([''], 'who has cancelled a call hears no more of it',
    { scenario: 'cancel', side: 'client', from: 'upstream', kind: 'response',
      method: 'tools/call', change: 'missing' }),
  ...each(['/message/params'], 'the origin of an input request is added to what the client sees',
    { scenario: 'roots', side: 'client', from: 'upstream', change: 'added',
      through: /^\{"_meta":\{"io\.gatehouse\/origin":\{[^{}]*\}\}\}$/ }),
  ...each([''], expiry,
    { scenario: unanswered, side: 'client', method: 'notifications/cancelled',
      lane: 'go sdk upstream', change: 'added', through: /the request is no longer open/ }),
  ...each(['/message/error/code', '/message/error/message', '/message/error/data'], expiry,
    { scenario: unanswered, side: 'upstream', from: 'client', kind: 'response',
      lane: 'go sdk client' }),
];

// What a busy machine may decide either way.
const races = [
  ...each([''], 'the SDK may still answer a question that was taken back, or not',
    { scenario: unanswered, lane: 'go sdk client', side: 'client', from: 'client',
      kind: 'response' }),
  ...each(['/http/answer/status', '/http/answer/headers'],
    'a run may be over before the answer of its last request is recorded',
    { scenario: 'terminate', kind: 'http', method: 'DELETE', side: 'upstream',
      change: 'missing' }),
];

const afterEnd = 'a session that was ended is ended, though this upstream goes on without one';
const ends = [
  ...each(['/http/answer/status'], afterEnd,
    { scenario: 'terminate', side: 'client', method: 'ping', lane: goServers, through: 400 }),
  ...each([''], afterEnd,
    { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
      lane: [...goServers, 'mcp-time'] }),
];

// @ai-sdk/mcp opens its GET stream before it initializes, and goes on without one.
const aiSdk = { lane: 'ai-sdk client' };
const early = 'a GET before initialize is refused at each hop in its own words';
const ownStream = 'Gatehouse opens a GET stream to an upstream, whatever its client does';
const npmClients = [
  ...each(['/message/error/code', '/message/error/message', '/message/id', ''], early,
    { ...aiSdk, from: 'upstream', kind: 'response', method: undefined }),  // to nothing
  ...each(['', '/http/answer/status', '/http/answer/headers/content-type',
    '/http/answer/headers/cache-control', '/http/answer/headers/x-accel-buffering'], ownStream,
  { ...aiSdk, side: 'upstream', kind: 'http', method: 'GET' }),
  ...each(['/message/params/capabilities/extensions'], 'unknown extensions are left out',
    { lane: 'inspector client', side: 'upstream', method: 'initialize', change: 'missing' }),
];

export const allowedOfPeers = [
  ...handshake, ...revisions, ...headers, ...lists, ...clusters, ...refusedStream,
  ...questions, ...races, ...ends,
  ...npmClients,
];
