/** Reads a request's body, and refuses one that is too large or has the wrong type. */
import type { IncomingMessage } from 'node:http';
import { parseBounded } from '../../base/boundedJson.ts';
import type { HttpContext } from './context.ts';
import { HttpError } from './toHttp.ts';
import type { Sender } from './waitingBodies.ts';

type Asking = Pick<HttpContext, 'request' | 'waitingBodies'>;

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum size of a body, and the kind of sender whose share it counts toward until it is complete (`waitingBodies.ts`). */
export interface BodyLimit {
  maxBytes: number;
  from: Sender;
}

/** Limit for requests without a credential. */
export const ANYONES_BODY: BodyLimit = { maxBytes: MIB, from: 'anyone' };
/** Limit for `hello`, the first request on a connection from the command line. */
export const HELLO_BODY: BodyLimit = { maxBytes: KIB, from: 'anyone' };
/** Limit for an MCP message from a client, and for a list that the owner's page sends. */
export const CLIENT_BODY: BodyLimit = { maxBytes: 4 * MIB, from: 'client' };
/** Limit for a call of the owner's page. */
export const PAGE_BODY: BodyLimit = { maxBytes: MIB, from: 'client' };
/** Limit for a call of the command line. */
export const LOCAL_BODY: BodyLimit = { maxBytes: MIB, from: 'commandLine' };
/** Limit for an MCP message that the command line passes on. */
export const CARRIED_BODY: BodyLimit = { maxBytes: 4 * MIB, from: 'commandLine' };
/** Limit for a list in Base64: the largest accepted list, with room for its parameters. */
export const LIST_BODY: BodyLimit = { maxBytes: 28 * MIB, from: 'commandLine' };

/** A body that is too large is discarded up to this size, so that the client can read the refusal; then the request is cut. */
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * Calls `use` with the body as soon as its last byte has arrived, and returns the result.
 * @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `TOO_MANY_BODIES`, `BAD_REQUEST`
 */
function withBody<T>(
  { request, waitingBodies }: Asking,
  type: string,
  { maxBytes, from }: BodyLimit,
  use: (body: Buffer) => T | Promise<T>,
): Promise<T> {
  // Listeners are used, since an iterator costs more than everything else in a short request.
  return new Promise((resolve, reject) => {
    requireType(request, type);
    let chunks: Buffer[] = [];
    let size = 0;
    let wasDropped = false;
    const waiting = waitingBodies.add(from, () => {
      wasDropped = true;
      chunks = [];
      reject(new HttpError('TOO_MANY_BODIES', { headers: { connection: 'close', 'retry-after': '1' } }));
    });
    // The other side left or was cut off. Nobody reads this error, but it must not count as an internal one.
    const early = () => {
      waiting.end();
      if (request.readableEnded) return;
      reject(new HttpError('BAD_REQUEST', { message: 'The request body ended early.' }));
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        chunks = [];
        waiting.end();
      } else if (!wasDropped) {
        chunks.push(chunk);
        waiting.grew(chunk.byteLength);
      }
      if (size > DRAIN_BYTES) request.destroy();
    });
    request.on('end', () => {
      waiting.end();
      if (wasDropped) return;
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

/** A form's fields. @throws HttpError as `withBody` does */
export function readForm(asking: Asking, limit: BodyLimit): Promise<URLSearchParams> {
  const type = 'application/x-www-form-urlencoded';
  return withBody(asking, type, limit, (body) => new URLSearchParams(body.toString('utf8')));
}

/** The value of a JSON body. @throws HttpError as `withBody` does, and `MALFORMED_JSON` */
export function readJson(asking: Asking, limit: BodyLimit): Promise<unknown> {
  const parse = (body: Buffer) => JSON.parse(body.toString('utf8')) as unknown;
  return withBody(asking, JSON_TYPE, limit, (body) => parsed(body, parse));
}

/**
 * Calls `use` with an MCP message, in the same turn in which its last byte arrives. `parseBounded` has bounds that no request
 * to a tool exceeds. Of a message beyond them, only a part is read.
 * @throws HttpError as `withBody` does, and `MALFORMED_JSON`
 */
export function withMessage<T>(
  asking: Asking,
  limit: BodyLimit,
  use: (value: unknown) => T | Promise<T>,
): Promise<T> {
  return withBody(asking, JSON_TYPE, limit, (body) => use(parsed(body, parseBounded)));
}

const JSON_TYPE = 'application/json';

function parsed(body: Buffer, parse: (body: Buffer) => unknown): unknown {
  try {
    return parse(body);
  } catch {
    throw new HttpError('MALFORMED_JSON');
  }
}

/** The bytes of a file. @throws HttpError as `withBody` does */
export function readFile(asking: Asking, limit: BodyLimit): Promise<Buffer> {
  return withBody(asking, 'application/octet-stream', limit, (body) => body);
}

/**
 * The bytes of a file as they arrive, for a reader that does not hold them in memory and has its own size limit.
 * @throws HttpError `UNSUPPORTED_MEDIA_TYPE`
 */
export function fileChunks({ request }: Pick<Asking, 'request'>): AsyncIterable<Uint8Array> {
  requireType(request, 'application/octet-stream');
  return request;
}

function requireType(request: IncomingMessage, expected: string): void {
  const given = request.headers['content-type'] ?? '';
  const type = given === expected ? given : given.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== expected) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message: `This path accepts only ${expected}.` });
  }
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    const headers = { 'accept-encoding': 'identity' };
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message: COMPRESSED, headers });
  }
}

const COMPRESSED = 'A compressed body is not accepted: send it without Content-Encoding.';

function tooLarge(maxBytes: number): HttpError {
  const limit = maxBytes < MIB ? `${maxBytes / KIB} KiB` : `${maxBytes / MIB} MiB`;
  const message = `The body is larger than the limit of ${limit}.`;
  return new HttpError('BODY_TOO_LARGE', { message, headers: { connection: 'close' } });
}
