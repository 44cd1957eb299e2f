/** How deep a text is nested is found without a parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_JSON_DEPTH, tooDeepAt } from '../../src/base/boundedJson.ts';

test('the first bracket beyond the most levels is found', () => {
  const nested = `${'[{"a":'.repeat(MAX_JSON_DEPTH / 2)}1${'}]'.repeat(MAX_JSON_DEPTH / 2)}`;
  assert.equal(tooDeepAt(nested), null);
  assert.equal(tooDeepAt(Array.from({ length: 100 }, () => nested).join()), null);
  const deeper = `  ${'['.repeat(MAX_JSON_DEPTH)}{`;
  assert.equal(tooDeepAt(deeper), deeper.length - 1);
});

test('brackets in strings are no levels', () => {
  const brackets = '['.repeat(100);
  assert.equal(tooDeepAt(`["${brackets}\\"${brackets}\\\\"]`), null);
  for (const start of ['["\\\\"', '["never closed\n']) {
    assert.equal(tooDeepAt(start + brackets), start.length + MAX_JSON_DEPTH - 1);
  }
});
