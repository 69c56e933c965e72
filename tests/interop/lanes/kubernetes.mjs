// npm's kubernetes-mcp-server, a server on the official Go SDK, before a cluster
// that is not there: with legacy sessions, and stateless.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../framework/ready_made.mjs';
import { plainScenarios } from '../scenarios.mjs';

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'nowhere',
  clusters: [{ name: 'nowhere', cluster: { server: 'http://127.0.0.1:9' } }],
  contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'nobody' } }],
  users: [{ name: 'nobody', user: {} }],
});

const scenarios = plainScenarios({
  tools: ['configuration_view'],
  good: { tool: 'configuration_view', arguments: { minified: true } },
});

function lane(name, more, flags) {
  return {
    name,
    part: 'peers',
    scenarios,
    ...more,
    async prepare(kit) {
      const packages = await kit.npm('peers/binaries');
      const program = 'kubernetes-mcp-server-linux-amd64';
      const command = kit.reachable(join(packages, program, 'bin', program));
      const config = kit.sharedFile(`${name.replaceAll(' ', '-')}.kubeconfig`);
      writeFileSync(config, kubeconfig);
      const args = ['--kubeconfig', config, '--toolsets', 'config', ...flags];
      return {
        upstream: {
          async http() {
            const port = await kit.freePort();
            await serve(command, [...args, '--port', `${port}`, '--bind-address', '127.0.0.1'], port);
            return { url: `http://127.0.0.1:${port}/mcp` };
          },
          stdio: () => ({ command, args }),
        },
      };
    },
  };
}

export default [
  lane('kubernetes-mcp-server', {}, []),
  lane('kubernetes-mcp-server stateless', {
    transports: ['http'],
    notApplicable: { terminate: 'it has no sessions' },
  }, ['--stateless']),
];
