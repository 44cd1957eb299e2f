/** The master key as text (base64), and in `<home>/master.key` with mode 0600, for machines without a keychain. */
import { chmodSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../base/clock.ts';
import { tempPathFor, writeSynced } from '../base/files.ts';
import { readRegularFileSync } from '../base/filesSync.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';

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
export async function readKeyFile(home: string): Promise<Buffer | null> {
  const path = keyFilePath(home);
  const file = readIfThere(path);
  if (file === null) return null;
  const key = decodeKey(file.bytes.toString('utf8').trim());
  if (!key) throw unreadable(path, 'it does not hold a key');
  if (process.platform !== 'win32' && file.stats.mode & 0o077) chmodSync(path, 0o600);
  return key;
}

function readIfThere(path: string): ReturnType<typeof readRegularFileSync> | null {
  try {
    return readRegularFileSync(path, MAX_BYTES);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw unreadable(path, messageOf(error), ['EACCES', 'EPERM'].includes(systemCodeOf(error) ?? ''));
  }
}

/**
 * Creates a key unless there is one. Processes that try at the same time all get the same key.
 * @throws RelayError `KEY_UNAVAILABLE`
 */
export async function createKeyFile(
  home: string,
  random: Random,
): Promise<{ key: Buffer; created: boolean }> {
  const path = keyFilePath(home);
  const key = random.bytes(KEY_BYTES);
  const temp = tempPathFor(path);
  try {
    await writeSynced(temp, `${encodeKey(key)}\n`);
    await link(temp, path);
    return { key, created: true };
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw unwritable(path, error);
    const existing = await readKeyFile(home);
    if (!existing) throw unwritable(path, error);
    return { key: existing, created: false };
  } finally {
    await rm(temp, { force: true });
  }
}

function unreadable(path: string, reason: string, isForbidden = false): RelayError {
  return new RelayError('KEY_UNAVAILABLE', `The master key in ${path} cannot be read: ${reason}.`, {
    remedy: isForbidden
      ? 'Make it readable for the user that runs relay.'
      : {
          text: 'Restore the file from a copy, or move it away and start over with {command}.',
          command: ['login'],
        },
    details: { path },
  });
}

function unwritable(path: string, cause: unknown): RelayError {
  return new RelayError(
    'KEY_UNAVAILABLE',
    `The master key cannot be written to ${path}: ${messageOf(cause)}.`,
    {
      remedy: 'Make the home directory writable, or set RELAY_ENCRYPTION_KEY.',
      details: { path },
      cause,
    },
  );
}
