/** `library.db`, `memory.db` and `plays.db`: where they are, and what becomes of each if it is damaged. */
import { join } from 'node:path';
import type { Companion } from '../../store/backup.ts';
import type { DatabaseFileOptions } from '../../store/databaseFile.ts';
import { createLibraryFile, type LibraryFile } from './libraryFile.ts';
import { MEMORY, MIRROR, PLAYS } from './schema.ts';

type Place = Pick<DatabaseFileOptions, 'clock' | 'log' | 'disk' | 'sqlite'> & { home: string };

const SMALL_CACHE = 'pragma cache_size = -1000;';

const FILES = {
  /** The copy can be read again, so a file that is damaged or of another version is dropped. */
  'library.db': { format: MIRROR, onDamage: 'drop', settings: SMALL_CACHE },
  'memory.db': { format: MEMORY, onDamage: 'aside', settings: SMALL_CACHE },
  /**
   * May take a hundred megabytes. Only the thread of an import opens it; others only ask whether it exists, drop it, or put a damaged
   * one aside. An import is one large transaction, and one that fails is never saved. So its changes may go to the file in memory
   * before it ends, without a journal: otherwise they would be in memory twice.
   */
  'plays.db': {
    format: PLAYS,
    onDamage: 'aside',
    settings: 'pragma journal_mode = off; pragma cache_spill = on; pragma cache_size = -24000;',
  },
} as const;

export function libraryFile(
  name: keyof typeof FILES,
  { home, clock, log, disk, sqlite }: Place,
): LibraryFile {
  return createLibraryFile({ path: join(home, name), ...FILES[name], clock, log, disk, sqlite });
}

/** Describes for `relay backup` and `relay restore` the files that go into a copy, since they cannot be read again. */
export function companionsOf(home: string): Companion[] {
  return [
    { path: join(home, 'memory.db'), format: MEMORY, table: 'versions', holds: 'playlist versions' },
    { path: join(home, 'plays.db'), format: PLAYS, table: 'plays', holds: 'plays' },
  ];
}
