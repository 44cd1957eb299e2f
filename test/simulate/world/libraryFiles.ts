/** What the library runs on in a simulated history: files kept in memory, and queries answered in the same process. */
import type { Database } from 'sql.js';
import { RelayError } from '../../../src/domain/errors.ts';
import type { FileDisk } from '../../../src/library/files/libraryFile.ts';
import { NO_PLAYS, NO_VERSIONS } from '../../../src/library/files/schema.ts';
import type { QueryLine } from '../../../src/library/query/line.ts';
import type { Question, Rows } from '../../../src/library/query/messages.ts';
import { attach } from '../../../src/library/query/queryThread.ts';
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

  line(): QueryLine {
    return { ask: (question) => this.#answer(question), close: async () => {} };
  }

  async #answer({ files, ...question }: Question): Promise<Rows> {
    const SQL = await loadSqlite();
    const opened: Database[] = [];
    const open = (path: string | null, empty = '') => {
      const db = new SQL.Database(path === null ? undefined : this.files.get(path)?.slice());
      opened.push(db);
      if (path === null) db.exec(empty);
      return db;
    };
    try {
      const db = open(files.mirror);
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
}
