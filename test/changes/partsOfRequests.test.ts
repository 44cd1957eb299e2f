import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRows } from '../../src/changes/compare.ts';
import { ROWS_PER_REQUEST, START } from '../../src/changes/rowOps.ts';

const uris = Array.from({ length: 250 }, (_, row) => `spotify:track:${row}`);
const ops = [{ op: 'append', uris }] as const;

/**
 * How many items count as written if the list shows the first `count` rows of the addition; null if these rows count as another
 * person's.
 */
function reached(count: number, size: number | null = ROWS_PER_REQUEST): number | null {
  const verdict = compareRows({ rows: [], ops }, START, uris.slice(0, count), size);
  return verdict.kind === 'landed' ? verdict.to.at : null;
}

test('a part of a request counts as written only if the size of the request is not known', () => {
  assert.deepEqual(
    [50, 100, 150, 200].map((count) => reached(count)),
    [null, 100, null, 200],
  );
  assert.deepEqual(
    [50, 100, 150, 200].map((count) => reached(count, 50)),
    [50, null, 150, null],
  );
  assert.deepEqual(
    [1, 50, 150].map((count) => reached(count, null)),
    [1, 50, 150],
  );
});
