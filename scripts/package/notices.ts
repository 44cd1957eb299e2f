/** Collects the licenses of all parts of a published file in one text. */
import { mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { root } from '../bundle.ts';
import { addonPin, nodePin, unpack } from './fetch.ts';
import { TARGETS, type Target } from './targets.ts';

/** A part that is no package in a bundle, with the paths of its license texts. */
interface NativePart {
  name: string;
  texts: readonly string[];
}

/** The license of an addon also has those of the Rust crates in it, and on Linux that of libdbus. */
const ADDON_LICENSES = 'LICENSE.third-party.md';
const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.|$)/i;
const RULE = '='.repeat(80);

/** Texts that the parts do not include themselves. */
const ownText = (name: string) => join(root, 'scripts', 'package', 'licenses', name);

const SQLITE: NativePart = { name: 'sql-wasm.wasm', texts: [ownText('sqliteWasm.txt')] };

/** Licenses of what `bundles` contain, of SQLite and, in an executable, of Node and the keychain's addon. */
export async function notices(bundles: readonly Metafile[], target?: Target, folder = ''): Promise<string> {
  const folders = bundles.flatMap(packagesIn);
  if (target) folders.push(join(root, 'node_modules', '@napi-rs', 'keyring'));
  const real = new Set(await Promise.all(folders.map((path) => realpath(path))));
  const packages = await Promise.all([...real].map(partOfPackage));
  packages.sort((one, other) => (one.name < other.name ? -1 : 1));
  const natives = target ? await nativeParts(target, folder) : [SQLITE];
  return (await Promise.all([...packages, ...natives].map(textOf))).join('\n');
}

async function nativeParts(target: Target, folder: string): Promise<NativePart[]> {
  const own = join(folder, `${target.name}-licenses`);
  await mkdir(own, { recursive: true });
  const addon = addonPin(target);
  // Taken from one platform's package for all platforms, since not every package has the text.
  const [node] = TARGETS.map(nodePin);
  if (!node) throw new Error('there is no target');
  return [
    { name: `${addon.name} ${addon.version}`, texts: [await unpack(addon, ADDON_LICENSES, own)] },
    SQLITE,
    {
      name: `Node.js ${node.version}`,
      texts: [await unpack(node, 'LICENSE', own), ownText('libffi.txt')],
    },
  ];
}

/** Returns the directories of the packages in a bundle. */
function packagesIn({ inputs }: Metafile): string[] {
  return Object.keys(inputs).flatMap((path) => {
    const folder = /^.*(?:^|[\\/])node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
    return folder === undefined ? [] : [join(root, folder)];
  });
}

/** @throws Error if the package names no license */
async function partOfPackage(folder: string): Promise<NativePart> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} ${version} names no license`);
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort();
  return { name: `${name} ${version} (${license})`, texts: files.map((file) => join(folder, file)) };
}

async function textOf({ name, texts }: NativePart): Promise<string> {
  const read = await Promise.all(texts.map((path) => readFile(path, 'utf8')));
  return `${RULE}\n${[name, ...read.map((text) => text.trim())].join('\n\n')}\n`;
}
