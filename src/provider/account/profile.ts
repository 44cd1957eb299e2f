/** The account's profile (`GET /me`), which is read once per login with the new token. */
import { NEVER } from '../../base/abort.ts';
import { type ProviderApi, requestFor } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { asObject, textOf } from '../resources/parse.ts';

export interface Profile {
  /** The `account_id` (since May 2026; never changes), or the user ID if the provider gives none. */
  id: string;
  userId: string;
  name: string | null;
}

const REQUEST = requestFor('GET', '/me', 'me');

/** @param api sends requests with the token of the new login */
export async function readProfile(api: Pick<ProviderApi, 'send'>): Promise<Profile> {
  const body = asObject((await api.send(REQUEST, { signal: NEVER })).body);
  const userId = textOf(body?.id);
  const accountId = textOf(body?.account_id);
  const id = accountId ?? userId;
  if (!id) throw invalidResponse(REQUEST, 'no account in it');
  return { id, userId: userId ?? id, name: textOf(body?.display_name) };
}
