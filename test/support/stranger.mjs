// Plays another user of the machine, who tries everything within reach. `stranger.ts` starts Node under another user ID, and
// passes this text on stdin, since that user may not be able to read the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';

const {
  baseUrl,
  addresses,
  paths,
  requests,
  abandoned = [],
  approval,
  socket,
  watchMs,
} = JSON.parse(process.env.STRANGER);

const tried = {};
for (const address of addresses) tried[address] = await follow(address);
const sent = [];
for (const { path, method = 'GET', headers = {}, body } of requests) {
  const answer = await fetch(new URL(path, baseUrl), { method, headers, body, redirect: 'manual' });
  sent.push({ path, status: answer.status, text: await answer.text() });
}
for (const request of abandoned) for (let time = 0; time < 20; time++) await abandon(request, time);
const approvals = approval ? await guess(approval) : [];
const closing = await sendAndClose('/auth/provider/login');
const door = new Set();
for (let time = 0; socket && time < 50; time++) door.add(await knock(socket));
const read = {};
for (const path of paths)
  read[path] = attempt(() => readFileSync(path, 'utf8')) ?? attempt(() => readdirSync(path));
const seen = await watchProcesses(watchMs);
process.stdout.write(
  JSON.stringify({ uid: process.getuid(), tried, sent, approvals, closing, door: [...door], read, ...seen }),
);

// Asks at the door, and returns the answer or the system's error code.
function knock(path) {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write('{"call":"status","given":{}}\n'));
    socket.once('data', (data) => resolve(String(data))).once('error', ({ code }) => resolve(code));
  });
}

// Follows the redirects of an address, with cookies, and returns the status of the last page. Returns 0 if they do not end within
// eight requests.
async function follow(address) {
  const cookies = new Map();
  let url = address;
  for (let hop = 0; hop < 8; hop++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of answer.headers.getSetCookie()) {
      const [name, ...value] = line.split(';')[0].split('=');
      cookies.set(name, value.join('='));
    }
    const location = answer.headers.get('location');
    if (location === null) return answer.status;
    url = new URL(location, url).href;
  }
  return 0;
}

// Opens the approval page and sends its form, with token and cookie, and with guessed owner codes.
async function guess({ path, codes }) {
  const answers = [];
  for (const code of codes) {
    const page = await fetch(new URL(path, baseUrl));
    const fields = (await page.text()).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
    const form = new URLSearchParams(
      [...fields].map(([, name, value]) => [name, value.replaceAll('&amp;', '&')]),
    );
    const token = form.size > 0;
    form.set('owner_code', code);
    form.set('decision', 'approve');
    const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]);
    const headers = { origin: baseUrl, cookie: cookie.join('; ') };
    const target = new URL('/oauth/authorize', baseUrl);
    // A form that is sent faster than a person can read is only shown again.
    await new Promise((resolve) => setTimeout(resolve, 600));
    const answer = await fetch(target, { method: 'POST', headers, body: form, redirect: 'manual' });
    answers.push({ token, status: answer.status, location: answer.headers.get('location') });
  }
  return answers;
}

// Sends a request and closes its end of the connection at once. For a socket that is already closed, the kernel reports root as
// the owner.
function sendAndClose(path) {
  const { hostname, port, host } = new URL(baseUrl);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: hostname, port, allowHalfOpen: true }, () => {
      socket.end(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    });
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => resolve(text.slice(0, 12)));
    socket.on('close', () => resolve(text.slice(0, 12)));
  });
}

// Sends a request and closes the connection, a little later or with a reset each time. Returns once the server has let go of it.
function abandon({ path, method = 'GET', headers = {}, body = '' }, time) {
  const { hostname, port, host } = new URL(baseUrl);
  const lines = Object.entries({ host, 'content-length': body.length, ...headers }).map((pair) =>
    pair.join(': '),
  );
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port });
    socket.on('error', () => {});
    socket.on('close', resolve);
    socket.on('connect', () =>
      // The server accepts the connection first, so that it begins with the request as soon as it comes.
      setTimeout(() => {
        socket.write(text, () => {
          const end = () => (time % 2 === 0 ? socket.destroy() : socket.resetAndDestroy());
          if (time < 10) end();
          else setImmediate(end);
        });
      }, 20),
    );
  });
}

// Repeatedly reads every command line and environment that it can, and the files that command lines name.
async function watchProcesses(ms) {
  const lines = new Set();
  const files = new Set();
  const end = performance.now() + ms;
  while (performance.now() < end) {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const words = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.split('\0') ?? [];
      const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
      if (Number(pid) !== process.pid && environment) lines.add(environment);
      lines.add(words.join(' '));
      for (const word of words.filter((one) => one.endsWith('.html'))) {
        const content = attempt(() => readFileSync(word, 'utf8'));
        if (content !== undefined) files.add(content);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { lines: [...lines], files: [...files] };
}

function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}
