// Runs every scenario on every road and prints a table; exit 1 on any FAIL.
// `run.mjs direct` leaves Gatehouse out: a check of the scenarios themselves.
// Environment: GATEHOUSE_BIN, the folder of the programs.
import {
  chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { deadline, start, stopAll } from './processes.mjs';
import { scenarios } from './scenarios.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const asRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-interop-'));
chmodSync(folder, 0o755);

// As root a stdio upstream runs as nobody, who may not reach the build tree.
const peers = asRoot ? join(folder, 'peers') : here;
if (asRoot) cpSync(here, peers, { recursive: true, dereference: true });

const revisions = ['2025-06-18', '2025-11-25'];
const transports = ['http', 'stdio'];
const cells = transports.flatMap((transport) => revisions.map((revision) => ({
  transport,
  revision,
  server: `${transport}-${revision}`,
  notes: join(folder, `${transport}-${revision}.notes`),
})));

function upstreamArgs(cell) {
  return [join(peers, 'upstream.mjs'), cell.transport, cell.revision, cell.notes];
}

function policyOf(cell) {
  const upstream = cell.transport === 'http'
    ? { name: 'up', http: { url: `${cell.url}` } }
    : { name: 'up', stdio: { command: [process.execPath, ...upstreamArgs(cell)],
                             env: { LANG: 'C.UTF-8' }, ...(asRoot && { runAs: 'nobody' }) } };
  return {
    kind: 'VirtualServer',
    name: cell.server,
    upstreams: [upstream],
    catalogue: { prefix: 'none' },
    clientFeatures: { sampling: true, roots: true, elicitation: true },
    trust: { sampling: { route: 'client' }, elicitation: { route: 'client' } },
    replyDeadline: '5s',
  };
}

async function startGatehouse() {
  const bin = process.env.GATEHOUSE_BIN;
  const policies = join(folder, 'policy');
  mkdirSync(policies);
  for (const cell of cells) {
    writeFileSync(join(policies, `${cell.server}.json`), JSON.stringify(policyOf(cell)));
  }
  const data = join(folder, 'data');
  const control = await start(join(bin, 'gatehouse-control'),
    ['--data-dir', data, '--listen', '127.0.0.1:0', '--policy', policies]);
  const worker = await start(join(bin, 'gatehouse-worker'),
    ['--control', `unix:${control.socket}`, '--token-file', join(data, 'tokens/worker.token'),
      '--listen', '127.0.0.1:0', '--name', 'interop']);
  return worker.listen;
}

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

async function runRoad(cell, target, through) {
  const outcomes = {};
  let session;
  try {
    session = await Promise.race([connect(target, cell.revision), deadline(20000, 'not connected')]);
  } catch (error) {
    for (const name of Object.keys(scenarios)) outcomes[name] = error;
    return outcomes;
  }
  const context = { ...session, through, revision: cell.revision,
                    noted: (line) => noted(cell, line) };
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      await Promise.race([scenario(context), deadline(45000, 'not done')]);
      outcomes[name] = 'ok';
    } catch (error) {
      outcomes[name] = error;
    }
  }
  await session.client.close();
  return outcomes;
}

function printTable(columns) {
  const names = Object.keys(scenarios);
  const width = Math.max(...names.map((name) => name.length));
  console.log(' '.repeat(width), columns.map((column) => column.title).join('  '));
  for (const name of names) {
    const row = columns.map((column) => (
      (column.outcomes[name] === 'ok' ? 'ok' : 'FAIL').padEnd(column.title.length)));
    console.log(name.padEnd(width), row.join('  '));
  }
  const failures = columns.flatMap((column) => names
    .filter((name) => column.outcomes[name] !== 'ok')
    .map((name) => `${column.title}, ${name}: ${column.outcomes[name].stack}`));
  for (const failure of failures) console.log(`\n${failure}`);
  const all = columns.length * names.length;
  console.log(`\n${all - failures.length} passed, ${failures.length} failed`);
  return failures.length;
}

async function main() {
  for (const cell of cells) {
    writeFileSync(cell.notes, '');
    chmodSync(cell.notes, 0o666);
    if (cell.transport !== 'http') continue;
    const { listen } = await start(process.execPath, upstreamArgs(cell));
    cell.url = `http://${listen}/mcp`;
  }
  const directOnly = process.argv[2] === 'direct';
  const worker = directOnly ? undefined : await startGatehouse();
  const roads = cells.flatMap((cell) => [
    { title: `direct ${cell.transport} ${cell.revision}`, cell, through: false,
      target: cell.url ? { url: cell.url }
        : { command: process.execPath, args: upstreamArgs(cell) } },
    { title: `gatehouse ${cell.transport} ${cell.revision}`, cell, through: true,
      target: { url: `http://${worker}/mcp/${cell.server}` } },
  ]).filter(({ through }) => !(through && directOnly));
  return printTable(await Promise.all(roads.map(async ({ title, cell, target, through }) => (
    { title, outcomes: await runRoad(cell, target, through) }))));
}

let failed = 1;
try {
  failed = await main();
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
