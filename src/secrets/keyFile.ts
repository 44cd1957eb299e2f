/** The master key as text (base64), and in `<home>/master.key` with mode 0600, for machines without a keychain. */
import { chmodSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tempPathFor, writeSynced } from '../base/files.ts';
import { readRegularFileSync } from '../base/filesSync.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Remedy } from '../domain/remedy.ts';

export const KEY_BYTES = 32;

export function encodeKey(key: Buffer): string {
  return key.toString('base64');
}

/** The key in `text`: 32 bytes as base64 (RFC 4648, section 4 or 5, with or without padding). Null for any other text. */
export function decodeKey(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : null;
}

/** Maximum size of the file. A key has 44 characters, and an editor may have added some. */
const MAX_BYTES = 4096;

export function keyFilePath(home: string): string {
  return join(home, 'master.key');
}

/**
 * The key in the file, or null if there is no file. Permissions that let others read the file are removed.
 * @throws RelayError `KEY_UNAVAILABLE` if the file cannot be read or holds no key
 */
export function readKeyFile(home: string): Buffer | null {
  const path = keyFilePath(home);
  try {
    const { bytes, stats } = readRegularFileSync(path, MAX_BYTES);
    const key = decodeKey(bytes.toString('utf8').trim());
    if (!key) throw new Error('it does not hold a key');
    if (process.platform !== 'win32' && stats.mode & 0o077) chmodSync(path, 0o600);
    return key;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    const isForbidden = ['EACCES', 'EPERM'].includes(systemCodeOf(error) ?? '');
    throw unusable(`The master key in ${path} cannot be read`, error, {
      text: isForbidden
        ? 'Make it readable for the user that runs relay.'
        : 'Restore the file from a copy, or move it away and start over with {command}.',
      command: ['login'],
    });
  }
}

/**
 * Keeps `key` in the file unless there is one. Processes that try at the same time all get the same key.
 * @throws RelayError `KEY_UNAVAILABLE`
 */
export async function createKeyFile(home: string, key: Buffer): Promise<{ key: Buffer; created: boolean }> {
  const path = keyFilePath(home);
  const temp = tempPathFor(path);
  try {
    await writeSynced(temp, `${encodeKey(key)}\n`);
    await link(temp, path);
    return { key, created: true };
  } catch (error) {
    const existing = systemCodeOf(error) === 'EEXIST' ? readKeyFile(home) : null;
    if (existing) return { key: existing, created: false };
    const text = 'Make the home directory writable, or set RELAY_ENCRYPTION_KEY.';
    throw unusable(`The master key cannot be written to ${path}`, error, { text });
  } finally {
    await rm(temp, { force: true });
  }
}

function unusable(what: string, cause: unknown, remedy: Remedy): RelayError {
  return new RelayError('KEY_UNAVAILABLE', `${what}: ${messageOf(cause)}.`, { remedy, cause });
}
