// Every way in which what passes through Gatehouse may differ from what passes
// without it. A difference that no entry covers fails its scenario; an entry
// that nothing needed is shown at the end of a run.
//
// An entry says of a difference (framework/compare.mjs) what it must be:
//   reason                  why Gatehouse may do this; always there
//   path                    where, a JSON pointer; `*` is one step, `**` the rest
//   from, kind, method      of the message: who sent it, what it is
//   side                    'client' or 'upstream': whose side of Gatehouse
//   change                  'added', 'missing' or 'changed' through Gatehouse
//   direct, through         the values, or a RegExp that their text matches
//   transport, revision, scenario, lane   where it is looked at; `part` of which run
// A list stands for any of its values; what is not told may be anything.
import { allowedOfPeers } from './allowed_peers.mjs';

// The same for several of one kind: [what, reason] pairs.
const each = (pairs, entryOf) => pairs.map(([what, reason]) => ({ ...entryOf(what), reason }));

const ownHop = 'each hop has its own connections and its own HTTP programs';
const ownSession = 'a session id is a secret between two peers: each hop has its own';
const browserHabit = 'a habit of browsers that the SDKs have; it means nothing here';

const requestHeaders = each([
  ['host', ownHop], ['connection', ownHop], ['user-agent', ownHop],
  ['accept-language', browserHabit], ['sec-fetch-mode', browserHabit],
  ['accept-encoding', 'Gatehouse inflates nothing, so it asks for nothing deflated'],
  ['content-length', 'follows from the ids and from what Gatehouse adds'],
  ['mcp-session-id', ownSession],
], (name) => ({ from: 'client', path: `/http/headers/${name}` }));

const answerHeaders = each([
  ['date', ownHop], ['connection', ownHop], ['keep-alive', ownHop],
  ['content-length', 'a body of known length may be sent either way'],
  ['transfer-encoding', 'a body of known length may be sent either way'],
  ['mcp-session-id', ownSession],
], (name) => ({ from: 'client', path: `/http/answer/headers/${name}` }));

const bodyForStream = 'SSE against JSON: what needs no stream Gatehouse answers with one body';
const forms = each([
  ['/http/form', bodyForStream], ['/http/event', bodyForStream],
  ['/http/answer/headers/content-type', bodyForStream],
  ['/http/answer/headers/cache-control', bodyForStream],
  ['/http/answer/headers/x-accel-buffering', bodyForStream],
], (path) => ({ side: 'client', path }));

// What other servers send that is theirs alone.
const ofServer = each([
  ['x-powered-by', ownHop],
  ['access-control-allow-origin', 'which pages may read an answer is for each server to say'],
  ['access-control-expose-headers', 'which pages may read an answer is for each server to say'],
], (name) => ({ side: 'client', from: 'client', change: 'missing',
                path: `/http/answer/headers/${name}` }));
const eventIds = [
  { side: 'client', from: 'upstream', path: '/http/id', change: 'missing',
    reason: 'a stream of Gatehouse\'s cannot be resumed by its event ids' },
  { side: 'upstream', from: 'upstream', path: '/http/id', change: 'changed',
    reason: 'an event\'s id is made up by the upstream, anew each time' },
];

const overStdio = 'the client of a stdio upstream speaks HTTP to Gatehouse';
const transports = [
  { side: 'client', transport: 'stdio', change: 'added', path: '/http', reason: overStdio },
  { side: 'client', transport: 'stdio', change: 'added', kind: 'http', path: '',
    reason: overStdio },
];

const ownIds = 'ids belong to one hop: Gatehouse counts its own towards an upstream';
const opaqueId = 'an input request travels under an opaque id of Gatehouse\'s';
const ids = [
  { side: 'upstream', from: 'client', kind: 'request', path: '/message/id', reason: ownIds },
  { side: 'upstream', from: 'upstream', kind: 'response', path: '/message/id', reason: ownIds },
  { side: 'upstream', path: '/message/params/_meta/progressToken', reason: ownIds },
  { side: 'upstream', path: '/message/params/progressToken', reason: ownIds },
  { side: 'upstream', path: '/message/params/requestId', reason: ownIds },
  { side: 'upstream', from: 'upstream', kind: 'request', path: '/message/id',
    reason: 'an upstream counts its questions, and Gatehouse\'s session has had others' },
  { side: 'upstream', from: 'client', kind: 'response', path: '/message/id',
    reason: 'an upstream counts its questions, and Gatehouse\'s session has had others' },
  { side: 'client', from: 'upstream', kind: 'request', path: '/message/id', reason: opaqueId },
  { side: 'client', from: 'client', kind: 'response', path: '/message/id', reason: opaqueId },
  { side: 'client', path: '/message/params/requestId', reason: opaqueId },
];

const itself = 'Gatehouse is the server that the client sees, and the upstream\'s client';
const ownRevision = 'Gatehouse offers its newest legacy revision and takes what is granted';
const initialize = { method: 'initialize' };
const handshake = [
  ...each([['name', itself], ['version', itself], ['title', itself]],
    (name) => ({ ...initialize, side: 'client', path: `/message/result/serverInfo/${name}` })),
  ...each([['name', itself], ['version', itself]],
    (name) => ({ ...initialize, side: 'upstream', path: `/message/params/clientInfo/${name}` })),
  { ...initialize, side: 'upstream', path: '/message/params/protocolVersion',
    through: '2025-11-25', reason: ownRevision },
  { ...initialize, side: 'upstream', path: '/message/result/protocolVersion',
    reason: ownRevision },
  { from: 'client', side: 'upstream', path: '/http/headers/mcp-protocol-version',
    reason: ownRevision },
  ...each(['prompts', 'resources', 'logging', 'tasks', 'completions'].map(
    (name) => [name, 'this build of Gatehouse serves tools only']),
  (name) => ({ ...initialize, side: 'client', change: 'missing',
               path: `/message/result/capabilities/${name}` })),
  { ...initialize, side: 'client', change: 'missing', path: '/message/result/instructions',
    reason: 'instructions speak of one upstream; Gatehouse does not pass them on' },
  { ...initialize, side: 'upstream', path: '/message/params/capabilities/elicitation/form',
    change: 'added', through: {}, reason: 'a bare `elicitation` means forms: Gatehouse says so' },
  { ...initialize, side: 'upstream', path: '/message/params/capabilities/roots/listChanged',
    change: 'missing', reason: 'Gatehouse does not announce changed roots to upstreams' },
];

// Stdio sessions run one call at a time that may ask, so there may be more.
const moreProcesses = 'calls at one time have one process each, at a stdio upstream';
const sessions = [
  ...each([['initialize', moreProcesses], ['notifications/initialized', moreProcesses]],
    (method) => ({ side: 'upstream', transport: 'stdio', change: 'added', method, path: '' })),
  { side: 'upstream', method: 'ping', change: 'missing', path: '',
    reason: 'a ping asks whether the next hop lives: Gatehouse answers it itself' },
  { side: 'upstream', method: 'tools/list', change: 'added', path: '',
    reason: 'Gatehouse lists an upstream\'s tools when it meets a name that it does not know' },
  { kind: 'http', method: 'DELETE', path: '/http/answer/status', through: 204, side: 'client',
    reason: '204 and 200 both say that the session is gone' },
  { kind: 'http', method: 'DELETE', path: '/http/headers/accept', change: 'missing',
    side: 'upstream', reason: 'the answer to DELETE has no body to choose a type for' },
];

// DESIGN's error contract, where Gatehouse judges, ends or refuses.
const ask = { method: 'tools/call', path: '/message/result/content/0/text' };
const judged = [
  { scenario: 'sampling declined', ...ask, through: /"code":-1,.*"reason":"declined"/,
    reason: 'a decline is told in Gatehouse\'s words, with its reason' },
  { scenario: 'sampling declined', side: 'upstream', from: 'client', kind: 'response',
    path: '/message/error/message', through: /the user declined/,
    reason: 'a decline is told in Gatehouse\'s words, with its reason' },
  { scenario: 'sampling declined', side: 'upstream', from: 'client', kind: 'response',
    path: '/message/error/data', through: { reason: 'declined' },
    reason: 'a decline is told in Gatehouse\'s words, with its reason' },
  ...['sampling malformed', 'form malformed'].flatMap((scenario) => refused(
    scenario, /"reason":"invalid_response"/, 'a malformed answer is refused, with its path')),
  ...refused('sampling with undeclared tools', /"reason":"capability_not_declared"/,
    'a sub-capability that the client did not declare is refused'),
  { scenario: 'sampling with undeclared tools', side: 'client', change: 'missing',
    method: 'sampling/createMessage', path: '',
    reason: 'what is refused does not reach the client' },
];

function refused(scenario, through, reason) {
  return [
    { scenario, ...ask, through, reason },
    { scenario, side: 'upstream', from: 'client', kind: 'response', change: 'missing',
      path: '/message/result', reason },
    { scenario, side: 'upstream', from: 'client', kind: 'response', change: 'added',
      path: '/message/error', through, reason },
  ];
}

const unanswered = ['sampling unanswered', 'form unanswered'];
const expiry = 'Gatehouse\'s reply deadline ends a question, not the upstream\'s patience';
const expired = [
  { scenario: unanswered, method: 'tools/call', path: '/message/params/arguments/timeoutMs',
    direct: 1000, through: 30000, reason: 'the scenario has its upstream wait for Gatehouse' },
  { scenario: unanswered, ...ask, through: /"code":-32603,.*"reason":"expired"/, reason: expiry },
  { scenario: unanswered, side: 'upstream', from: 'client', kind: 'response', change: 'added',
    path: '', through: /"code":-32603,.*"reason":"expired"/, reason: expiry },
  { scenario: unanswered, side: 'upstream', method: 'notifications/cancelled', change: 'missing',
    path: '', reason: expiry },
  { scenario: unanswered, side: 'client', method: 'notifications/cancelled',
    path: '/message/params/reason', through: 'the request is no longer open', reason: expiry },
];

const unknownTool = 'an unknown tool is answered by Gatehouse, in the words it has for hidden ones';
const names = [
  { scenario: 'unknown tool', side: 'upstream', method: 'tools/call', change: 'missing', path: '',
    reason: unknownTool },
  { scenario: 'unknown tool', side: 'client', path: '/message/error/message',
    reason: unknownTool },
  { scenario: 'unknown tool', side: 'client', path: '/message/result', change: 'missing',
    direct: /"isError":true/, reason: unknownTool },
  { scenario: 'unknown tool', side: 'client', path: '/message/error', change: 'added',
    through: /"reason":"unknown_tool"/, reason: unknownTool },
  { scenario: 'unknown tool', side: 'client', path: '/message/error/data',
    through: { reason: 'unknown_tool' }, reason: unknownTool },
];

const afterEnd = 'what comes after the end of a session has an answer of Gatehouse\'s own';
const ends = [
  { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
    path: '/message/error/*', reason: afterEnd },
  { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
    path: '/message/id', change: 'missing', reason: afterEnd },
  { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
    method: undefined, path: '', reason: afterEnd },
  { scenario: 'terminate', kind: 'http', method: 'GET', path: '',
    reason: 'a client may open a new stream when that of the ended session closes' },
  { scenario: 'terminate', side: 'upstream', change: 'missing', path: '', reason: afterEnd },
];

// server-everything does some things of its own accord, soon after the start of
// a session; Gatehouse's sessions with it start later, and there are more.
const everything = { lane: 'server-everything' };
const ownAccord = [
  ...each([
    ['notifications/tools/list_changed', 'said when a session starts, which is later here'],
    ['roots/list', 'asked when a session starts, outside a call: on the client\'s own stream, if it has one'],
    ['notifications/message', 'logging is not served, and what was refused is not logged'],
  ], (method) => ({ ...everything, method, path: '' })),
  { ...everything, method: 'notifications/cancelled', side: 'client', path: '',
    change: 'added', through: /the call has ended/,
    reason: 'asked while a call runs over stdio it is that call\'s, and withdrawn at its end' },
  { ...everything, method: 'roots/list', side: 'upstream', path: '/message/result',
    change: 'missing', reason: 'asked outside a call: on the client\'s own stream, if it has one' },
  { ...everything, method: 'roots/list', side: 'upstream', path: '/message/error',
    change: 'added', through: /"reason":"(no_operation|operation_ended)"/,
    reason: 'asked outside a call: on the client\'s own stream, if it has one' },
  { ...everything, method: 'tools/list', side: 'client', path: '/message/result/tools/15',
    change: 'missing', direct: /"taskSupport":"required"/,
    reason: 'a tool that runs as a task only is left out with tasks' },
  { ...everything, scenario: 'cancel', method: 'notifications/progress', path: '',
    reason: 'a cancelled call is over for the client, whatever its upstream goes on to say' },
  { ...everything, scenario: 'cancel', path: '/order',
    reason: 'it goes on to tell of progress, before and after the cancel reaches it' },
];

const lostChoice = 'the client\'s revision has no choice of several, so the form is refused';
const choices = [
  { ...everything, scenario: 'form', method: 'tools/call', path: '/message/result/content/**',
    reason: lostChoice },
  { ...everything, scenario: 'form', method: 'tools/call', path: '/message/result/isError',
    through: true, reason: lostChoice },
  { ...everything, scenario: 'form', side: 'client', method: 'elicitation/create', path: '',
    change: 'missing', reason: lostChoice },
  { ...everything, scenario: 'form', side: 'upstream', method: 'elicitation/create',
    path: '/message/result', change: 'missing', reason: lostChoice },
  { ...everything, scenario: 'form', side: 'upstream', method: 'elicitation/create',
    path: '/message/error', through: /"reason":"not_representable"/, reason: lostChoice },
].map((entry) => ({ ...entry, revision: '2025-06-18' }));

export const allowedDifferences = [
  ...allowedOfPeers,
  ...requestHeaders, ...answerHeaders, ...forms, ...ofServer, ...eventIds, ...transports,
  ...ids,
  { side: 'client', from: 'upstream', kind: 'request', path: '/message/params/_meta',
    change: 'added',
    through: /^\{"io\.gatehouse\/origin":\{"tool":"[^"]+","upstream":"up","virtualServer":"[^"]+"\}\}$/,
    reason: 'the origin of an input request is added to what the client sees' },
  { side: 'client', from: 'upstream', kind: 'request', method: 'roots/list',
    path: '/message/params', change: 'added',
    through: /^\{"_meta":\{"io\.gatehouse\/origin":\{"tool":"","upstream":"up","virtualServer":"[^"]+"\}\}\}$/,
    reason: 'the origin of what was asked outside a call, without params' },
  ...handshake, ...sessions, ...judged, ...expired, ...names, ...ends,
  ...ownAccord, ...choices,
];
