// Bundles the program into one CommonJS file, the form that a single executable needs.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

await build({
  entryPoints: [join(root, 'src', 'main.ts')],
  outfile: join(root, 'dist', 'relay.cjs'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // jsonc-parser's CommonJS form is UMD, whose own `require` calls a bundler cannot follow.
  mainFields: ['module', 'main'],
  // The keychain's native addon cannot be bundled; it is loaded where it is installed.
  external: ['@napi-rs/keyring'],
  define: { 'import.meta.url': 'relayModuleUrl' },
  banner: { js: "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
  legalComments: 'linked',
  sourcemap: false,
  logLevel: 'warning',
});
