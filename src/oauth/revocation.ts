/** The revocation endpoint (RFC 7009): a client gives up its tokens. */

import { hashOf } from '../base/digest.ts';
import { deleteGrant, getGrant } from '../store/tables/oauthGrants.ts';
import { getToken } from '../store/tables/oauthTokens.ts';
import { authenticate } from './authenticate.ts';
import { parameter } from './policy/parameters.ts';
import { accepted, type Result, refused } from './refusal.ts';
import type { TokenOptions } from './tokenEndpoint.ts';

/**
 * Gives the same answer for every token, so that nobody learns which tokens exist (RFC 7009 2.2).
 * @param authorization the `Authorization` header, if it was sent
 * @throws RelayError `STORE_ERROR`; even so, the approval may have ended in memory
 */
export type RevocationEndpoint = (
  form: URLSearchParams,
  authorization: string | undefined,
) => Promise<Result<null>>;

export function createRevocationEndpoint(
  options: Pick<TokenOptions, 'store' | 'clients' | 'log'>,
): RevocationEndpoint {
  const { store, log } = options;
  return async (form, authorization) => {
    const client = authenticate(options, form, authorization);
    if (!client.ok) return client;
    const sent = parameter(form, 'token');
    if (sent === null) return refused('parameter_missing', 'Parameter: token.');
    // `token_type_hint` (RFC 7009 2.1) is not needed: one lookup finds tokens of both kinds.
    const token = getToken(store, hashOf(sent));
    const grant = token && getGrant(store, token.grantId);
    // Another client's token stays (RFC 7009 2.1), and the answer does not show that it exists.
    if (grant?.clientId !== client.value.clientId) return accepted(null);
    // There is no undo: if the save fails, access stays ended in memory, and a later save stores that.
    await store.durable(() => deleteGrant(store, grant.id));
    log.info({ clientId: grant.clientId }, 'client revoked its own approval');
    return accepted(null);
  };
}
