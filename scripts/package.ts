/**
 * `npm run package [target…]`: builds an executable per target in `dist/`, with its archive and packages. It also writes
 * `SHA256SUMS`, and measures the executable for this machine. Without a target, it builds all targets. If `dist/` then has the
 * files of all targets, it also writes the manifests of a release. `--no-archive` builds only the executables, and `--no-figures`
 * measures nothing.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { version } from '../package.json' with { type: 'json' };
import { bundle, root } from './bundle.ts';
import { archive } from './package/archive.ts';
import { baseProgram } from './package/base.ts';
import { buildExecutable } from './package/executable.ts';
import type { Figures } from './package/figures.ts';
import { nativeParts, SQLITE_PART } from './package/nativeParts.ts';
import { type NoticesOptions, notices } from './package/notices.ts';
import type { StdioFigures } from './package/stdioFigures.ts';
import { HOST, TARGETS, type Target } from './package/targets.ts';
import {
  MAP_NAME,
  writeCommonFiles,
  writeManifests,
  writePackages,
  writeSums,
} from './release/releaseFiles.ts';

/** Goals for linux-x64: the largest download in MiB, and ratios to the bare base program. */
const GOALS = { archive: 32, version: 1.5, ready: 3, memory: 1.6, stdio: 1.5 };

const MIB = 1024 * 1024;
const dist = join(root, 'dist');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'no-archive': { type: 'boolean', default: false },
    'no-figures': { type: 'boolean', default: false },
  },
});
const targets = positionals.length === 0 ? TARGETS : positionals.map(targetNamed);
if (HOST === undefined) {
  const names = TARGETS.map(({ host }) => host).join(', ');
  throw new Error(`Executables can be built on ${names}; this is ${process.platform}-${process.arch}.`);
}

await mkdir(dist, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'relay-package-'));
try {
  await packageAll(HOST);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function packageAll(host: Target): Promise<void> {
  const launcher = join(folder, 'launcher.cjs');
  const program = join(folder, 'relay.cjs');
  const stdio = join(folder, 'stdio.cjs');
  const target = 'node26';
  const bundles = [
    await bundle({ entry: 'src/launcher.ts', outfile: launcher, target, quick: true }),
    await bundle({ entry: 'src/executable.ts', outfile: program, target, minify: true }),
    await bundle({
      entry: 'src/cli/stdio/carriedStdio.ts',
      outfile: stdio,
      target,
      minify: true,
      quick: true,
    }),
  ];
  await copyFile(`${program}.map`, join(dist, MAP_NAME));
  const builder = await baseProgram(host, folder);
  for (const target of targets) {
    const base = target === host ? builder : await baseProgram(target, folder);
    const name = `relay-${version}-${target.name}`;
    const executable = join(dist, `${name}${target.suffix}`);
    // Remove files of an earlier build.
    for (const kind of [target.archive, 'mcpb', 'deb', 'rpm']) {
      await rm(join(dist, `${name}.${kind}`), { force: true });
    }
    const scripts = { program, stdio };
    const license = await noticesIn(join(folder, `${target.name}-notices`), {
      bundles,
      packages: ['@napi-rs/keyring'],
      natives: await nativeParts(target, folder),
    });
    await buildExecutable({ target, base, builder, launcher, scripts, folder, output: executable });
    await report(executable);
    if (values['no-archive']) continue;
    const texts = [join(root, 'LICENSE'), license];
    const packed = await archive({ target, executable, texts });
    await report(packed, target.name === 'linux-x64' ? GOALS.archive : undefined);
    for (const path of await writePackages({ target, executable, notices: license })) await report(path);
  }
  if (!values['no-archive']) await writeCommonFiles(dist, await npmParts());
  if (!(await writeManifests(dist)))
    console.log('dist/release was not written: it needs the files of all targets');
  await writeSums(dist);
  if (targets.includes(host) && !values['no-figures']) {
    const executable = join(dist, `relay-${version}-${host.name}${host.suffix}`);
    await printFigures(executable, builder);
  }
}

/** Builds the program for an installed Node, and collects the licenses of its parts. Returns both paths. */
async function npmParts(): Promise<{ script: string; notices: string }> {
  const script = join(folder, 'main.cjs');
  const metafile = await bundle({
    entry: 'src/main.ts',
    outfile: script,
    target: 'node20',
    minify: true,
  });
  // npm installs the keychain's addon and SQLite as separate packages.
  const parts = { bundles: [metafile], natives: [SQLITE_PART] };
  return { script, notices: await noticesIn(join(folder, 'npm-notices'), parts) };
}

/** Writes the licenses of some parts into a directory and returns the path. */
async function noticesIn(own: string, parts: NoticesOptions): Promise<string> {
  const path = join(own, 'THIRD-PARTY-LICENSES.txt');
  await mkdir(own, { recursive: true });
  await writeFile(path, await notices(parts));
  return path;
}

function targetNamed(name: string): Target {
  const target = TARGETS.find((one) => one.name === name);
  if (target) return target;
  throw new Error(`There is no target ${name}. Choose from ${TARGETS.map((one) => one.name).join(', ')}.`);
}

async function report(path: string, goal?: number): Promise<void> {
  const size = (await stat(path)).size / MIB;
  console.log(`${basename(path)}  ${size.toFixed(1)} MiB${goal === undefined ? '' : against(size, goal)}`);
}

async function printFigures(executable: string, base: string): Promise<void> {
  const { version, ready, memory, absolute } = await figures<Figures>('figures', executable, base);
  console.log('compared with the bare base program, medians of alternating runs:');
  const times = (name: 'version' | 'ready') =>
    `${absolute[name].toFixed(0)} ms : ${absolute.base.toFixed(0)} ms`;
  console.log(`  --version  ${version.toFixed(2)}${against(version, GOALS.version)}, ${times('version')}`);
  console.log(`  ready      ${ready.toFixed(2)}${against(ready, GOALS.ready)}, ${times('ready')}`);
  if (memory === null) return;
  const mib = `${absolute.memory?.toFixed(0)} MiB : ${absolute.baseMemory?.toFixed(0)} MiB`;
  console.log(`  memory     ${memory.toFixed(2)}${against(memory, GOALS.memory)}, ${mib}`);
  const { stdio, bare, ratio } = await figures<StdioFigures>('stdioFigures', executable, base);
  console.log('relay stdio at its first answer, compared with the bare program at its first line:');
  for (const [name, unit] of [
    ['wall', 'ms'],
    ['processor', 'ms'],
    ['memory', 'MiB'],
  ] as const) {
    const values = `${stdio[name].toFixed(0)} ${unit} : ${bare[name].toFixed(0)} ${unit}`;
    console.log(
      `  ${name.padEnd(9)}  ${ratio[name].toFixed(2)}${against(ratio[name], GOALS.stdio)}, ${values}`,
    );
  }
}

/** Measures in a new process. A large process starts others more slowly, which would flatter the ratios. */
async function figures<T>(name: string, executable: string, base: string): Promise<T> {
  const args = [join(root, 'scripts', 'run.mjs'), `package/${name}`, executable, base];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as T;
}

function against(value: number, goal: number): string {
  return ` (goal ${goal}: ${value <= goal ? 'met' : 'missed'})`;
}
