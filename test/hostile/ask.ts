/** Many raw requests over a few kept connections, each bounded in time. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { Answer, RawRequest } from '../support/http.ts';

/** The limit for one answer, in real time. No answer takes nearly as long, even on a slow machine. */
const BOUND_MS = 30_000;

export interface Asker {
  ask(path: string, options?: RawRequest): Promise<Answer>;
  close(): void;
}

/** Sends to `baseUrl`; a request without an answer in time fails the test. */
export function asker(baseUrl: string): Asker {
  const shared = new Agent({ keepAlive: true, maxSockets: 4 });
  const once = (path: string, { method = 'GET', headers = {}, body }: RawRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = {
        method,
        path,
        headers: { ...length, ...headers },
        agent: shared,
        setHost: !('host' in headers),
      };
      const outgoing = request(new URL(baseUrl).origin, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      const late = setTimeout(() => outgoing.destroy(new Error(`no answer: ${method} ${path}`)), BOUND_MS);
      outgoing.on('close', () => clearTimeout(late));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return {
    async ask(path, options = {}) {
      try {
        return await once(path, options);
      } catch (error) {
        // The server may just have closed a kept connection, so the request is sent once more. A second failure counts.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
        return once(path, options);
      }
    },
    close() {
      shared.destroy();
    },
  };
}

/** Fails if the head or the body of an answer holds one of `secrets`. */
export function assertNone(answer: Answer, secrets: readonly string[], where: string): void {
  const all = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  for (const secret of secrets) assert.ok(!all.includes(secret), `${where} answers with ${secret}`);
}
