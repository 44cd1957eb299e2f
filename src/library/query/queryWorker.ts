/**
 * The thread that answers questions. It only reads the files, so it can be ended at any moment. The build bundles it into
 * `src/generated/queryWorker.ts` as text. Every form of the program can start this text, even an executable without files
 * beside it.
 */
import { readFileSync, statSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import initSqlJs, { type Database, type SqlJsConfig, type SqlJsStatic } from 'sql.js';
import { foldLetters } from '../../music/names.ts';
import { type DiskFile, openDiskFile } from '../../store/sql/diskFile.ts';
import { createPagedFile } from '../../store/sql/pagedFile.ts';
import { type WasmInstance, wasm } from '../../store/sql/wasm.ts';
import { MEMORY_ID, MEMORY_TABLES } from '../files/schema.ts';
import type { Question, Reply, WorkerStart } from './messages.ts';
import { Refused, runQuery } from './runQuery.ts';

const { module, heapLimit } = workerData as WorkerStart;

let memory: { buffer: ArrayBuffer } | null = null;

function instantiate(imports: object, done: (instance: WasmInstance) => void): object {
  const instance = new wasm.Instance(module, imports);
  memory = Object.values(instance.exports).find((one) => one instanceof wasm.Memory) ?? null;
  done(instance);
  return instance.exports;
}

interface Opened {
  db: Database;
  /** Closes the file of `db`. */
  close(): void;
  /** `memory.db`, attached to `db`; null if there is no such file. */
  other: { db: Database; file: DiskFile } | null;
  /** The marks of both files when they were opened (`markOf`). */
  mirror: string;
  memory: string;
}

let opened: Opened | null = null;

/** Returns a text that changes whenever the file does, since each save makes a new file. Returns '' for null. */
function markOf(path: string | null): string {
  if (path === null) return '';
  const { ino, size, mtimeMs } = statSync(path);
  return `${path} ${ino} ${size} ${mtimeMs}`;
}

function open(SQL: SqlJsStatic, question: Question): Database {
  const marks = { mirror: markOf(question.mirror), memory: markOf(question.memory) };
  if (opened && opened.mirror === marks.mirror && opened.memory === marks.memory) return opened.db;
  opened?.db.close();
  opened?.other?.db.close();
  opened?.other?.file.close();
  opened?.close();
  opened = null;
  const { bytes, close } = fileOf(question.mirror);
  const db = new SQL.Database(bytes);
  db.exec(`pragma temp_store = memory; pragma cache_size = -${CACHE_KIB};`);
  // Counting the rows fails if the file is not a database.
  db.exec('select count(*) from saved');
  const other = asOf('memory.db', () => attachMemory(SQL, db, question.memory));
  db.create_function('fold', (text: unknown) => (text === null ? null : foldLetters(String(text))));
  db.exec(`pragma hard_heap_limit = ${heapLimit}; pragma query_only = on;`);
  opened = { db, close, other, ...marks };
  return db;
}

/**
 * Size of the cache for the copy, which stays on the disk. Twice as much would save a tenth of the time with a library of
 * 20 MB.
 */
const CACHE_KIB = 4_000;

function fileOf(path: string): DiskFile {
  // Windows does not let an open file be replaced, so the thread reads the whole file and closes it.
  if (process.platform !== 'win32') return openDiskFile(path);
  return { bytes: createPagedFile(readFileSync(path)).bytes, close() {} };
}

/** Size of the cache for `memory.db`. In a very long history, a question about one year reads about this much. */
const MEMORY_CACHE_KIB = 12_000;

/**
 * To a question, both files are one database. sql.js gives the file of each database a name, by which another database can
 * attach it.
 */
function attachMemory(SQL: SqlJsStatic, db: Database, path: string | null): Opened['other'] {
  if (path === null) {
    db.exec(
      `attach ':memory:' as memory; ${MEMORY_TABLES.replaceAll('create table ', 'create table memory.')}`,
    );
    return null;
  }
  const file = fileOf(path);
  const other = new SQL.Database(file.bytes);
  const name = other.exec('pragma database_list')[0]?.values[0]?.[2];
  db.exec('attach ? as memory', [String(name)]);
  // An empty file is a database without tables. The server puts it aside, like any other damaged one.
  if (db.exec('pragma memory.application_id')[0]?.values[0]?.[0] !== MEMORY_ID)
    throw new Error('it has no playlist versions or plays');
  db.exec(`pragma memory.cache_size = -${MEMORY_CACHE_KIB};`);
  return { db: other, file };
}

function answer(SQL: SqlJsStatic, question: Question): Reply {
  const { id } = question;
  const heapBytes = () => memory?.buffer.byteLength ?? 0;
  try {
    const rows = runQuery(
      asOf('library.db', () => open(SQL, question)),
      question.sql,
      question,
      (text) => parentPort?.postMessage({ kind: 'part', text } satisfies Reply),
    );
    return { kind: 'rows', id, rows, heapBytes: heapBytes() };
  } catch (error) {
    const { reason, message } = error instanceof Refused ? error : new Refused('statement', String(error));
    return { kind: 'refused', id, reason, message, heapBytes: heapBytes() };
  }
}

/** Does some work on a file. @throws Refused that names the file */
function asOf<T>(file: 'library.db' | 'memory.db', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(file, error instanceof Error ? error.message : String(error));
  }
}

async function start(port: MessagePort): Promise<void> {
  const SQL = await initSqlJs({ instantiateWasm: instantiate } as SqlJsConfig);
  port.on('message', (question: Question) => port.postMessage(answer(SQL, question)));
  port.postMessage({ kind: 'ready' } satisfies Reply);
}

if (parentPort) void start(parentPort);
