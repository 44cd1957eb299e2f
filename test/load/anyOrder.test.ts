import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHolds, inAnyOrder, targetOf } from './model/target.ts';

test('an undo that removes entries in any order must remove as many as its answer says', () => {
  const saved = ['a', 'b', 'c', 'd'];
  const effect = { total: 3, size: 2, at: (written: number) => saved.slice(Math.min(written, 3)) };
  const holds = (present: readonly string[], written: number) => {
    const target = targetOf('what is saved', () => present);
    target.possible = inAnyOrder(effect, [effect.at(written)], present);
    return () => assertHolds(target, 'an undo');
  };
  for (const present of [
    ['c', 'd'],
    ['a', 'd'],
  ])
    assert.doesNotThrow(holds(present, 2));
  // Too few are gone, too many are gone, or `d` is gone, which the undo does not remove.
  for (const present of [['a', 'b', 'd'], ['d'], ['a', 'c']])
    assert.throws(holds(present, 2), /no answer allows/);
});
