/** The package for `npx`: the program as one script for the installed Node, and files that cannot be bundled. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dependencies, engines } from '../../package.json' with { type: 'json' };
import { root } from '../bundle.ts';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { type TarEntry, tarFile } from '../package/tarFile.ts';
import { PRODUCT } from './description.ts';

/** @param script path of the bundle of `src/main.ts`; `notices`: path of the licenses of its parts */
export async function npmFile({ script, notices }: { script: string; notices: string }): Promise<Buffer> {
  const manifest = {
    name: PRODUCT.npm,
    version: PRODUCT.version,
    description: PRODUCT.description,
    license: PRODUCT.license,
    keywords: PRODUCT.keywords,
    homepage: PRODUCT.home,
    ...(PRODUCT.repository === null ? {} : { repository: `github:${PRODUCT.repository}` }),
    // By default, npm publishes a scoped name as private.
    publishConfig: { access: 'public' },
    mcpName: PRODUCT.mcp,
    type: 'module',
    bin: { relay: 'bin/relay.mjs' },
    engines,
    // The keychain's native addon, and SQLite's WebAssembly.
    dependencies: {
      '@napi-rs/keyring': dependencies['@napi-rs/keyring'],
      'sql.js': dependencies['sql.js'],
    },
  };
  const file = async (path: string, from: string, mode = 0o644): Promise<TarEntry> => ({
    path: `package/${path}`,
    content: await readFile(from),
    mode,
  });
  const entries = [
    {
      path: 'package/package.json',
      content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
      mode: 0o644,
    },
    await file('bin/relay.mjs', join(root, 'bin', 'relay.mjs'), 0o755),
    await file('dist/relay.cjs', script),
    await file('README.md', join(root, 'README.md')),
    await file('LICENSE', join(root, 'LICENSE')),
    await file('THIRD-PARTY-LICENSES.txt', notices),
  ];
  return gzipSync(tarFile(entries, SOURCE_DATE), { level: 9 });
}
