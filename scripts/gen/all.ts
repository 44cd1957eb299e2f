/** The one list of generated files. */
import { isAbsolute } from 'node:path';
import { generatePageScript } from './pageScript.ts';
import { inRepository } from './paths.ts';
import { generateReadme } from './readme.ts';
import { generateSchema, generateSql } from './sql.ts';
import { generateToolReference } from './tools.ts';

export interface GeneratedFile {
  /** Absolute, or from the root of the repository. */
  path: string;
  text: string;
}

export async function generated(): Promise<GeneratedFile[]> {
  const files = [
    generateSql(),
    await generateSchema(),
    generatePageScript(),
    ...generateToolReference(),
    generateReadme(),
  ];
  return files.map(({ path, text }) => ({ path: isAbsolute(path) ? path : inRepository(path), text }));
}
