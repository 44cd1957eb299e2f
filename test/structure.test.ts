import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongImports } from '../scripts/check-imports.ts';

test('imports go one way', () => {
  assert.deepEqual(wrongImports(), []);
});
