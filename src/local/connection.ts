/**
 * A single connection to a server on this machine, for a few requests one after the other. The connection is never silently
 * replaced by a new one. It uses a bare socket: with `node:http`, `relay stdio` takes an eighth more processor time until its
 * first answer.
 */
import { connect, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { type ConnectionEnds, endsOf } from '../domain/localProof.ts';
import { AnswerReader, type AnswerTaker } from './answerReader.ts';

interface PostOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds. */
  timeoutMs: number;
  /** How long the whole answer may take, in milliseconds; by default, as long as data keeps coming. */
  withinMs?: number;
  /** The longest answer that is taken, in bytes; by default, any. */
  maxBytes?: number;
}

export interface OpenOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  /** Both ends of the connection, as this side's socket names them; null if the connection was never open. */
  ends: ConnectionEnds | null;
}

export interface OpenAnswer {
  status: number;
  contentType: string;
  /** The body as it arrives. Rejects if the answer is cut off. */
  text: AsyncIterable<string>;
}

export interface Connection {
  /** Sends JSON and returns the whole answer. Rejects if that fails, is aborted or exceeds a limit in `options`. */
  post(path: string, body: object, options: PostOptions): Promise<Answer>;
  /** Sends JSON text and returns the answer as soon as its headers are there. Aborting the signal cuts the answer off. */
  open(path: string, text: string, options: OpenOptions): Promise<OpenAnswer>;
  close(): void;
}

/** The request whose answer has not ended. */
interface Waiting extends AnswerTaker {
  fail(error: Error): void;
}

/** Makes a connection, which opens with its first request. @param origin begins with `http:`, or every request fails */
export function openConnection(origin: string): Connection {
  const { protocol, hostname, port, host } = new URL(origin);
  let socket: Socket | null = null;
  let ends: ConnectionEnds | null = null;
  let waiting: Waiting | null = null;
  /** Why no further request can be sent. */
  let over: Error | null = protocol === 'http:' ? null : new Error('its address does not begin with http:');

  function fail(error: Error): void {
    over ??= error;
    const left = waiting;
    waiting = null;
    left?.fail(error);
    socket?.destroy();
  }

  function begin(): Socket {
    const begun = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
    const reader = new AnswerReader({
      head: (head) => waiting?.head(head),
      body: (bytes) => waiting?.body(bytes),
      end(isLast) {
        const done = waiting;
        waiting = null;
        if (isLast) over ??= closed();
        done?.end(isLast);
      },
    });
    const orFail = (work: () => void) => {
      try {
        work();
      } catch (error) {
        fail(error as Error);
      }
    };
    // Read now, since a closed socket no longer has its addresses.
    begun.on('connect', () => {
      ends = endsOf(begun, 'client');
    });
    begun.on('data', (bytes: Buffer) => orFail(() => reader.take(bytes)));
    begun.on('end', () => orFail(() => reader.close()));
    begun.on('error', fail);
    begun.on('timeout', () => fail(late()));
    begun.on('close', () => fail(closed()));
    return begun;
  }

  function send(path: string, text: string, headers: Record<string, string>, taker: Waiting): Socket | null {
    try {
      if (over) throw over;
      const head = headOf(path, { host, ...headers, ...contentHeaders(text) });
      waiting = taker;
      socket ??= begin();
      socket.write(head + text);
      return socket;
    } catch (error) {
      taker.fail(error as Error);
      return null;
    }
  }

  return {
    post: (path, body, { headers = {}, signal, timeoutMs, withinMs, maxBytes = Number.POSITIVE_INFINITY }) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let size = 0;
        let status = 0;
        const timer = withinMs === undefined ? undefined : setTimeout(() => fail(late()), withinMs);
        const stop = onAbort(signal, fail);
        const settle = () => {
          clearTimeout(timer);
          stop();
          socket?.setTimeout(0);
        };
        const taker: Waiting = {
          head: (head) => {
            status = head.status;
          },
          body(bytes) {
            size += bytes.length;
            if (size > maxBytes) fail(new Error('its answer is too long'));
            else chunks.push(bytes);
          },
          end() {
            settle();
            resolve({ status, text: Buffer.concat(chunks).toString('utf8'), ends });
          },
          fail(error) {
            settle();
            reject(error);
          },
        };
        send(path, JSON.stringify(body), headers, taker)?.setTimeout(timeoutMs);
      }),
    open: (path, text, { headers, signal }) =>
      new Promise((resolve, reject) => {
        const stop = onAbort(signal, fail);
        const body = createText({ pause: () => socket?.pause(), resume: () => socket?.resume() });
        const taker: Waiting = {
          head({ status, headers: received }) {
            resolve({ status, contentType: received.get('content-type') ?? '', text: body.text });
          },
          body: body.add,
          end() {
            stop();
            body.end();
          },
          fail(error) {
            stop();
            // Once the head has arrived, only the body is still pending, and `reject` does nothing.
            reject(error);
            body.fail(error);
          },
        };
        send(path, text, headers, taker);
      }),
    close: () => fail(closed()),
  };
}

// Each of these messages completes a sentence about the server, such as "The server cannot be reached: it closed the connection."

function closed(): Error {
  return new Error('it closed the connection');
}

/** The server keeps the connection open, but does not answer in time. */
export class SilentServer extends Error {}

function late(): Error {
  return new SilentServer('it does not answer');
}

/** Calls `fail` once the signal is aborted. @returns a function that stops listening */
function onAbort(signal: AbortSignal | undefined, fail: (error: Error) => void): () => void {
  const abort = () => fail(new Error('the request was given up'));
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

function contentHeaders(text: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
}

/** @throws Error for a header with characters that would break the request. A value may come from another program */
function headOf(path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    if (!/^[\w-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value)) throw new Error(`${name} cannot be a header`);
    return `${name}: ${value}\r\n`;
  });
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** If more characters than this wait for the reader, the server has to pause. */
const MAX_PENDING = 1024 * 1024;

/** Makes text that can be read while it arrives. A slow reader slows the server down. */
function createText(source: { pause(): void; resume(): void }) {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let isEnded = false;
  let failure: Error | null = null;
  let wake: (() => void) | null = null;
  const changed = () => {
    wake?.();
    wake = null;
  };

  async function* read(): AsyncGenerator<string> {
    for (;;) {
      if (pending !== '') {
        const text = pending;
        pending = '';
        source.resume();
        yield text;
      } else if (failure) throw failure;
      else if (isEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  return {
    text: read(),
    add(bytes: Buffer) {
      pending += decoder.write(bytes);
      if (pending.length > MAX_PENDING) source.pause();
      changed();
    },
    end() {
      pending += decoder.end();
      isEnded = true;
      changed();
    },
    fail(error: Error) {
      if (!isEnded) failure = error;
      changed();
    },
  };
}
