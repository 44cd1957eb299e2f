/** What the library runs on in a simulated history: files kept in memory, and queries answered in the same process. */
import type { Database } from 'sql.js';
import { RelayError } from '../../../src/domain/errors.ts';
import type { FileDisk } from '../../../src/library/files/libraryFile.ts';
import { MEMORY_TABLES } from '../../../src/library/files/schema.ts';
import type { Question, Rows } from '../../../src/library/query/messages.ts';
import type { QueryPool } from '../../../src/library/query/pool.ts';
import { Refused, runQuery } from '../../../src/library/query/runQuery.ts';
import { foldLetters } from '../../../src/music/names.ts';
import { loadSqlite } from '../../../src/store/sql/sqlite.ts';
import type { VirtualTime } from './time.ts';

/** Files that outlive the simulated process. A write shows only once its step has ended. */
export class LibraryFiles {
  readonly files = new Map<string, Uint8Array>();

  /** @param isAlive whether the process that uses the files still runs */
  forProcess(time: VirtualTime, isAlive: () => boolean): FileDisk {
    const step = <T>(work: () => T): Promise<T> =>
      new Promise((resolve) => void time.after(1, () => isAlive() && resolve(work()), 'computer'));
    const { files } = this;
    return {
      clean: async () => {},
      exists: async (path) => files.has(path),
      read: (path) => step(() => files.get(path)?.slice() ?? null),
      replace: (path, parts) => {
        const bytes = new Uint8Array(Buffer.concat(parts));
        return step(() => void files.set(path, bytes));
      },
      remove: (path) => step(() => void files.delete(path)),
      putAside: (path) => step(() => void files.delete(path)),
    };
  }

  pool(): QueryPool {
    return { size: 0, ask: (question) => this.#answer(question), close: async () => {} };
  }

  async #answer({ mirror, memory, ...question }: Omit<Question, 'id'>): Promise<Rows> {
    const SQL = await loadSqlite();
    const opened: Database[] = [];
    const open = (path: string) => {
      const db = new SQL.Database(this.files.get(path)?.slice());
      opened.push(db);
      return db;
    };
    try {
      const db = open(mirror);
      if (memory === null) {
        db.exec(
          `attach ':memory:' as memory; ${MEMORY_TABLES.replaceAll('create table ', 'create table memory.')}`,
        );
      } else {
        const file = open(memory).exec('pragma database_list')[0]?.values[0]?.[2];
        db.exec('attach ? as memory', [String(file)]);
      }
      db.create_function('fold', (text: unknown) => (text === null ? null : foldLetters(String(text))));
      return runQuery(db, question.sql, question);
    } catch (error) {
      if (error instanceof Refused) throw new RelayError('INVALID_ARGUMENT', error.message);
      throw error;
    } finally {
      for (const db of opened) db.close();
    }
  }
}
