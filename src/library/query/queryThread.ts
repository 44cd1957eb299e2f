/** The thread that answers questions. It only reads the files, so it can be ended at any moment. */
import { readFileSync, statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import type { Database, SqlJsStatic } from 'sql.js';
import { messageOf } from '../../base/thrown.ts';
import { foldLetters } from '../../music/names.ts';
import { openDiskFile } from '../../store/sql/diskFile.ts';
import { firstValue } from '../../store/sql/migrate.ts';
import { createPagedFile } from '../../store/sql/pagedFile.ts';
import { MEMORY, NO_PLAYS, NO_VERSIONS, PLAYS } from '../files/schema.ts';
import {
  Damage,
  type LibraryFileName,
  type PostedQuestion,
  type QueryStart,
  Refused,
  type Reply,
  runQuery,
} from './runQuery.ts';

/**
 * Size of the cache for the copy, which stays on the disk. Twice as much would save a tenth of the time with a library of
 * 20 MB.
 */
const CACHE_KIB = 4_000;

/** The files that are attached to the copy, with their tables for a home that lacks the file. */
const ATTACHED = [
  { of: 'memory', name: 'memory.db', id: MEMORY.applicationId, empty: NO_VERSIONS, cacheKiB: 1_000 },
  // In a very long history, a question about one year reads about this much.
  { of: 'plays', name: 'plays.db', id: PLAYS.applicationId, empty: NO_PLAYS, cacheKiB: 12_000 },
] as const;

interface Opened {
  db: Database;
  /** The marks of the files when they were opened (`markOf`). */
  marks: string;
  /** What is closed with the database. */
  parts: Array<{ close(): void }>;
}

/** Answers the questions that come from `port`. @param heapBytes returns how much memory SQLite has taken */
export function answerQueries(
  port: MessagePort,
  { heapLimit }: QueryStart,
  SQL: SqlJsStatic,
  heapBytes: () => number,
): void {
  const tell = (reply: Reply) => {
    const csv = reply.kind === 'rows' ? (reply.rows.csv ?? []) : [];
    port.postMessage(
      reply,
      csv.map(({ buffer }) => buffer as ArrayBuffer),
    );
  };
  let opened: Opened | null = null;
  /** The content of the copy. */
  let copy: Uint8Array = new Uint8Array();

  function database({ mirror, files }: PostedQuestion): Database {
    if (mirror.bytes) copy = mirror.bytes;
    const marks = [mirror.mark, ...Object.values(files).map(markOf)].join('\n');
    if (opened?.marks === marks) return opened.db;
    for (const one of opened ? [opened.db, ...opened.parts] : []) one.close();
    opened = null;
    const { db, parts } = asOf('library.db', () => {
      const main = new SQL.Database(createPagedFile(copy).bytes);
      main.exec(`pragma temp_store = memory; pragma cache_size = -${CACHE_KIB};`);
      return { db: main, parts: [] as Opened['parts'] };
    });
    for (const { of, name, id, empty, cacheKiB } of ATTACHED)
      asOf(name, () => {
        const path = files[of];
        const file = path === null ? null : fileOf(path);
        const other = new SQL.Database(file?.bytes);
        parts.push(other, ...(file ? [file] : []));
        if (file === null) other.exec(empty);
        else if (firstValue(other, 'pragma application_id') !== id)
          throw new Error('it is not the library’s');
        attach(db, other, of);
        db.exec(`pragma ${of}_file.cache_size = -${cacheKiB};`);
      });
    db.create_function('fold', (text: unknown) => (text === null ? null : foldLetters(String(text))));
    db.exec(`pragma hard_heap_limit = ${heapLimit}; pragma query_only = on;`);
    opened = { db, marks, parts };
    return db;
  }

  function answer(question: PostedQuestion): Reply {
    try {
      const db = database(question);
      tell({ kind: 'begun' });
      try {
        return { kind: 'rows', rows: runQuery(db, question.sql, question), heapBytes: heapBytes() };
      } catch (error) {
        throw error instanceof Damage ? new Refused(damagedFile(db), error.message) : error;
      }
    } catch (error) {
      const { reason, message } =
        error instanceof Refused ? error : new Refused('statement', messageOf(error));
      return { kind: 'refused', reason, message, heapBytes: heapBytes() };
    }
  }

  port.on('message', (question: PostedQuestion) => tell(answer(question)));
}

/**
 * Attaches another database to one, as `<name>_file`. To a question, both are one database. sql.js gives the file of each database
 * a name, by which another database can attach it. @internal
 */
export function attach(db: Database, other: Database, name: string): void {
  const file = other.exec('pragma database_list')[0]?.values[0]?.[2];
  db.exec(`attach ? as ${name}_file`, [String(file)]);
}

/** Returns a text that changes whenever the file does, since each save makes a new file. Returns '' for null. */
function markOf(path: string | null): string {
  const found = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return found ? `${path} ${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

function fileOf(path: string): { bytes: Uint8Array; close(): void } {
  // Windows does not let an open file be replaced, so the thread reads the whole file and closes it.
  if (process.platform !== 'win32') return openDiskFile(path);
  return { bytes: createPagedFile(readFileSync(path)).bytes, close() {} };
}

/** Does some work on a file. @throws Refused that names the file */
function asOf<T>(file: LibraryFileName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Refused(file, messageOf(error));
  }
}

/** Finds out which of the files is damaged, since SQLite does not say so. */
function damagedFile(db: Database): LibraryFileName {
  for (const { of, name } of ATTACHED) {
    try {
      if (firstValue(db, `pragma ${of}_file.quick_check(1)`) !== 'ok') return name;
    } catch {
      return name;
    }
  }
  return 'library.db';
}
