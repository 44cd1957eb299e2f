/**
 * The master key: from the environment, from `master.key`, or from the OS keychain. A key is created only if the caller
 * allows it: while nothing is sealed, or if the person starts over. A key that cannot be read is never replaced without
 * asking, since everything sealed would then be lost for good.
 */
import { interruptible, withDeadline } from '../base/abort.ts';
import { type Clock, type Random, systemRandom } from '../base/clock.ts';
import { exists } from '../base/files.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import { type Keychain, keychainAccount, osKeychain } from './keychain.ts';
import { createKeyFile, decodeKey, encodeKey, KEY_BYTES, keyFilePath, readKeyFile } from './keyFile.ts';

/** A keychain that has not answered after this time counts as missing. */
const KEYCHAIN_TIMEOUT_MS = 3_000;

export interface MasterKeyOptions {
  /** An existing home directory. */
  home: string;
  /** `os`: the keychain only; `file`: `master.key` only; `auto`: an existing file, then the keychain, then a new file. */
  mode: 'auto' | 'os' | 'file';
  /** RELAY_ENCRYPTION_KEY: base64 of 32 bytes, used instead of a key in a file or the keychain. */
  encryptionKey?: string | undefined;
  /** True to create a missing key: while nothing is sealed, or if the person starts over. */
  allowCreate: boolean;
  clock: Clock;
  keychain?: Keychain;
  random?: Random;
}

export interface MasterKey {
  /** 32 bytes. */
  key: Buffer;
  source: 'keychain' | 'file' | 'environment';
  /** A sentence for the person if the key is in a file although the settings do not ask for a file; otherwise null. */
  warning: string | null;
  /** True if this call created the key. */
  created: boolean;
}

/** Reads the master key, or creates it if allowed. @throws RelayError `SETTINGS_INVALID`, `KEY_UNAVAILABLE` */
export async function loadMasterKey(options: MasterKeyOptions): Promise<MasterKey> {
  if (options.encryptionKey !== undefined) return fromEnvironment(options.encryptionKey);
  switch (options.mode) {
    case 'file':
      return fromFile(options, null);
    case 'os':
      return fromKeychain(options, await lookUp(options));
    case 'auto':
      return fromEither(options);
  }
}

/** Tells where the key of a home is kept, or would be. Does not read the key, since the keychain might ask the person. */
export async function keySource({
  home,
  mode,
  encryptionKey,
}: Pick<MasterKeyOptions, 'home' | 'mode' | 'encryptionKey'>): Promise<MasterKey['source']> {
  if (encryptionKey !== undefined) return 'environment';
  return mode === 'file' || (mode === 'auto' && (await exists(keyFilePath(home)))) ? 'file' : 'keychain';
}

function fromEnvironment(text: string): MasterKey {
  const key = decodeKey(text.trim());
  if (key) return { key, source: 'environment', warning: null, created: false };
  throw new RelayError('SETTINGS_INVALID', 'RELAY_ENCRYPTION_KEY is not base64 of exactly 32 bytes.', {
    remedy:
      "Create a key with 'openssl rand -base64 32', or unset RELAY_ENCRYPTION_KEY to use the keychain or the key file.",
  });
}

/** For `auto`. An existing key file comes first, since its key sealed the state. */
async function fromEither(options: MasterKeyOptions): Promise<MasterKey> {
  const inFile = await readKeyFile(options.home);
  if (inFile) return { key: inFile, source: 'file', warning: fileWarning(options.home), created: false };
  const found = await lookUp(options);
  if (found.answer !== 'none') return fromKeychain(options, found);
  if (!options.allowCreate) throw noKeychain(found.problem);
  return fromFile(options, `The keychain cannot be used: ${found.problem}. ${fileWarning(options.home)}`);
}

function fileWarning(home: string): string {
  return `The master key is in ${keyFilePath(home)}; anyone who can read that file can read the stored tokens.`;
}

async function fromFile(options: MasterKeyOptions, warning: string | null): Promise<MasterKey> {
  const { home, allowCreate, random = systemRandom } = options;
  const existing = await readKeyFile(home);
  if (existing) return { key: existing, source: 'file', warning, created: false };
  if (!allowCreate) throw noKey(`There is no ${keyFilePath(home)}`);
  return { ...(await createKeyFile(home, random)), source: 'file', warning };
}

type Lookup =
  | { answer: 'key'; key: Buffer }
  | { answer: 'no key'; account: string }
  | { answer: 'none'; problem: string };

async function lookUp({ home, clock, keychain = osKeychain }: MasterKeyOptions): Promise<Lookup> {
  const account = await keychainAccount(home);
  let text: string | null;
  try {
    text = await withTimeLimit(clock, (signal) => keychain.read(account, signal));
  } catch (error) {
    return { answer: 'none', problem: messageOf(error) };
  }
  if (text === null) return { answer: 'no key', account };
  const key = decodeKey(text);
  if (!key) throw noKey(`The entry ${account} in the keychain is not a key`);
  return { answer: 'key', key };
}

async function fromKeychain(options: MasterKeyOptions, found: Lookup): Promise<MasterKey> {
  switch (found.answer) {
    case 'key':
      return { key: found.key, source: 'keychain', warning: null, created: false };
    case 'none':
      throw noKeychain(found.problem);
    case 'no key':
      if (!options.allowCreate) throw noKey('The keychain has no key for this home');
      return createInKeychain(options, found.account);
  }
}

async function createInKeychain(options: MasterKeyOptions, account: string): Promise<MasterKey> {
  const { clock, keychain = osKeychain, random = systemRandom } = options;
  const key = random.bytes(KEY_BYTES);
  let stored: string | null;
  try {
    stored = await withTimeLimit(clock, (signal) => keychain.write(account, encodeKey(key), signal));
  } catch (error) {
    if (options.mode === 'os') throw noKeychain(messageOf(error));
    return fromFile(
      options,
      `The keychain refused the key: ${messageOf(error)}. ${fileWarning(options.home)}`,
    );
  }
  if (stored !== encodeKey(key)) throw noKeychain('it did not keep the new key');
  return { key, source: 'keychain', warning: null, created: true };
}

/** Aborts the signal of `work` after the time limit, and rejects even if `work` continues. */
function withTimeLimit<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new Error('it did not answer within 3 seconds');
  return withDeadline({ clock, ms: KEYCHAIN_TIMEOUT_MS, late }, (signal) =>
    interruptible(signal, work(signal)),
  );
}

function noKey(what: string): RelayError {
  return new RelayError(
    'KEY_UNAVAILABLE',
    `The master key that encrypted the state was not found. ${what}.`,
    {
      remedy: {
        text: 'If you still have the key, put it back in master.key, your keychain or RELAY_ENCRYPTION_KEY. If you moved the home directory, the keychain has its key under the old path. Otherwise start over with {command}.',
        command: ['login'],
      },
    },
  );
}

function noKeychain(problem: string): RelayError {
  return new RelayError('KEY_UNAVAILABLE', `The keychain cannot be used: ${problem}.`, {
    remedy: {
      text: 'Unlock the keychain, then try again. If there is none, set RELAY_KEYCHAIN=file and start over with {command}.',
      command: ['login'],
    },
  });
}
