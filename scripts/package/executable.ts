/** Builds an executable from the launcher, with the program and its platform's files as assets. */
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { asFunction, SCRIPT_ASSETS } from '../../src/seaProgram.ts';
import { ADDON_ASSET } from '../../src/secrets/keyringAddon.ts';
import { SQLITE_ASSET } from '../../src/store/sql/sqlite.ts';
import { root } from '../bundle.ts';
import { signAdHoc } from './adHocSign.ts';
import { recordCodeCaches } from './codeCache.ts';
import { lockedPin, unpack } from './fetch.ts';
import { buildSea } from './sea.ts';
import { HOST, type Target } from './targets.ts';

export interface ExecutableOptions {
  target: Target;
  /** Paths of the target's base program, and of this machine's, which does the building. */
  base: string;
  builder: string;
  /** Paths of the bundle of `src/launcher.ts`, and of the scripts that it runs. */
  launcher: string;
  scripts: Record<keyof typeof SCRIPT_ASSETS, string>;
  /** Directory for temporary files; the caller removes it. */
  folder: string;
  output: string;
}

export async function buildExecutable(options: ExecutableOptions): Promise<void> {
  const { target, base, builder, launcher, scripts, folder, output } = options;
  const addon = join(folder, target.name);
  await unpack(lockedPin(target.keyring), [target.addon], addon);
  const assets: Record<string, string> = {
    [SCRIPT_ASSETS.program]: await wrapped(scripts.program, addon),
    [SCRIPT_ASSETS.stdio]: await wrapped(scripts.stdio, addon, LARGE_BYTES),
    [ADDON_ASSET]: join(addon, target.addon),
    [SQLITE_ASSET]: join(root, 'node_modules', 'sql.js', 'dist', SQLITE_ASSET),
  };
  if (target === HOST) Object.assign(assets, await recordCodeCaches({ builder, base, assets }, folder));
  await buildSea({ builder, base, main: launcher, assets, output });
  await chmod(output, 0o755);
  if (!target.name.startsWith('darwin')) return;
  if (process.platform === 'darwin')
    await promisify(execFile)('codesign', ['--force', '--sign', '-', output]);
  else await writeFile(output, signAdHoc(await readFile(output), 'relay'));
}

/**
 * V8 keeps strings of at least this size outside the space for young objects. This space has one megabyte at the start, and
 * when it is full, V8 collects garbage.
 */
const LARGE_BYTES = 136 * 1024;

/** Writes a wrapped copy of the script into `folder`, padded with blanks to at least `leastBytes`. Returns its path. */
async function wrapped(script: string, folder: string, leastBytes = 0): Promise<string> {
  const path = join(folder, basename(script));
  const text = asFunction(await readFile(script, 'latin1'));
  await writeFile(path, text.padEnd(leastBytes), 'latin1');
  return path;
}
