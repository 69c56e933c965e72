// A control plane and a worker of this build, with one virtual server a cell.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './processes.mjs';

// The policy that lets everything pass which a scenario may want.
export function policyOf(name, upstream) {
  return {
    kind: 'VirtualServer',
    name,
    upstreams: [{ name: 'up', ...upstream }],
    catalogue: { prefix: 'none' },
    clientFeatures: { sampling: true, roots: true, elicitation: true },
    trust: { sampling: { route: 'client', allowTools: true }, elicitation: { route: 'client' } },
    replyDeadline: '5s',
  };
}

// `policies` are documents. Gives `url(name)`, where a virtual server is.
export async function startGatehouse(bin, folder, policies) {
  const documents = join(folder, 'policy');
  mkdirSync(documents);
  for (const policy of policies) {
    writeFileSync(join(documents, `${policy.name}.json`), JSON.stringify(policy));
  }
  const data = join(folder, 'data');
  const control = await start(join(bin, 'gatehouse-control'),
    ['--data-dir', data, '--listen', '127.0.0.1:0', '--policy', documents]);
  const worker = await start(join(bin, 'gatehouse-worker'),
    ['--control', `unix:${control.socket}`, '--token-file', join(data, 'tokens/worker.token'),
      '--listen', '127.0.0.1:0', '--name', 'interop']);
  return { url: (name) => `http://${worker.listen}/mcp/${name}` };
}
