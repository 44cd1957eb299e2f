import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withNames } from '../../src/domain/rows.ts';

const CASES: Array<[what: string, shown: string, known: string, named: string]> = [
  ['rows without a name get that of the same place', 'a__d', 'abcd', 'abcd'],
  ['rows that came and went beside others do not matter', 'xa_cd', 'abcd', 'xabcd'],
  ['a row stays without a name where the lists differ in length', 'a_d', 'abcd', 'a_d'],
  ['a row that was not read before stays without a name', 'a_c', 'a_c', 'a_c'],
  ['a song that is there twice is paired in order', 'a_a_', 'abac', 'abac'],
  ['a song that is also at the end is named at the beginning', '_bca', 'abca', 'abca'],
  ['rows at the end are those of the end', 'ab__', 'abcd', 'abcd'],
];
for (const [what, shown, known, named] of CASES)
  test(`withNames: ${what}`, () => {
    const rows = (text: string) => [...text].map((one) => (one === '_' ? '' : one));
    assert.deepEqual(withNames(rows(shown), rows(known)), rows(named));
  });
