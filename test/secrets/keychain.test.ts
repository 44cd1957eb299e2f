import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryHome } from '../store/support.ts';

const LOAD_KEY = ['--import', 'tsx', fileURLToPath(new URL('./children/loadKey.ts', import.meta.url))];
const notLinux = process.platform !== 'linux' ? 'this test knows the keychain of Linux only' : false;

function withoutKeychain(): string | false {
  const missing = ['dbus-run-session', 'gnome-keyring-daemon'].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  );
  return missing.length > 0 && process.env.CI !== 'true' ? `not installed: ${missing.join(', ')}` : false;
}

/** Starts a keychain with the password in the file $1, runs the rest twice, and ends the keychain. */
const SESSION = `
  gnome-keyring-daemon --foreground --unlock --components=secrets < "$1" > /dev/null & keychain=$!
  trap 'kill $keychain' EXIT
  shift
  for turn in $(seq 200); do
    dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
      org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets > /dev/null && break
    sleep 0.05
  done
  "$@"; echo; "$@"
`;

test('the key is made in the Secret Service and read back by a second process, and is nowhere else', {
  skip: notLinux || withoutKeychain(),
}, async (t) => {
  const base = await temporaryHome(t);
  for (const name of ['home', 'run']) await mkdir(join(base, name), { mode: 0o700 });
  await writeFile(join(base, 'password'), 'pw');
  const load = [process.execPath, ...LOAD_KEY, join(base, 'home'), 'os'];
  const session = spawn(
    'dbus-run-session',
    ['--', 'bash', '-c', SESSION, 'session', join(base, 'password'), ...load],
    {
      env: {
        ...process.env,
        HOME: base,
        XDG_DATA_HOME: join(base, 'data'),
        XDG_RUNTIME_DIR: join(base, 'run'),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [made, found] = (await text(session.stdout)).split('\n').map((line) => JSON.parse(line));
  assert.match(made.key, /^[0-9a-f]{64}$/);
  assert.deepEqual(made, { key: made.key, source: 'keychain', warning: null, created: true });
  assert.deepEqual(found, { ...made, created: false });
  assert.deepEqual(await readdir(join(base, 'home')), []);
  // The kernel keyring would lose the key at the next reboot.
  const kernelKeys = await readFile('/proc/keys', 'utf8').catch(() => '');
  assert.doesNotMatch(kernelKeys, /master-key|relay/);
});

test('a session bus that never answers holds neither the start nor the exit', {
  skip: notLinux,
}, async (t) => {
  const home = await temporaryHome(t);
  const connections: Socket[] = [];
  const bus = createServer((socket) => connections.push(socket.resume().on('error', () => {})));
  t.after(() => bus.close());
  bus.listen(join(home, 'bus'));
  await once(bus, 'listening');
  const loading = spawn(process.execPath, [...LOAD_KEY, home, 'auto', '3'], {
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, 'bus')}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => loading.kill('SIGKILL'));
  const output = text(loading.stdout);
  assert.deepEqual(await once(loading, 'close'), [0, null]);
  const { source, warning, created } = JSON.parse(await output);
  assert.deepEqual([source, created], ['file', true]);
  assert.match(warning, /^No keychain answered: it did not answer within 3 seconds\. The master key is in /);
  assert.equal(connections.length, 1);
  assert.deepEqual((await readdir(home)).sort(), ['bus', 'master.key']);
});

test('without a session bus the keychain counts as none at once', { skip: notLinux }, async (t) => {
  const home = await temporaryHome(t);
  const { DBUS_SESSION_BUS_ADDRESS: _, ...rest } = process.env;
  const env = { ...rest, XDG_RUNTIME_DIR: home };
  const { stdout } = spawnSync(process.execPath, [...LOAD_KEY, home, 'os'], { env, encoding: 'utf8' });
  const { code, message } = JSON.parse(stdout);
  assert.equal(code, 'KEY_UNAVAILABLE');
  assert.match(message, /^The keychain cannot be used: .*DBus/);
});

test('the helper that an executable runs in itself answers like the one that Node runs', {
  skip: notLinux,
}, () => {
  const program = fileURLToPath(new URL('./children/runHelper.ts', import.meta.url));
  const addon = createRequire(import.meta.url).resolve('@napi-rs/keyring');
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', program], {
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', RELAY_KEYRING_ADDON: addon },
    input: JSON.stringify({ operation: 'read', service: 'relay', account: 'master-key-0' }),
    encoding: 'utf8',
  });
  const answer = JSON.parse(stdout);
  assert.deepEqual(Object.keys(answer), ['error']);
  assert.match(answer.error, /\/nonexistent/);
});
