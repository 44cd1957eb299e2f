// Bundles the tests. Each bundle holds neighbouring files, and has a process of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'esbuild';
import { root, sourceOptions } from '../sources.mjs';

/** Most characters of test files in a bundle. A larger one might still run when all others have ended. */
const MAX_SIZE = 300_000;

/** Files that replace the connections to SQLite in their process have a bundle of their own. */
const isAlone = ({ path }) => path.startsWith('test/simulate/');

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
    ...sourceOptions,
    entryPoints: [...bundles.keys()].map((name) => ({ in: `tests:${name}`, out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // So that the bundles share what they import. Each would repeat two megabytes.
    splitting: true,
    plugins: [...sourceOptions.plugins, filesOf(bundles)],
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

/** Finds the files of a bundle. */
function filesOf(bundles) {
  return {
    name: 'tests',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^tests:/ }, ({ path }) => ({ path, namespace: 'tests' }));
      onLoad({ filter: /.*/, namespace: 'tests' }, ({ path }) => ({
        contents: bundles
          .get(path.slice('tests:'.length))
          .map((file) => `import './${file}';`)
          .join('\n'),
        resolveDir: root,
      }));
    },
  };
}
