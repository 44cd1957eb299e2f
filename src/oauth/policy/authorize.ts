/**
 * The authorization request (RFC 6749 4.1.1, OAuth 2.1 4.1.1), and its answer as the address that the browser is sent to. Pure.
 * A refusal has no address until client and redirect URI are known to belong together. Otherwise this server would be an open
 * redirector (RFC 9700 4.11.2). A refusal has no address either if the client registered itself and the owner never approved
 * it.
 */
import { isKnownToOwner, type OAuthClient } from '../client.ts';
import { accepted, type Refusal, type Result, refused, toWire } from '../refusal.ts';
import { askedScope, checkChallenge, isSameResource, parameter, repeatedNames } from './parameters.ts';
import { isOwnAddress, isRegisteredRedirectUri, isUsableRedirectUri } from './redirectUri.ts';

/** Where the answer to an authorization request goes. */
export interface ReturnAddress {
  redirectUri: string;
  state: string | null;
}

/** An authorization request that passed all checks. */
export interface AuthorizeRequest extends ReturnAddress {
  client: OAuthClient;
  codeChallenge: string;
  resource: string;
  scope: string;
}

/** Outcome of checking an authorization request. */
export type AuthorizeCheck =
  | { ok: true; request: AuthorizeRequest }
  /** A refusal. `returnTo` is null if a page has to be shown and the browser sent nowhere. */
  | { ok: false; refusal: Refusal; returnTo: ReturnAddress | null };

/** The addresses of this server, as it was dialled. */
export interface OwnAddress {
  /** The MCP URL of this server. */
  resource: string;
  /** The origins under which this server answers. */
  origins: readonly string[];
}

/** @param find finds a client by its ID */
export function checkAuthorizeRequest(
  parameters: URLSearchParams,
  find: (clientId: string) => OAuthClient | null,
  { resource, origins }: OwnAddress,
): AuthorizeCheck {
  const addressed = checkAddress(parameters, find, origins);
  if (!addressed.ok) return { ...addressed, returnTo: null };
  const { client, redirectUri } = addressed.value;
  const state = checkState(parameters);
  const returnTo = { redirectUri, state: state.ok ? state.value : null };
  const rest = state.ok ? checkRest(parameters, resource) : state;
  if (!rest.ok) return { ...rest, returnTo: isKnownToOwner(client) ? returnTo : null };
  return { ok: true, request: { client, ...returnTo, ...rest.value } };
}

function checkAddress(
  parameters: URLSearchParams,
  find: (clientId: string) => OAuthClient | null,
  own: readonly string[],
): Result<{ client: OAuthClient; redirectUri: string }> {
  const repeated = repeatedNames(parameters);
  for (const name of ['client_id', 'redirect_uri']) {
    if (repeated.has(name)) return refused('parameter_repeated', `Parameter: ${name}.`);
  }
  const clientId = parameter(parameters, 'client_id');
  if (clientId === null) return refused('parameter_missing', 'Parameter: client_id.');
  const client = find(clientId);
  if (client === null) return refused('client_unknown');
  // Without the parameter, the only registered URI counts (RFC 6749 3.1.2.3).
  const [only, ...others] = client.redirectUris;
  const redirectUri = parameter(parameters, 'redirect_uri') ?? (others.length === 0 ? only : undefined);
  if (redirectUri === undefined) return refused('redirect_uri_missing');
  if (!isUsableRedirectUri(redirectUri)) return refused('redirect_uri_unusable');
  // Checked here too, since a registered loopback URI is valid with any port.
  if (isOwnAddress(redirectUri, own)) return refused('redirect_uri_own');
  if (!isRegisteredRedirectUri(client.redirectUris, redirectUri)) return refused('redirect_uri_unregistered');
  return accepted({ client, redirectUri });
}

/** Checks the state. What no client may send does not go back to it (RFC 6749 A.5). */
function checkState(parameters: URLSearchParams): Result<string | null> {
  if (repeatedNames(parameters).has('state')) return refused('parameter_repeated', 'Parameter: state.');
  const state = parameter(parameters, 'state');
  return /[^\x20-\x7e]/.test(state ?? '') ? refused('state_malformed') : accepted(state);
}

function checkRest(
  parameters: URLSearchParams,
  resource: string,
): Result<Pick<AuthorizeRequest, 'codeChallenge' | 'resource' | 'scope'>> {
  if (repeatedNames(parameters).size > 0) return refused('parameter_repeated');
  const value = (name: string) => parameter(parameters, name);
  if (value('response_type') === null) return refused('parameter_missing', 'Parameter: response_type.');
  if (value('response_type') !== 'code') return refused('response_type_unsupported');
  if ((value('response_mode') ?? 'query') !== 'query') return refused('response_mode_unsupported');
  const challenge = checkChallenge(value('code_challenge'), value('code_challenge_method'));
  if (!challenge.ok) return challenge;
  if (!isSameResource(value('resource') ?? resource, resource)) return refused('resource_foreign');
  return accepted({ codeChallenge: challenge.value, resource, scope: askedScope(value('scope')) });
}

/**
 * The address that carries a code (RFC 6749 4.1.2), and the issuer (RFC 9207 2), which tells the client which server answered.
 */
export function codeUrl(address: ReturnAddress, code: string, issuer: string): string {
  return withParameters(address, { code }, issuer);
}

/** The address that carries a refusal (RFC 6749 4.1.2.1), with the issuer too (RFC 9207 2). */
export function refusalUrl(address: ReturnAddress, refusal: Refusal, issuer: string): string {
  const { error, error_description } = toWire(refusal);
  return withParameters(address, { error, error_description }, issuer);
}

/** The redirect URI with parameters added. Its query stays (RFC 6749 3.1.2), and the URI is not normalised. */
function withParameters(
  { redirectUri, state }: ReturnAddress,
  parameters: Record<string, string>,
  issuer: string,
): string {
  const all = new URLSearchParams({ ...parameters, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${all}`;
}
