// Puts the records of a tap (http_tap.mjs) into order: threads, each of them a
// request with all that belongs to it, or a message that stands alone. Pure.
//
// A thread is {scenario, from, kind, method, parts}; a part is {from, kind,
// method, message, http}. `kind` is request, response, notification, http (a
// request without a message: GET, DELETE) or text (a line that is no JSON).
const other = { client: 'upstream', upstream: 'client' };

// Whenever the handshake is seen, it is the connection's: Gatehouse makes its
// own when it first needs one. The first GET of a session belongs to it.
const handshake = ['initialize', 'notifications/initialized'];

function kindOf({ message, http }) {
  if (message === undefined) return http ? 'http' : 'text';
  if (message.method === undefined) return 'response';
  return message.id === undefined ? 'notification' : 'request';
}

const tokenOf = (message) => message.params?._meta?.progressToken;

// Which thread a message belongs to, by the ids that it names. Ids belong to
// one session and one direction.
class Threads {
  #byId = new Map();
  #byToken = new Map();

  open(thread, { session, from, message }) {
    this.#byId.set(this.#key(session, from, message.id), thread);
    if (tokenOf(message) !== undefined) {
      this.#byToken.set(this.#key(session, from, tokenOf(message)), thread);
    }
  }

  of({ session, from, message }) {
    if (message.method === undefined) {
      return this.#byId.get(this.#key(session, other[from], message.id));
    }
    if (message.method === 'notifications/cancelled') {
      return this.#byId.get(this.#key(session, from, message.params?.requestId));
    }
    if (message.method === 'notifications/progress') {
      return this.#byToken.get(this.#key(session, other[from], message.params?.progressToken));
    }
    return undefined;
  }

  #key(session, from, id) { return JSON.stringify([session, from, id]); }
}

// `marks` are {name, at}, when each scenario started, in order; what came
// before is the scenario `connect`.
export function threadsOf(records, marks) {
  const threads = new Threads();
  const found = [];
  const streaming = new Set();  // sessions that had their GET
  for (const record of [...records].sort((a, b) => a.at - b.at)) {
    const kind = kindOf(record);
    const { from, session, message, http, text } = record;
    const method = kind === 'http' ? http.method : message?.method;
    const part = { from, kind, method, message: text ?? message, http };
    let thread = message && kind !== 'request' ? threads.of(record) : undefined;
    if (!thread) {
      const mark = marks.filter(({ at }) => at <= record.at).at(-1);
      const firstStream = method === 'GET' && session !== undefined && !streaming.has(session);
      if (firstStream) streaming.add(session);
      const scenario = handshake.includes(method) || firstStream || !mark ? 'connect' : mark.name;
      thread = { scenario, from, kind, method: part.method, parts: [] };
      found.push(thread);
      if (kind === 'request') threads.open(thread, record);
    }
    part.method ??= thread.method;  // a response has its request's
    thread.parts.push(part);
  }
  return found;
}
