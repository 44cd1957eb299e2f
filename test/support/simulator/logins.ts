/** What Spotify's logins have and the demo's do not: strict requests, a client secret, refresh tokens that each refresh replaces. */
import type { Answer } from '../../../src/demo/http.ts';
import type { RequestContext } from './hook.ts';

/** Every scope that the provider knows (scopes page of its documentation). */
const KNOWN_SCOPES = new Set(
  `app-remote-control playlist-modify-private playlist-modify-public playlist-read-collaborative
   playlist-read-private streaming ugc-image-upload user-follow-modify user-follow-read user-library-modify
   user-library-read user-modify-playback-state user-read-currently-playing user-read-email
   user-read-playback-position user-read-playback-state user-read-private user-read-recently-played
   user-top-read`.split(/\s+/),
);

export interface LoginOptions {
  /** If set, Basic authentication is accepted as well as PKCE alone. */
  clientSecret?: string;
  /** True if a refresh returns a new refresh token and revokes the old one. */
  rotateRefreshTokens?: boolean;
}

/** Answers requests, those of logins by these rules. */
export function createLogins({ clientSecret, rotateRefreshTokens = false }: LoginOptions) {
  let isDenied = false;
  /** The token of the demo for each token that a refresh has returned. */
  const originals = new Map<string, string>();
  const revoked = new Set<string>();

  const answer = (
    clientId: string,
    { request, handle }: Pick<RequestContext, 'request' | 'handle'>,
  ): Answer => {
    if (request.path === '/authorize') {
      const error = faultOf((name) => request.query.get(name) ?? '') ?? (isDenied ? 'access_denied' : null);
      const answer = handle(request);
      const location = answer.headers?.location;
      if (error === null || location === undefined) return answer;
      isDenied = false;
      return { ...answer, headers: { location: refusedAt(location, error) } };
    }
    if (request.path !== '/api/token') return handle(request);
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return refused('invalid_request', 'A form body is required');
    const form = new URLSearchParams(request.text);
    const verifier = form.get('code_verifier');
    if (verifier !== null && !/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier))
      return refused('invalid_grant', 'code_verifier was incorrect');
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (basic !== undefined) {
      const [id, ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
      if (id !== clientId) return refused('invalid_client', 'Invalid client');
      if (secret.join(':') !== clientSecret) return refused('invalid_client', 'Invalid client secret');
      form.set('client_id', clientId);
    }
    const token = form.get('refresh_token');
    if (token !== null && revoked.has(token)) return refused('invalid_grant', 'Refresh token revoked');
    const original = originals.get(token ?? '') ?? token;
    if (original !== null) form.set('refresh_token', original);
    const answer = handle({ ...request, text: form.toString() });
    if (!rotateRefreshTokens || token === null || original === null || answer.status !== 200) return answer;
    revoked.add(token);
    const next = `${original}-${originals.size + 1}`;
    originals.set(next, original);
    return { ...answer, json: { ...(answer.json as object), refresh_token: next } };
  };
  const denyNext = () => {
    isDenied = true;
  };
  return { answer, denyNext };
}

/** The redirect of a login with an error in place of the code. */
function refusedAt(redirect: string, error: string): string {
  const location = new URL(redirect);
  const state = location.searchParams.get('state');
  location.search = String(new URLSearchParams({ error, ...(state !== null && { state }) }));
  return location.href;
}

function faultOf(text: (name: string) => string): string | null {
  if (text('response_type') !== 'code') return 'unsupported_response_type';
  const scopes = text('scope')
    .split(' ')
    .filter((name) => name !== '');
  if (!scopes.every((name) => KNOWN_SCOPES.has(name))) return 'invalid_scope';
  const isHash = /^[A-Za-z0-9_-]{43}$/.test(text('code_challenge'));
  return isHash && text('code_challenge_method') === 'S256' ? null : 'invalid_request';
}

function refused(error: string, description: string): Answer {
  return { status: 400, json: { error, error_description: description } };
}
