/** The one list of generated files. */
import { generateReadme } from './readme.ts';
import { generateSql } from './sql.ts';
import { generateToolReference } from './tools.ts';

export interface GeneratedFile {
  path: string;
  text: string;
}

export function generated(): GeneratedFile[] {
  return [generateSql(), ...generateToolReference(), generateReadme()];
}
