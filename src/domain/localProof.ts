/**
 * How a server proves to the command line that it holds the local token, before anything is sent to it: after a server was
 * killed, anybody may have taken its port. And how the other side proves the same on that connection. Pure.
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

/** What a proof and the credential that goes with it are, each in base64url. */
export interface ConnectionSecrets {
  /** Of the server: it holds the local token. */
  proof: string;
  /** Of the other side, for `/mcp` on this connection alone. The server need not be asked for one. */
  credential: string;
}

/**
 * The halves of an HMAC-SHA-256 under the local token: each has 128 bits, and neither tells anything about the other. It
 * includes the address and port that the client connected to: a program that passes the question on to the real server,
 * which listens elsewhere, gets an answer that does not fit.
 */
export function connectionSecrets(
  token: string,
  nonce: string,
  end: ServerEnd,
  pid: number,
): ConnectionSecrets {
  const address = (end.address ?? '').replace(/^::ffff:/i, '');
  const text = ['relay local connection v2', nonce, address, end.port ?? 0, pid].join('\n');
  const bytes = hmacSha256(Buffer.from(token), Buffer.from(text));
  return {
    proof: bytes.subarray(0, HALF).toString('base64url'),
    credential: bytes.subarray(HALF).toString('base64url'),
  };
}

const HALF = 16;

/** For the answer of a server that holds `token`, the credential for that connection; null for any other. */
export function credentialFor(token: string, nonce: string, end: ServerEnd, answer: unknown): string | null {
  const { pid, proof } = (answer ?? {}) as Partial<HelloAnswer>;
  if (typeof pid !== 'number' || typeof proof !== 'string') return null;
  const expected = connectionSecrets(token, nonce, end, pid);
  return sameBytes(Buffer.from(proof), Buffer.from(expected.proof)) ? expected.credential : null;
}
