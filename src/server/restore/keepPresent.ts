/**
 * Decides who has access after a restore. All approvals and browsers end, and what the owner decided last about the API key counts,
 * not what the copy says. The former state is the state of this home before the restore. Each rule is a row of the table in
 * `store/README.md`.
 */

import type { Store } from '../../store/store.ts';
import { getAccount, putAccount } from '../../store/tables/account.ts';
import { forgetAllBrowsers } from '../../store/tables/browsers.ts';
import { deleteSecret, getSecret, listSecrets, putSecret } from '../../store/tables/secrets.ts';
import { API_KEY_SECRET } from '../access/apiKey.ts';
import { PROVIDER_TOKENS } from '../accountStore.ts';

/** The state of this home before the restore. */
export interface Present {
  store: Store;
  /** True if the key of this home opens the secrets in the store. */
  isOpen: boolean;
}

/** Where access in the restored state comes from. */
export interface Kept {
  /** Where the API key of the restored state comes from; `new`: the next start creates one. */
  apiKey: 'present' | 'copy' | 'new';
  login: 'present' | 'copy';
}

/**
 * @param present the former state; null if there is none that can be read
 * @param isCopyOpen true if the key of this home opens the secrets of the copy
 */
export function keepPresent(copy: Store, present: Present | null, isCopyOpen: boolean): Kept {
  return copy.transaction(() => {
    forgetAllBrowsers(copy);
    copy.run('delete from oauth_tokens');
    copy.run('delete from oauth_grants');
    // The owner may have sent a client away since. The approval page presents added, approved and long-known ones as trusted.
    copy.run(
      "update oauth_clients set source = 'registered', created_at = ?, approved_at = null, last_used_at = null",
      [copy.now()],
    );
    return keepSecrets(copy, present, isCopyOpen);
  });
}

function keepSecrets(copy: Store, present: Present | null, isCopyOpen: boolean): Kept {
  // Without a former state there is nothing to keep. If the key of this home does not open the copy, the two states may
  // have different keys. Then no key could open secrets from both.
  if (!present || !isCopyOpen) return { apiKey: 'copy', login: 'copy' };
  if (!present.isOpen) {
    // The API key may have been rotated in the state that cannot be read, so the copy's key may no longer be valid.
    deleteSecret(copy, API_KEY_SECRET);
    return { apiKey: 'new', login: 'copy' };
  }
  const account = getAccount(present.store);
  const inCopy = getAccount(copy);
  // A copy from before any login does not end a login.
  const isSame = inCopy === null || inCopy.providerUserId === account?.providerUserId;
  const keepsLogin = account !== null && isSame;
  if (keepsLogin) putAccount(copy, account, copy.now());
  if (keepsLogin) for (const name of PROVIDER_TOKENS) deleteSecret(copy, name);
  deleteSecret(copy, API_KEY_SECRET);
  for (const { name, sealed, updatedAt } of listSecrets(present.store)) {
    if (keepsLogin || !PROVIDER_TOKENS.includes(name)) putSecret(copy, name, sealed, updatedAt);
  }
  const hasKey = getSecret(present.store, API_KEY_SECRET) !== null;
  return { apiKey: hasKey ? 'present' : 'new', login: keepsLogin ? 'present' : 'copy' };
}
