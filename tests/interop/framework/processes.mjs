// Starts and ends the programs of a run. All end with `stopAll`, each with the
// processes that it started itself: every program leads a process group.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const running = new Set();
let ending = false;
const readyMs = 60000;
const endMs = 5000;

export function deadline(milliseconds, what) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} in ${milliseconds} ms`)), milliseconds).unref();
  });
}

// `log()` of the child gives the last that it said on stderr.
export function spawnProgram(command, args, { stdin = 'ignore', env, cwd } = {}) {
  if (ending) throw new Error(`${command} is not started: the run is at its end`);
  const child = spawn(command, args,
    { stdio: [stdin, 'pipe', 'pipe'], detached: true, cwd, env: { ...process.env, ...env } });
  running.add(child);
  let log = '';
  child.stderr.on('data', (data) => { log = (log + data).slice(-8000); });
  child.log = () => log;
  child.stdin?.on('error', () => {});  // its end says more than EPIPE does
  child.on('error', (error) => { log += error.message; });
  child.on('exit', () => running.delete(child));
  return child;
}

// Waits for the program's `{"event":"ready",…}` line among `lines`.
export async function readyLine(child, lines) {
  const failed = new Promise((_, reject) => {
    const fail = (what) => reject(new Error(`${child.spawnfile} ${what}:\n${child.log()}`));
    child.once('error', () => fail('did not start'));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
  });
  failed.catch(() => {});
  const ready = new Promise((resolve) => {
    lines.on('line', function look(line) {
      if (!line.startsWith('{')) return;  // some servers greet on stdout
      const message = JSON.parse(line);
      if (message.event !== 'ready') return;
      lines.off('line', look);
      resolve(message);
    });
  });
  return Promise.race([ready, failed, deadline(readyMs, `${child.spawnfile} is not ready`)]);
}

// Starts a program that says when it is ready; gives that line.
export async function start(command, args, options) {
  const child = spawnProgram(command, args, options);
  return readyLine(child, createInterface({ input: child.stdout }));
}

// Runs a program to its end; gives its stdout, or throws with what it said.
export async function run(command, args, { timeoutMs = 600000, ...options } = {}) {
  const child = spawnProgram(command, args, options);
  let out = '';
  child.stdout.on('data', (data) => { out = (out + data).slice(-1e6); });
  const ended = new Promise((resolve) => {
    child.once('error', () => resolve('no start'));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const code = await Promise.race([ended, deadline(timeoutMs, `${command} has not ended`)]);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${child.log() || out}`);
  return out;
}

function kill(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended by itself.
  }
}

// `polite`: it was told to end, so it has its time before any signal.
export async function stopProgram(child, { polite = false } = {}) {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    const inTime = () => Promise.race([ended, deadline(endMs, 'no end')])
      .then(() => true, () => false);
    if (!(polite && await inTime())) {
      kill(child, 'SIGTERM');
      await inTime();
    }
  }
  kill(child, 'SIGKILL');  // what it left behind
}

// Nothing is started any more.
export async function stopAll() {
  ending = true;
  await Promise.all([...running].map((child) => stopProgram(child)));
}
