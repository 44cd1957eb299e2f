/**
 * Properties that hold for every input, tried on random inputs. A failure prints the smallest input found and the seed, which
 * `RELAY_TEST_SEED` sets. `RELAY_TEST_INPUTS=500000` spreads that many inputs over all these properties.
 */
import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { trials } from '../support/scale.ts';

/** Inputs of a full run, over all properties. */
const FULL = 23_000;
const asked = process.env.RELAY_TEST_INPUTS;

/** The seed differs from run to run, so that the tests find cases that nobody thought of. */
const seed = Number(process.env.RELAY_TEST_SEED ?? Date.now() % 2 ** 31);

/**
 * How many inputs a property gets.
 * @param share of the inputs of a full run
 */
function inputsFor(share: number): number {
  if (asked !== undefined) return Math.ceil((share * Number(asked)) / FULL);
  return trials(share, Math.ceil(share / 100));
}

/** Tries `property` on random inputs, one after another. @param share of the inputs of a full run */
export async function holdsForAll<T>(
  t: TestContext,
  share: number,
  inputs: fc.Arbitrary<T>,
  property: (input: T) => Promise<void> | void,
): Promise<void> {
  const numRuns = inputsFor(share);
  t.diagnostic(`${numRuns} inputs, RELAY_TEST_SEED=${seed}`);
  const checked = fc.asyncProperty(inputs, async (input) => property(input));
  await fc.assert(checked, { seed, numRuns, interruptAfterTimeLimit: 900_000, markInterruptAsFailure: true });
}
