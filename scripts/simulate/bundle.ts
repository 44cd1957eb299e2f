/**
 * Bundles the simulator with an engine: the `src` of this checkout or of another directory, perhaps with one passage changed. A
 * bundle starts at once and runs faster than sources that are compiled while they are loaded.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { changed, type Mutant } from '../../test/simulate/mutants.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const ENTRY = join(root, 'test', 'simulate', 'children', 'worker.ts');
const OWN = join(root, 'src') + sep;

/** The program to simulate. */
export interface Engine {
  /** A directory with a `src`; this checkout by default. */
  directory?: string;
  mutant?: Mutant;
}

let files = 0;

/** Returns the path of the file; the caller removes it. */
export async function bundleSimulator({ directory, mutant }: Engine): Promise<string> {
  // Node finds the packages from this directory.
  const folder = join(root, '.cache', 'simulate');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${process.pid}-${++files}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [engineOf({ directory, mutant })],
    logLevel: 'warning',
  });
  return outfile;
}

/** Returns the text of the mutant's file with the mistake in it. @throws Error if the passage that it replaces is not there */
export function textOf(mutant: Mutant, directory = root): string {
  return changed(readFileSync(join(directory, mutant.file), 'utf8'), mutant);
}

function engineOf({ directory = root, mutant }: Engine): Plugin {
  const src = join(resolve(directory), 'src') + sep;
  return {
    name: 'engine',
    setup(plugins) {
      plugins.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        return file.startsWith(OWN) ? { path: src + file.slice(OWN.length) } : undefined;
      });
      if (!mutant) return;
      const target = resolve(directory, mutant.file);
      const contents = textOf(mutant, directory);
      plugins.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        path === target ? { contents, loader: 'ts' } : undefined,
      );
    },
  };
}
