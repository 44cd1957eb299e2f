import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { buildChild } from '../store/children/build.ts';
import { temporaryHome } from '../store/testStore.ts';
import { withKeychain, withoutKeychain } from '../support/keychain.ts';

const LOAD_KEY = buildChild(new URL('./children/loadKey.ts', import.meta.url));
const notLinux = process.platform !== 'linux' ? 'this test knows the keychain of Linux only' : false;

test('the key is made in the Secret Service and read back by a second process, and is nowhere else', {
  skip: withoutKeychain(),
}, async (t) => {
  const home = temporaryHome(t);
  await withKeychain(async (env) => {
    const load = () => {
      const { stdout } = spawnSync(process.execPath, [LOAD_KEY, home, 'os'], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
      return JSON.parse(stdout);
    };
    const made = load();
    assert.match(made.key, /^[0-9a-f]{64}$/);
    assert.deepEqual(made, { key: made.key, source: 'keychain', warning: null, created: true });
    assert.deepEqual(load(), { ...made, created: false });
  });
  assert.deepEqual(await readdir(home), []);
  // The kernel keyring would lose the key at the next reboot.
  const kernelKeys = await readFile('/proc/keys', 'utf8').catch(() => '');
  assert.doesNotMatch(kernelKeys, /master-key|relay/);
});

test('without a session bus the keychain counts as none at once', { skip: notLinux }, async (t) => {
  const home = temporaryHome(t);
  const { DBUS_SESSION_BUS_ADDRESS: _, ...rest } = process.env;
  const env = { ...rest, XDG_RUNTIME_DIR: home };
  const { stdout } = spawnSync(process.execPath, [LOAD_KEY, home, 'os'], { env, encoding: 'utf8' });
  const { code, message } = JSON.parse(stdout);
  assert.equal(code, 'KEY_UNAVAILABLE');
  assert.match(message, /^The keychain cannot be used: .*DBus/);
});
