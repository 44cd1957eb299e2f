/**
 * JSON within the bounds is parsed whole. Parts of JSON beyond the bounds are left out, so that the result stays small. How deep
 * a text is nested is found without a parser.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_JSON_DEPTH, parseBounded, tooDeepAt } from '../../src/base/boundedJson.ts';
import { holdsForAll } from '../hostile/property.ts';

const parse = (text: string) => parseBounded(Buffer.from(text));
/** Makes a text long enough to be checked against the limits. Short texts are not checked, since they are cheap to parse. */
const PAD = ' '.repeat(20_000);

test('any JSON that is not too deep, wide or large is parsed as JSON.parse does it', (t) =>
  holdsForAll(t, 2_000, fc.json({ maxDepth: 8 }), (json) => {
    assert.deepEqual(parse(PAD + json), JSON.parse(json));
  }));

test('the longest list that a tool takes is whole', () => {
  const song = {
    title: 'a, "b" [c] {d',
    artist: 'é\\',
    album: null,
    year: 1999,
    id: null,
    uri: null,
    url: null,
  };
  const message = { params: { arguments: { tracks: Array.from({ length: 10_000 }, () => song) } }, id: 7 };
  assert.deepEqual(parse(JSON.stringify(message)), message);
});

test('what is too deep, too long or too much is left out, and the rest stays', () => {
  const deep = `${'['.repeat(80)}"]"${']'.repeat(80)}`;
  const kept = `${'['.repeat(63)}null${']'.repeat(63)}`;
  assert.deepEqual(parse(`${PAD}{"a":${deep},"b":[${deep},1]}`), {
    a: JSON.parse(kept),
    b: [JSON.parse(kept.slice(1, -1)), 1],
  });
  const long = parse(`{"a":[[1]${',[1]'.repeat(30_000)}],"b":"]"}`) as { a: unknown[]; b: string };
  assert.deepEqual([long.a.length, long.b], [20_000, ']']);
  const names = Array.from({ length: 5_000 }, (_, index) => `"n${index}":[${index}]`).join();
  const wide = parse(`[{${names}},2]`) as [object, number];
  assert.deepEqual([Object.keys(wide[0]).length, wide[1]], [200, 2]);
  const rows = Array.from({ length: 15_000 }, () => '[[1,2,3,4,5,6,7,8,9]]').join();
  const much = parse(`{"p":{"a":[${rows}],"b":{"c":1}},"id":7}`) as {
    p: { a: unknown[]; b: object };
    id: number;
  };
  assert.ok(much.p.a.length < 12_000);
  assert.deepEqual([much.p.b, much.id], [{ c: 1 }, 7]);
});

for (const text of [
  '1,2',
  '[1',
  ']',
  '[1]]',
  `[${'['.repeat(100)}`,
  `[1${',1'.repeat(30_000)}`,
  '"',
  '"\\',
]) {
  test(`text that is not JSON is refused: ${text.slice(0, 10)}`, () => {
    assert.throws(() => parse(PAD + text), SyntaxError);
  });
}

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
