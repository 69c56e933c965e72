// Drives an interop client (peers/README.md) over its stdin and stdout.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { deadline, readyLine, spawnProgram, stopProgram } from './processes.mjs';

const commandMs = 70000;

// What a peer answered instead of a result.
export class PeerError extends Error {
  constructor({ code, message, data }) {
    super(message);
    Object.assign(this, { code, data });
  }
}

export class ClientProgram {
  #child;
  #pending = new Map();
  #beats = new Map();
  #nextId = 1;
  #listChanges = 0;
  #waiters = new Set();

  // `program` is {command, args, env?}, `target` what it connects to.
  static async start(program, target, revision) {
    const client = new ClientProgram();
    client.#child = spawnProgram(program.command,
      [...program.args, JSON.stringify(target), revision], { stdin: 'pipe', env: program.env });
    const lines = createInterface({ input: client.#child.stdout });
    const { granted, can } = await readyLine(client.#child, lines);
    Object.assign(client, { granted, can });
    lines.on('line', (line) => client.#hear(JSON.parse(line)));
    once(client.#child, 'exit').then(([code]) => client.#fail(
      new Error(`the client ended with ${code}:\n${client.#child.log()}`)));
    return client;
  }

  #hear(message) {
    if (message.event === 'progress') {
      const { event, id, ...beat } = message;
      this.#beats.get(id)?.push(beat);
    } else if (message.event === 'listChanged') {
      this.#listChanges++;
    } else if (this.#pending.has(message.id)) {
      const { resolve, reject } = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) reject(new PeerError(message.error));
      else resolve(message.result);
    }
    for (const wake of this.#waiters) wake();
  }

  #fail(error) {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  // Gives {id, result, beats}: the result is a promise, beats fill up.
  #send(command) {
    const id = this.#nextId++;
    const beats = [];
    const answered = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    this.#beats.set(id, beats);
    this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    const result = Promise.race([answered, deadline(commandMs, `no end of ${command.do}`)]);
    result.catch(() => {});
    return { id, result, beats };
  }

  list() { return this.#send({ do: 'list' }).result; }
  ping() { return this.#send({ do: 'ping' }).result; }
  level(level) { return this.#send({ do: 'level', level }).result; }
  terminate() { return this.#send({ do: 'terminate' }).result; }
  cancel(call) { return this.#send({ do: 'cancel', call: call.id }).result; }
  call(tool, args) { return this.#send({ do: 'call', tool, arguments: args }); }

  // Waits for `count` notices of a changed list since the start.
  listChanged(count) { return this.#until(() => this.#listChanges >= count, 'no list_changed'); }

  // Waits for `count` beats of a call: some SDKs tell them after its result.
  beats(call, count) { return this.#until(() => call.beats.length >= count, 'no more beats'); }

  // `holds` is asked again after everything that is heard.
  async #until(holds, what) {
    let wake;
    const heard = new Promise((resolve) => {
      wake = () => holds() && resolve();
      this.#waiters.add(wake);
      wake();
    });
    try {
      await Promise.race([heard, deadline(10000, what)]);
    } finally {
      this.#waiters.delete(wake);
    }
  }

  get listChanges() { return this.#listChanges; }

  async close() {
    if (this.#child.exitCode === null) this.#child.stdin.write('{"do":"close"}\n');
    await stopProgram(this.#child, { polite: true });
  }
}
