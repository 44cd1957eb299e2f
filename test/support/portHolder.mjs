// Plays another user of the machine who listens on ports, keeps the connections, and passes on whatever is sent.
// `portHolder.ts` runs this text as a program under another user ID, and sends commands as lines of JSON.
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

let listeners = [];
let kept = [];
let wake = () => {};
// Everything that was sent here, and everything that the real server answered.
const heard = [];
const answered = [];

function keep(socket) {
  const one = { socket, text: '', onward: null };
  kept.push(one);
  socket.on('data', (bytes) => {
    const text = bytes.toString('latin1');
    heard.push(text);
    one.text += text;
    one.onward?.write(bytes);
    wake();
  });
  socket.on('error', () => {});
}

function listen(host, port) {
  return new Promise((resolve) => {
    const server = createServer(keep);
    server.once('error', (error) => resolve(error.code));
    server.listen({ host, port, ipv6Only: host.includes(':') }, () => {
      listeners.push(server);
      resolve('held');
    });
  });
}

// Connects to the real server. With `isSame` it uses the client's port, so that the server sees the same address and port.
function dial(one, target, isSame) {
  return new Promise((resolve) => {
    const own = isSame ? { localAddress: one.socket.remoteAddress, localPort: one.socket.remotePort } : {};
    const onward = connect({ ...target, ...own });
    onward.once('error', (error) => resolve(error.code));
    onward.once('connect', () => {
      one.onward = onward;
      onward.on('data', (bytes) => {
        answered.push(bytes.toString('latin1'));
        one.socket.write(bytes);
      });
      onward.on('error', () => {});
      onward.write(one.text, 'latin1');
      resolve('passed on');
    });
  });
}

const actions = {
  async hold({ port, addresses }) {
    const held = {};
    for (const address of addresses) held[address] = await listen(address, port);
    return held;
  },
  // Waits until `count` connections have sent something.
  async greeted({ count }) {
    while (kept.filter(({ text }) => text !== '').length < count) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
    return null;
  },
  // Closes the ports. The connections stay.
  async release() {
    for (const server of listeners) server.close();
    listeners = [];
    return null;
  },
  async passOn({ host, port }) {
    const ways = [];
    for (const one of kept.filter(({ socket, onward }) => !socket.destroyed && onward === null)) {
      const same = await dial(one, { host, port }, true);
      ways.push([same, same === 'passed on' ? null : await dial(one, { host, port }, false)]);
    }
    return ways;
  },
  async send({ url, method = 'GET', headers = {}, body }) {
    const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
    const location = answer.headers.get('location');
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
    return { status: answer.status, location, cookies, text: await answer.text() };
  },
  report: async () => ({ uid: process.getuid(), heard, answered, open: kept.length }),
  async drop() {
    for (const { socket, onward } of kept) {
      socket.destroy();
      onward?.destroy();
    }
    kept = [];
    heard.length = 0;
    answered.length = 0;
    return null;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, action, ...rest } = JSON.parse(line);
  const answer = await actions[action](rest).catch((error) => ({
    failed: String(error?.cause?.code ?? error),
  }));
  process.stdout.write(`${JSON.stringify({ id, answer })}\n`);
}
process.exit(0);
