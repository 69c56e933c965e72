// npm's kubernetes-mcp-server, a server on the official Go SDK, before a cluster
// of ours (framework/cluster.mjs): with legacy sessions, and stateless.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startCluster } from '../framework/cluster.mjs';
import { serve } from '../framework/ready_made.mjs';
import { needs, plainScenarios } from '../scenarios.mjs';

const kubeconfig = (server) => JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'ours',
  clusters: [{ name: 'ours', cluster: { server } }],
  contexts: [{ name: 'ours', context: { cluster: 'ours', user: 'nobody' } }],
  users: [{ name: 'nobody', user: {} }],
});

const { terminate, ...plain } = plainScenarios({
  tools: ['configuration_view', 'pods_list_in_namespace'],
  good: { tool: 'configuration_view', arguments: { minified: true } },
  bad: { tool: 'pods_list_in_namespace', arguments: {} },
});

const scenarios = {
  ...plain,
  // All the way to what the server itself waits for.
  'cancel': needs(['cancel'], async ({ client, noted, nextName }) => {
    const namespace = nextName('call');
    const hanging = client.call('pods_list_in_namespace', { namespace });
    await noted(`started ${namespace}`);
    await client.cancel(hanging);
    await assert.rejects(hanging.result);
    await noted(`cancelled ${namespace}`);
  }),
  terminate,
};

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
      const argsOf = async ({ notes }) => {
        const config = kit.sharedFile(`${basename(notes)}.kubeconfig`);
        writeFileSync(config, kubeconfig(await startCluster(notes)));
        return ['--kubeconfig', config, '--toolsets', 'config,core', ...flags];
      };
      return {
        upstream: {
          async http(cell) {
            const port = await kit.freePort();
            const where = ['--port', `${port}`, '--bind-address', '127.0.0.1'];
            await serve(command, [...await argsOf(cell), ...where], port);
            return { url: `http://127.0.0.1:${port}/mcp` };
          },
          stdio: async (cell) => ({ command, args: await argsOf(cell) }),
        },
      };
    },
  };
}

export default [
  lane('kubernetes-mcp-server', {}, []),
  lane('kubernetes-mcp-server stateless', {
    transports: ['http'],
    notApplicable: {
      cancel: 'a notice of it finds no call: each request has a session of its own',
      terminate: 'it has no sessions',
    },
  }, ['--stateless']),
];
