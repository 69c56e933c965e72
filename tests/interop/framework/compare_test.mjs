// Each row is a sentence; the comparison is what a run trusts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowedList, compareThreads, fieldDifferences, pathMatches } from './compare.mjs';

const request = (id, params, method = 'tools/call') => (
  { from: 'client', kind: 'request', method, message: { id, method, params } });
const response = (id, result, method = 'tools/call') => (
  { from: 'upstream', kind: 'response', method, message: { id, result } });
const beat = (progress) => ({
  from: 'upstream', kind: 'notification', method: 'notifications/progress',
  message: { params: { progress } },
});
const thread = (...parts) => (
  { from: parts[0].from, kind: parts[0].kind, method: parts[0].method, parts });

const fields = [
  ['equal values have no difference', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ['the order of members is none', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['the order of elements is one', [1, 2], [2, 1],
    [{ path: '/0', direct: 1, through: 2 }, { path: '/1', direct: 2, through: 1 }]],
  ['a changed value has its path', { a: { b: [0, 1] } }, { a: { b: [0, 2] } },
    [{ path: '/a/b/1', direct: 1, through: 2 }]],
  ['a missing member is undefined through', { a: 1 }, {},
    [{ path: '/a', direct: 1, through: undefined }]],
  ['an added member is undefined direct', {}, { a: null },
    [{ path: '/a', direct: undefined, through: null }]],
  ['null and absent differ', { a: null }, {},
    [{ path: '/a', direct: null, through: undefined }]],
  ['a number and its text differ', { a: 1 }, { a: '1' },
    [{ path: '/a', direct: 1, through: '1' }]],
  ['an object and an array differ as a whole', { a: {} }, { a: [] },
    [{ path: '/a', direct: {}, through: [] }]],
  ['a name with a slash is escaped', { 'a/b~': 1 }, { 'a/b~': 2 },
    [{ path: '/a~1b~0', direct: 1, through: 2 }]],
];
for (const [name, direct, through, want] of fields) {
  test(name, () => assert.deepEqual(fieldDifferences(direct, through), want));
}

const threads = [
  ['the same conversation has no difference',
    [thread(request(1, { x: 1 }), beat(1), response(1, {}))],
    [thread(request(1, { x: 1 }), beat(1), response(1, {}))], []],
  ['parallel calls may come in another order',
    [thread(request(1, { x: 1 })), thread(request(1, { x: 2 }))],
    [thread(request(1, { x: 2 })), thread(request(1, { x: 1 }))], []],
  ['answers that crossed are seen',
    [thread(request(1, { x: 1 }), response(1, 'one')),
      thread(request(1, { x: 2 }), response(1, 'two'))],
    [thread(request(1, { x: 1 }), response(1, 'two')),
      thread(request(1, { x: 2 }), response(1, 'one'))],
    ['/message/result', '/message/result']],
  ['a lost answer is seen',
    [thread(request(1, {}), response(1, {}))], [thread(request(1, {}))], ['']],
  ['an answer that came twice is seen',
    [thread(request(1, {}), response(1, {}))],
    [thread(request(1, {}), response(1, {}), response(1, {}))], ['']],
  ['a request of our own making is seen',
    [], [thread(request(1, {}, 'ping'), response(1, {}, 'ping'))], ['', '']],
  ['beats out of order are seen',
    [thread(request(1, {}), beat(1), beat(2))], [thread(request(1, {}), beat(2), beat(1))],
    ['/message/params/progress', '/message/params/progress']],
  ['a beat after the answer is seen',
    [thread(request(1, {}), beat(1), response(1, {}))],
    [thread(request(1, {}), response(1, {}), beat(1))], ['/order']],
  ['changed params are a difference, not another call',
    [thread(request(1, { x: 1 }))], [thread(request(1, { x: 2 }))], ['/message/params/x']],
];
for (const [name, direct, through, want] of threads) {
  test(name, () => assert.deepEqual(
    compareThreads(direct, through).map(({ path }) => path), want));
}

const paths = [
  ['/a/b', '/a/b', true], ['/a/*', '/a/b', true], ['/a/*', '/a', false],
  ['/a/*', '/a/b/c', false], ['/a/**', '/a/b/c', true], ['/a/**', '/a', false],
  ['/a', '/a/b', false], ['', '', true], ['', '/a', false], ['/a/*/c', '/a/b/c', true],
];
for (const [pattern, path, want] of paths) {
  test(`pattern '${pattern}' ${want ? 'covers' : 'does not cover'} path '${path}'`,
    () => assert.equal(pathMatches(pattern, path), want));
}

const difference = { from: 'client', kind: 'request', method: 'ping', path: '/message/id',
                     direct: 1, through: 2 };
const where = { side: 'upstream', transport: 'http', scenario: 'ping', lane: 'v1' };
const entries = [
  ['the path alone is enough', { path: '/message/id' }, true],
  ['another path is not', { path: '/message/method' }, false],
  ['every fact of the entry must hold', { path: '/message/id', side: 'client' }, false],
  ['a list holds one of its values', { path: '/message/id', scenario: ['list', 'ping'] }, true],
  ['the values may be told', { path: '/message/id', direct: 1, through: 2 }, true],
  ['and must then be those', { path: '/message/id', through: 3 }, false],
  ['a RegExp matches the text of a value', { path: '/message/id', through: /^2$/ }, true],
  ['and must match', { path: '/message/id', through: /^1/ }, false],
  ['the kind of change may be told', { path: '/message/id', change: 'changed' }, true],
  ['and must then be that', { path: '/message/id', change: 'added' }, false],
];
for (const [name, entry, want] of entries) {
  test(`allowed differences: ${name}`, () => {
    const list = new AllowedList([{ reason: 'a test', ...entry }]);
    assert.equal(list.allows(difference, where), want);
    assert.equal(list.unused().length, want ? 0 : 1);
  });
}

test('an allowed difference needs a reason', () => {
  assert.throws(() => new AllowedList([{ path: '/a' }]), /without a reason: \/a/);
});
