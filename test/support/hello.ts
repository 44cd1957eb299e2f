/** What a server of the test answers to `POST /local/hello`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionSecrets } from '../../src/domain/localProof.ts';

/** Proves `token` on the connection of `request`. */
export function answerHello(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  token: string,
): void {
  const { nonce } = JSON.parse(text) as { nonce: string };
  const end = { address: request.socket.localAddress, port: request.socket.localPort };
  const answer = { pid: process.pid, proof: connectionSecrets(token, nonce, end, process.pid).proof };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
