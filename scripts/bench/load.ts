/**
 * Load over keep-alive connections, one request at a time on each. It writes prepared bytes and reads no more than it must,
 * so that the load does not become what is measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request, once per ID, so that no two in a row are the same bytes. */
export type Requests = readonly Buffer[];

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Answers per second. Throws for any answer but 200. */
export async function measure(
  url: URL,
  requests: Requests,
  connections: number,
  ms: number,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)));
  const begin = performance.now();
  const counts = await Promise.all(sockets.map((socket) => ask(socket, requests, begin + ms)));
  const took = performance.now() - begin;
  for (const socket of sockets) socket.destroy();
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / took;
}

async function open(url: URL): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function ask(socket: Socket, requests: Requests, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let head = '';
    /** Bytes of the body that are still to come; null: chunked. */
    let left: number | null = null;
    let isBody = false;
    let tail = Buffer.alloc(0);
    const next = () => socket.write(requests[count % requests.length] as Buffer);
    const done = () => {
      count++;
      head = '';
      isBody = false;
      tail = Buffer.alloc(0);
      if (performance.now() < until) next();
      else resolve(count);
    };
    const body = (part: Buffer) => {
      if (left !== null) {
        left -= part.byteLength;
        if (left <= 0) done();
        return;
      }
      tail = Buffer.concat([tail.subarray(-LAST_CHUNK.byteLength), part.subarray(-LAST_CHUNK.byteLength)]);
      if (tail.subarray(-LAST_CHUNK.byteLength).equals(LAST_CHUNK)) done();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (part: Buffer) => {
      if (isBody) return body(part);
      const text = part.toString('latin1');
      const end = (head + text).indexOf(HEAD_END);
      if (end < 0) {
        head += text;
        return;
      }
      const from = end + HEAD_END.length - head.length;
      head = (head + text).slice(0, end).toLowerCase();
      if (!head.startsWith('http/1.1 200'))
        return reject(new Error(`an answer was ${head.split('\r\n')[0]}`));
      const length = /content-length: *(\d+)/.exec(head)?.[1];
      left = length === undefined ? null : Number(length);
      isBody = true;
      body(part.subarray(from));
    });
    next();
  });
}
