/** Collects the licenses of all parts of a published file in one text. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { root } from '../bundle.ts';

/** A part of the published file that is not JavaScript, such as Node.js itself, so no bundle includes it. */
export interface NativePart {
  name: string;
  /** Paths of its license texts. */
  texts: readonly string[];
}

export interface NoticesOptions {
  /** esbuild's metafile of each script. */
  bundles: readonly Metafile[];
  /** Names of further packages in the published file. */
  packages?: readonly string[];
  natives: readonly NativePart[];
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.|$)/i;
const RULE = '='.repeat(80);

/** @throws Error if a package names no license */
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

/** Path of a package below the first `node_modules`, so that the order does not depend on the place of the checkout. */
function placeOf(folder: string): string {
  return folder.slice(folder.indexOf('node_modules'));
}

/** Returns the directories of the packages in a bundle. */
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
