/** A relay over the demo account for measuring: the same IDs and dates in every run. */
import { createHash } from 'node:crypto';
import { type Clock, type Random, systemClock } from '../../src/base/clock.ts';
import { type Relay, withRelay } from '../../test/support/world.ts';

const START = Date.UTC(2026, 10, 20, 12);

/** Makes a clock on which the day is always the same, but waits take real time. */
function fixedDay(): Clock {
  const begin = systemClock.monotonic();
  return { ...systemClock, now: () => START + Math.floor(systemClock.monotonic() - begin) };
}

/** Bytes that look random and are the same in every run. */
function seededRandom(): Random {
  let drawn = 0;
  const block = () => createHash('sha256').update(`measure ${drawn++}`).digest();
  const bytes = (count: number): Buffer => {
    const blocks: Buffer[] = [];
    while (blocks.length * 32 < count) blocks.push(block());
    return Buffer.concat(blocks).subarray(0, count);
  };
  return {
    bytes,
    uuid() {
      const hex = bytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    fraction: () => 0.5,
  };
}

/** Runs `work` with a relay that offers all tools. */
export async function withDemo<T>(work: (relay: Relay) => Promise<T>): Promise<T> {
  const results: T[] = [];
  await withRelay(
    { clock: fixedDay(), random: seededRandom(), env: { RELAY_TOOLSETS: 'all' } },
    async (relay) => {
      results.push(await work(relay));
    },
  );
  return results[0] as T;
}
