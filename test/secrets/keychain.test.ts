import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { buildChild } from '../store/children/build.ts';
import { temporaryHome } from '../store/testStore.ts';
import { withKeychain, withoutKeychain } from '../support/keychain.ts';
import { longTest } from '../support/scale.ts';

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

longTest(
  'a session bus that never answers blocks neither the start nor the exit',
  {
    skip: notLinux,
  },
  async (t) => {
    const home = temporaryHome(t);
    const connections: Socket[] = [];
    const bus = createServer((socket) => connections.push(socket.resume().on('error', () => {})));
    t.after(() => bus.close());
    bus.listen(join(home, 'bus'));
    await once(bus, 'listening');
    const loading = spawn(process.execPath, [LOAD_KEY, home, 'auto', '0.5'], {
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, 'bus')}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => loading.kill('SIGKILL'));
    const output = text(loading.stdout);
    assert.deepEqual(await once(loading, 'close'), [0, null]);
    const { source, warning, created } = JSON.parse(await output);
    assert.deepEqual([source, created], ['file', true]);
    assert.match(
      warning,
      /^The keychain cannot be used: it did not answer within 3 seconds\. The master key is in /,
    );
    assert.equal(connections.length, 1);
    assert.deepEqual((await readdir(home)).sort(), ['bus', 'master.key']);
  },
);

longTest('without a session bus the keychain counts as none at once', { skip: notLinux }, async (t) => {
  const home = temporaryHome(t);
  const { DBUS_SESSION_BUS_ADDRESS: _, ...rest } = process.env;
  const env = { ...rest, XDG_RUNTIME_DIR: home };
  const { stdout } = spawnSync(process.execPath, [LOAD_KEY, home, 'os'], { env, encoding: 'utf8' });
  const { code, message } = JSON.parse(stdout);
  assert.equal(code, 'KEY_UNAVAILABLE');
  assert.match(message, /^The keychain cannot be used: .*DBus/);
});

longTest(
  'the helper inside an executable answers like the one that Node runs',
  {
    skip: notLinux,
  },
  () => {
    const program = buildChild(new URL('./children/runHelper.ts', import.meta.url));
    const addon = createRequire(import.meta.url).resolve('@napi-rs/keyring');
    const { stdout } = spawnSync(process.execPath, [program], {
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', RELAY_KEYRING_ADDON: addon },
      input: JSON.stringify({ operation: 'read', account: 'master-key-0' }),
      encoding: 'utf8',
    });
    const answer = JSON.parse(stdout);
    assert.deepEqual(Object.keys(answer), ['error']);
    assert.match(answer.error, /\/nonexistent/);
  },
);
