// `npm run check`: runs all checks at once, also after one has failed. npm puts their programs into the search path.
import { exec } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHECKS = {
  types: 'tsc --noEmit',
  'types of the pages': 'tsc --noEmit -p src/server/pages/browser',
  'lint and format': 'biome ci --colors=off --error-on-warnings .',
  'imports between folders': 'node scripts/run.mjs check/imports',
  'unused code': 'knip',
  // Finds exports that only tests use and that have no `@internal` in their comment.
  'unused code without the tests': 'knip --production',
};

const options = { cwd: fileURLToPath(new URL('..', import.meta.url)), maxBuffer: 64 * 1024 * 1024 };
for (const [name, command] of Object.entries(CHECKS)) {
  exec(command, options, (error, stdout, stderr) => {
    process.stdout.write(`${stdout}${stderr}${error ? 'FAILED' : 'ok    '} ${name}\n`);
    if (error) process.exitCode = 1;
  });
}
