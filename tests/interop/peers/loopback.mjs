// Loaded before a server that would listen on every address (`node --import`):
// it gets a free port of loopback and says which, as peers/README.md has it.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function onLoopback(port, ...rest) {
  this.once('listening', () => console.log(
    JSON.stringify({ event: 'ready', listen: `127.0.0.1:${this.address().port}` })));
  return listen.call(this, 0, '127.0.0.1', ...rest.filter((one) => typeof one === 'function'));
};
