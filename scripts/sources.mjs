// How esbuild bundles sources that run in this checkout: scripts and tests.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** In a bundle, `import.meta` of each source still tells the path of that source. */
const ownPaths = {
  name: 'own-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text
        .replaceAll(/(?<!')import\.meta\.url/g, JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/(?<!')import\.meta\.dirname/g, JSON.stringify(dirname(path)))
        // Without this, esbuild has only the default export of a JSON file.
        .replaceAll(" with { type: 'json' }", '');
      return contents === text ? undefined : { contents, loader: 'ts' };
    });
  },
};

/** The bundle has to lie below the checkout, where Node finds the packages. */
export const sourceOptions = {
  absWorkingDir: root,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [ownPaths],
};
