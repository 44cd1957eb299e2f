/** A player on which something plays, for the tests of its tools. */
import { manualClock } from '../support/clock.ts';
import { at, owner } from '../support/entries.ts';
import type { Relay, RelayOptions } from '../support/world.ts';

/** Time stands still, so that a playing track stays where it is. */
export const still = (): RelayOptions => ({ clock: manualClock() });

/** Three tracks on the first device, of which the one at `index` plays from its tenth second. */
export function playing({ provider }: Relay, { index = 1, isPlaying = true } = {}) {
  const account = owner(provider);
  const tracks = provider.catalogue.tracks.slice(20, 23);
  const queue = tracks.map(({ uri }) => uri);
  const device = at(account.devices, 0);
  Object.assign(account.player, { deviceId: device.id, queue, index, queued: 0, contextUri: null });
  Object.assign(account.player, { isPlaying, positionMs: 10_000, repeat: 'off', shuffle: false });
  return { ...account, account, device, tracks, queue };
}
