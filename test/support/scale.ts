/**
 * What is long by nature runs in a shortened form with `npm test`, and at its full size with `npm run test:long`, which
 * runs the files that import this one and is part of CI.
 */

import { type TestContext, test } from 'node:test';

const isFull = process.env.RELAY_TEST_FULL === '1';

/** `size` in a full run, else `short`. */
export function sized<T>(size: T, short: T): T {
  return isFull ? size : short;
}

/**
 * A test that runs at full size only, where its kind has enough others in `npm test`: it waits for long, also on a fast
 * clock.
 */
export const longTest: (name: string, work: (t: TestContext) => Promise<void> | void) => void = isFull
  ? (name, work) => void test(name, work)
  : () => {};
