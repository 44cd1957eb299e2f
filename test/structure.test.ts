import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongImports } from '../scripts/check-imports.ts';
import { strayWriters } from '../scripts/check-writers.ts';

test('imports go one way', () => {
  assert.deepEqual(wrongImports(), []);
});

test('nothing writes to the terminal past the sanitiser', () => {
  assert.deepEqual(strayWriters(), []);
});
