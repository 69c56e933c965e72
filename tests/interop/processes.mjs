// Starts and ends the programs of a run. All end with `stopAll`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const running = [];

// Starts a program and waits for its `{"event":"ready",…}` line.
export async function start(command, args, { quiet = true } = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let log = '';
  child.stderr.on('data', (data) => {
    log = (log + data).slice(-8000);
    if (!quiet) process.stderr.write(data);
  });
  const failed = new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${log}`)));
  });
  failed.catch(() => {});
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line);
      if (message.event === 'ready') return message;
    }
    throw new Error(`${command} said nothing:\n${log}`);
  })();
  ready.catch(() => {});
  return Promise.race([ready, failed, deadline(20000, `${command} is not ready`)]);
}

export function deadline(milliseconds, what) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} in ${milliseconds} ms`)), milliseconds).unref();
  });
}

export async function stopAll() {
  for (const child of running.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, deadline(5000, 'the end')]).catch(() => child.kill('SIGKILL'));
  }
}
