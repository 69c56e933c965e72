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
//   transport, scenario, lane   where it is looked at; `part` of which run
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

const overStdio = 'the client of a stdio upstream speaks HTTP to Gatehouse';
const transports = [
  { side: 'client', transport: 'stdio', change: 'added', path: '/http', reason: overStdio },
  { side: 'client', transport: 'stdio', change: 'added', kind: 'http', path: '', reason: overStdio },
];

const ownIds = 'ids belong to one hop: Gatehouse counts its own towards an upstream';
const opaqueId = 'an input request travels under an opaque id of Gatehouse\'s';
const ids = [
  { side: 'upstream', from: 'client', kind: 'request', path: '/message/id', reason: ownIds },
  { side: 'upstream', from: 'upstream', kind: 'response', path: '/message/id', reason: ownIds },
  { side: 'upstream', path: '/message/params/_meta/progressToken', reason: ownIds },
  { side: 'upstream', path: '/message/params/progressToken', reason: ownIds },
  { side: 'upstream', path: '/message/params/requestId', reason: ownIds },
  { side: 'client', from: 'upstream', kind: 'request', path: '/message/id', reason: opaqueId },
  { side: 'client', from: 'client', kind: 'response', path: '/message/id', reason: opaqueId },
  { side: 'client', path: '/message/params/requestId', reason: opaqueId },
];

const itself = 'Gatehouse is the server that the client sees, and the client that the upstream sees';
const initialize = { method: 'initialize' };
const handshake = [
  ...each([['name', itself], ['version', itself], ['title', itself]],
    (name) => ({ ...initialize, side: 'client', path: `/message/result/serverInfo/${name}` })),
  ...each([['name', itself], ['version', itself]],
    (name) => ({ ...initialize, side: 'upstream', path: `/message/params/clientInfo/${name}` })),
  { ...initialize, side: 'upstream', path: '/message/params/protocolVersion', through: '2025-11-25',
    reason: 'Gatehouse offers its newest legacy revision and takes what is granted' },
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
  { scenario: 'unknown tool', side: 'client', path: '/message/error/message', reason: unknownTool },
  { scenario: 'unknown tool', side: 'client', path: '/message/error/data',
    through: { reason: 'unknown_tool' }, reason: unknownTool },
];

const afterEnd = 'what comes after the end of a session has an answer of Gatehouse\'s own';
const ends = [
  { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
    path: '/message/error/*', reason: afterEnd },
  { scenario: 'terminate', side: 'client', from: 'upstream', kind: 'response',
    path: '/message/id', change: 'missing', reason: afterEnd },
  { scenario: 'terminate', side: 'upstream', change: 'missing', path: '', reason: afterEnd },
];

export const allowedDifferences = [
  ...allowedOfPeers,
  ...requestHeaders, ...answerHeaders, ...forms, ...transports, ...ids,
  { side: 'client', from: 'upstream', kind: 'request', path: '/message/params/_meta',
    change: 'added',
    through: /^\{"io\.gatehouse\/origin":\{"tool":"[^"]+","upstream":"up","virtualServer":"[^"]+"\}\}$/,
    reason: 'the origin of an input request is added to what the client sees' },
  { scenario: 'cancel', side: 'upstream', method: 'notifications/cancelled',
    path: '/message/params/reason', through: 'cancelled by the client',
    reason: 'a cancel is told in Gatehouse\'s words' },
  ...handshake, ...sessions, ...judged, ...expired, ...names, ...ends,
];
