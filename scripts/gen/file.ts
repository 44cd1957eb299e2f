/** The type of a generated file, and a function for paths in the repository. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface GeneratedFile {
  /** Path from the root of the repository. */
  path: string;
  text: string;
}

/** Returns the absolute path of a file or directory. @param parts its path from the root of the repository */
export function inRepository(...parts: string[]): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..', '..', ...parts);
}
