import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitSeconds, retryDelay, secondsOf } from '../../src/provider/http/retry.ts';

const waits: Array<[header: string | null, failures: number, quota: boolean, seconds: number]> = [
  ['30', 1, false, 30],
  [' 30 ', 1, false, 30],
  ['0', 1, false, 1],
  ['0', 4, false, 8],
  ['86207', 1, true, 86_207],
  ['99999999999', 1, false, 604_800],
  [null, 1, false, 1],
  [null, 2, false, 2],
  [null, 3, false, 4],
  [null, 9, false, 256],
  [null, 12, false, 300],
  ['1', 3, false, 1],
  ['1', 4, false, 2],
  ['1', 8, false, 32],
  ['1', 20, false, 300],
  ['30', 8, false, 32],
  ['500', 20, false, 500],
  ['1.5', 2, false, 2],
  ['Fri, 20 Nov 2026 12:00:07 GMT', 1, false, 7],
  ['Fri, 20 Nov 2026 12:00:00 GMT', 2, false, 2],
  ['soon', 1, false, 1],
  ['-5', 1, false, 1],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 2, false, 2],
  [null, 1, true, 3600],
];

for (const [header, failures, quota, seconds] of waits) {
  test(`${failures} refusals in a row${quota ? ' for a quota' : ''}, with ${header === null ? 'no Retry-After' : `Retry-After: ${header}`}: waits ${seconds} s`, () => {
    const date = 'Fri, 20 Nov 2026 12:00:00 GMT';
    const headers = new Headers({ date, ...(header === null ? {} : { 'retry-after': header }) });
    assert.equal(rateLimitSeconds(secondsOf(headers), failures, quota), seconds);
  });
}

test('a read that is tried again waits longer each time, with jitter', () => {
  const delays = [1, 2, 3].map((attempt) => retryDelay('GET', attempt, { kind: 'timeout' }, 0.5));
  assert.deepEqual(delays, [250, 500, null]);
});
