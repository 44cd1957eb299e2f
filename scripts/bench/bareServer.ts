/** The bare server to compare with: `node:http` alone. It reads each request to its end and answers with a prepared string. */
import type { RequestListener } from 'node:http';

/** A PUT prepares the answer; every other request gets it. */
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
