/** What the player was doing when it was last read. The owner's page shows this without reading the player itself. */
import type { Clock } from '../../base/clock.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { type PlayerState, watchPlayer } from '../../provider/resources/player.ts';

export interface LastPlaying {
  /** Time of the reading, in Unix milliseconds. */
  at: number;
  /** State of the player; null if no device was active. */
  state: PlayerState | null;
}

export function createLastPlaying(provider: ProviderApi, clock: Clock): () => LastPlaying | null {
  let last: LastPlaying | null = null;
  watchPlayer(provider, (state) => {
    last = { at: clock.now(), state };
  });
  return () => last;
}
