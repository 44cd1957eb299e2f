/**
 * The child process of `keychain.ts`: one request on stdin, one answer on stdout; and the native part of `@napi-rs/keyring`, which
 * only this process loads.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { hashOf } from '../base/digest.ts';
import { makeDirectories, replaceFileSync } from '../base/filesSync.ts';
import { ownDirectory } from '../base/ownDirectory.ts';

/** Name under which the executable carries the addon. */
export const ADDON_ASSET = 'keyring.node';
/** Set to `1` in the environment of an executable that is to be the helper and nothing else. */
export const HELPER_VARIABLE = 'RELAY_KEYCHAIN_HELPER';
/** Path of the addon, in the environment of the helper. Empty if the executable carries the addon. */
export const ADDON_VARIABLE = 'RELAY_KEYRING_ADDON';

export interface KeychainRequest {
  operation: 'read' | 'write' | 'delete';
  account: string;
  /** For `write` only. */
  secret?: string;
}

/** `value` is what the keychain holds after the request; null if it holds nothing. */
export type KeychainAnswer = { value: string | null } | { error: string };

/**
 * The helper as text, since Node can run it with `-e` from source, bundle and package alike. The kernel keyring of Linux
 * forgets at reboot, so the Secret Service is named explicitly.
 */
export const HELPER_SOURCE = `
  const { readFileSync, writeSync } = require('node:fs');
  let answer;
  try {
    const request = JSON.parse(readFileSync(0, 'utf8'));
    const { Entry } = require(process.env.${ADDON_VARIABLE} || '${ADDON_ASSET}');
    const entry = new Entry('relay', request.account, { linux: { store: 'secret-service' } });
    if (request.operation === 'write') entry.setPassword(request.secret);
    if (request.operation === 'delete') entry.deletePassword();
    answer = { value: entry.getPassword() ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  writeSync(1, JSON.stringify(answer));
`;

/**
 * Answers one request and returns. A native addon loads from a file only, so the one that the executable carries is unpacked. The single executable cannot run `-e`; it starts itself with `HELPER_VARIABLE` set, and
 * its entry calls this before anything else.
 */
export function runKeychainHelper(): void {
  const load = createRequire(process.execPath);
  const carried = () => new Uint8Array(getRawAsset(ADDON_ASSET) as ArrayBuffer);
  new Function('require', HELPER_SOURCE)((id: string) =>
    load(id === ADDON_ASSET ? unpackAddon(ownDirectory('cache'), carried()) : id),
  );
}

/** Path to require, or null if the package is not installed for this platform. */
export function findKeyringAddon(): string | null {
  try {
    // The bundle is CommonJS and has a file name, the source has a URL.
    const from = typeof __filename === 'string' ? __filename : import.meta.url;
    return createRequire(from).resolve('@napi-rs/keyring');
  } catch {
    return null;
  }
}

/** The folders into which executables of any version have unpacked an addon. */
export async function unpackedAddons(): Promise<string[]> {
  const place = ownDirectory('cache');
  const names = await readdir(place).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => join(place, name));
}

/**
 * Writes the addon to a folder that only this user can change, and returns its path. Each version has a folder of its own, named
 * after the addon's hash.
 * @throws Error if another user could replace the addon, or if it cannot be written
 */
export function unpackAddon(place: string, content: Uint8Array): string {
  const folder = join(place, hashOf(content));
  makeDirectories(folder);
  for (const directory of [place, folder]) {
    const { uid, mode } = lstatSync(directory);
    // Windows keeps the rights of a user's folder in lists that mode and owner do not show. A link has all rights.
    if (process.platform !== 'win32' && (uid !== process.getuid?.() || mode & 0o022))
      throw new Error(`${directory} can be changed by other users`);
  }
  const path = join(folder, ADDON_ASSET);
  // Windows does not let a file be replaced that another process has loaded.
  if (!holds(path, content)) replaceFileSync(path, content);
  return path;
}

function holds(path: string, content: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}
