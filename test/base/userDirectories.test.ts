/** Variables that hold no absolute path never lead into the working directory. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { directoryIn, homeDirectory } from '../../src/base/userDirectories.ts';
import { homeToName } from '../../src/config/settings.ts';
import { findClient, setupFor } from '../../src/connect/clientTable.ts';
import { systemOf } from '../../src/connect/configPlaces.ts';
import { buildChild } from '../store/children/build.ts';

const OWN = userInfo().homedir;

test('a directory is an absolute path, in the form of the platform', () => {
  const taken = (platform: NodeJS.Platform, DIR: string) => directoryIn({ platform, env: { DIR } }, 'DIR');
  for (const path of ['', 'cfg', './cfg', '~/cfg']) assert.equal(taken('linux', path), undefined, path);
  for (const path of ['', 'cfg', 'C:cfg']) assert.equal(taken('win32', path), undefined, path);
  assert.equal(taken('linux', '/cfg'), '/cfg');
  assert.equal(taken('win32', String.raw`C:\cfg`), String.raw`C:\cfg`);
  assert.equal(directoryIn({ platform: 'linux', env: {} }, 'DIR'), undefined);
});

const CASES: Array<[what: string, env: NodeJS.ProcessEnv, base: string, config?: string]> = [
  ['an empty HOME', { HOME: '' }, OWN],
  ['a relative HOME', { HOME: 'me/here' }, OWN],
  ['an empty XDG_CONFIG_HOME', { HOME: '/home/me', XDG_CONFIG_HOME: '' }, '/home/me'],
  ['a relative XDG_CONFIG_HOME', { HOME: '/home/me', XDG_CONFIG_HOME: './cfg' }, '/home/me'],
  ['both relative', { HOME: 'me', XDG_CONFIG_HOME: 'cfg' }, OWN],
  ['both absolute', { HOME: '/home/me', XDG_CONFIG_HOME: '/cfg' }, '/home/me', '/cfg'],
];

for (const [what, env, base, config = join(base, '.config')] of CASES) {
  test(`${what}: the file of a client is in the user's own directories`, () => {
    const system = systemOf({ platform: 'linux', env });
    const fileOf = (id: string) => {
      const client = findClient(id);
      return client && setupFor(client, system, () => false).file;
    };
    assert.deepEqual(
      [fileOf('claude-code'), fileOf('vscode')],
      [join(base, '.claude.json'), join(config, 'Code/User/mcp.json')],
    );
    const settings = { home: '/x', demo: false, origins: { home: 'default' } } as Parameters<
      typeof homeToName
    >[0];
    assert.equal(homeToName(settings, env, 'linux'), config === '/cfg' ? '/x' : null);
  });

  test(`${what}: so are relay's home and its unpacked addon`, {
    skip: process.platform !== 'linux' && 'the paths are those of Linux',
  }, () => {
    const child = buildChild(new URL('./children/directories.ts', import.meta.url));
    const folders = (more: NodeJS.ProcessEnv) => {
      const { stdout } = spawnSync(process.execPath, [child], { cwd: '/', env: { ...env, ...more } });
      return JSON.parse(String(stdout));
    };
    const [home, cache] = [join(config, 'relay'), join(base, '.cache/relay')];
    assert.deepEqual(folders({ XDG_CACHE_HOME: '' }), [home, cache]);
    assert.deepEqual(folders({ XDG_CACHE_HOME: '/cache' }), [home, '/cache/relay']);
    assert.equal(folders({ RELAY_HOME: 'here' })[0], '/here', 'what a person names keeps its meaning');
  });
}

test('without a usable USERPROFILE, Windows is asked', () => {
  const home = (USERPROFILE: string) =>
    homeDirectory({ platform: 'win32', env: { USERPROFILE, HOME: '/x' } });
  assert.deepEqual([home(''), home('me')], [OWN, OWN]);
  assert.equal(home(String.raw`C:\Users\me`), String.raw`C:\Users\me`);
});
