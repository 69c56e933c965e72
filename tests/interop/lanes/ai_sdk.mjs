// @ai-sdk/mcp as a client: an implementation of its own, that opens its GET
// stream before it initializes.
export default {
  name: 'ai-sdk client',
  part: 'peers',
  revisions: ['2025-11-25'],  // the one that it offers
  async prepare(kit) {
    await kit.npm('peers/npm_clients');
    return { client: { command: kit.node, args: [kit.file('peers/npm_clients/ai_sdk.mjs')] } };
  },
};
