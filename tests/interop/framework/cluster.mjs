// The API server of a Kubernetes cluster with one kind of thing, pods, a list of
// which never comes: so that a call which asks for one hangs. What it sees goes
// to a cell's notes: `started NAMESPACE`, and `cancelled NAMESPACE` when the
// other side has given up.
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const answers = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['list'] },
    ],
  },
};

// Gives where it listens, on loopback. It ends with the run.
export async function startCluster(notes) {
  const note = (line) => appendFileSync(notes, `${line}\n`);
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://cluster');
    const [, namespace] = pathname.match(/^\/api\/v1\/namespaces\/([^/]+)\/pods$/) ?? [];
    if (namespace) {
      note(`started ${namespace}`);
      response.on('close', () => note(`cancelled ${namespace}`));
      return;
    }
    const answer = answers[pathname];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}
