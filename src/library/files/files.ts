/** `library.db`, `memory.db` and `plays.db`: where they are, and how each is made and brought up to date. */
import { join } from 'node:path';
import type { Companion } from '../../store/copies/companion.ts';
import {
  firstValue,
  type Migration,
  migrate,
  newestOf,
  readVersions,
  refuseEarlier,
  refuseNewer,
} from '../../store/sql/migrate.ts';
import {
  createLibraryFile,
  type FileKind,
  type LibraryFile,
  type LibraryFileOptions,
} from './libraryFile.ts';
import {
  MEMORY_ID,
  MEMORY_MIGRATIONS,
  MIRROR_ID,
  MIRROR_SCHEMA,
  MIRROR_VERSION,
  PLAYS_ID,
  PLAYS_MIGRATIONS,
} from './schema.ts';

type Place = Omit<LibraryFileOptions, 'path' | 'kind'> & { home: string };

/** Returns the copy of the library. The copy can be read again, so a file that is damaged or of another version is dropped. */
export function mirrorFile({ home, ...place }: Place): LibraryFile {
  return createLibraryFile({ ...place, path: join(home, 'library.db'), kind: MIRROR });
}

/** Returns the file with versions. They cannot be read again, so a damaged file is put aside. */
export function memoryFile({ home, ...place }: Place): LibraryFile {
  return createLibraryFile({ ...place, path: join(home, 'memory.db'), kind: MEMORY });
}

/**
 * Returns the file with plays, which may take a hundred megabytes. Only the thread of an import opens it; others only ask whether
 * it exists, drop it, or put a damaged one aside.
 */
export function playsFile({ home, ...place }: Place): LibraryFile {
  return createLibraryFile({ ...place, path: join(home, 'plays.db'), kind: PLAYS });
}

/** Describes for `relay backup` and `relay restore` the files that go into a copy, since they cannot be read again. */
export function companionsOf(home: string): Companion[] {
  return [
    {
      ...{ path: join(home, 'memory.db'), applicationId: MEMORY_ID, migrations: MEMORY_MIGRATIONS },
      ...{ table: 'versions', holds: 'playlist versions' },
    },
    {
      ...{ path: join(home, 'plays.db'), applicationId: PLAYS_ID, migrations: PLAYS_MIGRATIONS },
      ...{ table: 'plays', holds: 'plays' },
    },
  ];
}

const MIRROR: FileKind = {
  make: (db) => void db.exec(MIRROR_SCHEMA),
  prepare(db) {
    const found = ['application_id', 'user_version'].map((name) => firstValue(db, `pragma ${name}`));
    if (found.join() !== [MIRROR_ID, MIRROR_VERSION].join()) throw new Error('it is of another version');
    // Counting the rows fails if the file was cut off.
    db.exec('select count(*) from tracks; select count(*) from playlist_rows; select count(*) from saved;');
  },
  damaged: 'drop',
};

const MEMORY: FileKind = migrated(MEMORY_ID, MEMORY_MIGRATIONS);

/**
 * An import is one large transaction, and one that fails is never saved. So its changes may go to the file in memory before it
 * ends, without a journal: otherwise they would be in memory twice.
 */
const PLAYS: FileKind = {
  ...migrated(PLAYS_ID, PLAYS_MIGRATIONS),
  settings: 'pragma journal_mode = off; pragma cache_spill = on; pragma cache_size = -24000;',
};

/** Describes a file that is kept for good: it is migrated forward, and a damaged one is put aside. */
function migrated(applicationId: number, migrations: readonly Migration[]): FileKind {
  return {
    make(db) {
      migrate(db, migrations);
      db.exec(`pragma application_id = ${applicationId}`);
    },
    prepare(db, path) {
      if (firstValue(db, 'pragma application_id') !== applicationId)
        throw new Error('it belongs to another program');
      if (firstValue(db, 'pragma quick_check(1)') !== 'ok') throw new Error('SQLite reports damage');
      const versions = readVersions(db);
      refuseEarlier(versions.schemaVersion, migrations, path);
      refuseNewer(versions, newestOf(migrations), path);
      migrate(db, migrations);
    },
    damaged: 'put_aside',
  };
}
