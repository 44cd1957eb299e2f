/** The files of a release other than the executables and their archives. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.ts';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { tarFile } from '../package/tarFile.ts';
import { TARGETS, type Target } from '../package/targets.ts';
import { debFile } from './deb.ts';
import { fileName, PRODUCT } from './description.ts';
import { iconPng, iconSvg } from './icon.ts';
import { manifests } from './manifests.ts';
import { mcpbFile } from './mcpb.ts';
import { npmFile } from './npmForm.ts';
import { rpmFile } from './rpm.ts';
import { sbom } from './sbom.ts';

const LICENSE = join(root, 'LICENSE');
const CHANGELOG = join(root, '.github', 'CHANGELOG.md');

/** The source map, to translate stack traces in bug reports. */
export const MAP_NAME = `relay-${PRODUCT.version}.map`;
const MANIFESTS_NAME = 'manifests.tar.gz';
/** Files that are published beside those whose names begin with `relay-` and the version. */
const ALWAYS_PUBLISHED = [MAP_NAME, MANIFESTS_NAME, 'install.sh', 'install.ps1', 'latest.json'];

export interface PackagesOptions {
  target: Target;
  /** Paths of the executable, beside which the packages are written, and of the licenses of its parts. */
  executable: string;
  notices: string;
}

/** Writes the packages of one executable beside it: a bundle, and packages for Linux. Returns the paths. */
export async function writePackages({ target, executable, notices }: PackagesOptions): Promise<string[]> {
  const dist = dirname(executable);
  const made = async (kind: string, content: Uint8Array) => {
    const path = join(dist, fileName(`${target.name}.${kind}`));
    await writeFile(path, content);
    return path;
  };
  const paths = [await made('mcpb', await mcpbFile(target, executable, [LICENSE, notices]))];
  const arch = target.name.replace('linux-', '');
  if (arch === 'x64' || arch === 'arm64') {
    const options = { arch, executable, license: LICENSE, notices, changelog: CHANGELOG } as const;
    paths.push(await made('deb', await debFile(options)), await made('rpm', await rpmFile(options)));
  }
  return paths;
}

/** Writes the files that are the same for all targets: the package for npx, the parts list, the install scripts, `latest.json`. */
export async function writeCommonFiles(
  dist: string,
  parts: { script: string; notices: string },
): Promise<void> {
  await writeFile(join(dist, fileName('npm.tgz')), await npmFile(parts));
  await writeFile(join(dist, fileName('sbom.cdx.json')), await sbom());
  for (const name of ['install.sh', 'install.ps1']) {
    const template = await readFile(join(root, 'scripts', 'release', name), 'utf8');
    const script = template
      .replaceAll('@VERSION@', PRODUCT.version)
      .replaceAll('@DOWNLOADS@', PRODUCT.downloads);
    await writeFile(join(dist, name), script, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  const latest = { version: PRODUCT.version, url: `${PRODUCT.home}/releases/tag/v${PRODUCT.version}` };
  await writeFile(join(dist, 'latest.json'), `${JSON.stringify(latest)}\n`);
}

/**
 * Writes `dist/release`: the icon, and the manifests for package managers and registries, with the checksums of the archives and
 * bundles. Also packs these files into one archive to publish. Removes those of an earlier build first.
 * @returns false, and writes nothing, if the archive or the bundle of a target is missing
 */
export async function writeManifests(dist: string): Promise<boolean> {
  const folder = join(dist, 'release');
  await rm(folder, { recursive: true, force: true });
  await rm(join(dist, MANIFESTS_NAME), { force: true });
  const names = TARGETS.flatMap(({ name, archive }) => [
    fileName(`${name}.${archive}`),
    fileName(`${name}.mcpb`),
  ]);
  const here = new Set(await readdir(dist));
  if (names.some((name) => !here.has(name))) return false;
  const sums = await Promise.all(names.map(async (name) => [name, await sumOf(dist, name)] as const));
  const files: Record<string, string | Uint8Array> = {
    'icon.svg': iconSvg(),
    'icon.png': iconPng(512),
    ...manifests(Object.fromEntries(sums)),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    content: Buffer.from(content),
    mode: 0o644,
  }));
  await writeFile(join(dist, MANIFESTS_NAME), gzipSync(tarFile(entries, SOURCE_DATE), { level: 9 }));
  return true;
}

/** Writes `SHA256SUMS` for all published files, in the form that `sha256sum --check` reads. */
export async function writeSums(dist: string): Promise<void> {
  const names = (await readdir(dist)).filter(isPublished).sort();
  const lines = await Promise.all(names.map(async (name) => `${await sumOf(dist, name)}  ${name}\n`));
  await writeFile(join(dist, 'SHA256SUMS'), lines.join(''));
}

/** True for files in `dist` that are published with this version. `SHA256SUMS` itself does not count. */
function isPublished(name: string): boolean {
  return name.startsWith(fileName('')) || ALWAYS_PUBLISHED.includes(name);
}

async function sumOf(dist: string, name: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(dist, name)))
    .digest('hex');
}
