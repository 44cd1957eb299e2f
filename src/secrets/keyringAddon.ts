/** Finds the native part of `@napi-rs/keyring`. Only the keychain's helper process loads it (`keychain.ts`). */
import { lstatSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { hashOf } from '../base/digest.ts';
import { makeDirectories } from '../base/directories.ts';
import { replaceFileSync } from '../base/filesSync.ts';
import { ownDirectory } from '../base/ownDirectory.ts';
import { messageOf } from '../base/thrown.ts';

/** Name under which the executable carries the addon. */
export const ADDON_ASSET = 'keyring.node';

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

/**
 * Directories that an executable may unpack to. The second is for a cache that cannot be written, or allows no executable files.
 * @internal
 */
export function addonFolders(): string[] {
  // The temporary directory is shared, so the name has to be this user's own.
  return [ownDirectory('cache'), join(tmpdir(), `relay-${process.getuid?.() ?? 'user'}`)];
}

/** The folders into which executables of any version have unpacked an addon. */
export async function unpackedAddons(): Promise<string[]> {
  const places = addonFolders().map(async (place) => {
    const names = await readdir(place).catch(() => []);
    return names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => join(place, name));
  });
  return (await Promise.all(places)).flat();
}

/**
 * Unpacks the addon that the executable carries, since a native addon loads from a file only, and loads it.
 * @throws Error that names each place and what was wrong there
 */
export function loadCarriedAddon<T>(load: (path: string) => T): T {
  const content = new Uint8Array(getRawAsset(ADDON_ASSET) as ArrayBuffer);
  const problems: string[] = [];
  for (const place of addonFolders()) {
    try {
      return load(unpackAddon(place, content));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new Error(`the keychain addon cannot be loaded (${problems.join('; ')})`);
}

/**
 * Writes the addon to a folder that only this user can change, and returns its path. Each version has a folder of its own, named
 * after the addon's hash.
 * @throws Error if another user could replace the addon, or if it cannot be written
 * @internal
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
