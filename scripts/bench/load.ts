/**
 * Sends requests over keep-alive connections, one at a time on each. To use little processor time itself, this code writes
 * prepared bytes, reads into one buffer per connection and parses only the heads of answers.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The same request with different IDs, so that a connection never sends the same bytes twice in a row. */
export type Requests = readonly Buffer[];

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** More bytes than the longest answer has, so that one read can take a whole answer. */
const READ_BYTES = 256 * 1024;

/** Returns the number of answers per second. @throws Error for any status but 200 */
export async function measure(
  url: URL,
  requests: Requests,
  connections: number,
  ms: number,
): Promise<number> {
  const asking = await Promise.all(Array.from({ length: connections }, () => open(url, requests)));
  const begin = performance.now();
  const counts = await Promise.all(asking.map((ask) => ask(begin + ms)));
  const took = performance.now() - begin;
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / took;
}

/** Opens a connection. The returned function sends requests until `until`, then closes it. */
async function open(url: URL, requests: Requests): Promise<(until: number) => Promise<number>> {
  let onPart: (part: Buffer) => void = () => {};
  const socket = connect({
    host: url.hostname,
    port: Number(url.port),
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(READ_BYTES),
      callback(bytes, buffer) {
        onPart((buffer as Buffer).subarray(0, bytes));
        return true;
      },
    },
  });
  await once(socket, 'connect');
  return (until) => ask(socket, requests, until, (read) => (onPart = read));
}

function ask(
  socket: Socket,
  requests: Requests,
  until: number,
  listen: (read: (part: Buffer) => void) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    /** The first part of an incomplete head. */
    let begun: Buffer | null = null;
    /** Bytes of the body that are still to come; null if chunked; undefined before the head. */
    let left: number | null | undefined;
    let tail = Buffer.alloc(0);
    const next = () => socket.write(requests[count % requests.length] as Buffer);
    const done = () => {
      count++;
      left = undefined;
      tail = Buffer.alloc(0);
      if (performance.now() < until) return void next();
      socket.destroy();
      resolve(count);
    };
    const head = (part: Buffer) => {
      const all: Buffer = begun ? Buffer.concat([begun, part]) : part;
      const end = all.indexOf(HEAD_END);
      // A copy, since the buffer is reused.
      begun = end < 0 ? Buffer.from(all) : null;
      if (end < 0) return;
      const text = all.toString('latin1', 0, end);
      if (!text.startsWith('HTTP/1.1 200'))
        return reject(new Error(`expected status 200, got ${text.split('\r\n')[0]}`));
      const length = /content-length: *(\d+)/i.exec(text)?.[1];
      left = length === undefined ? null : Number(length);
      body(all.subarray(end + HEAD_END.byteLength));
    };
    const body = (part: Buffer) => {
      if (typeof left === 'number') {
        left -= part.byteLength;
        if (left <= 0) done();
        return;
      }
      tail = Buffer.concat([tail.subarray(-LAST_CHUNK.byteLength), part.subarray(-LAST_CHUNK.byteLength)]);
      if (tail.subarray(-LAST_CHUNK.byteLength).equals(LAST_CHUNK)) done();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    listen((part) => (left === undefined ? head(part) : body(part)));
    next();
  });
}
