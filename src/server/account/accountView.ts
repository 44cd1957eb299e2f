/** What is known of the connected account without asking the provider. */
import type { Clock } from '../../base/clock.ts';
import { missingScopes } from '../../provider/account/scopes.ts';
import type { Store } from '../../store/file/open.ts';
import { type Account, getAccount } from '../../store/tables/account.ts';

export interface AccountView {
  connected: boolean;
  /** The provider refused the refresh token, or the login is past its six months. */
  reauthorizationRequired: boolean;
  account: Account | null;
  missingScopes: string[];
  daysLeft: number | null;
}

const DAY_MS = 24 * 3600_000;

export function accountView(store: Store, clock: Clock): AccountView {
  const account = getAccount(store);
  if (!account) {
    return { connected: false, reauthorizationRequired: false, account, missingScopes: [], daysLeft: null };
  }
  const left = account.loginExpiresAt - clock.now();
  const reauthorizationRequired = account.reauthorizationRequired || left <= 0;
  return {
    connected: !reauthorizationRequired,
    reauthorizationRequired,
    account,
    missingScopes: missingScopes(account.scopes),
    daysLeft: Math.max(0, Math.floor(left / DAY_MS)),
  };
}
