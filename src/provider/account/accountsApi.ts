/** The provider's OAuth endpoints, used with PKCE: scopes, authorization URL, code exchange, refresh. Keeps no state. */
import { NEVER } from '../../base/abort.ts';
import { TooLarge } from '../../base/bodyText.ts';
import { waitWords } from '../../base/clock.ts';
import { hashOf } from '../../base/digest.ts';
import { readJson } from '../../base/parsing.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Remedy } from '../../domain/remedy.ts';
import { readFailureBody } from '../http/failure.ts';
import { secondsOf } from '../http/retry.ts';
import { fetchText, type HttpAnswer, type Network } from '../http/transport.ts';
import { asObject, numberOf, textOf } from '../resources/parse.ts';

const TOKEN_TIMEOUT_MS = 15_000;
/** How long to wait after an error status without a usable `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 60;

/** The Spotify app that the owner brings. Without a secret, PKCE alone authenticates it. */
export interface ProviderApp {
  accountsUrl: string;
  clientId: string;
  clientSecret: string | null;
}

export interface TokenAnswer {
  accessToken: string;
  /** Lifetime of the access token in seconds; an hour if the answer names none. */
  expiresIn: number;
  /** The new refresh token; null in most refresh answers since mid-2026, and the old one then stays valid. */
  refreshToken: string | null;
  /** The granted scopes; null if the answer names none. */
  scopes: string[] | null;
}

/**
 * The address of the page on which the owner approves; `state` comes back at the redirect URI.
 * @param login.showDialog true to show the page even if the owner has approved before
 */
export function authorizeUrl(
  app: ProviderApp,
  login: { redirectUri: string; state: string; verifier: string; showDialog: boolean },
): string {
  const query = new URLSearchParams({
    client_id: app.clientId,
    response_type: 'code',
    redirect_uri: login.redirectUri,
    scope: PROVIDER_SCOPES.join(' '),
    state: login.state,
    code_challenge_method: 'S256',
    code_challenge: hashOf(login.verifier, 'base64url'),
    ...(login.showDialog ? { show_dialog: 'true' } : {}),
  });
  return `${app.accountsUrl}/authorize?${query}`;
}

/** @throws RelayError `LOGIN_FAILED` if the provider refuses the code or the app; `PROVIDER_*` for every other failure */
export async function exchangeCode(
  app: ProviderApp,
  grant: { code: string; verifier: string; redirectUri: string },
  network: Network,
): Promise<TokenAnswer & { refreshToken: string }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: grant.code,
    redirect_uri: grant.redirectUri,
    code_verifier: grant.verifier,
  });
  const answer = await askToken(app, form, network);
  const { refreshToken } = answer;
  if (refreshToken === null) throw invalidTokenAnswer('no refresh token');
  return { ...answer, refreshToken };
}

/**
 * @throws RelayError `LOGIN_REQUIRED` with `details.error` `invalid_grant` if the login has ended for good; `PROVIDER_*` for
 * every other failure, which may pass and says nothing about the refresh token. For an answer with an error status,
 * that error has `retryAfterSeconds`.
 */
export async function refreshGrant(
  app: ProviderApp,
  refreshToken: string,
  network: Network,
): Promise<TokenAnswer> {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  return askToken(app, form, network);
}

async function askToken(app: ProviderApp, form: URLSearchParams, network: Network): Promise<TokenAnswer> {
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (app.clientSecret === null) form.set('client_id', app.clientId);
  else
    headers.authorization = `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`;
  const init = { method: 'POST', headers, body: form.toString() };
  const answer = await fetchText(`${app.accountsUrl}/api/token`, init, {
    ...network,
    signal: NEVER,
    timeoutMs: TOKEN_TIMEOUT_MS,
  });
  if ('failure' in answer) {
    throw new RelayError(
      answer.timedOut ? 'PROVIDER_TIMEOUT' : 'PROVIDER_UNAVAILABLE',
      answer.failure instanceof TooLarge
        ? "The answer of Spotify's login service is too large for relay to read."
        : "Spotify's login service cannot be reached.",
      {
        remedy: isRefreshForm(form)
          ? 'Check the network connection, then try again. The login is kept.'
          : { text: 'Check the network connection, then run {command} again.', command: ['login'] },
        cause: answer.failure,
      },
    );
  }
  if (answer.status < 200 || answer.status > 299) throw refusedGrant(answer, form, app.clientSecret);
  return readTokenAnswer(answer.text);
}

function isRefreshForm(form: URLSearchParams): boolean {
  return form.get('grant_type') === 'refresh_token';
}

const DASHBOARD = "the app's page on developer.spotify.com/dashboard";

const CHECK_ID: Remedy = {
  text: `{command} shows the client ID: compare it with ${DASHBOARD}.`,
  command: ['config', 'list'],
};

/** The ID was already accepted on Spotify's login page, and no command shows the secret. */
const CHECK_SECRET: Remedy = {
  text: `relay needs no client secret: unset PROVIDER_CLIENT_SECRET, or copy it again from ${DASHBOARD}.`,
};

function refusedGrant(
  { status, headers, text }: HttpAnswer,
  form: URLSearchParams,
  clientSecret: string | null,
): RelayError {
  const sent = ['code', 'code_verifier', 'refresh_token'].map((name) => form.get(name) ?? '');
  const { reason, message } = readFailureBody(text, [...sent, clientSecret ?? '']);
  const isRefresh = isRefreshForm(form);
  if (isRefresh && reason === 'invalid_grant') {
    return new RelayError(
      'LOGIN_REQUIRED',
      'Spotify has ended the login: it expired after six months or was revoked.',
      {
        remedy: { text: 'Run {command} to connect the account again.', command: ['login'] },
        details: { error: 'invalid_grant' },
      },
    );
  }
  const retryAfterSeconds = secondsOf(headers) ?? DEFAULT_WAIT_SECONDS;
  const wait = retryAfterSeconds === DEFAULT_WAIT_SECONDS ? 'a minute' : waitWords(retryAfterSeconds);
  if (reason === 'invalid_client') {
    return new RelayError(
      isRefresh ? 'PROVIDER_UNAVAILABLE' : 'LOGIN_FAILED',
      'Spotify does not accept the client ID or the client secret.',
      {
        remedy: clientSecret === null ? CHECK_ID : CHECK_SECRET,
        ...(isRefresh ? { retryAfterSeconds } : {}),
        details: { ...(isRefresh ? { status } : {}), error: 'invalid_client' },
      },
    );
  }
  // A redirect comes from a gateway that has answered in place of the login service.
  if (isRefresh || status < 400 || status >= 500 || status === 429 || status === 408) {
    return new RelayError('PROVIDER_UNAVAILABLE', `Spotify's login service returned an error (${status}).`, {
      remedy: isRefresh
        ? `Try again in ${wait}. The login is kept.`
        : { text: `Run {command} again in ${wait}.`, command: ['login'] },
      retryAfterSeconds,
      details: { status, ...(isRefresh && reason ? { error: reason } : {}) },
    });
  }
  return new RelayError(
    'LOGIN_FAILED',
    `Spotify refused the login${message ? `: ${message.slice(0, 200)}` : ''}.`,
    {
      remedy: { text: 'Start again with {command}.', command: ['login'] },
      details: { status, ...(reason ? { error: reason } : {}) },
    },
  );
}

function readTokenAnswer(text: string): TokenAnswer {
  const body = asObject(readJson(text));
  const accessToken = textOf(body?.access_token);
  if (!body || !accessToken) throw invalidTokenAnswer('no access token');
  return {
    accessToken,
    expiresIn: numberOf(body.expires_in) ?? 3600,
    refreshToken: textOf(body.refresh_token) || null,
    scopes: textOf(body.scope)?.split(' ').filter(Boolean) ?? null,
  };
}

function invalidTokenAnswer(what: string): RelayError {
  return new RelayError(
    'PROVIDER_INVALID_RESPONSE',
    `The response from Spotify's login service has ${what}.`,
    { remedy: 'Try again in a minute.' },
  );
}

const OPTIONAL: readonly string[] = ['user-read-private', 'user-follow-read'];

export const PROVIDER_SCOPES = [
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
  'user-read-private',
  'user-follow-read',
] as const;

/**
 * The requested scopes that a login was not granted. `user-read-private` is only used for display, and `user-follow-read` by one
 * tool, which says so itself: neither is reported.
 */
export function missingScopes(granted: readonly string[]): string[] {
  return PROVIDER_SCOPES.filter((scope) => !OPTIONAL.includes(scope) && !granted.includes(scope));
}
