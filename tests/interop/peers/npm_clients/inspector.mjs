// An interop client that is the Inspector's command line (see ../README.md):
// each command is a run of it, with a session of its own. It answers nothing that
// it is asked, and does not say which revision it was granted.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveCommands } from '../typescript/client_loop.mjs';

const program = join(dirname(fileURLToPath(import.meta.url)),
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const target = JSON.parse(process.argv[2]);
const where = target.url ? [target.url, '--transport', 'http'] : [target.command, ...target.args];
const timeout = 60000;

// It keeps what it remembers of servers in the user's home folder.
const home = mkdtempSync(join(tmpdir(), 'gatehouse-inspector-'));
const env = { ...process.env, HOME: home };
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(1));

// A tool's `isError` is a result like any other, though it exits with an error.
function resultOf(error, stdout, stderr) {
  if (stdout) return JSON.parse(stdout).result;
  throw new Error(stderr.startsWith('{') ? JSON.parse(stderr).error.message : error.message);
}

function run(...args) {
  const all = [program, '--cli', ...where, '--protocol-era', 'legacy', '--format', 'json',
    '--quiet', '--connect-timeout', `${timeout}`, '--method', ...args];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, all, { env, timeout }, (error, stdout, stderr) => {
      try {
        resolve(resultOf(error, stdout, stderr));
      } catch (wrong) {
        reject(wrong);
      }
    });
  });
}

await serveCommands({
  can: [],
  list: () => run('tools/list'),
  call: ({ tool, arguments: args }) => run('tools/call', '--tool-name', tool,
    '--tool-args-json', JSON.stringify(args)),
  close() {},
});
