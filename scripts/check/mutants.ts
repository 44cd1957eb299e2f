/**
 * Finds mutants of `test/simulate` that cannot be applied: the passage that they replace is no longer in the program, or is there
 * more than once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changed, MUTANTS } from '../../test/simulate/mutants.ts';
import { root } from './files.ts';

/** Returns a message for each such mutant, with what to do. */
export function lostMutants(): string[] {
  return MUTANTS.flatMap((mutant) => {
    try {
      changed(readFileSync(join(root, mutant.file), 'utf8'), mutant);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}
