import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const command = process.env.RELAY_BIN
  ? [process.env.RELAY_BIN]
  : [process.execPath, fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url))];

test('if there is no room for output, the error is one line and the exit code 1', {
  skip: existsSync('/dev/full') ? false : 'this system has no /dev/full',
}, () => {
  const [program = '', ...first] = command;
  for (const args of [['--version'], ['tools']]) {
    const { status, stderr } = spawnSync(program, [...first, ...args], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [1, 'relay: Standard output cannot be written: ENOSPC.\n']);
  }
});
