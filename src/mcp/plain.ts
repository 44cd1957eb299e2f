/**
 * `tools/list` and `tools/call` in their plain form: one request with known members only. They are answered beside the SDK, in
 * its words but in a fraction of its time, over HTTP and over streams alike. The SDK still decides what makes a request one of
 * the 2026 revision, and answers all others, malformed ones included.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { memoised } from '../base/memoised.ts';
import { isObject } from '../base/parsing.ts';
import type { CallResult } from './callResult.ts';
import type { Offer, SentHeaders } from './offers.ts';

export interface Plain {
  era: Era;
  id: string | number;
  method: 'tools/list' | 'tools/call';
  /** Name of the tool; empty for `tools/list`. */
  name: string;
  arguments: Members | undefined;
  progressToken: string | number | undefined;
}

/** `modern` is the revision of 2026-07-28; `legacy` stands for all earlier revisions. */
type Era = 'modern' | 'legacy';

/** The answer to a request of the plain form: one JSON-RPC message, after the notifications of its channel. */
export interface PlainAnswer {
  era: Era;
  text: Buffer | Promise<string>;
}

type Members = Record<string, unknown>;

/** The one revision that the SDK serves without a handshake. */
const MODERN = '2026-07-28';
/** The entries of `_meta` that make a request one of that revision: its envelope. */
const ENVELOPE = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
/** How the names in `_meta` begin that the protocol gives a meaning. */
const RESERVED = 'io.modelcontextprotocol/';
/** A longer envelope is left to the SDK, so that remembering it takes little memory. */
const MAX_ENVELOPE = 4_000;

const MESSAGE = ['jsonrpc', 'id', 'method', 'params'];
const LIST = ['_meta'];
const CALL = ['name', 'arguments', '_meta'];
/** Stands for a missing member. */
const NONE: Members = {};

/**
 * Reads a message; null if it does not have exactly the plain form.
 * @param headers those of the HTTP request, which must agree with the message; null for a stream, which has none
 */
export function plainOf(message: unknown, headers: SentHeaders | null): Plain | null {
  if (!isObject(message) || !hasOnly(message, MESSAGE)) return null;
  const { jsonrpc, id, method, params = NONE } = message;
  if (jsonrpc !== '2.0' || !isId(id) || !isObject(params)) return null;
  const isList = method === 'tools/list';
  if ((!isList && method !== 'tools/call') || !hasOnly(params, isList ? LIST : CALL)) return null;
  const { name = '', arguments: args, _meta = NONE } = params;
  if (typeof name !== 'string' || (name === '') !== isList) return null;
  if (!isObject(_meta) || (args !== undefined && !isObject(args))) return null;
  const { progressToken } = _meta;
  if (progressToken !== undefined && !isId(progressToken)) return null;
  const era = eraOf(_meta);
  if (era === null) return null;
  const plain: Plain = { era, id, method, name, arguments: args, progressToken };
  return headers === null || agree(headers, plain) ? plain : null;
}

function eraOf(meta: Members): Era | null {
  const reserved = Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  if (reserved.length === 0) return 'legacy';
  if (meta[PROTOCOL_VERSION_META_KEY] !== MODERN || !reserved.every((key) => ENVELOPE.includes(key)))
    return null;
  const envelope = JSON.stringify(Object.fromEntries(reserved.map((key) => [key, meta[key]])));
  return envelope.length <= MAX_ENVELOPE && isModern(envelope) ? 'modern' : null;
}

/** True if the SDK takes an envelope. All requests of a client have the same one, so few are remembered. */
const isModern = memoised(16, (envelope) => {
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: JSON.parse(envelope) } };
  const route = classifyInboundRequest({ httpMethod: 'POST', body });
  return route.kind === 'modern' && route.messageKind === 'request';
});

/** True if the headers name the same revision as the message and, from 2026-07-28 on, the same method and tool. */
function agree(headers: SentHeaders, { era, method, name }: Plain): boolean {
  const version = headers['mcp-protocol-version'];
  if (era === 'legacy') return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version));
  return version === MODERN && headers['mcp-method'] === method && (headers['mcp-name'] ?? '') === name;
}

/** True for a message that is never answered, whatever is wrong with it (JSON-RPC 2.0, 4.1). */
export function isNotification(message: unknown): boolean {
  return isObject(message) && typeof message.method === 'string' && !('id' in message);
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function hasOnly(value: Members, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

/** Writes the JSON-RPC messages that answer plain requests. @param ttlMs how long a client may keep the list */
export function createPlainAnswers(serverInfo: Members, ttlMs: number) {
  const made = new WeakMap<Offer, Partial<Record<Era, Buffer>>>();

  /** The result with what the 2026 revision requires in each. */
  const stamped = ({ _meta, ...result }: Members, more: Members = {}) => ({
    ...result,
    resultType: 'complete',
    ...more,
    _meta: { ...(_meta as Members | undefined), [SERVER_INFO_META_KEY]: serverInfo },
  });

  return {
    /** The start of the text is built once for each offer and era, which takes a hundred times as long as sending it. */
    list({ era, id }: Plain, offer: Offer): Buffer {
      const starts = made.get(offer) ?? {};
      made.set(offer, starts);
      const result = { tools: offer.entries };
      const whole = () => (era === 'modern' ? stamped(result, { ttlMs, cacheScope: 'private' }) : result);
      starts[era] ??= Buffer.from(`{"result":${JSON.stringify(whole())},"jsonrpc":"2.0","id":`);
      return Buffer.concat([starts[era], Buffer.from(`${JSON.stringify(id)}}`)]);
    },
    call: ({ era, id }: Plain, result: CallResult): string =>
      JSON.stringify({ result: era === 'modern' ? stamped(result) : result, jsonrpc: '2.0', id }),
  };
}
