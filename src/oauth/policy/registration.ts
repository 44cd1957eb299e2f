/** Client metadata as a client registers it (RFC 7591 2), and the answer to it (RFC 7591 3.2.1). Pure. */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { AUTH_METHODS, type ClientAuthMethod } from '../../config/oauthClients.ts';
import { GRANT_TYPES, type OAuthClient } from '../client.ts';
import { accepted, type Result, refused } from '../refusal.ts';
import { SCOPE } from './limits.ts';
import { isOwnAddress, isUsableRedirectUri } from './redirectUri.ts';

const MAX_REDIRECT_URIS = 20;
/**
 * Maximum length of all redirect URIs together, since anyone may register and every save writes them. Real clients register 200
 * characters at most.
 */
const MAX_URI_CHARACTERS = 2_500;

const COUNT_RULE = `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs, with at most ${MAX_URI_CHARACTERS} characters together.`;
const SCHEME_RULE =
  'Use https, http on localhost, 127.0.0.1 or [::1], or a private-use scheme with a dot, without fragment or user info.';

export interface ClientMetadata {
  name: string | null;
  redirectUris: string[];
  grantTypes: string[];
  /** Null if the client left the method open, so that it may send its secret in either way. */
  authMethod: ClientAuthMethod | null;
}

const Metadata = lazy(() =>
  z.object({
    client_name: z.string().max(200).nullish(),
    redirect_uris: z.unknown().optional(),
    grant_types: z.array(z.string()).max(20).nullish(),
    response_types: z.array(z.string()).max(20).nullish(),
    token_endpoint_auth_method: z.enum(AUTH_METHODS).nullish(),
  }),
);

/**
 * The part of the metadata that the server accepts. Unknown fields are ignored. Unsupported grant and response types are
 * left out (RFC 7591 2 lets the server replace values): real clients ask for more than they need.
 * @param own the origins under which this server answers
 */
export function checkMetadata(body: unknown, own: readonly string[]): Result<ClientMetadata> {
  const parsed = Metadata().safeParse(body);
  if (!parsed.success) return refused('metadata_malformed', fieldOf(parsed.error));
  const metadata = parsed.data;
  const uris = checkRedirectUris(metadata.redirect_uris, own);
  if (!uris.ok) return uris;
  // By RFC 7591 2, a client that names no grants has only the code grant. Without refresh tokens, people would approve
  // every hour.
  const grantTypes = GRANT_TYPES.filter((type) => (metadata.grant_types ?? GRANT_TYPES).includes(type));
  if (!grantTypes.includes('authorization_code')) return refused('metadata_malformed', 'See grant_types.');
  if (!(metadata.response_types ?? ['code']).includes('code')) {
    return refused('metadata_malformed', 'See response_types.');
  }
  return accepted({
    name: metadata.client_name?.trim() || null,
    redirectUris: uris.value,
    grantTypes,
    authMethod: metadata.token_endpoint_auth_method ?? null,
  });
}

/**
 * Refuses a registration with an unusable URI, since the client would fail later and nobody would see why.
 * @param own the origins under which this server answers
 */
export function checkRedirectUris(value: unknown, own: readonly string[]): Result<string[]> {
  const unusable = (detail: string) => refused('metadata_redirect_uris', detail);
  const uris = z.array(z.string()).min(1).max(MAX_REDIRECT_URIS).safeParse(value);
  if (!uris.success) return unusable(COUNT_RULE);
  const distinct = [...new Set(uris.data)];
  if (distinct.join('').length > MAX_URI_CHARACTERS) return unusable(COUNT_RULE);
  if (!distinct.every(isUsableRedirectUri)) return unusable(SCHEME_RULE);
  if (distinct.some((uri) => isOwnAddress(uri, own))) return unusable('It leads to this server itself.');
  return accepted(distinct);
}

function fieldOf(error: z.ZodError): string {
  const [name] = error.issues[0]?.path ?? [];
  return name === undefined ? 'It must be a JSON object.' : `See ${String(name)}.`;
}

/** The answer to a registration (RFC 7591 3.2.1): times are Unix seconds, and a secret that expires at 0 does not expire. */
export function registrationResponse(client: OAuthClient, secret: string | null): object {
  return {
    client_id: client.clientId,
    client_id_issued_at: Math.floor((client.createdAt ?? 0) / 1000),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    ...(client.name === null ? {} : { client_name: client.name }),
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: client.authMethod ?? 'client_secret_basic',
    scope: SCOPE,
  };
}
