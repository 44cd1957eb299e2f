/** Which client asks, at the endpoints that programs call: token (RFC 6749 3.2.1) and revocation (RFC 7009 2.1). */
import type { OAuthClient } from './client.ts';
import type { ClientDirectory } from './clients.ts';
import { checkCredentials, readCredentials } from './policy/clientAuth.ts';
import { type Result, refused } from './refusal.ts';

/** @param authorization the header, where there is one */
export function authenticate(
  clients: ClientDirectory,
  form: URLSearchParams,
  authorization: string | undefined,
): Result<OAuthClient> {
  const readings = readCredentials(form, authorization);
  if (!readings.ok) return readings;
  let result: Result<OAuthClient> = refused('client_unknown');
  for (const credentials of readings.value) {
    const client = clients.find(credentials.clientId);
    if (client) result = checkCredentials(client, credentials);
    if (result.ok) break;
  }
  return result;
}
