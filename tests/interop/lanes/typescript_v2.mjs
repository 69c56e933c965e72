import { upstreamProgram } from '../framework/kit.mjs';

export const v2Client = (kit) => (
  { command: kit.node, args: [kit.file('peers/typescript/v2_client.mjs')] });

export const v2Upstream = (kit) => upstreamProgram(kit, {
  command: kit.reachableNode, args: [kit.reachableFile('peers/typescript/v2_upstream.mjs')],
});

export default {
  name: 'typescript v2',
  part: 'test',
  prepare: async (kit) => ({ client: v2Client(kit), upstream: v2Upstream(kit) }),
};
