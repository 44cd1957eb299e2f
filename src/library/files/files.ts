/** `library.db` and `memory.db`: where they are, and how each is made and brought up to date. */
import { join } from 'node:path';
import type { Companion } from '../../store/copies/companion.ts';
import { firstValue, migrate, newestOf, readVersions, refuseNewer } from '../../store/sql/migrate.ts';
import {
  createLibraryFile,
  type FileKind,
  type LibraryFile,
  type LibraryFileOptions,
} from './libraryFile.ts';
import { MEMORY_ID, MEMORY_MIGRATIONS, MIRROR_ID, MIRROR_SCHEMA, MIRROR_VERSION } from './schema.ts';

type Place = Omit<LibraryFileOptions, 'path' | 'kind'> & { home: string };

/** Returns the copy of the library. The copy can be read again, so a file that is damaged or of another version is dropped. */
export function mirrorFile({ home, ...place }: Place): LibraryFile {
  return createLibraryFile({ ...place, path: join(home, 'library.db'), kind: MIRROR });
}

/** Returns the file with versions and plays. They cannot be read again, so a damaged file is put aside. */
export function memoryFile({ home, ...place }: Place): LibraryFile {
  return createLibraryFile({ ...place, path: memoryPath(home), kind: MEMORY });
}

/** Describes `memory.db` for `relay backup` and `relay restore`. A backup is one file, which also holds these tables. */
export function memoryCompanion(home: string): Companion {
  return { path: memoryPath(home), applicationId: MEMORY_ID, migrations: MEMORY_MIGRATIONS };
}

function memoryPath(home: string): string {
  return join(home, 'memory.db');
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

/** Files of up to this many bytes are checked whole when they are opened; larger ones only when something in them fails. */
const CHECKED = 16 * 1024 * 1024;

const MEMORY: FileKind = {
  make(db) {
    migrate(db, MEMORY_MIGRATIONS);
    db.exec(`pragma application_id = ${MEMORY_ID}`);
  },
  prepare(db, { path, size }) {
    if (firstValue(db, 'pragma application_id') !== MEMORY_ID)
      throw new Error('it belongs to another program');
    const pages = Number(firstValue(db, 'pragma page_count'));
    if (pages * Number(firstValue(db, 'pragma page_size')) > size) throw new Error('it is cut off');
    if (size <= CHECKED && firstValue(db, 'pragma quick_check(1)') !== 'ok')
      throw new Error('SQLite reports damage');
    refuseNewer(readVersions(db), newestOf(MEMORY_MIGRATIONS), path);
    migrate(db, MEMORY_MIGRATIONS);
  },
  damaged: 'put_aside',
};
