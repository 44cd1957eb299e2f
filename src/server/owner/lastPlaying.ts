/** What the player was doing when it was last read. The owner's page shows this without reading the player itself. */
import type { Clock } from '../../base/clock.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { type PlayerState, watchPlayer } from '../../provider/resources/player.ts';
import type { Store } from '../../store/store.ts';
import { getAccount } from '../../store/tables/account.ts';

export interface LastPlaying {
  /** Time of the reading, in Unix milliseconds. */
  at: number;
  /** State of the player; null if no device was active. */
  state: PlayerState | null;
}

/**
 * Returns a function that gives the last reading; null if there is none. After a new login or a logout, the reading is dropped,
 * since it is private to the former account.
 */
export function createLastPlaying(
  provider: ProviderApi,
  { clock, store }: { clock: Clock; store: Store },
): () => LastPlaying | null {
  const login = () => getAccount(store)?.consentAt ?? null;
  let last: (LastPlaying & { login: number | null }) | null = null;
  watchPlayer(provider, (state) => {
    last = { at: clock.now(), state, login: login() };
  });
  return () => {
    if (last?.login !== login()) last = null;
    return last;
  };
}
