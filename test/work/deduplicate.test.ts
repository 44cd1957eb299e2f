/** The operations that remove repeated rows. They leave the right rows, and keep dates (`added_at`) where that is cheap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRows } from '../../src/work/write/plan.ts';
import { requestCount } from '../../src/work/write/states.ts';

const deduplicateOps = (uris: string[]) => planRows(uris, [...new Set(uris)]) ?? [];

test('a playlist without duplicates needs no request', () => {
  assert.deepEqual(deduplicateOps(['a', 'b']), []);
  assert.deepEqual(deduplicateOps([]), []);
});

test('duplicates are removed, and their first occurrences reinserted in place', () => {
  assert.deepEqual(deduplicateOps(['a', 'b', 'c', 'b', 'd', 'a', 'e', 'd']), [
    { op: 'remove', uris: ['a', 'b', 'd'] },
    { op: 'insert', at: 0, uris: ['a', 'b'] },
    { op: 'insert', at: 3, uris: ['d'] },
  ]);
});

test('a playlist is rewritten only if that takes fewer requests and removing takes more than 20', () => {
  const rows = Array.from({ length: 60 }, (_, n) => `t${n}`);
  const everyThird = rows.filter((_, n) => n % 3 === 0);
  assert.equal(deduplicateOps([...rows, ...everyThird.slice(0, 19)])[0]?.op, 'remove');
  assert.deepEqual(deduplicateOps([...rows, ...everyThird]), [{ op: 'put', uris: rows }]);
  const long = Array.from({ length: 3_000 }, (_, n) => `t${n}`);
  const ops = deduplicateOps([...long, ...long.filter((_, n) => n % 104 === 0)]);
  assert.deepEqual([ops[0]?.op, requestCount(ops)], ['remove', 30]);
});
