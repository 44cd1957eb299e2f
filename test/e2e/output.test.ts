import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linesOf } from '../support/entries.ts';
import { temporaryHome } from '../support/temporaryHome.ts';

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

test('with --json every line on stderr is JSON, also a warning before an error', async (context) => {
  const [program = '', ...first] = command;
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  context.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const { status, stdout, stderr } = spawnSync(program, [...first, 'serve', '--json', '--port', `${port}`], {
    env: {
      ...process.env,
      RELAY_HOME: temporaryHome(context),
      RELAY_KEYCHAIN: 'file',
      PROVIDER_CLIENT_ID: 'odd',
    },
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [1, '']);
  const [warning, ...others] = linesOf(stderr).map((line) => JSON.parse(line));
  assert.deepEqual(
    [warning.level, warning.msg],
    ['warn', 'The client ID does not look like a Spotify client ID (32 hexadecimal digits).'],
  );
  assert.equal(others.at(-1).error.code, 'PORT_TAKEN');
});
