/** Reads the messages of an MCP client, one per line, for carrying them over HTTP. Also reads the server's answers. Pure. */
import { isObject, readJson } from '../../base/parsing.ts';

export type RequestId = string | number;

export interface ClientMessage {
  /** The line exactly as received: parsing and writing it again could change numbers and keys. */
  text: string;
  /** IDs of the requests in the message. Each request needs an answer. */
  ids: RequestId[];
  /** Method of the message; null for a batch (2025-03-26) or an answer. */
  method: string | null;
  /** Name of the tool, for a `tools/call`; null for any other message. */
  tool: string | null;
  /** The request that `notifications/cancelled` names; null for any other message. */
  cancels: RequestId | null;
  /** The headers that the 2026-07-28 revision requires, which repeat parts of the body; `{}` for older revisions. */
  headers: Record<string, string>;
}

/** Where the body of a message names the revision. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** The field that the header `Mcp-Name` repeats, by method. */
const NAME_FIELD: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Reads the message in a line; null if the line is not JSON. The server refuses JSON that is no message. */
export function readMessage(text: string): ClientMessage | null {
  const value = readJson(text);
  if (value === undefined) return null;
  const parts = (Array.isArray(value) ? value : [value]).filter(isObject);
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

/** Header values are visible ASCII; anything else is encoded as the revision says (SEP-2243). */
function headerValue(text: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

export interface ServerMessage {
  /** The message as one line. */
  line: string;
  /** IDs of the requests that the message answers. */
  answers: RequestId[];
  /** The error, if it names no request; null for any other message. */
  failure: { code?: unknown } | null;
  /** The revision in an answer to `initialize`; null for any other message. */
  version: string | null;
}

/** Reads the message of a server; null if it is not JSON-RPC. */
export function readAnswer(json: string): ServerMessage | null {
  const value = readJson(json);
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

/** Returns the line for a failed request; `id` is null if the request is not known. */
export function errorLine(id: RequestId | null, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}
