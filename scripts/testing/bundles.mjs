// Bundles the tests. Each bundle holds neighbouring files, and has a process of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Most characters of test files in a bundle. A larger one might still run when all others have ended. */
const MAX_SIZE = 300_000;

/** Files that measure the memory of their process, or replace the connections to SQLite in it, have a bundle of their own. */
const isAlone = ({ path, text }) => path.startsWith('test/simulate/') || text.includes('/support/garbage.ts');

/** Returns each test file's path below the checkout, with `/`, and its text. */
export function testFiles() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path.replaceAll(sep, '/')}`)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Writes the bundles into `folder`, a directory below the checkout, and returns their paths. */
export async function bundleTests(files, folder) {
  const bundles = bundlesOf(files);
  await build({
    absWorkingDir: root,
    entryPoints: [...bundles.keys()].map((name) => ({ in: `tests:${name}`, out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // So that the bundles share what they import. Each would repeat two megabytes.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [sourcesOf(bundles)],
  });
  return [...bundles.keys()].map((name) => join(folder, `${name}.mjs`));
}

/**
 * Returns the paths of the files in each bundle by its name. A process needs two seconds to load the program, so neighbours
 * share a bundle. Node runs them in the order of names, so large ones come first.
 */
function bundlesOf(files) {
  const bundles = [];
  let last = [];
  for (const file of files) {
    if (isAlone(file)) {
      bundles.push([file]);
      continue;
    }
    if (last.length === 0 || sizeOf(last) + file.text.length > MAX_SIZE) {
      last = [];
      bundles.push(last);
    }
    last.push(file);
  }
  bundles.sort((a, b) => sizeOf(b) - sizeOf(a));
  return new Map(
    bundles.map((bundle, at) => [
      [String(at).padStart(2, '0'), ...new Set(bundle.map(directoryOf))].join('-'),
      bundle.map(({ path }) => path),
    ]),
  );
}

function directoryOf({ path }) {
  return path.split('/').slice(1, -1)[0] ?? 'test';
}

function sizeOf(group) {
  return group.reduce((sum, { text }) => sum + text.length, 0);
}

/** Finds the files of a bundle. In a source, `import.meta` tells its own path instead of the bundle's. */
function sourcesOf(bundles) {
  return {
    name: 'sources',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^tests:/ }, ({ path }) => ({ path, namespace: 'tests' }));
      onLoad({ filter: /.*/, namespace: 'tests' }, ({ path }) => ({
        contents: bundles
          .get(path.slice('tests:'.length))
          .map((file) => `import './${file}';`)
          .join('\n'),
        resolveDir: root,
      }));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = text
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
          // Without this, esbuild has only the default export of a JSON file.
          .replaceAll(" with { type: 'json' }", '');
        return contents === text ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}
