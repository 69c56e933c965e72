// How records become threads: each row is a sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadsOf } from './trace.mjs';

const marks = [{ name: 'first', at: 10 }, { name: 'second', at: 20 }];

let clock = 0;
const at = (time) => { clock = time; };
const record = (from, message, session = 's') => (
  { at: clock++, from, session, ...(message && { message }) });
const call = (id, token) => (
  { id, method: 'tools/call', params: token === undefined ? {} : { _meta: { progressToken: token } } });
const progress = (token) => (
  { method: 'notifications/progress', params: { progressToken: token } });
const cancelled = (id) => ({ method: 'notifications/cancelled', params: { requestId: id } });

const rows = [
  ['a response joins its request', () => {
    at(11);
    return [record('client', call(1)), record('upstream', { id: 1, result: {} })];
  }, ['first: client request tools/call, upstream response tools/call']],
  ['the same id in the other direction is another request', () => {
    at(11);
    return [record('client', call(0)), record('upstream', { id: 0, method: 'roots/list' }),
      record('client', { id: 0, result: {} }), record('upstream', { id: 0, result: {} })];
  }, ['first: client request tools/call, upstream response tools/call',
    'first: upstream request roots/list, client response roots/list']],
  ['the same id in another session is another request', () => {
    at(11);
    return [record('client', call(1), 'a'), record('client', call(1), 'b'),
      record('upstream', { id: 1, result: {} }, 'a')];
  }, ['first: client request tools/call, upstream response tools/call',
    'first: client request tools/call']],
  ['a late answer belongs to the scenario of its request', () => {
    at(11);
    const asked = record('client', call(1));
    at(25);
    return [record('upstream', { id: 1, result: {} }), asked];
  }, ['first: client request tools/call, upstream response tools/call']],
  ['a beat joins the request that gave its token', () => {
    at(21);
    return [record('client', call(1, 't')), record('upstream', progress('t'))];
  }, ['second: client request tools/call, upstream notification notifications/progress']],
  ['a cancel joins the request that it names', () => {
    at(21);
    return [record('client', call(1)), record('client', cancelled(1))];
  }, ['second: client request tools/call, client notification notifications/cancelled']],
  ['a response to nothing stands alone', () => {
    at(21);
    return [record('upstream', { id: 9, result: {} })];
  }, ['second: upstream response undefined']],
  ['what comes before the first scenario is the connection', () => {
    at(1);
    return [record('client', { id: 0, method: 'ping' })];
  }, ['connect: client request ping']],
  ['a handshake is the connection whenever it comes', () => {
    at(21);
    return [record('client', { id: 0, method: 'initialize' })];
  }, ['connect: client request initialize']],
  ['the first stream of a session belongs to its handshake, another does not', () => {
    at(21);
    const get = () => ({ ...record('client'), http: { method: 'GET' } });
    return [get(), get(), { ...get(), session: undefined }];
  }, ['connect: client http GET', 'second: client http GET', 'second: client http GET']],
  ['a request without a message is known by its method', () => {
    at(21);
    return [{ ...record('client'), http: { method: 'DELETE' } }];
  }, ['second: client http DELETE']],
  ['a line that is no JSON is kept as text', () => {
    at(21);
    return [{ ...record('upstream'), text: 'hello' }];
  }, ['second: upstream text undefined']],
];
for (const [name, records, want] of rows) {
  test(name, () => {
    const threads = threadsOf(records(), marks);
    assert.deepEqual(threads.map(({ scenario, parts }) => `${scenario}: ${
      parts.map(({ from, kind, method }) => `${from} ${kind} ${method}`).join(', ')}`), want);
  });
}
