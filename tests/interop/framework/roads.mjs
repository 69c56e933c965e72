// Runs the scenarios of a cell on its two roads, direct and through Gatehouse.
//
// A cell is one lane with one transport of the upstream and one revision:
// {lane, name, transport, revision, client, scenarios, notApplicable, roads}.
import { readFileSync, watch } from 'node:fs';
import { NotApplicable } from '../scenarios.mjs';
import { ClientProgram } from './client_program.mjs';
import { now } from './clock.mjs';
import { HttpTap, recordsOf } from './http_tap.mjs';
import { deadline } from './processes.mjs';

const scenarioMs = 60000;

// Waits until a line stands in the road's notes.
async function noted(notes, line) {
  const has = () => readFileSync(notes, 'utf8').split('\n').includes(line);
  let watcher;
  const seen = new Promise((resolve) => {
    watcher = watch(notes, () => has() && resolve());
    if (has()) resolve();
  });
  try {
    await Promise.race([seen, deadline(10000, `not noted: ${line}`)]);
  } finally {
    watcher.close();
  }
}

async function attempt(scenario, context) {
  try {
    await Promise.race([scenario(context), deadline(scenarioMs, 'not done')]);
    return { state: 'passed' };
  } catch (error) {
    if (error instanceof NotApplicable) return { state: 'n/a', why: error.message };
    return { state: 'failed', why: error.stack };
  }
}

// Gives {outcomes, marks}: how each scenario ended, {state: 'passed' | 'failed'
// | 'n/a', why}, and when it started.
async function runRoad(cell, { notes }, target, through) {
  const outcomes = {};
  const marks = [];
  const connect = () => ClientProgram.start(cell.client, target, cell.revision);
  let client;
  try {
    client = await connect();
  } catch (error) {
    for (const name of Object.keys(cell.scenarios)) {
      outcomes[name] = { state: 'failed', why: `not connected: ${error.message}` };
    }
    return { outcomes, marks };
  }
  let names = 0;
  const context = {
    client, connect, through, revision: cell.revision,
    noted: (line) => noted(notes, line),
    nextName: (kind) => `${kind}-${++names}`,
  };
  for (const [name, scenario] of Object.entries(cell.scenarios)) {
    const why = cell.notApplicable[name];
    marks.push({ name, at: now() });
    outcomes[name] = why ? { state: 'n/a', why } : await attempt(scenario, context);
  }
  await client.close();
  return { outcomes, marks };
}

function linesOf(file) {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

// A tap before an upstream, which has it for its own: what it stands for, and
// what it recorded.
async function tapBefore(cell, upstream, road, kit) {
  if (cell.transport === 'http') return tapHttp(upstream.url);
  const file = kit.sharedFile(`${cell.name}-${road}.trace`);
  const { command, args, ...rest } = upstream;
  const target = {
    ...rest,
    command: kit.reachableNode,
    args: [kit.reachableFile('framework/stdio_tap.mjs'), file, command, ...args],
  };
  return { target, records: () => linesOf(file), close() {} };
}

async function tapHttp(url) {
  const tap = await HttpTap.start(url);
  return { target: { url: tap.url }, records: () => recordsOf(tap), close: () => tap.close() };
}

// Starts the upstreams of a cell, one a road, and the taps before them.
export async function prepareCell(cell, upstream, kit) {
  cell.roads = {};
  for (const road of ['direct', 'through']) {
    const notes = kit.sharedFile(`${cell.name}-${road}.notes`);
    const { transport, revision } = cell;
    const serving = await upstream[transport]({ transport, revision, notes });
    cell.roads[road] = { notes, tap: await tapBefore(cell, serving, road, kit) };
  }
}

// The policy's part on the upstream that Gatehouse connects to.
export function policyUpstream(cell, kit) {
  const { url, command, args, env, runAs } = cell.roads.through.tap.target;
  if (url) return { http: { url } };
  return { stdio: { command: [command, ...args], env: { LANG: 'C.UTF-8', ...env },
                    ...(runAs ? { runAs } : kit.runAs) } };
}

// Runs a cell on both roads. Gives for each {outcomes, marks} and what the taps
// recorded at the `client`'s side and at the `upstream`'s; direct, those are one.
export async function runCell(cell, gatehouse) {
  const before = await tapHttp(gatehouse.url(cell.name));
  const { direct, through } = cell.roads;
  try {
    const [directRun, throughRun] = await Promise.all([
      runRoad(cell, direct, direct.tap.target, false),
      runRoad(cell, through, before.target, true),
    ]);
    return {
      direct: { ...directRun, client: direct.tap.records(), upstream: direct.tap.records() },
      through: { ...throughRun, client: before.records(), upstream: through.tap.records() },
    };
  } finally {
    for (const tap of [before, direct.tap, through.tap]) tap.close();
  }
}
