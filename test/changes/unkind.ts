/** A relay in fast time, and a fault between the requests of one change. */

import { type FastClock, fastClock } from '../support/fastClock.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { type PlaylistScene, sceneOf, type Then } from '../support/withPlaylist.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

export interface UnkindOptions extends Omit<RelayOptions, 'clock'> {
  /** How much faster than real time; default 20. */
  factor?: number;
}

/** A whole relay and its provider, in fast time. */
export async function withUnkind(
  options: UnkindOptions,
  work: (relay: Relay, clock: FastClock) => Promise<void>,
): Promise<void> {
  const { factor = 20, ...rest } = options;
  const clock = fastClock(factor);
  const env = { RELAY_TOOLSETS: 'all', ...rest.env };
  await withRelay({ ...rest, env, clock }, (relay) => work(relay, clock));
}

/** As `withUnkind`, with the account's playlist of that name. */
export function withUnkindPlaylist(
  name: string,
  ...then: Then<UnkindOptions, PlaylistScene & { clock: FastClock }>
): Promise<void> {
  const [options, work] = then.length === 1 ? [{}, ...then] : then;
  return withUnkind(options, (relay, clock) => work({ ...sceneOf(relay, name), clock }));
}

/** A limit that stops a change between its first and its second request that writes rows. */
export const LIMIT_AFTER_FIRST: FaultRule = {
  path: /\/items$/,
  where: ({ method }) => method !== 'GET',
  skip: 1,
  kind: 'rate_limit',
  retryAfterSeconds: 40,
};
