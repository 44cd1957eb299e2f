/**
 * `npm run test:package`: builds all executables with their archives, then runs the end-to-end tests against the one for
 * this machine, and the tests of the executables. `--no-build` takes what `dist/` holds.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };
import { root } from './bundle.ts';
import { HOST } from './package/targets.ts';

if (!HOST) throw new Error('No executable is made for this machine.');
const executable = join(root, 'dist', `relay-${version}-${HOST.name}${HOST.suffix}`);

if (!process.argv.includes('--no-build')) run(['--import', 'tsx', join('scripts', 'package.ts')]);
run([join('scripts', 'test.mjs'), 'test/e2e/', 'test/package/'], { RELAY_BIN: executable });

function run(args: string[], env: Record<string, string> = {}): void {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const { status } = spawnSync(process.execPath, args, options);
  if (status !== 0) process.exit(status ?? 1);
}
