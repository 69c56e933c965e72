// What a lane may use to prepare itself, and the folder of a run.
import {
  chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, start } from './processes.mjs';

const source = dirname(dirname(fileURLToPath(import.meta.url)));
const asRoot = process.getuid?.() === 0;

export class Kit {
  node = process.execPath;
  run = run;      // run(command, args, {cwd, env, timeoutMs}) → stdout, or throws
  start = start;  // start(command, args, {cwd, env}) → its ready line
  #copies = new Map();

  // `build` is the folder that lasts: what lanes install and build lies there.
  constructor(build) {
    this.build = build;
    this.folder = mkdtempSync(join(tmpdir(), 'gatehouse-interop-'));
    chmodSync(this.folder, 0o755);
  }

  // A file of tests/interop, by its path there.
  file(path) { return join(source, path); }

  // A folder in the build tree that lasts from run to run.
  buildFolder(name) {
    const folder = join(this.build, 'lanes', name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  // Where a stdio upstream finds `path`, a file or a folder. As root it runs as
  // nobody, who may not reach the build tree: so it is copied for this run.
  reachable(path) {
    if (!asRoot) return path;
    if (!this.#copies.has(path)) {
      const copy = join(this.folder, `${this.#copies.size}`, basename(path));
      // Of the same age, or Python compiles all of it at each start.
      cpSync(path, copy, { recursive: true, dereference: true, preserveTimestamps: true });
      this.#copies.set(path, copy);
    }
    return this.#copies.get(path);
  }

  // Who a stdio upstream of the worker runs as.
  get runAs() { return asRoot ? { runAs: 'nobody' } : {}; }

  // Node, and a file of tests/interop with the packages beside it, for a stdio
  // upstream.
  get reachableNode() {
    const ours = process.execPath.startsWith(this.build);
    return ours ? this.reachable(process.execPath) : process.execPath;
  }

  reachableFile(path) { return join(this.#reachableTree(), basename(source), path); }

  // The same for a file of the packages that are installed beside it.
  packageFile(path) { return join(dirname(source), path); }
  reachablePackageFile(path) { return join(this.#reachableTree(), path); }

  #reachableTree() {
    if (!asRoot) return dirname(source);
    const copy = join(this.folder, 'interop');
    if (!existsSync(copy)) {
      cpSync(join(dirname(source), 'node_modules'), join(copy, 'node_modules'),
        { recursive: true, dereference: true });
      // Lanes link their own packages into `source`; those stay behind.
      cpSync(source, join(copy, basename(source)),
        { recursive: true, filter: (from) => basename(from) !== 'node_modules' });
    }
    return copy;
  }

  // Installs the lockfile of a folder of tests/interop, once, so that programs
  // in that folder find their packages. Throws with what npm said.
  async npm(path) {
    const lock = readFileSync(this.file(join(path, 'package-lock.json')));
    const folder = this.buildFolder(path.replaceAll('/', '-'));
    const stamp = join(folder, '.installed');
    if (!existsSync(stamp) || !readFileSync(stamp).equals(lock)) {
      for (const name of ['package.json', 'package-lock.json']) {
        cpSync(this.file(join(path, name)), join(folder, name));
      }
      await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
      writeFileSync(stamp, lock);
    }
    const modules = this.file(join(path, 'node_modules'));
    rmSync(modules, { recursive: true, force: true });
    symlinkSync(join(folder, 'node_modules'), modules);
    return join(folder, 'node_modules');
  }

  // A loopback port that was free a moment ago, for a program that cannot
  // choose one itself.
  async freePort() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await once(server, 'close');
    return port;
  }

  // A file that every user may append to.
  sharedFile(name) {
    const path = join(this.folder, name);
    writeFileSync(path, '');
    chmodSync(path, 0o666);
    return path;
  }

  remove() { rmSync(this.folder, { recursive: true, force: true }); }
}

// An upstream that keeps to peers/README.md: {command, args}, where the worker
// finds it too.
export function upstreamProgram(kit, { command, args, env }) {
  return {
    async http({ revision, notes }) {
      const { listen } = await kit.start(command, [...args, 'http', revision, notes], { env });
      return { url: `http://${listen}/mcp` };
    },
    stdio: ({ revision, notes }) => (
      { command, args: [...args, 'stdio', revision, notes], ...(env && { env }) }),
  };
}
