/**
 * Which requests can be answered without the SDK's machinery: `initialize`, `tools/list` and `tools/call` in the form in which
 * clients send them. What such a request means is the SDK's own classification, remembered, since every request of a client carries
 * the same envelope. Anything else, as every malformed request, takes the SDK's way.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';

export interface CommonForm {
  era: 'modern' | 'legacy';
  /** `MCP-Protocol-Version`. */
  version: string | undefined;
  id: string | number;
  method: 'initialize' | 'tools/list' | 'tools/call';
  /** Of `initialize`, as JSON. */
  params?: string;
  /** Of a call. */
  name: string;
  arguments: Record<string, unknown> | undefined;
  progressToken: string | number | undefined;
}

export interface CommonForms {
  /** Null for everything that is not exactly of the common form. */
  of(headers: IncomingHttpHeaders, body: unknown): CommonForm | null;
}

type Era = CommonForm['era'];
type Members = Record<string, unknown>;

/** The one revision that the SDK serves without a handshake. */
const MODERN = '2026-07-28';
const ENVELOPE = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
/** Names in `_meta` that the protocol gives a meaning. */
const RESERVED = 'io.modelcontextprotocol/';

/** A client sends one envelope, or a few. Of others the oldest is forgotten, and the SDK asked again. */
const MAX_REMEMBERED = 16;
/** Of a request's body: an envelope of a longer one is not remembered, for its size and its depth. */
const MAX_REMEMBERED_BYTES = 4_000;

export function createCommonForms(): CommonForms {
  const remembered: Array<{
    version: string | undefined;
    method: string;
    envelope: Members;
    era: Era | null;
  }> = [];

  function eraOf(headers: IncomingHttpHeaders, method: string, meta: Members): Era | null {
    const version = versionOf(headers);
    const envelope = envelopeOf(meta);
    if (envelope === null) return null;
    for (const known of remembered) {
      if (known.version === version && known.method === method && isSameJson(known.envelope, envelope)) {
        return known.era;
      }
    }
    const era = classify(version, method, envelope);
    if (!(Number(headers['content-length']) <= MAX_REMEMBERED_BYTES)) return era;
    if (remembered.length >= MAX_REMEMBERED) remembered.shift();
    remembered.push({ version, method, envelope, era });
    return era;
  }

  return {
    of(headers, body) {
      if (!isObject(body) || !acceptsBoth(headers.accept)) return null;
      const { jsonrpc, id, method, params = NONE } = body;
      if (jsonrpc !== '2.0' || !isId(id) || !isObject(params)) return null;
      if (method === 'initialize') return introduction(headers, body, id, params);
      const isList = method === 'tools/list';
      if (!isList && method !== 'tools/call') return null;
      if (!onlyKeys(body, MESSAGE) || !onlyKeys(params, isList ? LIST : CALL)) return null;
      const { name = '', arguments: args, _meta = NONE } = params;
      if (typeof name !== 'string' || (name === '') !== isList) return null;
      if (!isObject(_meta) || (args !== undefined && !isObject(args))) return null;
      const { progressToken } = _meta;
      if (progressToken !== undefined && (isList || !isId(progressToken))) return null;
      const era = eraOf(headers, method, _meta);
      if (era === null || (era === 'modern' && !namesItself(headers, method, name))) return null;
      return { era, version: versionOf(headers), id, method, name, arguments: args, progressToken };
    },
  };
}

/** The SDK has to have taken exactly these params before; it belongs to the revisions until 2025 alone. */
function introduction(
  headers: IncomingHttpHeaders,
  body: Members,
  id: string | number,
  params: Members,
): CommonForm | null {
  const version = versionOf(headers);
  const isPlain = version === undefined && headers['mcp-method'] === undefined && params._meta === undefined;
  if (!isPlain || !onlyKeys(body, MESSAGE)) return null;
  if (!(Number(headers['content-length']) <= MAX_REMEMBERED_BYTES)) return null;
  const facts = { era: 'legacy', version, id, method: 'initialize', name: '' } as const;
  return { ...facts, arguments: undefined, progressToken: undefined, params: JSON.stringify(params) };
}

/** In place of what is not there. */
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

/** Null for an envelope too deep for the SDK to follow. */
function routeOf(request: Parameters<typeof classifyInboundRequest>[0]) {
  try {
    return classifyInboundRequest(request);
  } catch {
    return null;
  }
}

/** What classification reads of `_meta`; null where it has another key that the protocol gives a meaning. */
function envelopeOf(meta: Members): Members | null {
  const envelope: Members = {};
  for (const key of Object.keys(meta)) {
    if (ENVELOPE.includes(key)) envelope[key] = meta[key];
    else if (key.startsWith(RESERVED)) return null;
  }
  return envelope;
}

/** @param known bounds how deep it goes */
function isSameJson(known: unknown, other: unknown): boolean {
  if (known === other) return true;
  if (!isNested(known) || !isNested(other) || Array.isArray(known) !== Array.isArray(other)) return false;
  const keys = Object.keys(known);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameJson(known[key], other[key]));
}

function isNested(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** Node joins what was sent twice, and the SDK refuses that. */
function versionOf(headers: IncomingHttpHeaders): string | undefined {
  const version = headers['mcp-protocol-version'];
  return Array.isArray(version) ? version.join(', ') : version;
}

/** The headers say what the body does (required from 2026-07-28 on). */
function namesItself(headers: IncomingHttpHeaders, method: string, name: string): boolean {
  return headers['mcp-method'] === method && (headers['mcp-name'] ?? '') === name;
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream');
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function onlyKeys(value: object, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!keys.has(key)) return false;
  return true;
}
