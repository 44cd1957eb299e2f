/**
 * How a server proves to the command line that it holds the local token, before that is sent to it: after a server was
 * killed, anybody may have taken its port. Pure.
 */
import { hmacSha256, sameBytes } from '../base/sha256.ts';

/** The route below `/local/`: POST without a credential, `{nonce}`: random, so that no earlier answer fits again. */
export const HELLO_ROUTE = 'hello';

interface HelloAnswer {
  pid: number;
  proof: string;
}

/** The server's end of the connection, as either side's socket names it. */
export interface ServerEnd {
  address: string | undefined;
  port: number | undefined;
}

/**
 * HMAC-SHA-256 under the local token, in base64url. It includes the address and port that the client connected to: a
 * program that passes the question on to the real server, which listens elsewhere, gets an answer that does not fit.
 */
export function localProof(token: string, nonce: string, end: ServerEnd, pid: number): string {
  const address = (end.address ?? '').replace(/^::ffff:/i, '');
  const text = ['relay local server v1', nonce, address, end.port ?? 0, pid].join('\n');
  return hmacSha256(Buffer.from(token), Buffer.from(text)).toString('base64url');
}

/** True for the answer of a server that holds `token`. */
export function provesServer(token: string, nonce: string, end: ServerEnd, answer: unknown): boolean {
  const { pid, proof } = (answer ?? {}) as Partial<HelloAnswer>;
  if (typeof pid !== 'number' || typeof proof !== 'string') return false;
  return sameBytes(Buffer.from(proof), Buffer.from(localProof(token, nonce, end, pid)));
}
