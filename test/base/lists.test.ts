import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunk } from '../../src/base/lists.ts';

test('chunks keep the order, and all but the last are full', () => {
  assert.deepEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(chunk([1, 2], 2), [[1, 2]]);
  assert.deepEqual(chunk([], 2), []);
});
