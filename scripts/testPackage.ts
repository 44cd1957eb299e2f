/**
 * `npm run test:package`: builds all executables with their archives and tests them. The end-to-end tests, and those of the
 * tools through `relay stdio`, run against the executable for this machine. `--no-build` uses the files in `dist/`.
 * `--host-only` builds only the executable for this machine, and runs only a few of the tests.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };
import { root } from './bundle.ts';
import { HOST } from './package/targets.ts';

if (!HOST) throw new Error('No executable is made for this machine.');
const executable = join(root, 'dist', `relay-${version}-${HOST.name}${HOST.suffix}`);

const hostOnly = process.argv.includes('--host-only');
const targets = hostOnly ? [HOST.name, '--no-archive'] : [];
const tests = hostOnly
  ? ['test/e2e/stdioTools.test.ts', 'test/package/standalone.test.ts', 'test/package/tools.test.ts']
  : ['test/e2e/', 'test/package/'];

if (!process.argv.includes('--no-build')) run([join('scripts', 'run.mjs'), 'package', ...targets]);
run([join('scripts', 'test.mjs'), ...tests], { RELAY_BIN: executable });
if (!hostOnly) {
  run([join('scripts', 'test.mjs'), 'test/tools/'], {
    RELAY_BIN: alone(executable),
    RELAY_TEST_TRANSPORT: 'stdio',
  });
}

/** Copies the executable into an empty directory. */
function alone(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'relay-alone-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'relay');
  copyFileSync(program, copy);
  return copy;
}

function run(args: string[], env: Record<string, string> = {}): void {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const { status } = spawnSync(process.execPath, args, options);
  if (status !== 0) process.exit(status ?? 1);
}
