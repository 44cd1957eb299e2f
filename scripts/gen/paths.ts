import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An absolute path below the repository. */
export function inRepository(...parts: string[]): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..', '..', ...parts);
}
