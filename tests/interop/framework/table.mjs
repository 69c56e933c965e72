// What a run shows: a table a lane, scenario × cell, then what failed and why.
// `ok` means that the scenario went well on both roads and that their traces
// are the same but for the allowed differences.
const signs = { passed: 'ok', failed: 'FAIL', 'n/a': 'n/a' };

const titleOf = (cell) => `${cell.transport} ${cell.revision}`;

// `cells` is a list of cells with their rows, or why the lane did not run.
export function printLane({ lane, cells }) {
  console.log(`\n${lane.name}`);
  if (typeof cells === 'string') {
    console.log(`  not run: ${cells}`);
    return;
  }
  const names = [...new Set(cells.flatMap((cell) => cell.rows.map((row) => row.scenario)))];
  const width = Math.max(...names.map((name) => name.length));
  console.log(`  ${' '.repeat(width)}  ${cells.map(titleOf).join('  ')}`);
  for (const name of names) {
    const rows = cells.map((cell) => cell.rows.find((row) => row.scenario === name));
    const marks = rows.map((row, index) => (
      (signs[row?.state] ?? '').padEnd(titleOf(cells[index]).length)));
    const why = [...new Set(rows.filter((row) => row?.state === 'n/a').map((row) => row.why))];
    console.log(`  ${name.padEnd(width)}  ${marks.join('  ')}  ${
      why.map((reason) => `n/a: ${reason}`).join('; ')}`.trimEnd());
  }
  for (const cell of cells) {
    for (const row of cell.rows.filter(({ state }) => state === 'failed')) {
      console.log(`\n${lane.name}, ${titleOf(cell)}, ${row.scenario}:\n${row.why}`);
    }
  }
}

// Entries of the list of allowed differences that no scenario needed.
export function printUnused(entries) {
  for (const { path, reason } of entries) {
    console.log(`\nallowed, but never seen in this run: ${path || 'a whole message'}: ${reason}`);
  }
}

// Gives how many failed. The very last line is `N passed, N failed`.
export function printTotals(lanes) {
  const rows = lanes.flatMap(({ cells }) => (
    typeof cells === 'string' ? [] : cells.flatMap((cell) => cell.rows)));
  const count = (state) => rows.filter((row) => row.state === state).length;
  console.log();
  for (const { lane, cells } of lanes) {
    if (typeof cells === 'string') console.log(`not run: ${lane.name}: ${cells}`);
  }
  console.log(`${count('n/a')} not applicable`);
  // A part without lanes, or a lane's name misspelt, has shown nothing.
  const failed = count('failed') + (lanes.length === 0 ? 1 : 0);
  console.log(`${count('passed')} passed, ${failed} failed`);
  return failed;
}
