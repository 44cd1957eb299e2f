/** What all generators need: the type of a generated file, paths in the repository, and texts as template literals. */
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

/** Returns the template literal that stands for a text in TypeScript. */
export function quoted(text: string): string {
  return `\`${text.replace(/[`\\]|\$\{/g, '\\$&')}\``;
}
