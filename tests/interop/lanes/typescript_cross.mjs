// Each TypeScript SDK against the other.
import { v1Client, v1Upstream } from './typescript_v1.mjs';
import { v2Client, v2Upstream } from './typescript_v2.mjs';

export default [
  {
    name: 'typescript v1 client, v2 upstream',
    part: 'test',
    transports: ['http'],
    prepare: async (kit) => ({ client: v1Client(kit), upstream: v2Upstream(kit) }),
  },
  {
    name: 'typescript v2 client, v1 upstream',
    part: 'test',
    transports: ['http'],
    prepare: async (kit) => ({ client: v2Client(kit), upstream: v1Upstream(kit) }),
  },
];
