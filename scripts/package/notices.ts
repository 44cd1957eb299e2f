/** The licenses of everything that an executable holds, in one text. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { root } from '../bundle.ts';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.|$)/i;
const RULE = '='.repeat(80);

/** @param nodeLicense path of the license of Node itself, which names what Node is made of */
export async function notices(metafile: Metafile, nodeLicense: string): Promise<string> {
  const packages = [...new Set([...packagesIn(metafile), '@napi-rs/keyring'])].sort();
  const parts = await Promise.all(packages.map(packageNotice));
  const node = `Node.js\n\n${(await readFile(nodeLicense, 'utf8')).trim()}`;
  return `${[...parts, node].map((part) => `${RULE}\n${part}\n`).join('\n')}`;
}

function packagesIn(metafile: Metafile): string[] {
  return Object.keys(metafile.inputs).flatMap((path) => {
    const name = /(?:^|[\\/])node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/](?!.*node_modules)/.exec(
      path,
    )?.[1];
    return name === undefined ? [] : [name.replaceAll('\\', '/')];
  });
}

async function packageNotice(name: string): Promise<string> {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
