/** Sends requests over keep-alive connections, one at a time on each, with little processor time of its own. */
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Returns the number of answers per second.
 * @param requests the same request with different IDs
 * @throws Error for any status but 200
 */
export async function rateOf(
  url: URL,
  requests: readonly Buffer[],
  { connections, ms }: { connections: number; ms: number },
): Promise<number> {
  const begin = performance.now();
  const asked = Array.from({ length: connections }, () => askUntil(url, requests, begin + ms));
  const counts = await Promise.all(asked);
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - begin);
}

function askUntil(url: URL, requests: readonly Buffer[], until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname).setNoDelay();
    let count = 0;
    /** The head so far, then ''. */
    let head = '';
    /** Bytes of the body that are still to come; null if it is chunked; undefined before the body. */
    let left: number | null | undefined;
    let tail = '';
    const next = () => socket.write(requests[count % requests.length] as Buffer);
    const end = () => {
      count++;
      [head, left, tail] = ['', undefined, ''];
      if (performance.now() < until) return void next();
      socket.destroy();
      resolve(count);
    };
    const body = (part: Buffer) => {
      if (left === null) {
        tail = (tail + part.toString('latin1', Math.max(0, part.length - 5))).slice(-5);
        if (tail === LAST_CHUNK) end();
      } else if (left !== undefined) {
        left -= part.length;
        if (left <= 0) end();
      }
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('connect', next);
    socket.on('data', (part) => {
      if (left !== undefined) return body(part);
      const before = head.length;
      head += part.toString('latin1');
      const at = head.indexOf(HEAD_END);
      if (at < 0) return;
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 200)));
      const length = /^content-length: *(\d+)/im.exec(head.slice(0, at))?.[1];
      left = length === undefined ? null : Number(length);
      body(part.subarray(at + HEAD_END.length - before));
    });
  });
}
