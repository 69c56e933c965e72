// Reads an event stream in pieces, as they come: events with data only.
export class SseReader {
  #decoder = new TextDecoder();
  #rest = '';

  // Gives the events that `part`, a Buffer, completed: {data, event?, id?, retry?}.
  read(part) {
    const blocks = (this.#rest + this.#decoder.decode(part, { stream: true }))
      .split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = blocks.pop();
    return blocks.map(eventOf).filter((event) => event.data);
  }
}

function eventOf(block) {
  const event = {};
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (name) event[name] = value;
  }
  return event;
}
