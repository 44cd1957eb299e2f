/**
 * `npm run package [target…]`: builds the executables in `dist/`, each with its archive and its bundle for Claude Desktop, and
 * the npm package. Without a target, it builds all. `SHA256SUMS` names every file.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../package.json' with { type: 'json' };
import { bundleParts, root } from './bundle.ts';
import { type Packed, tarFile, zipFile } from './package/archive.ts';
import { buildExecutable, bundleScripts, nodeOf } from './package/executable.ts';
import { mcpbFiles } from './package/mcpb.ts';
import { notices } from './package/notices.ts';
import { HOST, programName, TARGETS, type Target } from './package/targets.ts';

// npm packs files with the permissions that they have.
process.umask(0o022);

const LICENSES = 'THIRD-PARTY-LICENSES.txt';
const dist = join(root, 'dist');

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !TARGETS.some((target) => target.name === name));
if (unknown !== undefined) {
  throw new Error(
    `There is no target ${unknown}. Choose from ${TARGETS.map(({ name }) => name).join(', ')}.`,
  );
}
if (HOST === undefined)
  throw new Error(`No Node.js to build with is known for ${process.platform}-${process.arch}.`);

const folder = await mkdtemp(join(tmpdir(), 'relay-package-'));
try {
  await packageAll(HOST);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function packageAll(host: Target): Promise<void> {
  await removeEarlier();
  const bundles = await bundleScripts(folder);
  const builder = await nodeOf(host, join(folder, 'builder'));
  for (const target of TARGETS) {
    if (wanted.length > 0 && !wanted.includes(target.name)) continue;
    const name = `relay-${version}-${target.name}`;
    const output = join(dist, target.platform === 'win32' ? `${name}.exe` : name);
    await buildExecutable({ target, builder, folder, output });
    const executable = await readFile(output);
    const texts: Packed[] = [
      { path: 'LICENSE', content: await readFile(join(root, 'LICENSE')) },
      { path: LICENSES, content: Buffer.from(await notices(bundles, target, folder)) },
    ];
    await zipFile(join(dist, `${name}.mcpb`), await mcpbFiles(target, executable, texts));
    const program = { path: programName(target), content: executable, isProgram: true };
    const files = [...texts, program].map((file) => ({ ...file, path: `${name}/${file.path}` }));
    if (target.platform === 'win32') await zipFile(join(dist, `${name}.zip`), files);
    else await tarFile(join(dist, `${name}.tar.gz`), files);
  }
  await npmPackage();
  await writeSums();
}

async function removeEarlier(): Promise<void> {
  await mkdir(dist, { recursive: true });
  const names = (await readdir(dist)).filter(isPublished);
  for (const name of names) await rm(join(dist, name), { force: true });
}

function isPublished(name: string): boolean {
  return name.startsWith('relay-');
}

/** Packs what package.json lists as `files`, with the program in its minified form. */
async function npmPackage(): Promise<void> {
  const own = join(folder, 'npm');
  for (const name of ['package.json', 'bin', 'README.md', 'LICENSE'])
    await cp(join(root, name), join(own, name), { recursive: true });
  const outdir = join(own, 'dist', 'program');
  const metafile = await bundleParts({ entry: 'src/main.ts', outdir, target: 'node20', minify: true });
  await writeFile(join(own, LICENSES), await notices([metafile]));
  const options = { cwd: own, shell: process.platform === 'win32' };
  const { stdout } = await promisify(execFile)('npm', ['pack', '--loglevel=error'], options);
  await cp(join(own, stdout.trim()), join(dist, `relay-${version}-npm.tgz`));
}

/** Writes `SHA256SUMS`, in the form that `sha256sum --check` reads. */
async function writeSums(): Promise<void> {
  const names = (await readdir(dist)).filter(isPublished).sort();
  const lines: string[] = [];
  for (const name of names) {
    const content = await readFile(join(dist, name));
    lines.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
    console.log(`${(content.length / 2 ** 20).toFixed(1).padStart(6)} MiB  ${name}`);
  }
  await writeFile(join(dist, 'SHA256SUMS'), lines.join(''));
}
