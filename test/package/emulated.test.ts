import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../package.json' with { type: 'json' };
import { TOOLS } from '../../src/tools/index.ts';
import { pluck } from '../support/entries.ts';

/** Where Debian puts the arm64 libraries on a machine with another processor. */
const LIBRARIES = '/usr/aarch64-linux-gnu';
const EXECUTABLE = fileURLToPath(new URL(`../../dist/relay-${version}-linux-arm64`, import.meta.url));

function withoutEmulator(): string | false {
  const here = spawnSync('qemu-aarch64', ['--version']).error === undefined && existsSync(LIBRARIES);
  return here || process.env.CI === 'true' ? false : 'not installed: qemu-user and the arm64 libraries';
}

test('the linux-arm64 executable, built on another processor, runs', { skip: withoutEmulator() }, () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('qemu-aarch64', ['-L', LIBRARIES, EXECUTABLE, ...args], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status, stdout, stderr };
  };
  assert.deepEqual(run('--version'), { status: 0, stdout: `${version}\n`, stderr: '' });
  const listed = run('tools', '--json');
  assert.deepEqual([listed.status, listed.stderr], [0, '']);
  const { tools } = JSON.parse(listed.stdout);
  assert.deepEqual(pluck(tools, 'name'), pluck(TOOLS, 'name'));
});
