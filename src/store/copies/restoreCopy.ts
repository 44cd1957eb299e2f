/**
 * Replaces the state file with a copy, after reading and checking the copy. At every moment `relay.db` is a complete file,
 * the old one or the new one, and the old one is kept under another name.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { readStart, removeStaleTemps, tempPathFor } from '../../base/files.ts';
import { RelayError } from '../../domain/errors.ts';
import { type Detached, openCopy } from '../file/open.ts';
import { diskProblem, nodeSaveFs, type SaveFs } from '../file/save.ts';
import { isSqlite, readStateFile, refuseUnfinished, stateFilePath } from '../file/stateFile.ts';
import { keepStateFile } from './backup.ts';
import type { Companion, Taken } from './companion.ts';

/** Several times a state with a million plays. Checking such a file takes some seconds and a few times its size in memory. */
const MAX_COPY_BYTES = 512 * 1024 * 1024;

export interface Copy extends Detached {
  /** The companions that the copy carries. */
  companions: Taken[];
  /** Absolute path of the copy. */
  path: string;
  /** When the copy was last written, Unix milliseconds. */
  savedAt: number;
}

/**
 * Reads a copy into memory, checks it as untrusted input, and brings its rows to the present schema there. Changes
 * nothing on disk.
 * @param companions those that the copy may carry
 * @throws RelayError `USAGE` if there is no such file, it has no state, or it is the state file of `home` itself; `STATE_DAMAGED`;
 * `STATE_TOO_NEW`; `HOME_UNUSABLE` if this user may not read the file
 */
export async function readCopy(
  file: string,
  home: string,
  clock: Clock,
  companions: readonly Companion[] = [],
): Promise<Copy> {
  const path = resolve(file);
  await requireOtherFile(path, await stateFilePath(home));
  try {
    const content = await readStateFile(path, MAX_COPY_BYTES);
    if (!content) throw noFile(path);
    const copy = await openCopy(path, content, clock, companions);
    return { ...copy, path, savedAt: content.savedAt };
  } catch (error) {
    const start = await readStart(path, HEADER).catch(() => Buffer.alloc(0));
    const companion = companions.find((one) => isCompanion(start, one));
    if (companion) throw onlyCompanion(path, companion);
    throw aboutCopy(isNoBackup(start, error) ? noBackup(path) : error);
  }
}

/** Number of bytes by which an SQLite database, and the program that it belongs to, are recognized. */
const HEADER = 72;

const MADE_BY_BACKUP = { text: 'Give the path of a file made by {command}.', command: ['backup'] };

async function requireOtherFile(path: string, statePath: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw noFile(path);
  if (!found.isFile()) {
    throw new RelayError('USAGE', `${path} is not a file.`, { remedy: MADE_BY_BACKUP });
  }
  const state = await stat(statePath).catch(() => null);
  if (!state || state.ino !== found.ino || state.dev !== found.dev) return;
  throw new RelayError('USAGE', `${path} is the state file itself: there is nothing to restore.`, {
    remedy: 'Give the path of a copy.',
  });
}

function noFile(path: string): RelayError {
  return new RelayError('USAGE', `There is no file ${path}.`, { remedy: MADE_BY_BACKUP });
}

/** True if an unreadable file never was a backup. An empty or truncated file may have been one. */
function isNoBackup(start: Buffer, error: unknown): boolean {
  if (!(error instanceof RelayError) || error.code !== 'STATE_DAMAGED') return false;
  return start.length > 0 && !isSqlite(start);
}

/** True for a companion's own file, such as one that an earlier restore has kept (sqlite.org/fileformat2.html, 1.3). */
function isCompanion(start: Buffer, { applicationId }: Companion): boolean {
  return start.length >= HEADER && isSqlite(start) && start.readUInt32BE(68) === applicationId;
}

function onlyCompanion(path: string, companion: Companion): RelayError {
  const isInUse = path === resolve(companion.path);
  return new RelayError('USAGE', `${path} has only ${companion.holds}, and no state.`, {
    remedy: isInUse
      ? 'Nothing was changed. relay uses this file already.'
      : `Nothing was changed. To use the file in place of ${companion.path}, stop the server, move that one away if it is there, and then move this one to its place.`,
  });
}

function noBackup(path: string): RelayError {
  return new RelayError('STATE_DAMAGED', `${basename(path)} is not a relay backup. Nothing changed.`, {
    details: { path },
  });
}

/** Replaces remedies that say to restore a copy, which does not help if the copy itself is unreadable. */
function aboutCopy(error: unknown): unknown {
  if (!(error instanceof RelayError)) return error;
  const remedies: Partial<Record<string, string>> = {
    STATE_DAMAGED: 'The state of this home is unchanged. Restore another copy.',
    STATE_TOO_NEW: 'The state of this home is unchanged. Restore with the newer relay that made the copy.',
    HOME_UNUSABLE: 'The state of this home is unchanged. Make the copy readable for this user.',
  };
  const remedy = remedies[error.code];
  return remedy === undefined ? error : error.with({ remedy });
}

export interface Replaced {
  path: string;
  /** Where the previous file is kept; null if there was none. */
  keptPath: string | null;
}

/**
 * Replaces a database file of a home, whose lock this process must hold, and keeps the old one under another name. A failure
 * leaves everything as it was.
 * @throws RelayError `STATE_DAMAGED` while another program may be using the old file, `STORE_ERROR`
 */
export async function replaceByImage(
  path: string,
  image: Uint8Array,
  clock: Clock,
  fs: SaveFs = nodeSaveFs,
): Promise<Replaced> {
  // SQLite would take the journal of the old file for one of the new database.
  await refuseUnfinished(path);
  await removeStaleTemps(path);
  const temp = tempPathFor(path);
  let keptPath: string | null = null;
  try {
    await fs.writeSynced(temp, image);
    keptPath = await keepStateFile(path, 'before-restore', clock);
    await fs.syncDirectory(dirname(path));
    await fs.rename(temp, path);
  } catch (error) {
    await fs.remove(temp).catch(() => {});
    if (keptPath !== null) await fs.remove(keptPath).catch(() => {});
    throw cannotRestore(path, error);
  }
  const replaced = { path, keptPath };
  try {
    await fs.syncDirectory(dirname(path));
  } catch (error) {
    await takeBack(replaced, fs).catch(() => {});
    throw cannotRestore(path, error);
  }
  return replaced;
}

/** Undoes a replacement: puts the old file back, or if there was none, removes the new one. */
export async function takeBack({ path, keptPath }: Replaced, fs: SaveFs = nodeSaveFs): Promise<void> {
  if (keptPath === null) await fs.remove(path);
  else await fs.rename(keptPath, path);
}

function cannotRestore(path: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The copy cannot replace ${path}: ${what}.`, {
    remedy: `${remedy}, then restore again. Nothing was lost.`,
    cause: error,
  });
}
