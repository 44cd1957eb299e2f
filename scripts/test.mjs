// `npm test`: every test file under test/, each in a process of its own. A path or several limit it to those.
// test/package/ needs executables that are built first, so it runs by name only (`npm run test:package`).
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith('.test.ts') ? [relative(root, path)] : [];
  });
}

const isOfPackage = (file) => file.startsWith(join('test', 'package'));

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const files = testFiles(join(root, 'test')).filter((file) =>
  named.length === 0 ? !isOfPackage(file) : named.some((name) => file.includes(name)),
);
const { status } = spawnSync(
  process.execPath,
  [
    '--import',
    'tsx',
    '--test',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-timeout=240000',
    ...flags,
    ...files.sort(),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
