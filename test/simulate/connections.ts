/**
 * Keeps SQLite connections from one history (one run of the simulator from one seed) to the next. Opening a database, reading its
 * schema and preparing the same statements each time would take a fifth of a history's time. A connection that the program closes
 * is used again for the next file with the same schema.
 *
 * SQLite works on a file of Emscripten's MEMFS. Here the file's content is an object that passes everything on to the current
 * file (`src/store/sql/pagedFile.ts` says why that works). Between two files the connection holds no lock. So SQLite looks at
 * the change counter, which is different in each file, and forgets what it has read.
 */
import type { BindParams, Database, QueryExecResult, SqlJsStatic, SqlValue, Statement } from 'sql.js';
import { APPLICATION_ID } from '../../src/store/sql/migrate.ts';

/** How long MEMFS says that a file is, in bytes: longer than any state. SQLite goes by the length in the header. */
const LENGTH = 64 * 1024 * 1024;
/** Settings that stay with a connection. Setting one prepares every statement again, even if nothing changes. */
const SETTING =
  /^pragma (foreign_keys|locking_mode|journal_mode|synchronous|temp_store|cache_spill) = (\w+)$/;
/** A single statement that only reads. */
const READING = /^(select [^;]+|pragma \w+)$/;
/** How many statements a connection keeps for the next program. */
const CAPACITY = 400;
/** Where the header has the change counter and its copy (sqlite.org/fileformat2.html, 1.3.7 and 1.3.16). */
const COUNTERS = [24, 92];
/** How far the counters of two files are apart: more than the number of changes that one program makes. */
const COUNTER_STEP = 100_000;
const APPLICATION_ID_AT = 68;

/** The part of a byte array that MEMFS uses. */
interface Content {
  subarray(begin: number, end: number): Uint8Array;
  set(bytes: Uint8Array, at: number): void;
}

/** The place where SQLite finds the current file. */
class Place {
  /** The current file; null after the program has closed the connection. */
  present: Content | null;

  constructor(first: Content) {
    this.present = first;
  }

  /** The bytes to give to the constructor of a database. */
  get bytes(): Uint8Array {
    const content = {
      length: Number.MAX_SAFE_INTEGER,
      subarray: (begin: number, end: number) => this.file.subarray(begin, end),
      set: (bytes: Uint8Array, at: number) => this.file.set(bytes, at),
    };
    const bytes = { length: LENGTH, subarray: () => bytes, slice: () => content };
    return bytes as unknown as Uint8Array;
  }

  get file(): Content {
    if (!this.present) throw new Error('The database is closed.');
    return this.present;
  }
}

export interface Connections {
  /** Closes connections that the program has left open. */
  closeOpen(): void;
}

/** Makes every database of a state that is opened from now on use a kept connection. Call this once in a process. */
export function keepConnections(SQL: SqlJsStatic): Connections {
  const { Database } = SQL;
  const open = new Set<Database>();
  let made = 0;
  /** Connections that are not in use, by the schema of their last file. */
  const idle = new Map<string, Kept[]>();

  class Tracked extends Database {
    override close(): void {
      open.delete(this);
      super.close();
    }
  }

  class Kept extends Database {
    #place: Place;
    #schema = '';
    #files = 0;
    #isSound = true;
    #settings = new Map<string, string>();
    #used = new Set<Statement>();
    #free = new Map<string, Statement>();

    constructor(place: Place) {
      // sql.js already reads the file in this constructor, before `#place` is set.
      super(place.bytes);
      this.#place = place;
      this.#schema = schemaOf(place.file);
    }

    /** Replaces the random name that sql.js gives: random numbers are the same in each history, so names would be used twice. */
    set filename(_: string) {
      Object.defineProperty(this, 'filename', { value: `kept-${++made}` });
    }

    begin(file: Content): this {
      const counter = Buffer.alloc(4);
      counter.writeUInt32BE((++this.#files * COUNTER_STEP) % 2 ** 32);
      for (const at of COUNTERS) file.set(counter, at);
      this.#place.present = file;
      return this;
    }

    override prepare(sql: string): Statement {
      const statement = this.#free.get(sql) ?? this.#prepared(sql);
      this.#free.delete(sql);
      this.#used.add(statement);
      return statement;
    }

    override exec(text: string, params?: BindParams): QueryExecResult[] {
      if (READING.test(text)) return this.#read(text);
      const parts = text.split(';').map((part) => part.trim());
      const settings = parts.filter((part) => part !== '').map((part) => SETTING.exec(part));
      for (const setting of settings) {
        if (!setting) return this.#exec(text, params);
        const [sql, name = '', value = ''] = setting;
        if (this.#settings.get(name) === value) continue;
        this.#exec(sql);
        this.#settings.set(name, value);
      }
      return [];
    }

    override close(): void {
      if (!this.#place.present) return;
      open.delete(this);
      for (const statement of [...this.#used]) statement.free();
      if (!this.#isLetGo() || schemaOf(this.#place.file) !== this.#schema) {
        super.close();
        return;
      }
      this.#place.present = null;
      for (const [sql, statement] of this.#free) {
        if (this.#free.size <= CAPACITY) break;
        this.#free.delete(sql);
        plain(statement).free.call(statement);
      }
      const others = idle.get(this.#schema) ?? [];
      idle.set(this.#schema, [...others, this]);
    }

    /** True if the connection is in no transaction and no longer holds a lock. */
    #isLetGo(): boolean {
      try {
        this.exec('pragma locking_mode = normal');
        // SQLite gives up the lock at the next statement that reads.
        this.exec('begin; pragma user_version; commit');
      } catch {
        return false;
      }
      return this.#isSound;
    }

    /** Runs a statement that returns rows, and keeps it for the next program. */
    #read(sql: string): QueryExecResult[] {
      const statement = this.prepare(sql);
      const values: SqlValue[][] = [];
      while (statement.step()) values.push(statement.get());
      statement.free();
      return values.length === 0 ? [] : [{ columns: statement.getColumnNames(), values }];
    }

    #exec(sql: string, params?: BindParams): QueryExecResult[] {
      try {
        return super.exec(sql, params);
      } catch (error) {
        this.#isSound = false;
        throw error;
      }
    }

    #prepared(sql: string): Statement {
      const statement = super.prepare(sql);
      const { getColumnNames, free } = plain(statement);
      let names: string[] | null = null;
      return Object.assign(statement, {
        getColumnNames: () => (names ??= getColumnNames.call(statement)),
        free: () => {
          this.#used.delete(statement);
          statement.reset();
          const other = this.#free.get(sql);
          if (other) free.call(other);
          return this.#free.set(sql, statement).has(sql);
        },
      });
    }
  }

  SQL.Database = new Proxy(Database, {
    construct(_, given: ConstructorParameters<typeof Database>) {
      const file = stateIn(given[0]);
      const database = file
        ? (idle.get(schemaOf(file))?.pop()?.begin(file) ?? new Kept(new Place(file)))
        : new Tracked(...given);
      open.add(database);
      return database;
    },
  });
  return {
    closeOpen() {
      for (const database of [...open]) database.close();
    },
  };
}

/** The file of a state; null if the bytes are any other database. */
function stateIn(bytes: ArrayLike<number> | Buffer | null | undefined): Content | null {
  if (!(bytes instanceof Uint8Array) || !Object.hasOwn(bytes, 'slice')) return null;
  const isState =
    Buffer.from(bytes.buffer, bytes.byteOffset, 100).readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
  return isState ? (bytes.slice() as Content) : null;
}

/** The page size, SQLite's counter of schema changes, and the program's version of the schema. */
function schemaOf(file: Content): string {
  return [
    [16, 18],
    [40, 44],
    [60, 64],
  ]
    .map(([begin = 0, end = 0]) => Buffer.from(file.subarray(begin, end)).toString('hex'))
    .join();
}

/** The methods of sql.js for a statement, without the methods that this file replaces. */
function plain(statement: Statement): Statement {
  return Object.getPrototypeOf(statement);
}
