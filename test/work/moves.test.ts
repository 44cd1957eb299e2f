import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_STATUSES } from '../../src/domain/job.ts';
import { MOVES, mayMove } from '../../src/work/moves.ts';

test('the table of moves is complete, and ended jobs stay ended', () => {
  assert.deepEqual(Object.keys(MOVES).sort(), [...JOB_STATUSES].sort());
  for (const targets of Object.values(MOVES)) {
    for (const target of targets) assert.ok(JOB_STATUSES.includes(target));
  }
  assert.deepEqual([MOVES.completed, MOVES.cancelled], [[], []]);
  const mayWrite = JOB_STATUSES.filter((from) => mayMove(from, 'committing'));
  assert.deepEqual(mayWrite, ['waiting', 'ready', 'failed'], 'no other job may start to write');
});

test('a job can be cancelled in every state but completed and cancelled', () => {
  const open = JOB_STATUSES.filter((status) => status !== 'completed' && status !== 'cancelled');
  assert.deepEqual(
    JOB_STATUSES.filter((status) => mayMove(status, 'cancelled')),
    open,
  );
});
