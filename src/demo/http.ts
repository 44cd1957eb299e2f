/** What handlers take and return: plain values, so that a hook can sit between the handlers and the socket. */
import { isObject } from '../base/parsing.ts';
import type { DemoAccount, World } from './state.ts';

export interface Incoming {
  readonly method: string;
  /** Path of the request, without `/v1` for calls of the API. */
  readonly path: string;
  readonly isApi: boolean;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as text; empty if there is none. */
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
  readonly world: World;
  readonly account: DemoAccount;
  readonly scopes: ReadonlySet<string>;
  /** Present time, in Unix milliseconds. */
  readonly now: number;
  /** The variable part of the path, decoded; '' if there is none. */
  readonly id: string;
}

/** Thrown by handlers instead of returning an answer. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`Answer with ${answer.status}.`);
    this.name = 'Refusal';
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
export const forbidden = () => refuse(403, 'Forbidden');

/** Throws unless the token has the scope. */
export function needScope(call: ApiCall, scope: string): void {
  if (!call.scopes.has(scope)) throw refuse(403, 'Insufficient client scope');
}

/** The ID in the path. @throws Refusal 400 unless it is 22 base-62 characters */
export function idInPath({ id }: ApiCall): string {
  if (!/^[0-9A-Za-z]{22}$/.test(id)) throw refuse(400, 'Invalid base62 id');
  return id;
}

/** The JSON object in the body; an empty body is an empty object. */
export function jsonBody(call: Incoming): Record<string, unknown> {
  try {
    const body: unknown = call.text.trim() === '' ? {} : JSON.parse(call.text);
    if (isObject(body)) return body;
  } catch {
    // Refused like any other body that is not an object.
  }
  throw refuse(400, 'Error parsing JSON.');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '/': '&#x2F;',
};

/** The text as HTML, as Spotify escapes it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'/]/g, (sign) => ESCAPES[sign] ?? sign);
}
