import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SOURCE_DATE } from '../../scripts/package/sourceDate.ts';
import { HOST } from '../../scripts/package/targets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const LEFT_OUT = ['.git', 'dist', 'node_modules', '.cache'].map((name) => join(ROOT, name));

/** The targets to build; none means all. All take ten minutes, so without `RELAY_TEST_FULL=1` only one is built. */
const TARGET = process.env.RELAY_TEST_FULL === '1' ? [] : ['linux-x64'];

/** What may differ between two machines of one kind. */
const SURROUNDINGS = [
  { folder: 'relay again ', TZ: 'Asia/Tokyo', LC_ALL: 'C' },
  { folder: 'r-', TZ: 'America/Lima', LC_ALL: 'C.UTF-8' },
];

test('builds in two other directories give the same bytes for every published file', {
  skip: notHere(),
}, async (context) => {
  const published = readSums(DIST);
  const builds = SURROUNDINGS.map(async ({ folder, ...surroundings }) => {
    const copy = mkdtempSync(join(tmpdir(), folder));
    context.after(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(path.replace(/[\\/]$/, '')) });
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
    const temp = join(copy, 'temporary files');
    mkdirSync(temp);
    const env = { ...process.env, ...surroundings, TMPDIR: temp, SOURCE_DATE_EPOCH: String(SOURCE_DATE) };
    const args = [join('scripts', 'run.mjs'), 'package', '--no-figures', ...TARGET];
    await promisify(execFile)(process.execPath, args, { cwd: copy, env });
    return readSums(join(copy, 'dist'));
  });
  for (const sums of await Promise.all(builds)) {
    const same =
      TARGET.length === 0
        ? published
        : published.filter((line) => sums.some((one) => nameIn(one) === nameIn(line)));
    assert.deepEqual(sums, same);
    assert.ok(sums.length >= 10);
  }
});

/** The lines of `SHA256SUMS`. */
function readSums(dist: string): string[] {
  return readFileSync(join(dist, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
}

function nameIn(line: string): string {
  return line.slice(66);
}

/** Skips the test on other machines: they record no code cache for linux-x64, so their files differ. */
function notHere(): string | false {
  return HOST?.name === 'linux-x64' ? false : 'not the machine of linux-x64';
}
