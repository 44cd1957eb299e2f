import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Keychain, keychainAccount } from '../../src/secrets/keychain.ts';
import { loadMasterKey, type MasterKeyOptions } from '../../src/secrets/masterKey.ts';
import { manualClock, temporaryHome } from '../store/testStore.ts';
import { until } from '../support/until.ts';

const OLD_KEY = Buffer.alloc(32, 7);

/** A keychain with these entries; null for a keychain that is not available. */
function keychainWith(entries: Record<string, string> | null) {
  const asked: string[] = [];
  const open = (operation: string) => {
    asked.push(operation);
    if (!entries) throw new Error('no session bus');
    return entries;
  };
  const keychain: Keychain = {
    read: async (account) => open('read')[account] ?? null,
    write: async (account, secret) => {
      open('write')[account] = secret;
      return secret;
    },
  };
  return { keychain, asked };
}

const load = (home: string, options: Partial<MasterKeyOptions>) =>
  loadMasterKey({
    home,
    mode: 'auto',
    allowCreate: true,
    clock: manualClock(),
    keychain: keychainWith(null).keychain,
    ...options,
  });

const keyFile = (home: string) => join(home, 'master.key');
const inFile = (home: string) =>
  `The master key is in ${keyFile(home)}; anyone who can read that file can read the stored tokens.`;

test('in auto mode, the key is created in the keychain, and found there again', async (t) => {
  const home = temporaryHome(t);
  const { keychain } = keychainWith({});
  const made = await load(home, { keychain });
  assert.deepEqual(made, { key: made.key, source: 'keychain', warning: null, created: true });
  assert.equal(made.key.length, 32);
  const found = await load(home, { keychain, allowCreate: false });
  assert.deepEqual(found, { ...made, created: false });
  assert.deepEqual(await readdir(home), []);
});

test('two homes have two keys in one keychain', async (t) => {
  const { keychain } = keychainWith({});
  const first = await load(temporaryHome(t), { keychain });
  const second = await load(temporaryHome(t), { keychain });
  assert.notDeepEqual(first.key, second.key);
});

test('in auto mode without a keychain, the key goes into a file that only its owner can read, with a warning at every start', async (t) => {
  const home = temporaryHome(t);
  const made = await load(home, {});
  const warning = `The keychain cannot be used: no session bus. ${inFile(home)}`;
  assert.deepEqual(made, { key: made.key, source: 'file', warning, created: true });
  assert.equal(await readFile(keyFile(home), 'utf8'), `${made.key.toString('base64')}\n`);
  if (process.platform !== 'win32') assert.equal((await stat(keyFile(home))).mode & 0o777, 0o600);
  const found = await load(home, { allowCreate: false });
  assert.deepEqual(found, { ...made, warning: inFile(home), created: false });
  assert.deepEqual(await readdir(home), ['master.key']);
});

test('in auto mode, an existing key file is used even if a keychain becomes available later', async (t) => {
  const home = temporaryHome(t);
  const made = await load(home, {});
  const { keychain, asked } = keychainWith({ [await keychainAccount(home)]: OLD_KEY.toString('base64') });
  assert.deepEqual((await load(home, { keychain })).key, made.key);
  assert.deepEqual(asked, []);
});

test('a key that cannot be found is never replaced while something is sealed', async (t) => {
  const sealed = { allowCreate: false } as const;
  const cases: Array<[Partial<MasterKeyOptions>, (home: string) => string]> = [
    [
      { mode: 'auto', keychain: keychainWith(null).keychain },
      () => 'The keychain cannot be used: no session bus.',
    ],
    [
      { mode: 'auto', keychain: keychainWith({}).keychain },
      () => 'The master key that encrypted the state was not found. The keychain has no key for this home.',
    ],
    [
      { mode: 'os', keychain: keychainWith(null).keychain },
      () => 'The keychain cannot be used: no session bus.',
    ],
    [
      { mode: 'os', keychain: keychainWith({}).keychain },
      () => 'The master key that encrypted the state was not found. The keychain has no key for this home.',
    ],
    [
      { mode: 'file' },
      (home) => `The master key that encrypted the state was not found. There is no ${keyFile(home)}.`,
    ],
  ];
  for (const [options, message] of cases) {
    const home = temporaryHome(t);
    await assert.rejects(
      load(home, { ...sealed, ...options }),
      (error: { code: string; message: string; remedy: string }) => {
        assert.deepEqual([error.code, error.message], ['KEY_UNAVAILABLE', message(home)]);
        assert.match(error.remedy, /relay login/);
        return true;
      },
    );
    assert.deepEqual(await readdir(home), []);
  }
});

test('in os mode, no key file is created, even if the keychain fails', async (t) => {
  const home = temporaryHome(t);
  await assert.rejects(load(home, { mode: 'os' }), { code: 'KEY_UNAVAILABLE' });
  const forgetful: Keychain = { read: async () => null, write: async () => null };
  await assert.rejects(load(home, { mode: 'os', keychain: forgetful }), {
    code: 'KEY_UNAVAILABLE',
    message: 'The keychain cannot be used: it did not keep the new key.',
  });
  const readOnly: Keychain = {
    read: async () => null,
    write: () => Promise.reject(new Error('it is locked')),
  };
  await assert.rejects(load(home, { mode: 'os', keychain: readOnly }), {
    code: 'KEY_UNAVAILABLE',
    message: 'The keychain cannot be used: it is locked.',
  });
  assert.deepEqual(await readdir(home), []);
});

test('in auto mode, the key goes into a file if the keychain refuses a new key', async (t) => {
  const home = temporaryHome(t);
  const readOnly: Keychain = {
    read: async () => null,
    write: () => Promise.reject(new Error('it is locked')),
  };
  const made = await load(home, { keychain: readOnly });
  const warning = `The keychain cannot be used: it is locked. ${inFile(home)}`;
  assert.deepEqual(made, { key: made.key, source: 'file', warning, created: true });
});

test('in file mode, the keychain is not asked, and no warning is given', async (t) => {
  const home = temporaryHome(t);
  const { keychain, asked } = keychainWith({});
  const made = await load(home, { mode: 'file', keychain });
  assert.deepEqual(made, { key: made.key, source: 'file', warning: null, created: true });
  assert.deepEqual(await load(home, { mode: 'file', keychain }), { ...made, created: false });
  assert.deepEqual(asked, []);
});

test('twenty loads at the same time agree on one key file', async (t) => {
  const home = temporaryHome(t);
  const loaded = await Promise.all(Array.from({ length: 20 }, () => load(home, { mode: 'file' })));
  assert.equal(loaded.filter(({ created }) => created).length, 1);
  assert.equal(new Set(loaded.map(({ key }) => key.toString('hex'))).size, 1);
  assert.deepEqual(await readdir(home), ['master.key']);
});

test('a key file that holds no key is named in the error and left alone', async (t) => {
  for (const content of ['', 'short', `${OLD_KEY.toString('base64')}${OLD_KEY.toString('base64')}`]) {
    const home = temporaryHome(t);
    await writeFile(keyFile(home), content);
    for (const mode of ['auto', 'file'] as const) {
      await assert.rejects(load(home, { mode }), {
        code: 'KEY_UNAVAILABLE',
        message: `The master key in ${keyFile(home)} cannot be read: it does not hold a key.`,
      });
    }
    assert.equal(await readFile(keyFile(home), 'utf8'), content);
  }
});

test('a key file that others could read is closed to them', async (t) => {
  if (process.platform === 'win32') return t.skip('Windows uses access control lists, not mode bits');
  const home = temporaryHome(t);
  await writeFile(keyFile(home), OLD_KEY.toString('base64'));
  await chmod(keyFile(home), 0o644);
  assert.deepEqual((await load(home, {})).key, OLD_KEY);
  assert.equal((await stat(keyFile(home))).mode & 0o777, 0o600);
});

test('a keychain entry that does not hold a key is refused, not replaced', async (t) => {
  const home = temporaryHome(t);
  const entries = { [await keychainAccount(home)]: 'some other password' };
  await assert.rejects(load(home, keychainWith(entries)), { code: 'KEY_UNAVAILABLE' });
  assert.deepEqual(Object.values(entries), ['some other password']);
});

test('a keychain that does not answer within 3 seconds counts as none, and its call is stopped', async (t) => {
  const home = temporaryHome(t);
  const clock = manualClock();
  let stopped = false;
  const silent: Keychain = {
    read: (_account, signal) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return new Promise(() => {});
    },
    write: () => new Promise(() => {}),
  };
  const loading = load(home, { clock, keychain: silent });
  await until(() => clock.sleeping > 0);
  assert.deepEqual(clock.asked, [3_000]);
  clock.advance(3_000);
  const { source, warning } = await loading;
  assert.deepEqual([source, stopped], ['file', true]);
  assert.equal(warning, `The keychain cannot be used: it did not answer within 3 seconds. ${inFile(home)}`);
});

test('RELAY_ENCRYPTION_KEY takes precedence over a key file', async (t) => {
  const home = temporaryHome(t);
  await load(home, { mode: 'file' });
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n));
  for (const encryptionKey of [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    `${bytes.toString('base64')}\n`,
  ]) {
    assert.deepEqual(await load(home, { encryptionKey, allowCreate: false }), {
      key: bytes,
      source: 'environment',
      warning: null,
      created: false,
    });
  }
});

test('the error for an unusable RELAY_ENCRYPTION_KEY does not show its value', async (t) => {
  const home = temporaryHome(t);
  for (const encryptionKey of [
    '',
    'c2VjcmV0',
    'x'.repeat(100),
    OLD_KEY.toString('hex'),
    `${'A'.repeat(42)}!=`,
  ]) {
    await assert.rejects(load(home, { encryptionKey }), {
      code: 'SETTINGS_INVALID',
      message: 'RELAY_ENCRYPTION_KEY is not base64 of exactly 32 bytes.',
      remedy:
        "Create a key with 'openssl rand -base64 32', or unset RELAY_ENCRYPTION_KEY to use the keychain or the key file.",
    });
  }
});
