// `npm run check`: types, lint and format, generated files, structure and unused code. Structure means rules that no
// linter knows, such as import directions, directory sizes and words to avoid.
// Every step runs, even after one has failed.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const tsx = ['--import', 'tsx'];

const steps = [
  ['types', bin('tsc'), ['--noEmit', '-p', root]],
  ['types of the pages', bin('tsc'), ['--noEmit', '-p', join(root, 'src', 'server', 'pages', 'browser')]],
  ['lint and format', bin('biome'), ['ci', '--colors=off', '--error-on-warnings', root]],
  ['generated files', process.execPath, [...tsx, join(root, 'scripts', 'gen.ts'), '--check']],
  ['structure', process.execPath, [...tsx, join(root, 'scripts', 'check', 'structure.ts')]],
  ['unused code', process.execPath, [...tsx, join(root, 'scripts', 'check', 'unused.ts')]],
];

const failed = steps.filter(([name, command, args]) => {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
