/**
 * `fetch` for an MCP client of the SDK: every message goes to the running server on a connection of its own, on which the
 * server has proved itself first.
 */
import { RelayError } from '../domain/errors.ts';
import { greet, type LocalClientOptions, requireProof, unreachable } from './localClient.ts';

/** Takes what the SDK's transport sends: JSON text to `/mcp`. Anything else is answered as the server would. */
export function createLocalFetch({ baseUrl, key, random }: LocalClientOptions) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body, signal } = init;
    // There is no stream to listen on and no session to end: the server is stateless.
    if (init.method !== 'POST' || typeof body !== 'string') return new Response(null, { status: 405 });
    const left = signal ?? new AbortController().signal;
    const greeting = greet(baseUrl, { signal: left, ...(random ? { random } : {}) });
    const { connection, origin } = greeting;
    try {
      const authorization = `Bearer ${await requireProof(greeting, key)}`;
      const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization };
      const { pathname } = new URL(url);
      const answer = await connection.open(pathname, body, { headers, signal: left });
      const content = streamOf(answer.text, () => connection.close());
      return new Response(MAY_BE_EMPTY.has(answer.status) ? null : content, {
        status: answer.status,
        headers: { 'content-type': answer.contentType },
      });
    } catch (error) {
      connection.close();
      left.throwIfAborted();
      throw error instanceof RelayError ? error : unreachable(origin, error);
    }
  };
}

/** A `Response` of one of these takes no body. */
const MAY_BE_EMPTY = new Set([204, 205, 304]);

function streamOf(text: AsyncIterable<string>, done: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = text[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done: isOver } = await parts.next();
        if (!isOver) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      done();
    },
    cancel: done,
  });
}
