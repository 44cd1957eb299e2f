/** Finds the native part of `@napi-rs/keyring`. Only the keychain's helper process loads it (`keychain.ts`). */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { ownDirectory } from '../base/ownDirectory.ts';
import { messageOf } from '../base/thrown.ts';
import { directoryIn } from '../base/userDirectories.ts';
import { keepByContent } from './privateFolder.ts';

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
 * Directories that an executable may unpack to, the best first. If a directory cannot be created or written, is open to others,
 * or allows no executable files, the next one is used.
 * @internal
 */
export function addonFolders(): string[] {
  const runtime = directoryIn(process, 'XDG_RUNTIME_DIR');
  return [
    ownDirectory('cache'),
    ...(runtime === undefined ? [] : [join(runtime, 'relay')]),
    // The temporary directory is shared, so the name has to be this user's own.
    join(tmpdir(), `relay-${process.getuid?.() ?? 'user'}`),
  ];
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
  for (const folder of addonFolders()) {
    try {
      return load(keepByContent(folder, ADDON_ASSET, content));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new Error(`the keychain addon cannot be loaded (${problems.join('; ')})`);
}
