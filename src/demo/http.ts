/** What handlers take and return: plain values, so that they know nothing of sockets. Reads queries and bodies, and makes pages. */
import { isObject, readJson } from '../base/parsing.ts';
import type { DemoAccount, DemoWorld } from './state.ts';

export interface Incoming {
  readonly method: string;
  /** Path of the request, without `/v1` for calls of the API. */
  readonly path: string;
  readonly isApi: boolean;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON; takes precedence over `text`. */
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call of the API by a known account. */
export interface ApiCall extends Incoming {
  readonly world: DemoWorld;
  readonly account: DemoAccount;
  readonly scopes: ReadonlySet<string>;
  readonly now: number;
  /** The variable part of the path, decoded; '' if there is none. */
  readonly id: string;
}

type Handler = (call: ApiCall) => Answer;

/** Handlers by method and path. `:id` stands for the variable part of a path, which is its second part. */
export type Routes = Readonly<Record<string, Handler>>;

/** Thrown by handlers instead of returning an answer. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`Answer with ${answer.status}.`);
    this.answer = answer;
  }
}

export function ok(json: unknown): Answer {
  return { status: 200, json };
}

/** The Web API's error body; only the player and the quota give a `reason`. */
export function apiError(status: number, message: string, reason?: string): Answer {
  return { status, json: { error: { status, message, reason } } };
}

export function refuse(status: number, message: string, reason?: string): Refusal {
  return new Refusal(apiError(status, message, reason));
}

export const notFound = () => refuse(404, 'Resource not found');

export function needScope(call: ApiCall, scope: string): void {
  if (!call.scopes.has(scope)) throw refuse(403, 'Insufficient client scope');
}

export function scoped(scope: string, handle: Handler): Handler {
  return (call) => {
    needScope(call, scope);
    return handle(call);
  };
}

/** The ID in the path. @throws Refusal 400 unless it is 22 base-62 characters */
export function idInPath({ id }: ApiCall): string {
  if (!/^[0-9A-Za-z]{22}$/.test(id)) throw refuse(400, 'Invalid base62 id');
  return id;
}

export function wantsEpisodes({ query }: ApiCall): boolean {
  return query.get('additional_types')?.split(',').includes('episode') ?? false;
}

/** The JSON object in the body; an empty body is an empty object. */
export function jsonBody({ text }: Incoming): Record<string, unknown> {
  const body = text.trim() === '' ? {} : readJson(text);
  if (!isObject(body)) throw refuse(400, 'Error parsing JSON.');
  return body;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** The `limit` and `offset` of the query. @throws Refusal 400 unless `limit` is 1 to `most`, and `offset` 0 to `reach` */
export function pageRequest({ query }: ApiCall, usual: number, most: number, reach = 100_000): PageRequest {
  const limit = wholeNumber(query, 'limit') ?? usual;
  const offset = wholeNumber(query, 'offset') ?? 0;
  if (!(limit >= 1 && limit <= most)) throw refuse(400, 'Invalid limit');
  if (!(offset >= 0 && offset <= reach)) throw refuse(400, 'Invalid offset');
  return { limit, offset };
}

/** The integer in a query parameter; undefined if the parameter is absent, NaN if it is not an integer. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}

/** The requested page of `entries`, in the form of Spotify's lists. @param path of the list, for the link to the next page */
export function paging<T>(
  path: string,
  entries: readonly T[],
  { limit, offset }: PageRequest,
  shape: (entry: T) => unknown,
): Record<string, unknown> {
  const total = entries.length;
  const next = `https://api.spotify.com/v1${path}?offset=${offset + limit}&limit=${limit}`;
  return {
    limit,
    next: offset + limit < total ? next : null,
    offset,
    total,
    items: entries.slice(offset, offset + limit).map(shape),
  };
}
