import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../package.json' with { type: 'json' };
import { SOURCE_DATE } from '../../scripts/package/sourceDate.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LEFT_OUT = ['.git', 'dist', 'node_modules', '.cache'].map((name) => join(ROOT, name));
const PREFIX = `relay-${version}-linux-x64`;

test('a build in another directory gives the same executable, archive, bundle and packages', (context) => {
  const copy = mkdtempSync(join(tmpdir(), 'relay again '));
  context.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(path.replace(/[\\/]$/, '')) });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join('scripts', 'package.ts'), 'linux-x64'],
    {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, SOURCE_DATE_EPOCH: String(SOURCE_DATE), TZ: 'Asia/Tokyo' },
    },
  );
  assert.equal(status, 0, stderr);
  const kinds = ['', '.deb', '.mcpb', '.rpm', '.tar.xz'];
  assert.deepEqual(sums(join(copy, 'dist')), sums(join(ROOT, 'dist')));
  assert.deepEqual(
    Object.keys(sums(join(ROOT, 'dist'))).sort(),
    kinds.map((kind) => `${PREFIX}${kind}`).sort(),
  );
});

function sums(dist: string): Record<string, string> {
  const names = readdirSync(dist).filter((name) => name.startsWith(PREFIX));
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(dist, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, digest(name)]));
}
