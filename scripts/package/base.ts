/** The program that an executable is built on: Node from the registry, for Linux without symbols, for Windows with our icon. */
import { spawnSync } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRODUCT } from '../release/description.ts';
import { iconPng } from '../release/icon.ts';
import { basePin, unpack } from './fetch.ts';
import { HOST, type Target } from './targets.ts';
import { setWinResources, type WinResources } from './winResources.ts';

const RESOURCES: WinResources = {
  icons: [16, 24, 32, 48, 64, 256].map((size) => ({ size, png: iconPng(size) })),
  version: PRODUCT.version,
  strings: {
    CompanyName: PRODUCT.publisher,
    FileDescription: 'relay for Spotify',
    FileVersion: PRODUCT.version,
    InternalName: PRODUCT.name,
    LegalCopyright: `${PRODUCT.license} license`,
    OriginalFilename: 'relay.exe',
    ProductName: PRODUCT.name,
    ProductVersion: PRODUCT.version,
  },
};

/** Writes the target's base program below `folder`, and returns its path. */
export async function baseProgram(target: Target, folder: string): Promise<string> {
  const own = join(folder, target.name);
  await unpack(basePin(target.base), [target.program], own);
  const program = join(own, target.program);
  // The base is stripped, since stripping a finished executable would cut off what was built into it.
  if (target.name.startsWith('linux')) await strip(target, program);
  // Windows shows the icon and version that an executable has from its base.
  if (target.name.startsWith('win'))
    await writeFile(program, setWinResources(await readFile(program), RESOURCES));
  return program;
}

async function strip(target: Target, program: string): Promise<void> {
  const stripped = `${program}.stripped`;
  const tools = [...(target === HOST ? ['strip'] : []), ...target.strip];
  for (const tool of tools) {
    const { error, status, stderr } = spawnSync(tool, ['-o', stripped, program], { encoding: 'utf8' });
    if (error) continue;
    if (status !== 0) throw new Error(`${tool} failed: ${stderr.trim()}`);
    await rename(stripped, program);
    return;
  }
  console.log(
    `${target.name}: not stripped, since none of ${tools.join(', ')} is installed (Debian: binutils)`,
  );
}
