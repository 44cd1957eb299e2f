/** A relay on a clock that jumps. */

import { type JumpingClock, jumpingClock } from '../support/jumpingClock.ts';
import { type PlaylistScene, sceneOf, type Then } from '../support/withPlaylist.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

export type UnkindOptions = Omit<RelayOptions, 'clock'>;

/** A whole relay and its provider, on a clock that jumps. */
export async function withUnkind(
  options: UnkindOptions,
  work: (relay: Relay, clock: JumpingClock) => Promise<void>,
): Promise<void> {
  const clock = jumpingClock();
  const env = { RELAY_ACCESS: 'everything', ...options.env };
  await withRelay({ ...options, env, clock }, (relay) => work(relay, clock));
}

/** As `withUnkind`, with the account's playlist of that name. */
export function withUnkindPlaylist(
  name: string,
  ...then: Then<UnkindOptions, PlaylistScene & { clock: JumpingClock }>
): Promise<void> {
  const [options, work] = then.length === 1 ? [{}, ...then] : then;
  return withUnkind(options, (relay, clock) => work({ ...sceneOf(relay, name), clock }));
}
