/** What the library runs on in a simulated history: queries answered in the same process. */
import type { Database } from 'sql.js';
import { RelayError } from '../../../src/domain/errors.ts';
import { NO_PLAYS, NO_VERSIONS } from '../../../src/library/files/schema.ts';
import type { QueryLine } from '../../../src/library/query/line.ts';
import { attach } from '../../../src/library/query/queryThread.ts';
import { type Question, Refused, type Rows, runQuery } from '../../../src/library/query/runQuery.ts';
import { foldLetters } from '../../../src/music/names.ts';
import { loadSqlite } from '../../../src/store/sql/sqlite.ts';
import type { MemoryDisk } from './disk.ts';

/** Answers queries from the library's files on a disk. */
export function lineOver(disk: MemoryDisk): QueryLine {
  return { ask: (question) => answer(disk, question), close: async () => {} };
}

async function answer(disk: MemoryDisk, { mirror, files, ...question }: Question): Promise<Rows> {
  const SQL = await loadSqlite();
  const opened: Database[] = [];
  const open = (path: string | null, empty = '') => {
    const db = new SQL.Database(path === null ? undefined : disk.content(path)?.bytes);
    opened.push(db);
    if (path === null) db.exec(empty);
    return db;
  };
  try {
    const db = new SQL.Database(mirror.bytes());
    opened.push(db);
    attach(db, open(files.memory, NO_VERSIONS), 'memory');
    attach(db, open(files.plays, NO_PLAYS), 'plays');
    db.create_function('fold', (text: unknown) => (text === null ? null : foldLetters(String(text))));
    return runQuery(db, question.sql, question);
  } catch (error) {
    if (error instanceof Refused) throw new RelayError('INVALID_ARGUMENT', error.message);
    throw error;
  } finally {
    for (const db of opened) db.close();
  }
}
