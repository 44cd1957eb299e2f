import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeRows } from '../../src/domain/mergeRows.ts';

const SONGS = ['a', 'b', 'c', 'd'];

type Rows = readonly string[];

/** `rows` after somebody added, removed and moved a few. */
const edited = (rows: Rows) =>
  fc
    .array(fc.tuple(fc.nat(2), fc.nat(9), fc.nat(9), fc.constantFrom(...SONGS)), { maxLength: 3 })
    .map((edits) => {
      const list = [...rows];
      for (const [what, from, to, song] of edits) {
        const taken = what === 0 ? [song] : list.splice(from % (list.length + 1), 1);
        if (what !== 1) list.splice(to % (list.length + 1), 0, ...taken);
      }
      return list;
    });

const sides = fc
  .array(fc.constantFrom(...SONGS), { maxLength: 8 })
  .chain((base) => fc.tuple(fc.constant<Rows>(base), edited(base), edited(base)));

const countOf = (rows: Rows, song: string) => rows.filter((row) => row === song).length;

test('what both sides add and remove decides how many rows a song has; moves change no number', () => {
  fc.assert(
    fc.property(sides, ([base, ours, theirs]) => {
      const merged = mergeRows(base, ours, theirs);
      for (const song of SONGS) {
        const [own, other] = [ours, theirs].map((rows) => countOf(rows, song) - countOf(base, song)) as [
          number,
          number,
        ];
        const left = countOf(merged, song) - (countOf(base, song) + own + other);
        // Both sides may have removed the same row, which is gone only once.
        assert.ok(left >= 0 && left <= Math.max(0, Math.min(-own, -other)), `${song}: ${left}`);
      }
    }),
    { numRuns: 3_000, seed: 1 },
  );
});

test('a row that both sides moved is where the others put it; moves of different rows of one song both count', () => {
  assert.deepEqual(mergeRows(['a', 'b', 'c'], ['b', 'c', 'a'], ['b', 'a', 'c']), ['b', 'a', 'c']);
  const base = ['a', 'b', 'c', 'd', 'a'];
  assert.deepEqual(mergeRows(base, ['b', 'c', 'a', 'd', 'a'], ['a', 'b', 'a', 'c', 'd']), [
    'b',
    'a',
    'c',
    'a',
    'd',
  ]);
});
