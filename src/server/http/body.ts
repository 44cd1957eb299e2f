/** Reading a request's body: no more than allowed, of the right type, or a refusal that says why. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from './toHttp.ts';

export const MCP_BODY_BYTES = 4 * 1024 * 1024;
export const OTHER_BODY_BYTES = 1024 * 1024;
/** The largest list that is read, in Base64, and a little for what is said beside it. */
export const LIST_BODY_BYTES = 28 * 1024 * 1024;

/** What is read and thrown away of a body that is too large, so that the client gets to read the refusal. */
const DRAIN_BYTES = 64 * 1024 * 1024;

/** @throws HttpError `BODY_TOO_LARGE`, `BAD_REQUEST` */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Listeners, since an iterator costs more than all the rest of a short request.
  return new Promise((resolve, reject) => {
    // The other side left or was cut; nobody reads this, but it is no fault of the program's own.
    const early = () => {
      if (request.readableEnded) return;
      reject(new HttpError('BAD_REQUEST', { message: 'The request body ended early.' }));
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > DRAIN_BYTES) request.destroy();
    });
    request.once('end', () => {
      if (size > maxBytes) reject(tooLarge(maxBytes));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once('error', early);
    request.once('close', early);
    if (request.destroyed) early();
  });
}

/** @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` */
export async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams> {
  requireType(request, 'application/x-www-form-urlencoded');
  return new URLSearchParams((await readBody(request, maxBytes)).toString('utf8'));
}

/** @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `MALFORMED_JSON` */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  requireType(request, 'application/json');
  const body = await readBody(request, maxBytes);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError('MALFORMED_JSON');
  }
}

/** The bytes of a file. @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` */
export async function readFile(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  requireType(request, 'application/octet-stream');
  return readBody(request, maxBytes);
}

function requireType(request: IncomingMessage, expected: string): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== expected) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message: `This path accepts only ${expected}.` });
  }
}

function tooLarge(maxBytes: number): HttpError {
  const message = `The body is larger than the limit of ${maxBytes / 1024 / 1024} MiB.`;
  return new HttpError('BODY_TOO_LARGE', { message, headers: { connection: 'close' } });
}
