import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ErrorCode,
  PROGRAM_ERROR_CODES,
  RelayError,
  TOOL_ERROR_CODES,
} from '../../src/domain/errors.ts';
import { JOB_STATUSES } from '../../src/domain/job.ts';
import { outcomeOf, retryDelay, waitUntil } from '../../src/jobs/outcome.ts';
import { MOVES, mayMove } from '../../src/jobs/states.ts';

test('the table of moves is complete, and ended jobs stay ended', () => {
  assert.deepEqual(Object.keys(MOVES).sort(), [...JOB_STATUSES].sort());
  for (const targets of Object.values(MOVES)) {
    for (const target of targets) assert.ok(JOB_STATUSES.includes(target));
  }
  assert.deepEqual([MOVES.completed, MOVES.cancelled], [[], []]);
  const written = JOB_STATUSES.filter((from) => mayMove(from, 'committing'));
  assert.deepEqual(written, ['waiting', 'ready', 'failed'], 'nothing is written that was not ready once');
});

test('every state but the last ones can be cancelled', () => {
  const open = JOB_STATUSES.filter((status) => status !== 'completed' && status !== 'cancelled');
  assert.deepEqual(
    JOB_STATUSES.filter((status) => mayMove(status, 'cancelled')),
    open,
  );
});

test('every error code has an outcome for jobs', () => {
  const codes = [...Object.keys(TOOL_ERROR_CODES), ...Object.keys(PROGRAM_ERROR_CODES)] as ErrorCode[];
  for (const code of codes) assert.equal(typeof outcomeOf(new RelayError(code, 'x')), 'string', code);
});

test('delays triple up to fifteen minutes, with a quarter of jitter either way', () => {
  const middle = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((attempts) => retryDelay(attempts, 0.5) / 1000);
  assert.deepEqual(middle, [2, 6, 18, 54, 162, 486, 900, 900, 900]);
  assert.deepEqual([retryDelay(1, 0), retryDelay(1, 0.999_999)], [1_500, 2_500]);
});

test('a limit ends when the provider says, a missing login when the owner logs in', () => {
  const quota = new RelayError('QUOTA_EXCEEDED', 'x', { retryAfterSeconds: 40_000 });
  assert.equal(waitUntil('limit', quota, 1_000), 40_001_000);
  assert.equal(waitUntil('limit', new RelayError('RATE_LIMITED', 'x'), 1_000), 61_000);
  assert.equal(waitUntil('login', new RelayError('LOGIN_REQUIRED', 'x'), 1_000), null);
  assert.equal(waitUntil('account', new RelayError('USER_NOT_REGISTERED', 'x'), 1_000), 3_601_000);
});
