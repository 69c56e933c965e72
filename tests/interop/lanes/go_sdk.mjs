// The official Go SDK, as client and as upstream.
import { join } from 'node:path';
import { upstreamProgram } from '../framework/kit.mjs';

const oldestMinor = 24;
const programs = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go'];

// A Go that is new enough, or a string that says why there is none.
async function findGo(kit) {
  let why = 'go is not installed';
  for (const go of programs) {
    const version = await kit.run(go, ['env', 'GOVERSION']).catch(() => '');
    const minor = Number(version.match(/^go1\.(\d+)/)?.[1] ?? -1);
    if (minor >= oldestMinor) return { go };
    if (minor >= 0) why = `${version.trim()} is older than go1.${oldestMinor}`;
  }
  return why;
}

let built;

async function build(kit) {
  const found = await findGo(kit);
  if (typeof found === 'string') return found;
  const folder = kit.buildFolder('go');
  await kit.run(found.go, ['build', '-buildvcs=false', '-o', `${folder}/`, './...'],
    { cwd: kit.file('peers/go') });
  return folder;
}

// Both lanes use one build.
function lane(name, peersOf) {
  return {
    name,
    part: 'peers',
    async prepare(kit) {
      built ??= build(kit);
      const folder = await built;
      const isFolder = folder.startsWith('/');
      return isFolder ? peersOf(kit, folder) : folder;
    },
  };
}

export default [
  lane('go sdk client', (kit, folder) => (
    { client: { command: join(folder, 'client'), args: [] } })),
  lane('go sdk upstream', (kit, folder) => {
    const command = kit.reachable(join(folder, 'upstream'));
    return { upstream: upstreamProgram(kit, { command, args: [] }) };
  }),
];
