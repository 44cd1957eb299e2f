/** `npm run gen`: writes the generated files. With `--check` it only lists those that are out of date, and fails if there are any. */
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
const outdated = files.filter(({ path, text }) => {
  const file = inRepository(path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});

for (const { path, text } of outdated) {
  if (!check) writeFileSync(inRepository(path), text);
  console.log(check ? `${path} is out of date: run 'npm run gen'` : `wrote ${path}`);
}
if (check && outdated.length > 0) process.exitCode = 1;
