import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';
import type { JumpingClock } from '../support/jumpingClock.ts';
import { longTest } from '../support/scale.ts';
import { SEED } from './model/crew.ts';
import { withCrew } from './model/withCrew.ts';

const HOUR = 3_600_000;
/** How long the clients work before the jump and after it, each in milliseconds of real time. */
const WORK_MS = 2_500;
const CREW = { clients: 4, share: 0.03 };

for (const [what, ms] of [
  ['an hour back', -HOUR],
  ['a day back', -24 * HOUR],
  ['eight hours ahead', 8 * HOUR],
] as const) {
  longTest(`the computer's clock is set ${what} while clients are at work`, async (t) => {
    t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
    let shifted = 0;
    const relayClock = (clock: JumpingClock): Clock => ({ ...clock, now: () => clock.now() + shifted });
    await withCrew({ ...CREW, relayClock }, async (crew) => {
      const working = crew.work(2 * WORK_MS);
      working.catch(() => {});
      await setTimeout(WORK_MS);
      shifted = ms;
      await working;
    });
  });
}

longTest('the computer sleeps for eight hours while clients are at work', async (t) => {
  t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
  await withCrew(CREW, async (crew, clock, { provider, baseUrl }) => {
    const working = crew.work(2 * WORK_MS);
    working.catch(() => {});
    await setTimeout(WORK_MS);
    // The network goes before the sleep and comes back after it. By then every connection is dead and the access token has expired.
    await provider.offline(true);
    clock.shift(8 * HOUR);
    await clock.sleep(10_000);
    await provider.offline(false);
    await working;
    const status = (await (await fetch(`${baseUrl}/auth/status`)).json()) as Record<string, unknown>;
    assert.deepEqual([status.providerConnected, status.reauthorizationRequired], [true, false]);
  });
});
