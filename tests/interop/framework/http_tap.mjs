// A recording tap on Streamable HTTP: passes every byte on and keeps what was
// said, each record before the other side can see it.
//
// A record is {at, from: 'client' | 'upstream', session, message, http}:
// `message` is one JSON-RPC message, absent where a request or an answer had
// none; `http` says how it travelled. Threads: the runner's own.
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { now } from './clock.mjs';
import { SseReader } from './sse_reader.mjs';

const maxBody = 32 * 1024 * 1024;

function messagesOf(text) {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return undefined;
  }
}

async function bodyOf(stream) {
  const parts = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > maxBody) throw new Error('the body is too long for the tap');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export class HttpTap {
  records = [];
  #server;
  #target;

  // `target` is the URL of an MCP endpoint; `url` is what to use in its stead.
  static async start(target) {
    const tap = new HttpTap();
    tap.#target = new URL(target);
    tap.#server = createServer((request, response) => {
      tap.#pass(request, response).catch((error) => response.destroy(error));
    });
    tap.#server.listen(0, '127.0.0.1');
    await once(tap.#server, 'listening');
    tap.url = `http://127.0.0.1:${tap.#server.address().port}${tap.#target.pathname}`;
    return tap;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(request, response) {
    const body = await bodyOf(request);
    // Kept by the record: filled in when the answer's head has come.
    const answer = {};
    const exchange = { session: request.headers['mcp-session-id'], answer };
    this.#keepRequest(request, body, exchange);
    const onward = httpRequest(this.#target, {
      method: request.method,
      headers: { ...request.headers, host: this.#target.host },
    });
    response.on('close', () => onward.destroy());
    onward.end(body);
    const [reply] = await once(onward, 'response');
    exchange.session ??= reply.headers['mcp-session-id'];
    Object.assign(answer, { status: reply.statusCode, headers: reply.headers });
    const streams = reply.headers['content-type']?.startsWith('text/event-stream');
    await (streams ? this.#passEvents(reply, response, exchange)
      : this.#passBody(reply, response, exchange));
  }

  #keepRequest(request, body, exchange) {
    const http = { method: request.method, headers: request.headers, answer: exchange.answer };
    for (const message of body.length === 0 ? [undefined] : messagesOf(body) ?? [undefined]) {
      this.records.push({ at: now(), from: 'client', exchange, message, http });
    }
  }

  #keepAnswer(exchange, message, http) {
    this.records.push({ at: now(), from: 'upstream', exchange, message, http });
  }

  async #passEvents(reply, response, exchange) {
    const reader = new SseReader();
    response.writeHead(reply.statusCode, reply.headers);
    response.flushHeaders();
    for await (const part of reply) {
      for (const event of reader.read(part)) {
        const { data, ...fields } = event;
        for (const message of messagesOf(data) ?? []) {
          this.#keepAnswer(exchange, message, { form: 'event stream', ...fields });
        }
      }
      response.write(part);
    }
    response.end();
  }

  async #passBody(reply, response, exchange) {
    const body = await bodyOf(reply);
    for (const message of messagesOf(body) ?? []) {
      this.#keepAnswer(exchange, message, { form: 'body' });
    }
    response.writeHead(reply.statusCode, reply.headers);
    response.end(body);
  }
}

// The records as plain values, once the run of a road is over.
export function recordsOf(tap) {
  return tap.records.map(({ exchange, ...record }) => ({ ...record, session: exchange.session }));
}
