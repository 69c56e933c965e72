// The Inspector's command line as a client.
const noCode = 'it does not tell the code of an error';

export default {
  name: 'inspector client',
  part: 'peers',
  revisions: ['2025-11-25'],  // the one that it offers
  notApplicable: {
    'revision': 'it does not tell what it was granted',
    'big result': 'its arguments come on a command line, which is shorter',
    'tool throws': noCode,
    'unknown tool': 'it lists the tools first, and does not call what is not there',
  },
  async prepare(kit) {
    await kit.npm('peers/npm_clients');
    return { client: { command: kit.node, args: [kit.file('peers/npm_clients/inspector.mjs')] } };
  },
};
