/**
 * Reads the state file, and refuses one that is damaged or not ours. Nothing here writes, so a refused file stays as it
 * was found.
 */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, SqlJsStatic } from 'sql.js';
import { shellWord } from '../../base/childProcess.ts';
import { readRegularFile, readStart, UnreadFile } from '../../base/files.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { APPLICATION_ID, firstValue } from '../sql/migrate.ts';

const MAGIC = 'SQLite format 3\0';

/** Returns the path of a home's state file. Follows a symbolic link, so that a save replaces the file and not the link. */
export async function stateFilePath(home: string): Promise<string> {
  const path = join(home, 'relay.db');
  return realpath(path).catch(() => path);
}

export interface StateFile {
  bytes: Uint8Array;
  /** When these bytes were written, Unix milliseconds. */
  savedAt: number;
}

/**
 * Reads the content of the file as it is at one moment, and checks its header; null if there is no file.
 * @param maxBytes a larger file is refused unread
 * @throws RelayError `STATE_DAMAGED`, `HOME_UNUSABLE`
 */
export async function readStateFile(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<StateFile | null> {
  const file = await readWhole(path, maxBytes).catch((error: unknown) => {
    if (error instanceof RelayError) throw error;
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new RelayError('HOME_UNUSABLE', `The state file ${path} cannot be read: ${messageOf(error)}.`, {
      remedy: 'Make it readable for the user that runs relay.',
      cause: error,
    });
  });
  if (!file) return null;
  const problem = headerProblem(file.bytes);
  if (problem) throw damaged(path, problem);
  await refuseUnfinished(path);
  return file;
}

/** Reads the whole file. A save replaces the file, so the opened file stays complete. */
async function readWhole(path: string, maxBytes: number): Promise<StateFile> {
  try {
    const { bytes, mtimeMs } = await readRegularFile(path, maxBytes);
    return { bytes, savedAt: Math.round(mtimeMs) };
  } catch (error) {
    if (!(error instanceof UnreadFile)) throw error;
    if (error.size === null) throw damaged(path, error.message);
    const isForeign = headerProblem(await readStart(path, 100), error.size);
    throw damaged(
      path,
      isForeign ?? `it is ${Math.round(error.size / 1024 / 1024)} MiB, larger than any state`,
    );
  }
}

/**
 * Opens a database in memory with the content of `bytes`, and checks it for damage.
 * @throws RelayError `STATE_DAMAGED`
 */
export function openImage(SQL: SqlJsStatic, path: string, bytes: Uint8Array): Database {
  const db = new SQL.Database(inRollbackFormat(bytes));
  try {
    const verdict = firstValue(db, 'pragma quick_check(1)');
    if (verdict !== 'ok') throw new Error(String(verdict));
    return db;
  } catch (error) {
    db.close();
    throw damaged(path, `SQLite reports damage (${messageOf(error)})`, error);
  }
}

/** Makes the error for a command that needs a state in a home that has none. */
export function noState(home: string): RelayError {
  return new RelayError('NOT_FOUND', `There is no state in ${home} yet.`, {
    remedy: { text: 'Run {command} first, or choose another home with --home.', command: ['serve'] },
    details: { home },
  });
}

export function damaged(path: string, problem: string, cause?: unknown): RelayError {
  return new RelayError(
    'STATE_DAMAGED',
    `The state file ${path} cannot be used: ${problem}. It was not changed.`,
    {
      remedy: {
        text: 'Restore a copy with {command}, or move the file away to start over.',
        command: ['restore', 'FILE'],
      },
      details: { path },
      cause,
    },
  );
}

/** True for the first bytes of any SQLite database. */
export function isSqlite(start: Buffer): boolean {
  return start.toString('latin1', 0, 16) === MAGIC;
}

/** True for the first bytes of a state file, even if the rest is damaged. */
export function isOurs(header: Uint8Array): boolean {
  const start = Buffer.from(header.buffer, header.byteOffset, header.length);
  return start.length >= 72 && isSqlite(start) && start.readUInt32BE(68) === APPLICATION_ID;
}

/** Says what is wrong with a file's first 100 bytes or length; null if nothing is (sqlite.org/fileformat2.html, 1.3). */
function headerProblem(bytes: Uint8Array, size = bytes.length): string | null {
  if (bytes.length === 0) return 'it is empty';
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 100));
  if (!isSqlite(header)) return 'it is not an SQLite database';
  if (header.length < 100) return 'it is truncated';
  if (header.readUInt32BE(68) !== APPLICATION_ID) return 'it belongs to another program';
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * pageSize;
  // The page count is only valid when both change counters agree.
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92);
  if (isCounted && size < expected) return `it is truncated: it has ${size} of ${expected} bytes`;
  return null;
}

/**
 * Refuses a file with a journal or log beside it that is not empty. Another SQLite program that is still writing keeps part of
 * the content there.
 * @throws RelayError `STATE_DAMAGED`
 */
export async function refuseUnfinished(path: string): Promise<void> {
  for (const beside of [`${path}-wal`, `${path}-journal`]) {
    const found = await stat(beside).catch(() => null);
    if (!found || found.size === 0) continue;
    throw new RelayError(
      'STATE_DAMAGED',
      `Another program may still be using the state file: ${beside} exists.`,
      {
        remedy: `Close that program; if none is open, run: sqlite3 ${shellWord(path)} 'pragma journal_mode=delete'`,
        details: { path },
      },
    );
  }
}

/**
 * Returns the content with 1 in bytes 18 and 19. These bytes are 2 after another program used a write-ahead log. In memory
 * there is no such log.
 */
export function inRollbackFormat(bytes: Uint8Array): Uint8Array {
  if (bytes[18] === 1 && bytes[19] === 1) return bytes;
  const copy = bytes.slice();
  copy[18] = 1;
  copy[19] = 1;
  return copy;
}
