import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFromPs } from '../../src/store/home/processes.ts';

test('ps tells when a process started, and that a zombie has ended', () => {
  const start = 'Thu Jan 15 12:00:00 2026';
  assert.equal(startFromPs(`S+   ${start}\n`), start);
  assert.equal(startFromPs(`T    ${start}    \n`), start);
  assert.equal(startFromPs(`Z+   ${start}\n`), null);
  assert.equal(startFromPs('\n'), undefined);
});
