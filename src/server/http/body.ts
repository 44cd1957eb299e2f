/** Reading a request's body: no more than allowed, of the right type, or a refusal that says why. */
import type { IncomingMessage } from 'node:http';
import { parseBounded } from '../../base/boundedJson.ts';
import { HttpError } from './toHttp.ts';

export const MCP_BODY_BYTES = 4 * 1024 * 1024;
export const OTHER_BODY_BYTES = 1024 * 1024;
/** The largest list that is read, in Base64, and a little for what is said beside it. */
export const LIST_BODY_BYTES = 28 * 1024 * 1024;

/** What is read and thrown away of a body that is too large, so that the client gets to read the refusal. */
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * What `use` makes of the body, which it gets as soon as the last byte is there.
 * @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BAD_REQUEST`
 */
function withBody<T>(
  request: IncomingMessage,
  type: string,
  maxBytes: number,
  use: (body: Buffer) => T | Promise<T>,
): Promise<T> {
  // Listeners, since an iterator costs more than all the rest of a short request.
  return new Promise((resolve, reject) => {
    requireType(request, type);
    const chunks: Buffer[] = [];
    let size = 0;
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
    request.on('end', () => {
      if (size > maxBytes) return reject(tooLarge(maxBytes));
      try {
        resolve(use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', early);
    request.on('close', early);
    if (request.destroyed) early();
  });
}

/** @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` */
export function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams> {
  const type = 'application/x-www-form-urlencoded';
  return withBody(request, type, maxBytes, (body) => new URLSearchParams(body.toString('utf8')));
}

/** @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `MALFORMED_JSON` */
export function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const parse = (body: Buffer) => JSON.parse(body.toString('utf8')) as unknown;
  return withBody(request, JSON_TYPE, maxBytes, (body) => parsed(body, parse));
}

/**
 * What `use` makes of a message of MCP, without a pause in between. Of one that is nested deeper or holds more than any tool
 * takes, only what is within the bounds of `parseBounded` is read.
 */
export function withMessage<T>(
  request: IncomingMessage,
  maxBytes: number,
  use: (value: unknown) => T | Promise<T>,
): Promise<T> {
  return withBody(request, JSON_TYPE, maxBytes, (body) => use(parsed(body, parseBounded)));
}

const JSON_TYPE = 'application/json';

function parsed(body: Buffer, parse: (body: Buffer) => unknown): unknown {
  try {
    return parse(body);
  } catch {
    throw new HttpError('MALFORMED_JSON');
  }
}

/** The bytes of a file. @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` */
export function readFile(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return withBody(request, 'application/octet-stream', maxBytes, (body) => body);
}

function requireType(request: IncomingMessage, expected: string): void {
  const given = request.headers['content-type'] ?? '';
  const type = given === expected ? given : given.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== expected) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message: `This path accepts only ${expected}.` });
  }
}

function tooLarge(maxBytes: number): HttpError {
  const message = `The body is larger than the limit of ${maxBytes / 1024 / 1024} MiB.`;
  return new HttpError('BODY_TOO_LARGE', { message, headers: { connection: 'close' } });
}
