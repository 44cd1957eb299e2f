/** `GET /me`, read once per login with the new token. */
import { NEVER } from '../../base/abort.ts';
import { readJson } from '../../base/parsing.ts';
import { requestFor } from '../api.ts';
import { failureOf, invalidResponse, readFailureBody, transportFailure } from '../http/failure.ts';
import { fetchText, type Network } from '../http/transport.ts';
import { asObject, textOf } from '../resources/parse.ts';

export interface Profile {
  /** The `account_id` (since May 2026; never changes), or the user ID if the provider gives none. */
  id: string;
  userId: string;
  name: string | null;
}

const REQUEST = requestFor('GET', '/me', 'me');

export async function readProfile(apiUrl: string, accessToken: string, network: Network): Promise<Profile> {
  const init = { headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } };
  const answer = await fetchText(`${apiUrl}/me`, init, {
    ...network,
    signal: NEVER,
    timeoutMs: 15_000,
  });
  if ('failure' in answer) throw transportFailure(REQUEST, answer.failure, answer.timedOut);
  if (answer.status !== 200)
    throw failureOf(REQUEST, answer.status, readFailureBody(answer.text, [accessToken]));
  const body = asObject(readJson(answer.text));
  const userId = textOf(body?.id);
  const accountId = textOf(body?.account_id);
  const id = accountId ?? userId;
  if (!id) throw invalidResponse(REQUEST, 'no account in it');
  return { id, userId: userId ?? id, name: textOf(body?.display_name) };
}
