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

/** Reads the credentials; two ways of authenticating at once are refused (RFC 6749 2.3). */
export function readCredentials(
  form: URLSearchParams,
  authorization: string | undefined,
): Result<ClientCredentials> {
  const clientId = parameter(form, 'client_id');
  const secret = parameter(form, 'client_secret');
  if (authorization === undefined) {
    if (clientId === null) return refused('parameter_missing', 'Parameter: client_id.');
    if (secret === null) return accepted({ clientId, method: 'none', secret: '' });
    return accepted({ clientId, method: 'client_secret_post', secret });
  }
  const basic = readBasic(authorization);
  if (basic === null) return refused('client_credentials_malformed');
  const isOther = secret !== null || (clientId !== null && clientId !== basic.clientId);
  return isOther ? refused('client_credentials_twice') : accepted(basic);
}

/** Reads HTTP Basic, in which ID and secret are form-encoded (RFC 6749 2.3.1). Text that cannot be that is taken as it is. */
function readBasic(authorization: string): ClientCredentials | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return null;
  const clientId = formDecoded(text.slice(0, colon));
  return { clientId, method: 'client_secret_basic', secret: formDecoded(text.slice(colon + 1)) };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
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
