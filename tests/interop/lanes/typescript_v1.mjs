import { upstreamProgram } from '../framework/kit.mjs';

export const v1Client = (kit) => (
  { command: kit.node, args: [kit.file('peers/typescript/v1_client.mjs')] });

export const v1Upstream = (kit) => upstreamProgram(kit, {
  command: kit.reachableNode, args: [kit.reachableFile('peers/typescript/v1_upstream.mjs')],
});

export default {
  name: 'typescript v1',
  part: 'test',
  prepare: async (kit) => ({ client: v1Client(kit), upstream: v1Upstream(kit) }),
};
