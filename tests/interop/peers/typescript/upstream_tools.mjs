// The tools of an interop upstream (see ../README.md), whatever SDK serves
// them. A tool takes its arguments and `call`, what the SDK can do meanwhile:
//   call.progress(params)  call.signal  call.ask(method, params, timeoutMs)
//   call.listChanged()     call.invalid(message), an error to throw
import { appendFileSync } from 'node:fs';

export const info = { name: 'sdk-upstream', version: '1' };
export const capabilities = { tools: { listChanged: true } };

// `notes` is the file that a scenario reads. One set of tools a session, since
// `grow` changes the list of its own session only.
export function newTools(notes) {
  const note = (line) => appendFileSync(notes, `${line}\n`);
  const text = (value) => ({ content: [{ type: 'text', text: value }] });

  const tools = {
    echo: async (args) => text(JSON.stringify(args)),

    async progress({ steps }, call) {
      for (let progress = 1; progress <= steps; progress++) {
        await call.progress({ progress, total: steps, message: `step ${progress}` });
      }
      return text('done');
    },

    async hang({ name }, call) {
      note(`started ${name}`);
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      note(`cancelled ${name}`);
      return text('never seen');
    },

    // Asks the client's side and tells what came back.
    async ask({ method, params, timeoutMs }, call) {
      try {
        return text(JSON.stringify({ result: await call.ask(method, params, timeoutMs ?? 60000) }));
      } catch ({ code, message, data }) {
        return text(JSON.stringify({ error: { code, message, data } }));
      }
    },

    async fail({ how }, call) {
      if (how === 'thrown') throw call.invalid('thrown as told');
      return { ...text('failed as told'), isError: true };
    },

    async grow({ name }, call) {
      tools[name] = async () => text(`I am ${name}`);
      await call.listChanged();
      return text('grown');
    },
  };

  return {
    list: () => Object.keys(tools).map((name) => (
      { name, title: `The ${name}`, description: 'as told', inputSchema: { type: 'object' } })),
    call({ name, arguments: args }, call) {
      if (!Object.hasOwn(tools, name)) throw call.invalid(`unknown tool: ${name}`);
      return tools[name](args ?? {}, call);
    },
  };
}
