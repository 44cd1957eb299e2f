/** The lines of `relay status` for `memory.db` and `plays.db`, without what is in them: plays may take a hundred megabytes. */
import { stat } from 'node:fs/promises';
import { isoOf } from '../../base/clock.ts';
import { sizeText } from '../../base/lists.ts';
import { nullIfMissing } from '../../base/thrown.ts';
import { messageOf } from '../../domain/errors.ts';
import type { StatusEntry } from '../../domain/localApi.ts';
import { companionsOf } from '../../library/files/files.ts';
import type { Companion } from '../../store/backup.ts';

export async function memoryEntries(home: string): Promise<StatusEntry[]> {
  const entries = await Promise.all(companionsOf(home).map(entryOf));
  return entries.filter((entry) => entry !== null);
}

async function entryOf({ path, holds, table }: Companion): Promise<StatusEntry | null> {
  const part = table === 'plays' ? 'plays' : 'memory';
  try {
    const found = await stat(path).catch(nullIfMissing);
    if (!found) return null;
    const saved = isoOf(Math.round(found.mtimeMs));
    const summary = `${sizeText(found.size)}, saved ${saved}: ${holds}`;
    return { part, state: 'ok', summary, remedy: null };
  } catch (error) {
    const remedy = { text: `make ${path} readable for its owner` };
    return { part, state: 'bad', summary: `${path} cannot be read: ${messageOf(error)}`, remedy };
  }
}
