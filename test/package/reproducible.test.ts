import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { version } from '../../package.json' with { type: 'json' };
import { HOST, TARGETS } from '../../scripts/package/targets.ts';
import { writePackages } from '../../scripts/release/releaseFiles.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const LEFT_OUT = ['.git', 'dist', 'node_modules', '.cache'].map((name) => join(ROOT, name));
const EXECUTABLE = `relay-${version}-linux-x64`;

test('a build in another directory gives the same executable', { skip: notHere() }, (context) => {
  const copy = mkdtempSync(join(tmpdir(), 'relay again '));
  context.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(path.replace(/[\\/]$/, '')) });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join('scripts', 'package.ts'), 'linux-x64', '--no-archive'],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, TZ: 'Asia/Tokyo' } },
  );
  assert.equal(status, 0, stderr);
  assert.equal(
    digest(readFileSync(join(copy, 'dist', EXECUTABLE))),
    digest(readFileSync(join(DIST, EXECUTABLE))),
  );
});

test('what is packed again is the same bundle and the same packages', {
  skip: notHere(),
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-again-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const bundle = unzipSync(readFileSync(join(DIST, `${EXECUTABLE}.mcpb`)), {
    filter: ({ name }) => name === 'THIRD-PARTY-LICENSES.txt',
  });
  const notices = join(folder, 'THIRD-PARTY-LICENSES.txt');
  writeFileSync(notices, bundle['THIRD-PARTY-LICENSES.txt'] ?? '');
  const executable = join(folder, EXECUTABLE);
  copyFileSync(join(DIST, EXECUTABLE), executable);
  const [target] = TARGETS.filter(({ name }) => name === 'linux-x64');
  if (target === undefined) throw new Error('there is no such target');
  const paths = await writePackages({ target, executable, notices });
  assert.deepEqual(paths.map((path) => basename(path)).sort(), [
    `${EXECUTABLE}.deb`,
    `${EXECUTABLE}.mcpb`,
    `${EXECUTABLE}.rpm`,
  ]);
  for (const path of paths) {
    assert.equal(
      digest(readFileSync(path)),
      digest(readFileSync(join(DIST, basename(path)))),
      basename(path),
    );
  }
});

/** Only the machine that a target is for records its code cache. */
function notHere(): string | false {
  return HOST?.name === 'linux-x64' ? false : 'not the machine of linux-x64';
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
