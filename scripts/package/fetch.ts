/** Fetches packages from the registry once, keeps them in the user's cache, and checks them at every use. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import envPaths from 'env-paths';
import lock from '../../package-lock.json' with { type: 'json' };
import { NODE_VERSION, type Target } from './targets.ts';

/** The required version and checksum of a package. */
export interface Pin {
  name: string;
  version: string;
  integrity: string;
}

const CACHE = process.env.RELAY_PACKAGE_CACHE || join(envPaths('relay', { suffix: '' }).cache, 'packages');

export function nodePin({ node, integrity }: Target): Pin {
  return { name: node, version: NODE_VERSION, integrity };
}

/** Returns the pin of a target's keychain addon, from package-lock.json, which has those of all platforms. */
export function addonPin({ addon }: Target): Pin {
  const name = `@napi-rs/keyring-${addon}`;
  const packages: Record<string, { version?: string; integrity?: string }> = lock.packages;
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json has no ${name}`);
  return { name, version, integrity };
}

/** Writes one file of a package into `folder`, and returns its path. */
export async function unpack(pin: Pin, path: string, folder: string): Promise<string> {
  const input = await fetchPackage(pin);
  await mkdir(folder, { recursive: true });
  // Without names of files in the arguments, every system's tar takes them, also with a drive letter in the directory.
  execFileSync('tar', ['-xzf', '-', '--strip-components=1', `package/${path}`], { cwd: folder, input });
  return join(folder, path);
}

/** Returns the package's archive from the cache, where it is put first if it is missing or damaged. */
async function fetchPackage({ name, version, integrity }: Pin): Promise<Buffer> {
  const path = join(CACHE, `${name.replace('/', '-').replace('@', '')}-${version}.tgz`);
  const kept = await readFile(path).catch(() => null);
  if (kept && integrityOf(kept) === integrity) return kept;
  console.log(`fetching ${name} ${version}`);
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'fetch-'));
  try {
    // The shell that Windows needs would split an argument at spaces, so the folder is the working directory.
    const options = { cwd: folder, shell: process.platform === 'win32' };
    const { stdout } = await promisify(execFile)('npm', ['pack', `${name}@${version}`], options);
    const fetched = join(folder, stdout.trim().split('\n').at(-1) ?? '');
    const content = await readFile(fetched);
    if (integrityOf(content) !== integrity) {
      throw new Error(`${name} ${version} is ${integrityOf(content)}, but its pin says ${integrity}`);
    }
    await rename(fetched, path);
    return content;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function integrityOf(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}
