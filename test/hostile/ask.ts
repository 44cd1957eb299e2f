/** Many raw requests over a few kept connections, each bounded in time. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type ConnectionEnds, connectionSecrets, endsOf } from '../../src/domain/localProof.ts';
import type { Answer, RawRequest } from '../support/http.ts';

/** The limit for one answer, in real time. No answer takes nearly as long, even on a slow machine. */
const BOUND_MS = 30_000;

export interface Asker {
  ask(path: string, options?: RawRequest): Promise<Answer>;
  /** Like `ask`, with the command line's credential, on a connection on which both sides have proved themselves. */
  askAsCommandLine(localKey: string, path: string, options: RawRequest): Promise<Answer>;
  close(): void;
}

/** Sends to `baseUrl`; a request without an answer in time fails the test. */
export function asker(baseUrl: string): Asker {
  const shared = new Agent({ keepAlive: true, maxSockets: 4 });
  // One connection, so that what was proved on it is good for the next request.
  const own = new Agent({ keepAlive: true, maxSockets: 1 });
  let ends: ConnectionEnds | null = null;
  const once = (
    path: string,
    { method = 'GET', headers = {}, body }: RawRequest,
    agent = shared,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = {
        method,
        path,
        headers: { ...length, ...headers },
        agent,
        setHost: !('host' in headers),
      };
      const outgoing = request(new URL(baseUrl).origin, options, (response) => {
        ends = endsOf(response.socket, 'client');
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
    async askAsCommandLine(localKey, path, options) {
      const nonce = randomBytes(32).toString('base64url');
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ nonce });
      const hello = await once('/local/hello', { method: 'POST', headers, body }, own);
      assert.ok(ends !== null && hello.status === 200);
      const { credential } = connectionSecrets(localKey, nonce, ends, JSON.parse(hello.text).pid);
      const authorization = `Bearer ${credential}`;
      return once(path, { ...options, headers: { ...options.headers, authorization } }, own);
    },
    close() {
      shared.destroy();
      own.destroy();
    },
  };
}

/** Fails if the head or the body of an answer holds one of `secrets`. */
export function assertNone(answer: Answer, secrets: readonly string[], where: string): void {
  const all = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  for (const secret of secrets) assert.ok(!all.includes(secret), `${where} answers with ${secret}`);
}
