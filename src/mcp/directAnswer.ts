/**
 * Writes answers without the SDK's streams, in the form that the SDK would use. An answer in the 2026 revision is JSON, or an
 * event stream if there are notifications. An answer in earlier revisions is always an event stream.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { CommonForm, Era } from './commonForm.ts';
import type { Offer } from './offers.ts';
import type { CallResult } from './runTool.ts';
import type { ProgressNotification } from './toolCalls.ts';

/** One request whose credential has been checked, and the ways to answer it. */
export interface DirectRequest {
  headers: IncomingHttpHeaders;
  /** The parsed JSON. */
  body: unknown;
  /** Who sent the request; keeps one client's cancellations away from another's calls. */
  principal: string;
  /** Base URL of this server, as the client dialled it. */
  baseUrl: string;
  /** Calls `listener` if the client leaves before it has its answer. */
  onGone(listener: () => void): void;
  send(answer: WholeAnswer): void;
  /** Begins an answer of unknown length. */
  begin(headers: Record<string, string>): EventStream;
}

/** An answer whose length is known. */
export interface WholeAnswer {
  headers: Record<string, string>;
  /** The parts in order; not joined, since they may be long. */
  parts: ReadonlyArray<string | Buffer>;
}

/** An answer that is sent in several events. */
export interface EventStream {
  write(text: string): void;
  end(text: string): void;
}

/** The answer to one `tools/call`. */
export interface CallAnswer {
  notify(notification: ProgressNotification): void;
  end(result: CallResult): void;
  /** Stops the keep-alive messages, whether the answer was sent or not. */
  close(): void;
}

interface Implementation extends Record<string, unknown> {
  name: string;
  version: string;
}

/** Headers of an event stream, as the SDK sends them, except that nothing may be stored and the connection may end. */
const EVENTS = {
  'cache-control': 'no-store, no-transform',
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no',
};
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENT = 'event: message\ndata: ';
const KEEP_ALIVE_MS = 15_000;

/**
 * Returns a function that answers `tools/list`. The text is built once for each selection of tools and each era, since building
 * takes a hundred times as long as sending.
 * @param ttlMs how long a client may keep the list
 */
export function createListAnswers(
  serverInfo: Implementation,
  ttlMs: number,
): (form: Pick<CommonForm, 'era' | 'id'>, offer: Offer) => WholeAnswer {
  const made = new WeakMap<Offer, Partial<Record<Era, Buffer>>>();
  return ({ era, id }, offer) => {
    const starts = made.get(offer) ?? {};
    made.set(offer, starts);
    starts[era] ??= Buffer.from(startOf(offer, era));
    const rest = `${JSON.stringify(id)}}`;
    return era === 'modern'
      ? { headers: JSON_TYPE, parts: [starts[era], rest] }
      : { headers: EVENTS, parts: [starts[era], `${rest}\n\n`] };
  };

  /** The start of the answer, before the request's ID. */
  function startOf({ entries: tools }: Offer, era: Era): string {
    const cache = { ttlMs, cacheScope: 'private' };
    const result = era === 'modern' ? stamped({ tools }, serverInfo, cache) : { tools };
    return `${era === 'modern' ? '' : EVENT}{"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":`;
  }
}

/**
 * Prepares the answer to one `tools/call`. Until `close`, an event stream gets keep-alive messages; for earlier revisions, the
 * first of them begins the stream.
 */
export function createCallAnswer(
  { era, id }: Pick<CommonForm, 'era' | 'id'>,
  request: Pick<DirectRequest, 'send' | 'begin'>,
  serverInfo: Implementation,
): CallAnswer {
  let stream: EventStream | null = null;
  const open = () => {
    stream ??= request.begin(EVENTS);
    return stream;
  };
  const alive = setInterval(() => {
    if (stream || era === 'legacy') open().write(': keepalive\n\n');
  }, KEEP_ALIVE_MS).unref();
  return {
    notify: (notification) => open().write(eventOf({ ...notification, jsonrpc: '2.0' })),
    end(result) {
      const message = { result: era === 'modern' ? stamped(result, serverInfo) : result, jsonrpc: '2.0', id };
      if (stream) stream.end(eventOf(message));
      else if (era === 'legacy') request.send({ headers: EVENTS, parts: [eventOf(message)] });
      else request.send({ headers: JSON_TYPE, parts: [JSON.stringify(message)] });
    },
    close: () => clearInterval(alive),
  };
}

/** Adds what the 2026 revision requires in every result. */
function stamped(
  { _meta, ...result }: Record<string, unknown> & { _meta?: object },
  serverInfo: Implementation,
  more: object = {},
): Record<string, unknown> {
  const meta = { ..._meta, [SERVER_INFO_META_KEY]: serverInfo };
  return { ...result, resultType: 'complete', ...more, _meta: meta };
}

function eventOf(message: object): string {
  return `${EVENT}${JSON.stringify(message)}\n\n`;
}
