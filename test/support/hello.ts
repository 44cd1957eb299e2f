/** What a server of the test answers to `POST /local/hello`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionSecrets, endsOf } from '../../src/domain/localProof.ts';
import { greet, requireProof } from '../../src/local/localClient.ts';

/** Proves `key` on the connection of `request`. @returns the credential that goes with it */
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
 * Asks a real server below `/local/` (or at another `path`) on a connection on which both sides have proved themselves.
 * @param headers besides the credential, or in its place
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
    return await greeting.connection.post(path, body, { headers: sent, timeoutMs: 10_000 });
  } finally {
    greeting.connection.close();
  }
}
