/** Logins to the simulated Spotify. */
import { createHash } from 'node:crypto';
import type { Simulator } from '../support/simulator/simulator.ts';
import { type Reply, read, visit } from './web.ts';

/** The scopes with which most tests log in: all that relay needs. It asks for `user-read-private` only to show more. */
export const USUAL_SCOPES = [
  'playlist-read-private',
  'playlist-read-collaborative',
  'playlist-modify-public',
  'playlist-modify-private',
  'user-library-read',
  'user-library-modify',
  'user-top-read',
  'user-read-recently-played',
  'user-read-playback-state',
  'user-read-currently-playing',
  'user-modify-playback-state',
].join(' ');

export const REDIRECT_URI = 'http://127.0.0.1:4980/auth/provider/callback';

export const VERIFIER = 'a-verifier-of-at-least-forty-three-characters.~_0';

/** The URL of a correct authorization request, with changes; null omits a parameter. */
export function authorizeUrl(provider: Simulator, changes: Record<string, string | null> = {}): string {
  const parameters: Record<string, string | null> = {
    client_id: provider.clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: USUAL_SCOPES,
    state: 'the-state',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  return `${provider.accountsUrl}/authorize?${query}`;
}

/** Sends `form` to the token endpoint. */
export async function token(
  provider: Simulator,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = new URLSearchParams(form);
  return read(await fetch(`${provider.accountsUrl}/api/token`, { method: 'POST', body, headers }));
}

/** Logs in and returns the code of the redirect; empty if there is none. */
export async function codeFor(
  provider: Simulator,
  changes: Record<string, string | null> = {},
): Promise<string> {
  const { location } = await visit(authorizeUrl(provider, changes));
  return location?.searchParams.get('code') ?? '';
}

/** The form that exchanges `code` for tokens. */
export function codeForm(provider: Simulator, code: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    client_id: provider.clientId,
    code_verifier: VERIFIER,
  };
}

/** Logs in and returns the tokens. */
export async function logIn(
  provider: Simulator,
  scope = USUAL_SCOPES,
): Promise<{ access_token: string; refresh_token: string }> {
  const reply = await token(provider, codeForm(provider, await codeFor(provider, { scope })));
  return reply.json;
}
