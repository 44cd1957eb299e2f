/**
 * The master key: from the environment, from `master.key`, or from the OS keychain. A key is created only if the caller
 * allows it: while nothing is sealed, or if the person starts over. A key that cannot be read is never replaced without
 * asking, since everything sealed would then be lost for good.
 */
import { chmodSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { interruptible, withDeadline } from '../base/abort.ts';
import { type Clock, type Random, systemRandom } from '../base/clock.ts';
import { exists, tempPathFor, writeSynced } from '../base/files.ts';
import { readRegularFileSync } from '../base/filesSync.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { type Keychain, keychainAccount, osKeychain } from './keychain.ts';

const KEY_BYTES = 32;
/** Maximum size of the file. A key has 44 characters, and an editor may have added some. */
const MAX_FILE_BYTES = 4096;
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
  const { home, mode, encryptionKey } = options;
  if (encryptionKey !== undefined) return fromEnvironment(encryptionKey);
  // For `auto`, an existing key file comes first, since its key sealed the state.
  const inFile = mode === 'os' ? null : readKeyFile(home);
  const warning = mode === 'file' ? null : fileWarning(home);
  if (inFile) return { key: inFile, source: 'file', warning, created: false };
  return mode === 'file' ? newInFile(options, null) : fromKeychain(options);
}

/** Tells where the key of a home is kept, or would be. Does not read the key, since the keychain might ask the person. */
export async function keySource(
  options: Pick<MasterKeyOptions, 'home' | 'mode' | 'encryptionKey'>,
): Promise<MasterKey['source']> {
  const { home, mode, encryptionKey } = options;
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

function fileWarning(home: string): string {
  return `The master key is in ${keyFilePath(home)}; anyone who can read that file can read the stored tokens.`;
}

async function newInFile(options: MasterKeyOptions, warning: string | null): Promise<MasterKey> {
  const { home, allowCreate, random = systemRandom } = options;
  if (!allowCreate) throw noKey(`There is no ${keyFilePath(home)}`);
  return { ...(await createKeyFile(home, random.bytes(KEY_BYTES))), source: 'file', warning };
}

async function fromKeychain(options: MasterKeyOptions): Promise<MasterKey> {
  const { home, allowCreate, clock, keychain = osKeychain, random = systemRandom } = options;
  const account = await keychainAccount(home);
  const made = random.bytes(KEY_BYTES);
  let found: string | null;
  let created = false;
  try {
    found = await withTimeLimit(clock, (signal) => keychain.read(account, signal));
    if (found === null && allowCreate) {
      found = await withTimeLimit(clock, (signal) => keychain.write(account, encodeKey(made), signal));
      if (found !== encodeKey(made)) throw new Error('it did not keep the new key');
      created = true;
    }
  } catch (error) {
    if (options.mode === 'os' || !allowCreate)
      throw unavailable(`The keychain cannot be used: ${messageOf(error)}.`, KEYCHAIN_REMEDY);
    return newInFile(options, `The keychain cannot be used: ${messageOf(error)}. ${fileWarning(home)}`);
  }
  if (found === null) throw noKey('The keychain has no key for this home');
  const key = decodeKey(found);
  if (!key) throw noKey(`The entry ${account} in the keychain is not a key`);
  return { key, source: 'keychain', warning: null, created };
}

/** Aborts the signal of `work` after the time limit, and rejects even if `work` continues. */
function withTimeLimit<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new Error('it did not answer within 3 seconds');
  return withDeadline({ clock, ms: KEYCHAIN_TIMEOUT_MS, late }, (signal) =>
    interruptible(signal, work(signal)),
  );
}

function encodeKey(key: Buffer): string {
  return key.toString('base64');
}

/** The key in `text`: 32 bytes as base64 (RFC 4648, section 4 or 5, with or without padding). Null for any other text. */
function decodeKey(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : null;
}

export function keyFilePath(home: string): string {
  return join(home, 'master.key');
}

/**
 * The key in the file, or null if there is no file. Permissions that let others read the file are removed.
 * @throws RelayError `KEY_UNAVAILABLE` if the file cannot be read or holds no key
 */
function readKeyFile(home: string): Buffer | null {
  const path = keyFilePath(home);
  try {
    const { bytes, stats } = readRegularFileSync(path, MAX_FILE_BYTES);
    const key = decodeKey(bytes.toString('utf8').trim());
    if (!key) throw new Error('it does not hold a key');
    if (process.platform !== 'win32' && stats.mode & 0o077) chmodSync(path, 0o600);
    return key;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw unavailable(`The master key in ${path} cannot be read: ${messageOf(error)}.`, FILE_REMEDY);
  }
}

/**
 * Keeps `key` in the file unless there is one. Processes that try at the same time all get the same key.
 * @throws RelayError `KEY_UNAVAILABLE`
 */
async function createKeyFile(home: string, key: Buffer): Promise<{ key: Buffer; created: boolean }> {
  const path = keyFilePath(home);
  const temp = tempPathFor(path);
  try {
    await writeSynced(temp, `${encodeKey(key)}\n`);
    await link(temp, path);
    return { key, created: true };
  } catch (error) {
    const existing = systemCodeOf(error) === 'EEXIST' ? readKeyFile(home) : null;
    if (existing) return { key: existing, created: false };
    const remedy = 'Make the home directory writable, or set RELAY_ENCRYPTION_KEY.';
    throw unavailable(`The master key cannot be written to ${path}: ${messageOf(error)}.`, remedy);
  } finally {
    await rm(temp, { force: true });
  }
}

const START_OVER = 'start over with {command}.';
const FILE_REMEDY = `Make the file readable for the user that runs relay, restore it from a copy, or move it away and ${START_OVER}`;
const KEY_REMEDY = `If you still have the key, put it back in master.key, your keychain or RELAY_ENCRYPTION_KEY. If you moved the home directory, the keychain has its key under the old path. Otherwise ${START_OVER}`;
const KEYCHAIN_REMEDY = `Unlock the keychain, then try again. If there is none, set RELAY_KEYCHAIN=file and ${START_OVER}`;

function unavailable(message: string, text: string): RelayError {
  const remedy = text.endsWith(START_OVER) ? { text, command: ['login'] } : text;
  return new RelayError('KEY_UNAVAILABLE', message, { remedy });
}

function noKey(what: string): RelayError {
  return unavailable(`The master key that encrypted the state was not found. ${what}.`, KEY_REMEDY);
}
