// The official Python SDK, as client and as upstream.
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { upstreamProgram } from '../framework/kit.mjs';

const oldestMinor = 10;
const programs = ['/usr/bin/python3', 'python3',
  'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const ask = `
import ensurepip, json, sys, venv
print(json.dumps([sys.version_info[1], sys.executable]))
`;

// Every user may run `program`: as root, stdio upstreams run as nobody.
function everybodys(program) {
  for (let path = realpathSync(program); ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

// A Python that is new enough and has venv, or a string that says why there is
// none.
async function findPython(kit) {
  let why = 'python3 with venv is not installed';
  for (const program of programs) {
    const said = await kit.run(program, ['-c', ask]).catch(() => '');
    if (!said) continue;
    const [minor, python] = JSON.parse(said);
    if (minor < oldestMinor) {
      why = `python 3.${minor} is older than 3.${oldestMinor}`;
    } else if (kit.runAs.runAs && !everybodys(python)) {
      why = 'its python3 is root\'s alone, and a stdio upstream runs as nobody';
    } else {
      return { python };
    }
  }
  return why;
}

// Installs what requirements.txt names, once; gives the folder of packages.
async function install(kit, python) {
  const folder = kit.buildFolder('python');
  const venv = join(folder, 'venv');
  const stamp = join(folder, '.installed');
  const wanted = readFileSync(kit.file('peers/python/requirements.txt'), 'utf8') + python;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    await kit.run(python, ['-m', 'venv', '--clear', venv]);
    await kit.run(join(venv, 'bin/python'), ['-m', 'pip', 'install', '--quiet',
      '--disable-pip-version-check', '-r', kit.file('peers/python/requirements.txt')]);
    writeFileSync(stamp, wanted);
  }
  const packages = await kit.run(join(venv, 'bin/python'),
    ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  return packages.trim();
}

let prepared;

async function prepare(kit) {
  const found = await findPython(kit);
  if (typeof found === 'string') return found;
  return { ...found, packages: await install(kit, found.python) };
}

function lane(name, peersOf, more) {
  return {
    name,
    part: 'peers',
    ...more,
    // Both lanes use one installation.
    async prepare(kit) {
      prepared ??= prepare(kit);
      const python = await prepared;
      return typeof python === 'string' ? python : peersOf(kit, python);
    },
  };
}

export default [
  lane('python sdk client', (kit, { python, packages }) => ({
    client: { command: python, args: [kit.file('peers/python/client.py')],
              env: { PYTHONPATH: packages } },
  })),
  lane('python sdk upstream', (kit, { python, packages }) => ({
    upstream: upstreamProgram(kit, {
      command: python, args: [kit.reachableFile('peers/python/upstream.py')],
      env: { PYTHONPATH: kit.reachable(packages) },
    }),
  }), { notApplicable: { 'sampling with undeclared tools': 'the SDK refuses to send it' } }),
];
