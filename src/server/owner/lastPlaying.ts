/** What the player was doing when it was last read. The owner's page shows this without reading the player itself. */
import type { Clock } from '../../base/clock.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { type PlayerState, watchPlayer } from '../../provider/resources/player.ts';
import type { Store } from '../../store/store.ts';
import { getAccount } from '../../store/tables/account.ts';
import { requestHours } from '../../store/tables/rateLimits.ts';

export interface LastPlaying {
  /** Time of the reading, in Unix milliseconds. */
  at: number;
  /** State of the player; null if no device was active. */
  state: PlayerState | null;
  /** True if relay has sent something to the player since: it may be playing what relay started. */
  isDue: boolean;
}

/**
 * Returns a function that gives the last reading; null if there is none and relay has not used the player. After a new login or
 * a logout, the reading is dropped, since it is private to the former account.
 */
export function createLastPlaying(
  provider: ProviderApi,
  { clock, store }: { clock: Clock; store: Store },
): () => LastPlaying | null {
  const login = () => getAccount(store)?.consentAt ?? null;
  const sent = () => (requestHours(store, clock.now()).player ?? []).reduce((sum, hour) => sum + hour, 0);
  let last: { at: number; state: PlayerState | null; login: number | null; sent: number } = {
    at: 0,
    state: null,
    login: login(),
    sent: sent(),
  };
  watchPlayer(provider, (state) => {
    last = { at: clock.now(), state, login: login(), sent: sent() };
  });
  return () => {
    if (last.login !== login()) last = { ...last, at: 0, state: null, login: login() };
    const { at, state } = last;
    const isDue = sent() > last.sent;
    return at === 0 && !isDue ? null : { at, state, isDue };
  };
}
