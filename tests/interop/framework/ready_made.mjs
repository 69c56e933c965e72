// Servers that somebody else made and that know nothing of these lanes: they
// print no ready line, so one asks their port until it answers.
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deadline, spawnProgram } from './processes.mjs';

const listeningMs = 30000;
const betweenMs = 50;

async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function untilAccepts(port) {
  while (!await accepts(port)) await pause(betweenMs);
}

// Starts a program that serves MCP on loopback port `port`; gives when it does.
export async function serve(command, args, port, env) {
  const child = spawnProgram(command, args, { env });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${command} ended with ${code}: ${child.log()}`);
  });
  ended.catch(() => {});
  child.stdout.resume();
  await Promise.race(
    [untilAccepts(port), ended, deadline(listeningMs, `${command} does not listen`)]);
}

// A folder of a cell's own that its upstream may write to, whoever it runs as.
export function writableFolder(cell) {
  const folder = `${cell.notes}.folder`;
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  return folder;
}
