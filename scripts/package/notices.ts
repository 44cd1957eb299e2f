/** The licenses of everything in a file that people get, in one text. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { root } from '../bundle.ts';

/** A part that no bundle tells of. */
export interface NativePart {
  name: string;
  /** Path of each text that names what it is made of, with the licenses. */
  texts: readonly string[];
}

export interface NoticesOptions {
  /** What esbuild says of each script that is in it. */
  bundles: readonly Metafile[];
  /** Names of packages that are in it beside the scripts. */
  packages?: readonly string[];
  natives: readonly NativePart[];
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.|$)/i;
const RULE = '='.repeat(80);

/** @throws Error when a package has no license to tell */
export async function notices({ bundles, packages = [], natives }: NoticesOptions): Promise<string> {
  const folders = [
    ...bundles.flatMap(packagesIn),
    ...packages.map((name) => join(root, 'node_modules', name)),
  ];
  const real = new Set(await Promise.all(folders.map((folder) => realpath(folder))));
  const inOrder = [...real].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const parts = await Promise.all(inOrder.map(packageNotice));
  const more = await Promise.all(natives.map(nativeNotice));
  return [...parts, ...more].map((part) => `${RULE}\n${part}\n`).join('\n');
}

/** Where a package is below the first `node_modules`: the order must not depend on where the checkout lies. */
function placeOf(folder: string): string {
  return folder.slice(folder.indexOf('node_modules'));
}

/** Directories of the packages that a bundle was made of. */
function packagesIn({ inputs }: Metafile): string[] {
  return Object.keys(inputs).flatMap((path) => {
    const folder = /^.*(?:^|[\\/])node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
    return folder === undefined ? [] : [join(root, folder)];
  });
}

async function packageNotice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} ${version} names no license`);
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort();
  return textsUnder(
    `${name} ${version} (${license})`,
    files.map((file) => join(folder, file)),
  );
}

function nativeNotice({ name, texts }: NativePart): Promise<string> {
  return textsUnder(name, texts);
}

async function textsUnder(title: string, paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return [title, ...texts.map((text) => text.trim())].join('\n\n');
}
