import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ErrorCode,
  PROGRAM_ERROR_CODES,
  RelayError,
  TOOL_ERROR_CODES,
} from '../../src/domain/errors.ts';
import { codesOf, type FailureClass, failureClassOf, isRefusal } from '../../src/domain/failureClass.ts';
import { growingDelay, pauseAfter } from '../../src/domain/pause.ts';
import { DAY, HOUR, SECOND } from '../support/clock.ts';

const NOW = 1_000_000;

/** Milliseconds that the pause lasts with average jitter (null: no end), and whether it spends an attempt. */
function waits(code: ErrorCode, failures = 1, retryAfterSeconds?: number) {
  const error = new RelayError(code, 'x', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  const pause = pauseAfter(error, { failures, now: NOW, fraction: 0.5 });
  assert.equal(pause.reason, code);
  return [pause.until === null ? null : pause.until - NOW, isRefusal(error)];
}

test('every error code belongs to one class', () => {
  const codes = [...Object.keys(TOOL_ERROR_CODES), ...Object.keys(PROGRAM_ERROR_CODES)] as ErrorCode[];
  const classes: Record<FailureClass, ErrorCode[]> = {
    connectivity: [],
    login: [],
    account: [],
    limit: [],
    request: [],
    item: [],
    store: [],
  };
  for (const code of codes) classes[failureClassOf({ code })].push(code);
  assert.deepEqual(
    { ...classes, request: classes.request.length },
    {
      item: ['INVALID_ARGUMENT'],
      request: 21,
      login: ['LOGIN_REQUIRED', 'SCOPE_MISSING'],
      account: [
        'APP_OWNER_PREMIUM_REQUIRED',
        'USER_NOT_REGISTERED',
        'SETTINGS_INVALID',
        'KEY_UNAVAILABLE',
        'KEY_MISMATCH',
        'LOGIN_FAILED',
      ],
      limit: ['RATE_LIMITED', 'QUOTA_EXCEEDED'],
      connectivity: [
        'PROVIDER_UNAVAILABLE',
        'PROVIDER_TIMEOUT',
        'PROVIDER_INVALID_RESPONSE',
        'DEADLINE_EXCEEDED',
        'CANCELLED',
        'SHUTTING_DOWN',
        'INTERRUPTED',
      ],
      store: ['STORE_ERROR', 'STATE_DAMAGED', 'STATE_TOO_NEW', 'HOME_UNUSABLE'],
    },
  );
  assert.deepEqual(codesOf('login', 'account').toSorted(), [...classes.login, ...classes.account].toSorted());
});

test('while the provider is unavailable, the waits grow up to fifteen minutes, and no attempt is spent', () => {
  assert.deepEqual(waits('PROVIDER_UNAVAILABLE', 1), [2 * SECOND, false]);
  assert.deepEqual(waits('PROVIDER_TIMEOUT', 3), [18 * SECOND, false]);
  assert.deepEqual(waits('PROVIDER_INVALID_RESPONSE', 1_000), [900 * SECOND, false]);
  assert.deepEqual(
    waits('PROVIDER_UNAVAILABLE', 1, 120),
    [120 * SECOND, false],
    'relay waits as long as the provider says',
  );
});

test('a refusal spends an attempt and waits longer each time', () => {
  assert.deepEqual(waits('NOT_FOUND', 1), [2 * SECOND, true]);
  assert.deepEqual(waits('FORBIDDEN', 2), [6 * SECOND, true]);
  assert.deepEqual(waits('INVALID_ARGUMENT', 4), [54 * SECOND, true]);
});

test('a limit that names a time lasts exactly that long, up to a week', () => {
  assert.deepEqual(waits('QUOTA_EXCEEDED', 1, 40_000), [40_000 * SECOND, false]);
  assert.deepEqual(waits('RATE_LIMITED', 9, 1), [SECOND, false]);
  assert.deepEqual(waits('QUOTA_EXCEEDED', 1, 400 * 24 * 3_600), [7 * DAY, false]);
});

test('a limit that names no time lasts a minute, and longer if it is met again and again', () => {
  assert.deepEqual(waits('RATE_LIMITED', 1), [60 * SECOND, false]);
  assert.deepEqual(waits('RATE_LIMITED', 6), [486 * SECOND, false]);
});

test('only the wait for a login has no end, unless a time is named; other account problems are tried again after an hour', () => {
  assert.deepEqual(waits('LOGIN_REQUIRED'), [null, false]);
  assert.deepEqual(waits('SCOPE_MISSING'), [null, false]);
  assert.deepEqual(
    waits('LOGIN_REQUIRED', 1, 30),
    [30 * SECOND, false],
    'a login problem with a time ends by itself',
  );
  assert.deepEqual(waits('USER_NOT_REGISTERED', 5), [HOUR, false]);
  assert.deepEqual(waits('KEY_UNAVAILABLE'), [HOUR, false]);
});

test('relay tries to write to its own disk again every ten seconds', () => {
  assert.deepEqual(waits('STORE_ERROR', 7), [10 * SECOND, false]);
});

test('delays triple up to fifteen minutes, with a quarter of jitter either way', () => {
  const middle = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((failures) => growingDelay(failures, 0.5) / SECOND);
  assert.deepEqual(middle, [2, 6, 18, 54, 162, 486, 900, 900, 900]);
  assert.deepEqual([growingDelay(1, 0), growingDelay(1, 0.999_999)], [1_500, 2_500]);
});
