/**
 * Which requests can be answered without the SDK's machinery: `tools/list` and `tools/call` in the form in which clients
 * send them. What such a request means is the SDK's own classification, remembered, since every request of a client carries
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
  method: 'tools/list' | 'tools/call';
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

/** A client has one envelope, or a few. Beyond these limits the SDK is asked each time. */
const MAX_REMEMBERED = 64;
const MAX_KEY = 2_000;

export function createCommonForms(): CommonForms {
  const eras = new Map<string, Era | null>();

  /** @param envelope of `_meta`, the keys that classification reads */
  function eraOf(version: string | undefined, method: string, envelope: Members | null): Era | null {
    const key = `${version} ${method} ${envelope ? JSON.stringify(envelope) : ''}`;
    let era = eras.get(key);
    if (era === undefined) {
      era = classify(version, method, envelope);
      if (eras.size >= MAX_REMEMBERED) eras.clear();
      if (key.length <= MAX_KEY) eras.set(key, era);
    }
    return era;
  }

  return {
    of(headers, body) {
      if (!isObject(body) || !acceptsBoth(headers.accept)) return null;
      const { jsonrpc, id, method, params = {} } = body;
      if (jsonrpc !== '2.0' || !isId(id) || !isObject(params)) return null;
      const isList = method === 'tools/list';
      if (!isList && method !== 'tools/call') return null;
      if (!onlyKeys(body, MESSAGE) || !onlyKeys(params, isList ? LIST : CALL)) return null;
      const { name = '', arguments: args, _meta = {} } = params;
      if (typeof name !== 'string' || (name === '') !== isList) return null;
      if (!isObject(_meta) || (args !== undefined && !isObject(args))) return null;
      const { progressToken } = _meta;
      if (progressToken !== undefined && (isList || !isId(progressToken))) return null;
      const version = headers['mcp-protocol-version'];
      if (typeof version !== 'string' && version !== undefined) return null;
      const envelope = envelopeOf(_meta);
      if (envelope === undefined) return null;
      const era = eraOf(version, method, envelope);
      if (era === null || (era === 'modern' && !namesItself(headers, method, name))) return null;
      return { era, version, id, method, name, arguments: args, progressToken };
    },
  };
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const LIST = new Set(['_meta']);
const CALL = new Set(['name', 'arguments', '_meta']);

function classify(version: string | undefined, method: string, envelope: Members | null): Era | null {
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 0, method, ...(envelope ? { params: { _meta: envelope } } : {}) },
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
  });
  if (route.kind === 'legacy' && route.reason === 'no-claim' && envelope === null) {
    return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? 'legacy' : null;
  }
  return route.kind === 'modern' && route.messageKind === 'request' && version === MODERN ? 'modern' : null;
}

/** The envelope, null without one, undefined where `_meta` has another key that the protocol gives a meaning. */
function envelopeOf(meta: Members): Members | null | undefined {
  const reserved = Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  if (reserved.length === 0) return null;
  if (!reserved.every((key) => ENVELOPE.includes(key))) return undefined;
  return Object.fromEntries(reserved.map((key) => [key, meta[key]]));
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
