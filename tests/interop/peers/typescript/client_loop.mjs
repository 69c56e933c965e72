// The conversation of an interop client with the runner (see ../README.md):
// commands come in on stdin, a line each, and results go out on stdout.
import { createInterface } from 'node:readline';

export const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

// The commands of a client are named in its requests, so that a beat finds its
// way back to the command, and so that a `_meta` of the client's own travels.
export const commandKey = 'interop/command';

const tell = ({ code, message, data }) => ({ code, message, data });

// Tells the runner of the progress notifications that a transport delivers.
// Taken from the wire: the SDKs drop one that comes in one read with the
// call's result. Call `onSent` with all that is sent, `onReceived` likewise.
export function beatsOf() {
  const commands = new Map();
  return {
    onSent({ params }) {
      const token = params?._meta?.progressToken;
      if (token !== undefined) commands.set(token, params._meta[commandKey]);
    },
    onReceived({ method, params }) {
      if (method !== 'notifications/progress') return;
      const { progressToken, ...beat } = params;
      say({ event: 'progress', id: commands.get(progressToken), ...beat });
    },
  };
}

// `connected` is {granted, can, ACTIONS…}; an action takes a command and gives
// its result. `call` also gets a signal that aborts it. Ends with `close`.
export async function serveCommands(connected) {
  const { granted, can, ...actions } = connected;
  const calls = new Map();

  function cancel({ call }) {
    calls.get(call)?.abort('enough');
    return {};
  }

  async function perform(command) {
    const abort = new AbortController();
    calls.set(command.id, abort);
    try {
      const action = command.do === 'cancel' ? cancel : actions[command.do];
      if (!action) throw new Error(`cannot do ${command.do}`);
      say({ id: command.id, result: await action(command, abort.signal) });
    } catch (error) {
      say({ id: command.id, error: tell(error) });
    } finally {
      calls.delete(command.id);
    }
  }

  say({ event: 'ready', granted, can });
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    if (command.do === 'close') break;
    perform(command);
  }
  await actions.close();
  process.exit(0);
}
