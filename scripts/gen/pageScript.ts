/** Turns the script of the pages into a module, so that it reaches the bundle and the executable. */
import { readFileSync } from 'node:fs';
import { type GeneratedFile, inRepository } from './file.ts';

const SOURCE = 'src/server/pages/owner.js';

/** The text of `src/generated/pageScript.ts`. */
export function generatePageScript(): GeneratedFile {
  const script = readFileSync(inRepository(SOURCE), 'utf8').replaceAll('\r\n', '\n');
  const quoted = `\`${script.replace(/[`\\]|\$\{/g, '\\$&')}\``;
  return {
    path: 'src/generated/pageScript.ts',
    text: `// Made by "npm run gen" from ${SOURCE}.\n\nexport const PAGE_SCRIPT = ${quoted};\n`,
  };
}
