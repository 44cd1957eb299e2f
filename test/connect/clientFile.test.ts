/** Files that change while relay edits them, and directories that may or may not be created. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeDirectory, readClientFile, replaceClientFile } from '../../src/connect/clientFile.ts';
import { placeBelow, placeIn } from '../../src/connect/configPlaces.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { temporaryHome } from '../support/cli.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

for (const [what, before] of [
  ['changed', 'old'],
  ['appeared', null],
] as const) {
  test(`a file that ${what} meanwhile is left untouched`, async (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'mcp.json');
    if (before !== null) writeFileSync(path, before);
    const file = await readClientFile(path);
    writeFileSync(path, 'of the client');
    await assert.rejects(
      replaceClientFile(file, { text: 'ours', secret: false, now: NOW }),
      new RelayError('CONFLICT', `${path} changed while relay was editing it. Nothing was written.`, {
        remedy: 'Close the client if it is running, then try again.',
      }),
    );
    assert.deepEqual([readdirSync(home), readFileSync(path, 'utf8')], [['mcp.json'], 'of the client']);
  });
}

test('only the client’s own directories are created, never their parent', async (context) => {
  const home = temporaryHome(context);
  const system = { platform: process.platform, env: {}, home };
  const inHome = placeBelow(system, join(home, '.config'), ['Code', 'User', 'mcp.json']);
  assert.equal(inHome.base, home);
  await makeDirectory(inHome.file, inHome.base);
  assert.deepEqual(readdirSync(join(home, '.config/Code')), ['User']);

  const named = placeIn(system, join(home, 'none', 'codex'), 'config.toml');
  await assert.rejects(makeDirectory(named.file, named.base), { code: 'HOME_UNUSABLE' });
  mkdirSync(join(home, 'none'));
  await makeDirectory(named.file, named.base);
  assert.deepEqual(readdirSync(join(home, 'none')), ['codex']);
});

test('outside the home directory, the parent directory must exist', () => {
  const linux = { platform: 'linux', env: {}, home: '/home/me' } as const;
  assert.equal(placeBelow(linux, '/cfg', ['Claude', 'x.json']).base, '/');
  assert.equal(placeBelow(linux, '/home/mean/cfg', ['Claude', 'x.json']).base, '/home/mean');
  const windows = { platform: 'win32', env: {}, home: 'C:\\Users\\me' } as const;
  assert.equal(placeBelow(windows, 'C:\\Users\\me\\AppData\\Roaming', ['x', 'y']).base, 'C:\\Users\\me');
  assert.equal(placeBelow(windows, 'D:\\Roaming', ['x', 'y']).base, 'D:\\');
});
