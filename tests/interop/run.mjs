// Runs the lanes of a part: every scenario direct and through Gatehouse, their
// traces compared, a table at the end; exit 1 on any failure.
//   run.mjs BUILD_FOLDER [test|peers] [LANE...]
// Environment: GATEHOUSE_BIN, the folder of the programs.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { allowedDifferences } from './allowed_differences.mjs';
import { AllowedList } from './framework/compare.mjs';
import { policyOf, startGatehouse } from './framework/gatehouse.mjs';
import { Kit } from './framework/kit.mjs';
import { deadline, stopAll } from './framework/processes.mjs';
import { policyUpstream, prepareCell, runCell } from './framework/roads.mjs';
import { rowsOf } from './framework/rows.mjs';
import { printLane, printTotals, printUnused } from './framework/table.mjs';
import { v1Client, v1Upstream } from './lanes/typescript_v1.mjs';
import { scenarios } from './scenarios.mjs';

const [build, part = 'test', ...wanted] = process.argv.slice(2);
const wholeRunMs = part === 'test' ? 580000 : 1780000;  // less than what ctest gives
const cellsAtOnce = 2 * availableParallelism();
const kit = new Kit(build);
const lanes = [];  // {lane, cells}, as they are prepared

let cellsMade = 0;

async function loadLanes() {
  const files = readdirSync(kit.file('lanes')).filter((name) => name.endsWith('.mjs')).sort();
  const lanes = await Promise.all(
    files.map(async (file) => (await import(`./lanes/${file}`)).default));
  return lanes.flat().filter((lane) => (
    wanted.length > 0 ? wanted.includes(lane.name) : lane.part === part));
}

// Gives the cells of a lane, or a string that says why it does not run.
async function cellsOf(lane) {
  const peers = await lane.prepare(kit).catch(
    (error) => error.message.replaceAll(/\s+/g, ' ').slice(0, 300));
  if (typeof peers === 'string') return peers;
  const cells = (lane.transports ?? ['http', 'stdio']).flatMap((transport) => (
    (lane.revisions ?? ['2025-06-18', '2025-11-25']).map((revision) => ({ transport, revision }))));
  return Promise.all(cells.map(async ({ transport, revision }) => {
    const name = `cell-${++cellsMade}`;  // a virtual server's name has to be short
    const cell = {
      lane: lane.name, name, transport, revision,
      scenarios: lane.scenarios ?? scenarios,
      notApplicable: lane.notApplicable ?? {},
      client: peers.client ?? v1Client(kit),
    };
    try {
      await prepareCell(cell, peers.upstream ?? v1Upstream(kit), kit);
    } catch (error) {
      cell.rows = [{ scenario: 'start', state: 'failed', why: error.message }];
    }
    return cell;
  }));
}

// Runs `work` on each of `items`, a few at a time.
async function inTurns(items, work) {
  const left = [...items];
  const results = [];
  await Promise.all(Array.from({ length: cellsAtOnce }, async () => {
    while (left.length > 0) results.push(await work(left.shift()));
  }));
  return results;
}

async function main() {
  for (const lane of await loadLanes()) lanes.push({ lane, cells: await cellsOf(lane) });
  const cells = lanes.flatMap((prepared) => (
    typeof prepared.cells === 'string' ? [] : prepared.cells.filter((cell) => !cell.rows)));
  const allowed = new AllowedList(allowedDifferences.filter(
    (entry) => entry.part === undefined || entry.part === part));
  if (cells.length > 0) {
    const gatehouse = await startGatehouse(process.env.GATEHOUSE_BIN, kit.folder,
      cells.map((cell) => policyOf(cell.name, policyUpstream(cell, kit))));
    await inTurns(cells, async (cell) => {
      cell.rows = rowsOf(cell, await runCell(cell, gatehouse), allowed);
    });
  }
  return allowed;
}

// What the lanes came to, also where the run was cut short.
function report(cutShort) {
  for (const prepared of lanes) {
    if (typeof prepared.cells !== 'string') {
      for (const cell of prepared.cells) {
        cell.rows ??= [{ scenario: 'run', state: 'failed', why: cutShort }];
      }
    }
    printLane(prepared);
  }
  return printTotals(lanes);
}

async function end(code) {
  await stopAll();
  kit.remove();
  process.exit(code);
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => end(1));
let failed;
try {
  const allowed = await Promise.race([main(), deadline(wholeRunMs, 'the run is not done')]);
  if (wanted.length === 0) printUnused(allowed.unused());
  failed = report();
} catch (error) {
  console.error(error.stack);
  failed = report(error.message) + 1;
}
await end(failed === 0 ? 0 : 1);
