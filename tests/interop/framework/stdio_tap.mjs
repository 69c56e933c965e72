// A recording tap on stdio: `node stdio_tap.mjs FILE COMMAND ARGS…` stands in
// COMMAND's stead, passes every line on and appends what was said to FILE, a
// record a line, before the other side can see it. Records are as in
// http_tap.mjs, without `http`.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { now } from './clock.mjs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function keep(from, line) {
  const record = { at: now(), from, session: process.pid };
  try {
    record.message = JSON.parse(line);
  } catch {
    record.text = line;  // shown by the comparison as what it is
  }
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

function pass(input, output, from) {
  const lines = createInterface({ input, crlfDelay: Infinity });
  lines.on('line', (line) => {
    keep(from, line);
    output.write(`${line}\n`);
  });
  lines.on('close', () => output.end());
}

pass(process.stdin, child.stdin, 'client');
pass(child.stdout, process.stdout, 'upstream');
for (const stream of [child.stdin, process.stdout]) stream.on('error', () => {});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code) => process.exit(code ?? 1));
