/** Where the native part of `@napi-rs/keyring` is. Nothing is loaded into this process: see `keychain.ts`. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';

/** Name under which the executable carries the addon. */
export const ADDON_ASSET = 'keyring.node';

/** Path to require, or null where the package is not installed for this platform. */
export function findKeyringAddon(): string | null {
  try {
    // The bundle is CommonJS and has a file name, the source has a URL.
    const from = typeof __filename === 'string' ? __filename : import.meta.url;
    return createRequire(from).resolve('@napi-rs/keyring');
  } catch {
    return null;
  }
}

/** Writes the addon that the executable carries to a directory of its own; a native addon loads from a file only. */
export function extractKeyringAddon(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'relay-')), ADDON_ASSET);
  writeFileSync(path, Buffer.from(getRawAsset(ADDON_ASSET) as ArrayBuffer), { mode: 0o600 });
  return path;
}
