/** The line of `relay status` for `memory.db`. Reads only the start of the file, since the whole may take a hundred megabytes. */
import { stat } from 'node:fs/promises';
import { isoOf } from '../../base/clock.ts';
import { readStart } from '../../base/files.ts';
import { sizeText } from '../../base/lists.ts';
import { nullIfMissing } from '../../base/thrown.ts';
import { messageOf } from '../../domain/errors.ts';
import type { StatusEntry } from '../../domain/localApi.ts';
import { memoryCompanion } from '../../library/files/files.ts';
import { newestOf } from '../../store/sql/migrate.ts';

/** Returns the line; null if the home has no such file yet. */
export async function memoryEntry(home: string): Promise<StatusEntry | null> {
  const { path, applicationId, migrations } = memoryCompanion(home);
  const line = (state: StatusEntry['state'], summary: string, text?: string): StatusEntry => {
    return { part: 'memory', state, summary, remedy: text === undefined ? null : { text } };
  };
  try {
    const found = await stat(path).catch(nullIfMissing);
    if (!found) return null;
    const start = await readStart(path, 72);
    // The places of `user_version` and `application_id` (sqlite.org/fileformat2.html, 1.3).
    if (start.length < 72 || start.readUInt32BE(68) !== applicationId) {
      return line(
        'bad',
        `${path} is damaged`,
        'restore a copy; otherwise relay puts the damaged file aside at the next use',
      );
    }
    const version = start.readUInt32BE(60);
    if (version > newestOf(migrations))
      return line('bad', `${path} was written by a newer version of relay`, 'update relay');
    const saved = isoOf(Math.round(found.mtimeMs));
    return line(
      'ok',
      `schema ${version}, ${sizeText(found.size)}, saved ${saved}: playlist versions and plays`,
    );
  } catch (error) {
    return line('bad', `${path} cannot be read: ${messageOf(error)}`, `make ${path} readable for its owner`);
  }
}
