import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, rateLimitSeconds, retryDelay, secondsOf } from '../../src/provider/http/retry.ts';

const limited = (waitSeconds: number, quota = false): Outcome => ({
  kind: 'rate_limited',
  waitSeconds,
  quota,
});
const network = (certainlyUnsent: boolean): Outcome => ({ kind: 'network', certainlyUnsent });
const status = (code: number): Outcome => ({ kind: 'status', status: code });

const delays: Array<[what: string, method: string, attempt: number, outcome: Outcome, delay: number | null]> =
  [
    ['a read that failed with 502', 'GET', 1, status(502), 250],
    ['a read that failed with 503 twice', 'GET', 2, status(503), 500],
    ['a read that failed with 503 three times', 'GET', 3, status(503), null],
    ['a read that failed with 500', 'GET', 1, status(500), null],
    ['a read that failed with 404', 'GET', 1, status(404), null],
    ['a write that failed with 502', 'POST', 1, status(502), null],
    ['a write that failed with 504', 'DELETE', 1, status(504), null],
    ['a read that lost its connection', 'GET', 1, network(false), 250],
    ['a write that lost its connection', 'POST', 1, network(false), null],
    ['a write that was certainly never sent', 'PUT', 1, network(true), 250],
    ['a read that timed out', 'GET', 1, { kind: 'timeout' }, 250],
    ['a write that timed out', 'PUT', 1, { kind: 'timeout' }, null],
    ['a read that has to wait 5 s', 'GET', 1, limited(5), 5000],
    ['a read that has to wait 6 s', 'GET', 1, limited(6), null],
    ['a read that met a used-up quota', 'GET', 1, limited(1, true), null],
    ['a write that has to wait', 'POST', 1, limited(1), null],
  ];

for (const [what, method, attempt, outcome, delay] of delays) {
  test(`${what} ${delay === null ? 'is not sent again' : `is sent again after ${delay} ms`}`, () => {
    assert.equal(retryDelay(method, attempt, outcome, 0.5), delay);
  });
}

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
