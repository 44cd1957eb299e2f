/** A small OAuth client. Requests are written by hand, so that a test can also send invalid ones. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Answer, send } from '../support/http.ts';

export const VERIFIER = 'a-verifier-that-is-long-enough-0123456789-0123456789';

export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export const REDIRECT = 'http://127.0.0.1:7777/callback';

export const json = (answer: Answer): Record<string, unknown> => JSON.parse(answer.text);

export function register(
  baseUrl: string,
  metadata: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  const body = JSON.stringify(metadata);
  return send(`${baseUrl}/oauth/register`, { method: 'POST', headers: { ...type, ...headers }, body });
}

export interface Registered {
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
  [field: string]: unknown;
}

/** A public client unless `metadata` says otherwise. */
export async function newClient(baseUrl: string, metadata: object = {}): Promise<Registered> {
  const answer = await register(baseUrl, {
    client_name: 'Story client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
  assert.equal(answer.status, 201, answer.text);
  return json(answer) as Registered;
}

/** An address to authorize at. A null removes its parameter, and a list repeats its parameter. */
export function authorizeUrl(
  baseUrl: string,
  parameters: Record<string, string | string[] | null> = {},
): string {
  const query = new URLSearchParams();
  const all: Record<string, string | string[] | null> = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'some state',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) {
    for (const one of value === null ? [] : [value].flat()) query.append(name, one);
  }
  return `${baseUrl}/oauth/authorize?${query}`;
}
