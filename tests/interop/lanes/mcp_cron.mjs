// npm's mcp-cron, a server on the official Go SDK, with legacy sessions.
import { join } from 'node:path';
import { serve, writableFolder } from '../framework/ready_made.mjs';
import { plainScenarios } from '../scenarios.mjs';

function filesOf(cell) {
  const folder = writableFolder(cell);
  return {
    args: ['-db-path', join(folder, 'results.db'), '-log-file', join(folder, 'log'),
      '-mcp-config-path', join(folder, 'none.json')],
    env: { HOME: folder },
  };
}

export default {
  name: 'mcp-cron',
  part: 'peers',
  scenarios: plainScenarios({
    tools: ['add_task', 'get_task', 'list_tasks', 'run_task', 'query_task_result'],
    good: { tool: 'list_tasks', arguments: {} },
    bad: { tool: 'get_task', arguments: { id: 'no-such-task' } },
  }),
  async prepare(kit) {
    const packages = await kit.npm('peers/binaries');
    const command = kit.reachable(join(packages, 'mcp-cron-linux-amd64/bin/mcp-cron'));
    return {
      upstream: {
        async http(cell) {
          const { args, env } = filesOf(cell);
          const port = await kit.freePort();
          await serve(command, ['-transport', 'http', '-address', '127.0.0.1', '-port', `${port}`,
            ...args], port, env);
          return { url: `http://127.0.0.1:${port}/mcp` };
        },
        stdio(cell) {
          const { args, env } = filesOf(cell);
          return { command, args: ['-transport', 'stdio', ...args], env };
        },
      },
    };
  },
};
