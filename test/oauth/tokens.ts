/** Tokens of a client: asked for, exchanged, refused, and used. */
import assert from 'node:assert/strict';
import { type Answer, send } from '../support/http.ts';
import { approve } from '../support/ownerBrowser.ts';
import type { Relay } from '../support/world.ts';
import { json, newClient, REDIRECT, type Registered, VERIFIER } from './clients.ts';

/** @param form the fields of the form, or the whole body as text */
export function postForm(
  url: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return send(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

export const askToken = (
  baseUrl: string,
  form: Record<string, string> | string,
  headers?: Record<string, string>,
) => postForm(`${baseUrl}/oauth/token`, form, headers);

/** What the token endpoint gives for a form that it accepts. */
export async function exchanged(
  baseUrl: string,
  form: Record<string, string>,
  headers?: Record<string, string>,
): Promise<Tokens> {
  const answer = await askToken(baseUrl, form, headers);
  assert.equal(answer.status, 200, answer.text);
  return json(answer) as unknown as Tokens;
}

/** The header with which a confidential client authenticates. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** The form that exchanges a code for tokens. */
export const codeForm = (client: Registered, code: string): Record<string, string> => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
  client_id: client.client_id,
});

/** The form that exchanges a refresh token for a new pair. */
export const refreshForm = (client: Registered, token: string): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  client_id: client.client_id,
});

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

/** Registers and approves a client, and returns it with the form that exchanges its code. */
export async function approvedClient(relay: Relay, metadata: object = {}) {
  const client = await newClient(relay.baseUrl, metadata);
  return { client, form: codeForm(client, await approve(relay, client.client_id)) };
}

/** Registers and approves a client, and returns its tokens. */
export async function connect(
  relay: Relay,
  metadata: object = {},
): Promise<{ client: Registered; tokens: Tokens }> {
  const { client, form } = await approvedClient(relay, metadata);
  return { client, tokens: await exchanged(relay.baseUrl, form) };
}

/** Status and error of a refusal, as `400 invalid_grant`. Checks that it adds only a description and forbids caching. */
export function refusal(answer: Answer): string {
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { error, error_description, ...rest } = json(answer);
  assert.equal(typeof error_description, 'string');
  assert.deepEqual(rest, {});
  return `${answer.status} ${error}`;
}

/** The status with which `/mcp` answers a tools/list under this credential. */
export async function mcpStatus(mcpUrl: string, token: string | null, host?: string): Promise<number> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(host === undefined ? {} : { host }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return (await send(mcpUrl, { method: 'POST', headers, body })).status;
}

/** Status and error with which the token endpoint refuses a form. */
export const tokenRefusal = async (...request: Parameters<typeof askToken>) =>
  refusal(await askToken(...request));
