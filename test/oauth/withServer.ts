/** A relay whose clock stands still, and what its state file holds. */
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

/** A relay without account and MCP client, on a clock that stands still. */
export async function withServer(
  options: RelayOptions,
  work: (scene: Relay & { relay: Relay; clock: ManualClock }) => Promise<void>,
): Promise<void> {
  const clock = manualClock();
  await withRelay({ connect: false, client: false, clock, ...options }, (relay) =>
    work({ ...relay, relay, clock }),
  );
}

/** The state file as text, to check what it contains. */
export const stateText = ({ home }: Pick<Relay, 'home'>) => readFile(`${home}/relay.db`, 'latin1');

/** Does `work` while the state cannot be saved. */
export async function whileUnsaved<T>({ home }: Pick<Relay, 'home'>, work: () => Promise<T>): Promise<T> {
  // A directory in the place of the file: the rename at the end of a save fails, for root as well.
  await rename(`${home}/relay.db`, `${home}/kept.db`);
  await mkdir(`${home}/relay.db/full`, { recursive: true });
  const result = await work();
  await rm(`${home}/relay.db`, { recursive: true });
  await rename(`${home}/kept.db`, `${home}/relay.db`);
  return result;
}
