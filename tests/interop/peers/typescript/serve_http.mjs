// Serves /mcp on a free loopback port and says where. `newTransport` is given
// what the SDKs' Streamable HTTP transports take, and connects a server to it.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

export function serveHttp(newTransport) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (request.url !== '/mcp') return response.writeHead(404).end();
    const id = request.headers['mcp-session-id'];
    if (id && !sessions.has(id)) return response.writeHead(404).end('no such session');
    const transport = sessions.get(id) ?? await newTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => sessions.set(session, transport),
      onsessionclosed: (session) => sessions.delete(session),
    });
    return transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ event: 'ready', listen: `127.0.0.1:${http.address().port}` }));
  });
}
