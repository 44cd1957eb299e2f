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

const HEADER = 72;

/** The size of a database in bytes, by its header: pages of a size of which 1 means 65,536. */
function sizeIn(start: Buffer): number {
  const pageSize = start.readUInt16BE(16) === 1 ? 65_536 : start.readUInt16BE(16);
  return start.readUInt32BE(28) * pageSize;
}

/** Returns the line; null if the home has no such file yet. */
export async function memoryEntry(home: string): Promise<StatusEntry | null> {
  const { path, applicationId, migrations } = memoryCompanion(home);
  const line = (state: StatusEntry['state'], summary: string, text?: string): StatusEntry => {
    return { part: 'memory', state, summary, remedy: text === undefined ? null : { text } };
  };
  try {
    // The start is read first: meanwhile the server may replace the file by a larger one.
    const start = await readStart(path, HEADER).catch(nullIfMissing);
    const found = await stat(path).catch(nullIfMissing);
    if (!start || !found) return null;
    // The place of `application_id` (sqlite.org/fileformat2.html, 1.3).
    if (start.length < HEADER || start.readUInt32BE(68) !== applicationId || found.size < sizeIn(start)) {
      return line(
        'bad',
        `${path} is damaged`,
        'restore a copy; otherwise relay puts the damaged file aside at the next use',
      );
    }
    // The place of `user_version`.
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
