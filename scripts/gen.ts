/** `npm run gen`: writes every generated file; with `--check` only says which are not current, and fails then. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generated } from './gen/all.ts';

const check = process.argv.includes('--check');
const stale = (await generated()).filter(
  ({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
);

for (const { path, text } of stale) {
  if (!check) writeFileSync(path, text);
  console.log(check ? `${path} is not current: run 'npm run gen'` : `wrote ${path}`);
}
if (check && stale.length > 0) process.exitCode = 1;
