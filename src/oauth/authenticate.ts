/** Finds out which client asks, at the endpoints that programs call: token (RFC 6749 3.2.1) and revocation (RFC 7009 2.1). */
import type { Log } from '../base/log.ts';
import type { OAuthClient } from './client.ts';
import type { ClientDirectory } from './clientDirectory.ts';
import { checkCredentials, readCredentials } from './policy/clientAuth.ts';
import { repeatedNames } from './policy/parameters.ts';
import { type Result, refused } from './refusal.ts';

/**
 * Authenticates the client of a request. Wrong credentials are logged, but without the ID if no client has it: such an ID may be
 * any text.
 * @param authorization the `Authorization` header, if it was sent
 */
export function authenticate(
  { clients, log }: { clients: ClientDirectory; log: Log },
  form: URLSearchParams,
  authorization: string | undefined,
): Result<OAuthClient> {
  if (repeatedNames(form).size > 0) return refused('parameter_repeated');
  const readings = readCredentials(form, authorization);
  if (!readings.ok) {
    const { reason } = readings.refusal;
    if (reason !== 'parameter_missing') log.warn({ clientId: null, reason }, 'client authentication refused');
    return readings;
  }
  let result: Result<OAuthClient> = refused('client_unknown');
  let clientId: string | null = null;
  for (const credentials of readings.value) {
    const client = clients.find(credentials.clientId);
    if (!client) continue;
    result = checkCredentials(client, credentials);
    if (result.ok) return result;
    clientId = client.clientId;
  }
  if (!result.ok) log.warn({ clientId, reason: result.refusal.reason }, 'client authentication refused');
  return result;
}
