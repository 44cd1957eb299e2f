/**
 * What is long by nature runs in a shortened form with `npm test`, and at its full size with `npm run test:long`, which
 * runs the files that import this one and is part of CI.
 */

const isFull = process.env.RELAY_TEST_FULL === '1';

/** `size` in a full run, else `short`. */
export function sized<T>(size: T, short: T): T {
  return isFull ? size : short;
}
