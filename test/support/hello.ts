/** Both sides of `POST /local/hello`: a test's own server, and a client of a real one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionSecrets, endsOf } from '../../src/domain/localProof.ts';
import { greet, requireProof } from '../../src/local/localClient.ts';

/** Answers with a proof of `key` for the connection of `request`. @returns the credential that goes with the proof */
export function answerHello(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  key: string,
): string {
  const { nonce } = JSON.parse(text) as { nonce: string };
  const ends = endsOf(request.socket, 'server');
  if (ends === null) throw new Error('the connection is closed');
  const { proof, credential } = connectionSecrets(key, nonce, ends, process.pid);
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ pid: process.pid, proof }));
  return credential;
}

/**
 * Sends a request below `/local/` (or to another `path`) to a real server, on a connection with proofs from both sides.
 * @param headers further headers; an `authorization` replaces the credential
 */
export async function askLocal(
  { baseUrl, localKey }: { baseUrl: string; localKey: string },
  path: string,
  headers: Record<string, string> = {},
  body: object = {},
): Promise<{ status: number; text: string }> {
  const greeting = greet(baseUrl, {});
  try {
    const authorization = `Bearer ${await requireProof(greeting, localKey)}`;
    const sent = { authorization, ...headers };
    return await greeting.connection.post(path, body, { headers: sent, timeoutMs: 60_000 });
  } finally {
    greeting.connection.close();
  }
}
