// npm's mcp-time, a server on mcp-go: it grants 2025-03-26 whatever is asked.
import { join } from 'node:path';
import { serve } from '../framework/ready_made.mjs';
import { plainScenarios } from '../scenarios.mjs';

const convert = (timezone) => ({
  tool: 'convert_timezone',
  arguments: { time: '2026-01-02T03:04:05Z', input_timezone: 'UTC', output_timezone: timezone },
});

export default {
  name: 'mcp-time',
  part: 'peers',
  scenarios: plainScenarios({
    tools: ['add_time', 'compare_time', 'convert_timezone', 'current_time', 'relative_time'],
    good: convert('Europe/Berlin'),
    bad: convert('Nowhere/Land'),
  }),
  notApplicable: { revision: 'it grants 2025-03-26 whatever is asked' },
  async prepare(kit) {
    const packages = await kit.npm('peers/binaries');
    const command = kit.reachable(join(packages, 'mcp-time-linux-x64/bin/mcp-time'));
    return {
      upstream: {
        async http() {
          const port = await kit.freePort();
          const url = `http://127.0.0.1:${port}/mcp`;
          await serve(command, ['-t', 'stream', '--address', url], port);
          return { url };
        },
        stdio: () => ({ command, args: ['-t', 'stdio'] }),
      },
    };
  },
};
