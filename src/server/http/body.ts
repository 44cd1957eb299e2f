/** Reads a request's body, and refuses one that is too large or has the wrong type. */
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { MAX_JSON_DEPTH, tooDeepAt } from '../../base/boundedJson.ts';
import type { HttpContext } from './context.ts';
import { HttpError } from './toHttp.ts';

type Asking = Pick<HttpContext, 'request'>;

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limit, in bytes, without a credential: anyone who can send a body can begin one on each of some hundred connections. */
export const ANYONES_BODY = 64 * KIB;
export const OWN_BODY = MIB;
/** Limit for an MCP message, and for a list that the owner's page sends. */
export const MCP_BODY = 4 * MIB;

/** A body that is too large is discarded up to this size, so that the client can read the refusal; then the request is cut. */
const DRAIN_BYTES = 64 * MIB;

/** @throws HttpError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BAD_REQUEST` */
async function readBody({ request }: Asking, type: string, maxBytes: number): Promise<Buffer> {
  requireType(request, type);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > DRAIN_BYTES) request.destroy();
    }
  } catch {
    // The other side left or was cut off. Nobody reads this error, but it must not count as an internal one.
    throw new HttpError('BAD_REQUEST', { message: 'The request body ended early.' });
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

/** A form's fields. @throws HttpError as `readBody` does */
export async function readForm(asking: Asking, maxBytes: number): Promise<URLSearchParams> {
  const body = await readBody(asking, 'application/x-www-form-urlencoded', maxBytes);
  return new URLSearchParams(body.toString('utf8'));
}

/** The value of a JSON body. @throws HttpError as `readBody` does, and `MALFORMED_JSON` */
export async function readJson(asking: Asking, maxBytes: number): Promise<unknown> {
  return jsonOf((await readBody(asking, 'application/json', maxBytes)).toString('utf8'));
}

/**
 * The value of a JSON body that goes through code that calls itself for each level.
 * @throws HttpError as `readJson` does, and `BAD_REQUEST` for a value that is nested too deeply
 */
export async function readMessage(asking: Asking, maxBytes: number): Promise<unknown> {
  const text = (await readBody(asking, 'application/json', maxBytes)).toString('utf8');
  if (tooDeepAt(text) !== null) {
    throw new HttpError('BAD_REQUEST', {
      message: `The body is nested deeper than the limit of ${MAX_JSON_DEPTH} levels.`,
    });
  }
  return jsonOf(text);
}

function jsonOf(text: string): unknown {
  try {
    // Some clients put a byte order mark in front.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new HttpError('MALFORMED_JSON');
  }
}

/** The bytes of a file. @throws HttpError as `readBody` does */
export function readFile(asking: Asking, maxBytes: number): Promise<Buffer> {
  return readBody(asking, 'application/octet-stream', maxBytes);
}

/**
 * The bytes of a file as they arrive, for a reader that does not hold them in memory and has its own size limit.
 * @throws HttpError `UNSUPPORTED_MEDIA_TYPE`
 */
export function fileChunks({ request }: Asking): AsyncIterable<Uint8Array> {
  requireType(request, 'application/octet-stream');
  return request;
}

function requireType(request: IncomingMessage, expected: string): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== expected) {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message: `This path accepts only ${expected}.` });
  }
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    const headers = { 'accept-encoding': 'identity' };
    const message = 'A compressed body is not accepted: send it without Content-Encoding.';
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', { message, headers });
  }
}

function tooLarge(maxBytes: number): HttpError {
  const limit = maxBytes < MIB ? `${maxBytes / KIB} KiB` : `${maxBytes / MIB} MiB`;
  const message = `The body is larger than the limit of ${limit}.`;
  return new HttpError('BODY_TOO_LARGE', { message, headers: { connection: 'close' } });
}

/** @throws HttpError `BAD_REQUEST` */
export function parsed<T extends z.ZodType>(shape: T, value: unknown): z.output<T> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new HttpError('BAD_REQUEST', {
    message: 'The request does not have the fields that this path expects.',
  });
}
