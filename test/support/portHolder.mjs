// Plays another user of the machine who listens on ports and keeps whatever is sent. `portHolder.ts` runs this text as a program
// under another user ID, and sends commands as lines of JSON.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

let listeners = [];
const heard = [];

function listen(host, port) {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('data', (bytes) => heard.push(bytes.toString('latin1'))).on('error', () => {});
    });
    server.once('error', (error) => resolve(error.code));
    server.listen({ host, port, ipv6Only: host.includes(':') }, () => {
      listeners.push(server);
      resolve('held');
    });
  });
}

const actions = {
  async hold({ port, addresses }) {
    const held = {};
    for (const address of addresses) held[address] = await listen(address, port);
    return held;
  },
  // Closes the ports. The connections stay.
  async release() {
    for (const server of listeners) server.close();
    listeners = [];
    return null;
  },
  async send({ url, method = 'GET', headers = {}, body }) {
    const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
    const location = answer.headers.get('location');
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
    return { status: answer.status, location, cookies, text: await answer.text() };
  },
  report: async () => ({ heard }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, action, ...rest } = JSON.parse(line);
  const answer = await actions[action](rest).catch((error) => ({
    failed: String(error?.cause?.code ?? error),
  }));
  process.stdout.write(`${JSON.stringify({ id, answer })}\n`);
}
process.exit(0);
