// A process that opens connections, sends text on each, and never closes one. Over IPC it takes
// `{ports: [host, port][], count, text, ends, trickle}` and answers `{open}` once all have been opened or refused.
import { connect } from 'node:net';

process.on('message', async ({ ports, count, text, ends, trickle }) => {
  let settled = 0;
  const told = () => ++settled === count && process.send({ open: count });
  for (let at = 0; at < count; at++) {
    const [host, port] = ports[at % ports.length];
    const socket = connect({ host, port, allowHalfOpen: true });
    // Reads nothing, so that the server's data piles up.
    socket.pause();
    let isTold = false;
    const once = () => {
      if (!isTold) told();
      isTold = true;
    };
    socket.on('error', once);
    socket.on('connect', () => {
      if (text) socket.write(text);
      if (ends) socket.end();
      if (trickle) setInterval(() => socket.writable && socket.write(trickle), 50);
      once();
    });
    // The accept queue holds a few hundred; beyond it the kernel makes a connection wait for a second.
    if (at % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
});
process.on('disconnect', () => process.exit());
