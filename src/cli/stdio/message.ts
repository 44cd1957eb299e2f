/** Messages of an MCP client as they stand on a line, and what carrying them over HTTP takes. Pure. */
import { isObject } from '../../base/lists.ts';

export type RequestId = string | number;

export interface ClientMessage {
  /** The line as it came: parsed and written again, numbers and keys could differ. */
  text: string;
  /** Of the requests in it, each of which needs an answer. */
  ids: RequestId[];
  /** null: a batch (2025-03-26), or an answer. */
  method: string | null;
  /** Of a `tools/call`. */
  tool: string | null;
  /** The request that `notifications/cancelled` names. */
  cancels: RequestId | null;
  /** Those that the revision of 2026-07-28 asks for: they repeat what the body says. */
  headers: Record<string, string>;
}

/** Where the body of a message names the revision. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** Which field `Mcp-Name` repeats. */
const NAME_FIELD: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** null: the line is no JSON-RPC. */
export function readMessage(text: string): ClientMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parts = (Array.isArray(value) ? value : [value]).filter(isObject);
  if (parts.length === 0) return null;
  const ids = parts.flatMap(({ id, method }) => (typeof method === 'string' && isId(id) ? [id] : []));
  const none = { text, ids, method: null, tool: null, cancels: null, headers: {} };
  const [only] = parts;
  if (Array.isArray(value) || typeof only?.method !== 'string') return none;
  const { method } = only;
  const params = isObject(only.params) ? only.params : {};
  const tool = method === 'tools/call' && typeof params.name === 'string' ? params.name : null;
  const named = method === 'notifications/cancelled' ? params.requestId : null;
  return { ...none, method, tool, cancels: isId(named) ? named : null, headers: headersFor(method, params) };
}

function headersFor(method: string, params: Record<string, unknown>): Record<string, string> {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[VERSION_META];
  if (typeof version !== 'string') return {};
  const field = Object.hasOwn(NAME_FIELD, method) ? NAME_FIELD[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  return {
    'mcp-protocol-version': headerValue(version),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** A header holds visible ASCII only; anything else goes in the form that the revision gives (SEP-2243). */
function headerValue(text: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

export interface ServerMessage {
  /** One line. */
  line: string;
  /** The requests that it answers. */
  answers: RequestId[];
  /** Set for an error that names no request. */
  failure: object | null;
  /** The revision that an `initialize` agreed on. */
  version: string | null;
}

/** null: it is no JSON-RPC. */
export function readAnswer(json: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const parts = (Array.isArray(value) ? value : [value]).filter(isObject);
  if (parts.length === 0 || parts.some((part) => part.jsonrpc !== '2.0')) return null;
  const [{ id, error, result }] = parts as [Record<string, unknown>];
  const version = isObject(result) ? result.protocolVersion : undefined;
  return {
    line: /[\r\n]/.test(json) ? JSON.stringify(value) : json,
    answers: parts.flatMap((part) => (part.method === undefined && isId(part.id) ? [part.id] : [])),
    failure: !isId(id) && isObject(error) ? error : null,
    version: typeof version === 'string' ? version : null,
  };
}

/** The line that says that a request failed; `id` null: it is not known which. */
export function errorLine(id: RequestId | null, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}
