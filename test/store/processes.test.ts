import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFromPs } from '../../src/store/home/processes.ts';

const START = 'Thu Jan 15 12:00:00 2026';

const ANSWERS: ReadonlyArray<
  readonly [string, Parameters<typeof startFromPs>[0], string | null | undefined]
> = [
  ['a process at work', { stdout: `S+   ${START}\n` }, START],
  ['a process that is stopped', { stdout: `T    ${START}    \n` }, START],
  ['a zombie', { stdout: `Z+   ${START}\n` }, null],
  ['no such process', { code: 1 }, null],
  ['no ps', { code: 'ENOENT' }, undefined],
  ['a sandbox that does not let ps run', { code: 'EPERM' }, undefined],
  ['no room for another process', { code: 'EAGAIN' }, undefined],
  ['a ps that refuses its arguments', { code: 2 }, undefined],
  ['a ps that was killed', { code: null }, undefined],
  ['a ps that says something else', { stdout: '\n' }, undefined],
];

for (const [what, answer, start] of ANSWERS) {
  test(`ps about ${what}: ${start === undefined ? 'nothing is known' : (start ?? 'it is gone')}`, () => {
    assert.equal(startFromPs(answer), start);
  });
}
