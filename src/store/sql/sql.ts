/** Statements and transactions on the database in memory, and the count of its changes, which tells when to save. */
import type { Database } from 'sql.js';
import { RelayError } from '../../domain/errors.ts';
import type { SaveSource } from '../file/save.ts';
import type { Store } from '../types.ts';
import { imageOf, type PagedFile } from './pagedFile.ts';
import { type CachedStatement, createStatementCache } from './statements.ts';

export interface Sql extends Pick<Store, 'run' | 'get' | 'all' | 'transaction'>, SaveSource {
  /** Closes the database; later statements throw. */
  close(): void;
}

/** @param file the file of the database, if it can give images without copying */
export function createSql(db: Database, file: PagedFile | null = null): Sql {
  const statements = createStatementCache(db);
  let version = 0;
  let depth = 0;
  let closed = false;

  function prepared(sql: string): CachedStatement {
    if (closed)
      throw new RelayError('STORE_ERROR', 'The state file is closed.', { remedy: 'Start relay again.' });
    return statements.get(sql);
  }

  function changedBy(kind: CachedStatement['kind']): number {
    const changes = kind === 'rows' ? db.getRowsModified() : 0;
    if (changes > 0 || kind === 'schema') version++;
    if (kind === 'schema') statements.clear();
    return changes;
  }

  function rows<T>(sql: string, params: Parameters<Store['all']>[1], limit: number): T[] {
    const { statement, kind, bind, row } = prepared(sql);
    const found: T[] = [];
    // A statement that writes must run to its end, whatever it returns.
    const enough = kind === 'read' ? limit : Number.POSITIVE_INFINITY;
    try {
      bind(params);
      while (found.length < enough && statement.step()) found.push(row() as T);
    } finally {
      statement.reset();
    }
    changedBy(kind);
    return found;
  }

  function transaction<T>(work: () => T): T {
    const point = depth === 0 ? null : `inner_${depth}`;
    const before = version;
    runStep(point ? `savepoint ${point}` : 'begin immediate');
    depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error('The work of a transaction must be synchronous');
      runStep(point ? `release ${point}` : 'commit');
      return result;
    } catch (error) {
      rollBack(point);
      version = before;
      throw error;
    } finally {
      depth--;
    }
  }

  /** Runs a step of a transaction. */
  function runStep(sql: string): void {
    const { statement } = statements.get(sql);
    try {
      statement.step();
    } finally {
      statement.reset();
    }
  }

  function rollBack(point: string | null): void {
    try {
      db.exec(point ? `rollback to ${point}; release ${point}` : 'rollback');
    } catch {
      // After some errors SQLite has rolled back by itself (sqlite.org/lang_transaction.html, 2.1).
    }
  }

  return {
    run(sql, params) {
      const { statement, kind, bind } = prepared(sql);
      try {
        bind(params);
        statement.step();
      } finally {
        statement.reset();
      }
      return { changes: changedBy(kind) };
    },
    get: <T>(sql: string, params: Parameters<Store['get']>[1]) => rows<T>(sql, params, 1)[0],
    all: <T>(sql: string, params: Parameters<Store['all']>[1]) =>
      rows<T>(sql, params, Number.POSITIVE_INFINITY),
    transaction,
    image() {
      if (depth > 0) throw new Error('An image inside a transaction would hold half of it');
      // Since sql.js 1.16 `export` copies page by page into one buffer and keeps statements and settings.
      return file?.image() ?? imageOf(db.export());
    },
    version: () => version,
    close() {
      closed = true;
    },
  };
}
