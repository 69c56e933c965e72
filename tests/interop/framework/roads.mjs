// Runs the scenarios of a cell on its two roads, direct and through Gatehouse,
// and compares what the taps recorded.
//
// A cell is one lane with one transport of the upstream and one revision. Its
// outcomes are, by scenario, {state: 'passed' | 'failed' | 'n/a', why}.
import { readFileSync, watch } from 'node:fs';
import { NotApplicable } from '../scenarios.mjs';
import { ClientProgram } from './client_program.mjs';
import { now } from './clock.mjs';
import { HttpTap, recordsOf } from './http_tap.mjs';
import { deadline } from './processes.mjs';

const scenarioMs = 60000;

// Waits until a line stands in the cell's notes.
async function noted(cell, line) {
  const has = () => readFileSync(cell.notes, 'utf8').split('\n').includes(line);
  let watcher;
  const seen = new Promise((resolve) => {
    watcher = watch(cell.notes, () => has() && resolve());
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

// Gives {outcomes, marks}: when each scenario started.
async function runRoad(cell, target, through) {
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
    noted: (line) => noted(cell, line),
    nextName: (kind) => `${kind}-${through ? 'through' : 'direct'}-${++names}`,
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

// Where the client of a road connects to, by way of a tap.
async function directRoad(cell, kit) {
  if (cell.transport === 'stdio') {
    const file = kit.sharedFile(`${cell.name}-direct.trace`);
    const target = tappedCommand(kit, file, cell.upstream);
    return { target, records: () => linesOf(file), close() {} };
  }
  const tap = await HttpTap.start(cell.upstream.url);
  return { target: { url: tap.url }, records: () => recordsOf(tap), close: () => tap.close() };
}

// `upstream` is {command, args, env}; gives the same with a tap before it.
function tappedCommand(kit, file, upstream) {
  return {
    ...upstream,
    command: kit.reachableNode,
    args: [kit.reachableFile('framework/stdio_tap.mjs'), file, upstream.command, ...upstream.args],
  };
}

// What Gatehouse connects to: the policy's part on the upstream, and its tap.
export async function tapUpstream(cell, kit) {
  if (cell.transport === 'stdio') {
    const file = kit.sharedFile(`${cell.name}-upstream.trace`);
    const { command, args, env, runAs } = tappedCommand(kit, file, cell.upstream);
    return {
      policy: { stdio: { command: [command, ...args], env: { LANG: 'C.UTF-8', ...env },
                         ...(runAs ? { runAs } : kit.runAs) } },
      records: () => linesOf(file),
      close() {},
    };
  }
  const tap = await HttpTap.start(cell.upstream.url);
  return {
    policy: { http: { url: tap.url } }, records: () => recordsOf(tap), close: () => tap.close(),
  };
}

async function throughRoad(cell, gatehouse) {
  const tap = await HttpTap.start(gatehouse.url(cell.name));
  return { target: { url: tap.url }, records: () => recordsOf(tap), close: () => tap.close() };
}

// Gives a row a scenario: {scenario, state, why}. It passed if it did on both
// roads. What cannot be done direct is not applicable, but through it must not
// have failed either; what can be done direct must be possible through.
export async function runCell(cell, gatehouse, kit) {
  const roads = [await directRoad(cell, kit), await throughRoad(cell, gatehouse)];
  try {
    const [direct, through] = await Promise.all(
      roads.map(({ target }, index) => runRoad(cell, target, index === 1)));
    return rowsOf(direct, through);
  } finally {
    for (const road of [...roads, cell.tap]) road.close();
  }
}

function rowsOf(direct, through) {
  return Object.entries(direct.outcomes).map(([scenario, outcome]) => {
    const other = through.outcomes[scenario];
    if (outcome.state === 'n/a' && other.state !== 'failed') return { scenario, ...outcome };
    const why = [['direct', outcome], ['through', other]]
      .filter(([, { state }]) => state !== 'passed')
      .map(([road, end]) => `${road}, ${end.state}: ${end.why}`).join('\n');
    return { scenario, state: why ? 'failed' : 'passed', why };
  });
}
