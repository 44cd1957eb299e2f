/** The line of `relay status` for `memory.db`, without what is in it, since the whole may take a hundred megabytes. */
import { stat } from 'node:fs/promises';
import { isoOf } from '../../base/clock.ts';
import { sizeText } from '../../base/lists.ts';
import { nullIfMissing } from '../../base/thrown.ts';
import { messageOf } from '../../domain/errors.ts';
import type { StatusEntry } from '../../domain/localApi.ts';
import { memoryCompanion } from '../../library/files/files.ts';

/** Returns the line; null if the home has no such file yet. */
export async function memoryEntry(home: string): Promise<StatusEntry | null> {
  const { path } = memoryCompanion(home);
  try {
    const found = await stat(path).catch(nullIfMissing);
    if (!found) return null;
    const saved = isoOf(Math.round(found.mtimeMs));
    const summary = `${sizeText(found.size)}, saved ${saved}: playlist versions and plays`;
    return { part: 'memory', state: 'ok', summary, remedy: null };
  } catch (error) {
    const remedy = { text: `make ${path} readable for its owner` };
    return { part: 'memory', state: 'bad', summary: `${path} cannot be read: ${messageOf(error)}`, remedy };
  }
}
