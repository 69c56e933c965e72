// Compares two traces, direct and through, message by message and field by
// field, and judges what differs by a list of allowed differences. Pure.
//
// A difference is {from, kind, method, path, direct, through}: `path` is a JSON
// pointer into {message, http}, `/order` for the order of a thread's parts, or
// empty for a whole message; `direct` and `through` are the two values, absent
// where there was none.

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The text of a value, whatever the order of its members.
export function canonical(value) {
  return JSON.stringify(value, (_, inner) => (isObject(inner)
    ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner));
}

const same = (a, b) => canonical(a) === canonical(b);

// Gives {path, direct, through} for each value that differs.
export function fieldDifferences(direct, through, path = '') {
  const both = (test) => test(direct) && test(through);
  if (!both(isObject) && !both(Array.isArray)) {
    return same(direct, through) ? [] : [{ path, direct, through }];
  }
  return [...new Set([...Object.keys(direct), ...Object.keys(through)])].flatMap((name) => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return fieldDifferences(direct[name], through[name], `${path}/${step}`);
  });
}

const labelOf = ({ from, kind, method }) => `${from} ${kind} ${method}`;

const contentOf = ({ message, http }) => ({ message, http });

// Pairs the items of two lists that have one label: those that say the same
// first, since parallel ones may come in any order, then the rest as they came.
// Gives [direct, through] pairs; one of them is undefined for what has no pair.
export function pairs(direct, through, label, essence) {
  const paired = [];
  const left = [...through];
  const take = (test) => {
    const index = left.findIndex(test);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const alone = direct.filter((item) => {
    const twin = take((candidate) => label(candidate) === label(item)
      && essence(candidate) === essence(item));
    if (twin) paired.push([item, twin]);
    return !twin;
  });
  for (const item of alone) {
    paired.push([item, take((candidate) => label(candidate) === label(item))]);
  }
  return [...paired, ...left.map((item) => [undefined, item])];
}

// Only what was asked makes two threads the same: ids and tokens do not.
function essenceOf({ parts: [{ message }] }) {
  const { _meta, ...params } = message?.params ?? {};
  return canonical(params);
}

function partDifferences([direct, through]) {
  const { from, kind, method } = direct ?? through;
  const fields = direct && through
    ? fieldDifferences(contentOf(direct), contentOf(through))
    : [{ path: '', direct: direct && contentOf(direct), through: through && contentOf(through) }];
  return fields.map((field) => ({ from, kind, method, ...field }));
}

function threadDifferences([direct, through]) {
  if (!direct || !through) {
    return (direct ?? through).parts.flatMap((part) => (
      partDifferences(direct ? [part, undefined] : [undefined, part])));
  }
  const parts = pairs(direct.parts, through.parts, labelOf, () => '');
  const differences = parts.flatMap(partDifferences);
  const orders = [direct, through].map((thread) => thread.parts.map(labelOf));
  if (parts.every((pair) => pair[0] && pair[1]) && !same(...orders)) {
    const { from, kind, method } = direct;
    differences.push({ from, kind, method, path: '/order', direct: orders[0], through: orders[1] });
  }
  return differences;
}

// `direct` and `through` are lists of threads (trace.mjs) of one scenario.
export function compareThreads(direct, through) {
  return pairs(direct, through, labelOf, essenceOf).flatMap(threadDifferences);
}

// ---- what may differ

// `pattern`: a path whose steps may be `*`, any one step, or `**`, all the rest.
export function pathMatches(pattern, path) {
  const steps = path.split('/');
  const wanted = pattern.split('/');
  return wanted.every((step, index) => step === '**' || step === '*'
    ? index < steps.length : step === steps[index])
    && (wanted.at(-1) === '**' || wanted.length === steps.length);
}

function changeOf({ direct, through }) {
  if (direct === undefined) return 'added';
  return through === undefined ? 'missing' : 'changed';
}

// The list of allowed differences of a whole run, and how often each entry was
// used. An entry is as in allowed_differences.mjs.
export class AllowedList {
  #uses = new Map();

  constructor(entries) {
    for (const entry of entries) {
      if (!entry.reason) throw new Error(`an allowed difference without a reason: ${entry.path}`);
      this.#uses.set(entry, 0);
    }
  }

  // `where` is {side, transport, revision, scenario, lane}. Gives whether it is allowed.
  allows(difference, where) {
    const entry = [...this.#uses.keys()].find((one) => applies(one, difference, where));
    if (entry) this.#uses.set(entry, this.#uses.get(entry) + 1);
    return entry !== undefined;
  }

  unused() { return [...this.#uses].filter(([, uses]) => uses === 0).map(([entry]) => entry); }
}

function applies(entry, difference, where) {
  const { reason, part, path, direct, through, ...wanted } = entry;
  const facts = { ...where, ...difference, change: changeOf(difference) };
  return pathMatches(path, difference.path)
    && Object.entries(wanted).every(([name, value]) => [value].flat().includes(facts[name]))
    && [['direct', direct], ['through', through]].every(
      ([road, value]) => value === undefined || valueMatches(value, difference[road]));
}

// A RegExp matches a text, or the canonical text of any other value; anything
// else matches what is the same.
function valueMatches(wanted, value) {
  if (wanted instanceof RegExp) {
    return value !== undefined
      && wanted.test(typeof value === 'string' ? value : canonical(value));
  }
  return same(wanted, value);
}
