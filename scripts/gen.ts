/** `npm run gen`: writes every generated file. With `--check` it only lists outdated files, and fails if there are any. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generateCommandList } from './gen/commands.ts';
import { type GeneratedFile, inRepository } from './gen/file.ts';
import { generatePageAssets } from './gen/pageAssets.ts';

import { generateReadmes } from './gen/readme.ts';
import { generateSchema, generateSql } from './gen/sql.ts';
import { generateToolReference } from './gen/tools.ts';
import { generateWorkers } from './gen/workers.ts';

const files: GeneratedFile[] = [
  generateSql(),
  await generateSchema(),
  await generatePageAssets(),
  ...(await generateWorkers()),
  ...generateToolReference(),
  generateCommandList(),
  ...(await generateReadmes()),
];

const check = process.argv.includes('--check');
const stale = files.filter(({ path, text }) => {
  const file = inRepository(path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});

for (const { path, text } of stale) {
  if (!check) writeFileSync(inRepository(path), text);
  console.log(check ? `${path} is not current: run 'npm run gen'` : `wrote ${path}`);
}
if (check && stale.length > 0) process.exitCode = 1;
