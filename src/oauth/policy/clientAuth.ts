/** Checks which client asks at the token and revocation endpoints (RFC 6749 2.3, 3.2.1, RFC 7009 2.1). Pure. */
import { hashOf } from '../../base/digest.ts';
import type { ClientAuthMethod } from '../../config/oauthClients.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import type { OAuthClient } from '../client.ts';
import { accepted, type Result, refused } from '../refusal.ts';
import { parameter } from './parameters.ts';

export interface ClientCredentials {
  clientId: string;
  method: ClientAuthMethod;
  /** The secret that was sent; '' if none was. */
  secret: string;
}

/**
 * Reads the credentials; two ways of authenticating at once are refused (RFC 6749 2.3). Returns several readings if the encoding
 * is ambiguous.
 */
export function readCredentials(
  form: URLSearchParams,
  authorization: string | undefined,
): Result<ClientCredentials[]> {
  const clientId = parameter(form, 'client_id');
  const secret = parameter(form, 'client_secret');
  if (authorization === undefined) {
    if (clientId === null) return refused('parameter_missing', 'Parameter: client_id.');
    if (secret === null) return accepted([{ clientId, method: 'none', secret: '' }]);
    return accepted([{ clientId, method: 'client_secret_post', secret }]);
  }
  if (secret !== null) return refused('client_credentials_twice');
  const readings = readBasic(authorization);
  if (readings.length === 0) return refused('client_credentials_malformed');
  const same = readings.filter((one) => clientId === null || one.clientId === clientId);
  return same.length > 0 ? accepted(same) : refused('client_credentials_twice');
}

/** Reads HTTP Basic in both ways: RFC 6749 2.3.1 form-encodes ID and secret before joining them, but many clients do not. */
function readBasic(authorization: string): ClientCredentials[] {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return [];
  const method = 'client_secret_basic';
  const raw = { clientId: text.slice(0, colon), method, secret: text.slice(colon + 1) } as const;
  const [clientId, secret] = [formDecoded(raw.clientId), formDecoded(raw.secret)];
  return clientId === null || secret === null ? [raw] : [{ clientId, method, secret }, raw];
}

function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Checks that these credentials are the client's. Secrets are compared in constant time. */
export function checkCredentials(client: OAuthClient, credentials: ClientCredentials): Result<OAuthClient> {
  const { method, secret } = credentials;
  if (client.secretHash === null) {
    return secret === '' ? accepted(client) : refused('client_secret_unexpected');
  }
  if (secret === '') return refused('client_secret_wrong');
  if (client.authMethod !== null && client.authMethod !== method) return refused('client_method_wrong');
  return equalSecrets(hashOf(secret), client.secretHash) ? accepted(client) : refused('client_secret_wrong');
}
