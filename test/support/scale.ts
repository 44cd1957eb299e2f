/**
 * Long tests do not run with `npm test`, or only in a shortened form; `npm run test:long` runs them at full size. The long run
 * has only the files that import this file. They are nets for keeps, library and tools until these are written anew.
 */

import { type TestContext, type TestOptions, test } from 'node:test';

const isFull = process.env.RELAY_TEST_FULL === '1';

/** `size` in a full run, else `short`. */
export function sized<T>(size: T, short: T): T {
  return isFull ? size : short;
}

type Work = (t: TestContext) => Promise<void> | void;

/**
 * A test that runs at full size only, since `npm test` has enough similar tests. It takes long even on a fast clock, or needs a
 * browser or several processes.
 */
export function longTest(name: string, work: Work): void;
export function longTest(name: string, options: TestOptions, work: Work): void;
export function longTest(name: string, first: TestOptions | Work, second?: Work): void {
  if (!isFull) return;
  if (typeof first === 'function') void test(name, first);
  else void test(name, first, second);
}
