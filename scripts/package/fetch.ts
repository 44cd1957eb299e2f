/** Fetches packages from the registry once, keeps them in the user's cache, and checks their pin at every use. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import envPaths from 'env-paths';
import { extract } from 'tar';
import lock from '../../package-lock.json' with { type: 'json' };
import pins from './pins.json' with { type: 'json' };

/** The required version and checksum of a package. */
export interface Pin {
  name: string;
  version: string;
  /** In npm's form: `sha512-…`. */
  integrity: string;
}

/** In the user's cache, so that several checkouts share the large files. */
const CACHE = process.env.RELAY_PACKAGE_CACHE || join(envPaths('relay', { suffix: '' }).cache, 'packages');

/** Returns the pin of a base program, from pins.json. */
export function basePin(name: string): Pin {
  const integrity = (pins.integrity as Record<string, string>)[name];
  if (integrity === undefined) throw new Error(`pins.json has no ${name}`);
  return { name, version: pins.version, integrity };
}

/** Returns the pin of a dependency, from package-lock.json, which has the pins of all platforms. */
export function lockedPin(name: string): Pin {
  const entry = (lock.packages as Record<string, { version?: string; integrity?: string }>)[
    `node_modules/${name}`
  ];
  if (!entry?.version || !entry.integrity) throw new Error(`package-lock.json has no ${name}`);
  return { name, version: entry.version, integrity: entry.integrity };
}

/**
 * Copies files of a package into `folder`.
 * @param paths inside the package
 * @throws Error if the package lacks one of the files
 */
export async function unpack(pin: Pin, paths: readonly string[], folder: string): Promise<void> {
  const file = await fetchPackage(pin);
  await mkdir(folder, { recursive: true });
  await extract(
    { file, cwd: folder, strip: 1 },
    paths.map((path) => `package/${path}`),
  );
  const missing = paths.find((path) => !existsSync(join(folder, path)));
  if (missing !== undefined) throw new Error(`${pin.name} ${pin.version} has no ${missing}`);
}

/** Returns the path of the package's archive in the cache, where it is put first if it is missing or damaged. */
async function fetchPackage(pin: Pin): Promise<string> {
  const path = join(CACHE, `${pin.name.replace('/', '-').replace('@', '')}-${pin.version}.tgz`);
  if (existsSync(path)) {
    if ((await integrityOf(path)) === pin.integrity) return path;
    await rm(path);
  }
  console.log(`fetching ${pin.name} ${pin.version}`);
  await mkdir(CACHE, { recursive: true });
  const temp = await mkdtemp(join(CACHE, 'fetch-'));
  try {
    // The folder is the working directory, since the shell that Windows needs would split an argument at spaces.
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--loglevel=error', `${pin.name}@${pin.version}`],
      { cwd: temp, shell: process.platform === 'win32' },
    );
    const fetched = join(temp, stdout.trim().split('\n').at(-1) ?? '');
    const integrity = await integrityOf(fetched);
    if (integrity !== pin.integrity) {
      throw new Error(`${pin.name} ${pin.version} is ${integrity}, but its pin says ${pin.integrity}`);
    }
    await rename(fetched, path);
    return path;
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function integrityOf(path: string): Promise<string> {
  return `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
}
