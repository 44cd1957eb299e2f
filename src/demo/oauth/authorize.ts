/** `/authorize`: checks the request, asks the account's owner, and redirects the browser back. */
import type { Answer, Incoming } from '../http.ts';
import { type DemoAccount, newId, type World } from '../state.ts';
import { type Grants, scopesIn } from './grants.ts';
import { consentPage, errorPage } from './pages.ts';

type RegisteredRedirects = readonly string[] | 'any-loopback';

/** The registered app, and how logins behave. */
export interface OAuthSetting {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUris: RegisteredRedirects;
  readonly rotateRefreshTokens: boolean;
  readonly approve: 'auto' | 'page';
  /** Index of the account that the next login uses. */
  loginIndex: number;
  denyNext: boolean;
}

interface AuthorizeRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scope: string;
  readonly challenge: string | null;
}

/** Every scope that the provider knows (scopes page of its documentation). */
const KNOWN_SCOPES = new Set([
  'app-remote-control',
  'playlist-modify-private',
  'playlist-modify-public',
  'playlist-read-collaborative',
  'playlist-read-private',
  'streaming',
  'ugc-image-upload',
  'user-follow-modify',
  'user-follow-read',
  'user-library-modify',
  'user-library-read',
  'user-modify-playback-state',
  'user-read-currently-playing',
  'user-read-email',
  'user-read-playback-position',
  'user-read-playback-state',
  'user-read-private',
  'user-read-recently-played',
  'user-top-read',
]);

export function createAuthorizer(world: World, grants: Grants, setting: OAuthSetting) {
  /** The requests whose page waits for a decision. The key is the ticket in the page's form. */
  const open = new Map<string, AuthorizeRequest>();

  function ask(request: AuthorizeRequest): Answer {
    const ticket = newId(world.random);
    open.set(ticket, request);
    return consentPage(ticket, setting.clientId, nextAccount().displayName, scopesIn(request.scope));
  }

  function decide(request: AuthorizeRequest, approved: boolean): Answer {
    const denied = setting.denyNext || !approved;
    setting.denyNext = false;
    if (denied) return sendBack(request, { error: 'access_denied' });
    const { scope, redirectUri, challenge } = request;
    const { clientId } = setting;
    const code = grants.issueCode({ account: nextAccount(), scope, clientId, redirectUri, challenge });
    return sendBack(request, { code });
  }

  function nextAccount(): DemoAccount {
    const account = world.accounts[setting.loginIndex];
    if (!account) throw new RangeError(`There is no account ${setting.loginIndex}.`);
    return account;
  }

  return {
    /** `GET /authorize`. With a wrong client ID or redirect URI, the browser gets an error page and is not redirected. */
    start({ query }: Incoming): Answer {
      if (query.get('client_id') !== setting.clientId) return errorPage('INVALID_CLIENT: Invalid client');
      const redirectUri = query.get('redirect_uri');
      const check = checkRedirectUri(setting.redirectUris, redirectUri);
      if (check !== 'ok' || redirectUri === null) return errorPage(`INVALID_CLIENT: ${check}`);
      const request: AuthorizeRequest = {
        redirectUri,
        state: query.get('state'),
        scope: query.get('scope') ?? '',
        challenge: query.get('code_challenge'),
      };
      const error = faultOf(setting, query, request);
      if (error !== null) return sendBack(request, { error });
      return setting.approve === 'auto' ? decide(request, true) : ask(request);
    },

    /** `POST /authorize`: the answer to the page's form. */
    answerForm({ text }: Incoming): Answer {
      const form = new URLSearchParams(text);
      const ticket = form.get('ticket') ?? '';
      const request = open.get(ticket);
      open.delete(ticket);
      if (!request) return errorPage('This page is out of date. Start the login again.');
      return decide(request, form.get('decision') === 'approve');
    },
  };
}

function faultOf(
  { clientSecret }: OAuthSetting,
  query: URLSearchParams,
  { scope, challenge }: AuthorizeRequest,
): string | null {
  if (query.get('response_type') !== 'code') return 'unsupported_response_type';
  if (!scopesIn(scope).every((name) => KNOWN_SCOPES.has(name))) return 'invalid_scope';
  const method = query.get('code_challenge_method');
  if (challenge === null) return clientSecret === undefined || method !== null ? 'invalid_request' : null;
  return method === 'S256' && /^[A-Za-z0-9_-]{43}$/.test(challenge) ? null : 'invalid_request';
}

function sendBack({ redirectUri, state }: AuthorizeRequest, outcome: Record<string, string>): Answer {
  const location = new URL(redirectUri);
  for (const [name, value] of Object.entries(outcome)) location.searchParams.set(name, value);
  if (state !== null) location.searchParams.set('state', state);
  return { status: 302, text: '', headers: { location: location.href } };
}

const LOOPBACK_LITERALS = ['127.0.0.1', '[::1]'];

type RedirectCheck = 'ok' | 'Invalid redirect URI' | 'Insecure redirect URI';

/** Compares exactly, except that a loopback address registered without a port matches any port. */
function checkRedirectUri(registered: RegisteredRedirects, requested: string | null): RedirectCheck {
  if (requested === null || !URL.canParse(requested)) return 'Invalid redirect URI';
  const url = new URL(requested);
  const isLoopback = url.protocol === 'http:' && LOOPBACK_LITERALS.includes(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) return 'Insecure redirect URI';
  if (registered === 'any-loopback') return isLoopback ? 'ok' : 'Invalid redirect URI';
  const withoutPort = requested.replace(/:\d+(?=\/|$)/, '');
  const known = registered.some((uri) => uri === requested || (isLoopback && uri === withoutPort));
  return known ? 'ok' : 'Invalid redirect URI';
}
