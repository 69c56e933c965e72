// What a cell's two roads come to: a row a scenario, {scenario, state, why}. A
// row passed if the scenario did on both roads and the traces of both sides
// differ in nothing but what is allowed. Pure.
import { canonical, compareThreads } from './compare.mjs';
import { threadsOf } from './trace.mjs';

const maxShown = 12;
const maxValue = 300;

// Every scenario's differences that are not allowed, by scenario.
function surprises(cell, direct, through, allowed) {
  const found = {};
  for (const side of ['client', 'upstream']) {
    const roads = [direct, through].map((run) => threadsOf(run[side], run.marks));
    for (const scenario of ['connect', ...direct.marks.map(({ name }) => name)]) {
      const [one, other] = roads.map((threads) => (
        threads.filter((thread) => thread.scenario === scenario)));
      const { transport, revision, lane } = cell;
      const where = { side, scenario, transport, revision, lane };
      const differences = compareThreads(one, other)
        .filter((difference) => !allowed.allows(difference, where));
      (found[scenario] ??= []).push(...differences.map((difference) => ({ side, ...difference })));
    }
  }
  return found;
}

function show(value) {
  return value === undefined ? 'nothing' : canonical(value).slice(0, maxValue);
}

function describe({ side, from, kind, method, path, direct, through }) {
  return `${side}'s side: ${from} ${kind} ${method} ${path || '(the whole message)'}\n`
    + `  direct:  ${show(direct)}\n  through: ${show(through)}`;
}

// What cannot be done direct is not applicable, but through it must not have
// failed either; what can be done direct must be possible through.
function stateOf(direct, through, differences) {
  if (direct.state === 'n/a' && through.state !== 'failed') return direct;
  const why = [['direct', direct], ['through', through]]
    .filter(([, { state }]) => state !== 'passed')
    .map(([road, end]) => `${road}, ${end.state}: ${end.why}`);
  why.push(...differences.slice(0, maxShown).map(describe));
  if (differences.length > maxShown) why.push(`and ${differences.length - maxShown} more`);
  return { state: why.length > 0 ? 'failed' : 'passed', why: why.join('\n') };
}

export function rowsOf(cell, { direct, through }, allowed) {
  const passed = { state: 'passed' };
  const found = surprises(cell, direct, through, allowed);
  return ['connect', ...Object.keys(direct.outcomes)].map((scenario) => ({
    scenario,
    ...stateOf(direct.outcomes[scenario] ?? passed, through.outcomes[scenario] ?? passed,
      found[scenario] ?? []),
  }));
}
