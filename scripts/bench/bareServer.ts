/** The bare server to compare relay with: `node:http` alone, which reads a whole request and sends a prepared answer. */
import type { RequestListener } from 'node:http';

/** Returns a listener. A PUT sets the answer that this and all later requests get. */
export function bareListener(): RequestListener {
  let type = 'application/json';
  let answer = Buffer.from('{}');
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'PUT') {
        answer = Buffer.concat(chunks);
        type = request.headers['content-type'] ?? type;
      }
      response.writeHead(200, { 'content-type': type, 'content-length': answer.byteLength });
      response.end(answer);
    });
  };
}
