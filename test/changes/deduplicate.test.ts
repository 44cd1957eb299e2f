/** The operations that remove repeated rows. They leave the right rows, and keep dates (`added_at`) where that is cheap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deduplicateOps } from '../../src/changes/kinds.ts';
import { applyOp, requestsLeft } from '../../src/changes/rowOps.ts';
import { longTest } from '../support/scale.ts';
import { seeded } from '../support/seeded.ts';

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
  assert.deepEqual([ops[0]?.op, requestsLeft(ops)], ['remove', 30]);
});

function madeUpPlaylist(next: () => number): string[] {
  const length = Math.floor(next() * 700);
  const kinds = 1 + Math.floor(next() * 2 * length);
  const start = Math.floor(next() * length);
  const some = Array.from({ length }, () => `t${Math.floor(next() * kinds)}`);
  // Half of the playlists repeat one stretch, as if an album had been added twice.
  return next() < 0.5 ? some : [...new Set(some), ...new Set(some.slice(start, start + 150))];
}

longTest('first occurrences stay in order; unless all is rewritten, only repeated songs are removed', () => {
  const next = seeded(7);
  const first = new Set<string | undefined>();
  for (let turn = 0; turn < 400; turn += 1) {
    const uris = madeUpPlaylist(next);
    const ops = deduplicateOps(uris);
    first.add(ops[0]?.op);
    assert.deepEqual(ops.reduce(applyOp, uris), [...new Set(uris)], JSON.stringify(uris));
    for (const op of ops) {
      if (op.op !== 'remove') continue;
      assert.ok(op.uris.length <= 100);
      assert.ok(op.uris.every((uri) => uris.indexOf(uri) !== uris.lastIndexOf(uri)));
    }
  }
  assert.deepEqual(first, new Set(['put', 'remove', undefined]));
});
