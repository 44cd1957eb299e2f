/**
 * Finds the requests that are answered without the SDK: `tools/list` and `tools/call` in their most common form. The SDK's own
 * classification decides what such a request means. It reads the envelope: the entries of `_meta` that name the protocol
 * version, the client and its capabilities. Its result is remembered, since all requests of a client have the same envelope.
 * All other requests go to the SDK, malformed ones included.
 */

import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isObject } from '../base/parsing.ts';

export interface CommonForm {
  era: Era;
  id: string | number;
  method: 'tools/list' | 'tools/call';
  /** Name of the tool; empty for `tools/list`. */
  name: string;
  arguments: Record<string, unknown> | undefined;
  progressToken: string | number | undefined;
}

/** `modern` is the revision of 2026-07-28; `legacy` stands for all earlier revisions. */
export type Era = 'modern' | 'legacy';
type Members = Record<string, unknown>;

/** The one revision that the SDK serves without a handshake. */
const MODERN = '2026-07-28';
const ENVELOPE = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
/** Names in `_meta` that the protocol gives a meaning. */
const RESERVED = 'io.modelcontextprotocol/';

/**
 * Maximum number of envelopes to remember; a client sends one envelope or a few. Beyond this number the oldest is forgotten.
 */
const MAX_REMEMBERED = 16;
/** The envelope of a body that is longer, or that does not tell its length, is not remembered, to save memory. */
const MAX_REMEMBERED_BYTES = 4_000;

/**
 * Returns a function that reads a request. The function returns null for everything that does not have exactly the common form.
 */
export function createCommonForms(): (headers: IncomingHttpHeaders, body: unknown) => CommonForm | null {
  const remembered = new Map<string, Era | null>();

  function eraOf(headers: IncomingHttpHeaders, method: string, meta: Members): Era | null {
    // If the header was sent twice, the SDK refuses the joined value.
    const version = headerOf(headers, 'mcp-protocol-version');
    const envelope = envelopeOf(meta);
    if (envelope === null) return null;
    if (!(Number(headers['content-length']) <= MAX_REMEMBERED_BYTES))
      return classify(version, method, envelope);
    const key = JSON.stringify([version, method, envelope]);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const era = classify(version, method, envelope);
    for (const oldest of remembered.keys()) if (remembered.size >= MAX_REMEMBERED) remembered.delete(oldest);
    remembered.set(key, era);
    return era;
  }

  return (headers, body) => {
    if (!isObject(body) || !acceptsBoth(headers.accept)) return null;
    const { jsonrpc, id, method, params = NONE } = body;
    if (jsonrpc !== '2.0' || !isId(id) || !isObject(params)) return null;
    const isList = method === 'tools/list';
    if (!isList && method !== 'tools/call') return null;
    if (!onlyKeys(body, MESSAGE) || !onlyKeys(params, isList ? LIST : CALL)) return null;
    const { name = '', arguments: args, _meta = NONE } = params;
    if (typeof name !== 'string' || (name === '') !== isList) return null;
    if (!isObject(_meta) || (args !== undefined && !isObject(args))) return null;
    const { progressToken } = _meta;
    if (progressToken !== undefined && (isList || !isId(progressToken))) return null;
    const era = eraOf(headers, method, _meta);
    if (era === null || (era === 'modern' && !headersAgree(headers, method, name))) return null;
    return { era, id, method, name, arguments: args, progressToken };
  };
}

/** Stands for a missing member. */
const NONE: Members = {};
const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const LIST = new Set(['_meta']);
const CALL = new Set(['name', 'arguments', '_meta']);

function classify(version: string | undefined, method: string, envelope: Members): Era | null {
  const hasEnvelope = Object.keys(envelope).length > 0;
  const route = routeOf({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 0, method, ...(hasEnvelope ? { params: { _meta: envelope } } : {}) },
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
  });
  if (route === null) return null;
  if (route.kind === 'legacy' && route.reason === 'no-claim' && !hasEnvelope) {
    return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? 'legacy' : null;
  }
  return route.kind === 'modern' && route.messageKind === 'request' && version === MODERN ? 'modern' : null;
}

/** The SDK's classification; null if the envelope is nested so deeply that the SDK fails. */
function routeOf(request: Parameters<typeof classifyInboundRequest>[0]) {
  try {
    return classifyInboundRequest(request);
  } catch {
    return null;
  }
}

/** The part of `_meta` that classification reads; null if `_meta` has another key that the protocol gives a meaning. */
function envelopeOf(meta: Members): Members | null {
  const envelope: Members = {};
  for (const key of Object.keys(meta)) {
    if (ENVELOPE.includes(key)) envelope[key] = meta[key];
    else if (key.startsWith(RESERVED)) return null;
  }
  return envelope;
}

/** The value of a header. If the header was sent several times, the values are joined with a comma. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** True if the headers name the same method and tool as the body (required from 2026-07-28 on). */
function headersAgree(headers: IncomingHttpHeaders, method: string, name: string): boolean {
  return headers['mcp-method'] === method && (headers['mcp-name'] ?? '') === name;
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream');
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function onlyKeys(value: object, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!keys.has(key)) return false;
  return true;
}
