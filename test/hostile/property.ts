/**
 * Properties that hold for every input, tried on random inputs. A failure prints the smallest input found and the seed, which
 * `RELAY_TEST_SEED` sets. `RELAY_TEST_TIMES=100` tries a hundred times as many.
 */
import type { TestContext } from 'node:test';
import fc from 'fast-check';

/** The seed differs from run to run, so that the tests find cases that nobody thought of. */
const seed = Number(process.env.RELAY_TEST_SEED ?? Date.now() % 2 ** 31);

/** Tries `property` on `count` random inputs, one after another. */
export async function holdsForAll<T>(
  t: TestContext,
  count: number,
  inputs: fc.Arbitrary<T>,
  property: (input: T) => Promise<void> | void,
): Promise<void> {
  const numRuns = count * Number(process.env.RELAY_TEST_TIMES ?? 1);
  t.diagnostic(`${numRuns} inputs, RELAY_TEST_SEED=${seed}`);
  const checked = fc.asyncProperty(inputs, async (input) => property(input));
  await fc.assert(checked, { seed, numRuns, interruptAfterTimeLimit: 900_000, markInterruptAsFailure: true });
}
