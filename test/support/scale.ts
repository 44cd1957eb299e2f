/** Long tests run in a shortened form with `npm test`; `npm run test:long` runs the files that import this one at full size. */

const isFull = process.env.RELAY_TEST_FULL === '1';

/** `size` in a full run, else `short`. */
export function sized<T>(size: T, short: T): T {
  return isFull ? size : short;
}
