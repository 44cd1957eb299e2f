/**
 * Writes a copy of the state file. The file is complete at every moment, since a save replaces it in one step, so a copy
 * needs no lock. The copy gets its name only once it is complete and on the disk.
 */
import { chmod, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Clock, stampOf } from '../../base/clock.ts';
import { readStart, removeStaleTemps, tempPathFor } from '../../base/files.ts';
import { RelayError, systemCodeOf } from '../../domain/errors.ts';
import { inspectContent } from '../file/open.ts';
import { diskProblem, nodeSaveFs, type SaveFs } from '../file/save.ts';
import { isOurs, noState, readStateFile } from '../file/stateFile.ts';
import { linkUnlessExists } from '../home/hardLink.ts';
import { isOwnFile } from '../home/ownFiles.ts';
import { loadSqlite } from '../sql/sqlite.ts';
import { type Carried, type Companion, carry, type RowCounts } from './companion.ts';

export interface BackupOptions {
  /** The state file. */
  source: string;
  /** The home, by default the directory of `source`. The two differ if `relay.db` in the home is a link to `source`. */
  home?: string;
  /** The companions, which go into the copy too. */
  companions?: readonly Companion[];
  /** Path of the copy, as the person gave it. */
  file: string;
  /** True to replace an earlier copy. */
  force: boolean;
  /** File operations; tests pass some that fail. */
  fs?: SaveFs;
  /** Makes a hard link; tests pass one that cannot. */
  link?: typeof linkUnlessExists;
}

export interface Backup {
  /** Absolute path of the copy. */
  path: string;
  sizeBytes: number;
  schemaVersion: number;
  /** When the copied state was last saved, Unix milliseconds. */
  savedAt: number;
  /** Number of kept playlists. */
  keptPlaylists: number;
  /** Rows of the companions that are in the copy. */
  rows: RowCounts;
  /** The companions that cannot be used and so are not in the copy, and why. */
  left: Carried['left'];
}

/**
 * Copies the state as it is on disk now. A failure leaves no half copy, and an earlier copy stays as it was.
 * @throws RelayError `NOT_FOUND` without a state, `STATE_DAMAGED`, `STATE_TOO_NEW`, `USAGE` for a path that cannot be used,
 * `STORE_ERROR` if the disk fails
 * @throws RelayError `STORE_ERROR` if a companion is damaged, or was and has been begun again: an earlier copy may have more
 */
export async function backUpState(options: BackupOptions): Promise<Backup> {
  const { source } = options;
  const state = await readStateFile(source);
  if (!state) throw noState(dirname(source));
  const { schemaVersion, keptPlaylists } = await inspectContent(source, state.bytes);
  const path = await placeFor(options);
  const { bytes, rows, left } = await carry(await loadSqlite(), state.bytes, options.companions ?? []);
  if (await stat(path).catch(() => null)) await requireWhole(path, options.companions ?? [], left);
  await removeStaleTemps(path).catch(() => {});
  try {
    await write(options, path, bytes);
  } catch (error) {
    throw error instanceof RelayError ? error : cannotWrite(path, error);
  }
  return {
    path,
    sizeBytes: bytes.length,
    schemaVersion,
    savedAt: state.savedAt,
    keptPlaylists,
    rows,
    left,
  };
}

/** Refuses to replace an earlier copy while a companion is damaged, or a damaged one is still beside its present file. */
async function requireWhole(
  path: string,
  companions: readonly Companion[],
  [left]: Carried['left'],
): Promise<void> {
  if (left) throw poorer(path, left.companion, `cannot be used (${left.why})`);
  for (const companion of companions) {
    const names: string[] = await readdir(dirname(companion.path)).catch(() => []);
    if (names.some((name) => name.startsWith(`${basename(companion.path)}.damaged-`)))
      throw poorer(path, companion, 'was damaged, and a new one was begun');
  }
}

async function write(options: BackupOptions, path: string, bytes: Uint8Array): Promise<void> {
  const { force, fs = nodeSaveFs, link = linkUnlessExists } = options;
  const temp = tempPathFor(path);
  try {
    await fs.writeSynced(temp, bytes);
    if (!(await readFile(temp)).equals(bytes))
      throw new Error('the copy on disk differs from what was written');
    if (force) await fs.rename(temp, path);
    else if (!(await nameUnlessTaken(fs, link, temp, path))) throw taken(path);
  } finally {
    await fs.remove(temp).catch(() => {});
  }
  await fs.syncDirectory(dirname(path));
}

/** Gives `temp` the name `path`. Returns false if another file has that name by now. */
async function nameUnlessTaken(
  fs: SaveFs,
  link: typeof linkUnlessExists,
  temp: string,
  path: string,
): Promise<boolean> {
  const linked = await link(temp, path).catch(() => null);
  if (linked !== null) return linked;
  // The file systems of memory sticks have no hard links. There an empty file reserves the name until the copy replaces it.
  const reserved = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if (systemCodeOf(error) === 'EEXIST') return null;
    throw error;
  });
  await reserved?.close();
  if (!reserved) return false;
  await fs.rename(temp, path).catch(async (error: unknown) => {
    await fs.remove(path).catch(() => {});
    throw error;
  });
  return true;
}

/**
 * Returns the absolute path of the copy. Follows a symbolic link, so that the copy does not replace the link.
 * @throws RelayError `USAGE` for a path that cannot be used
 */
async function placeFor({ source, home = dirname(source), file, force }: BackupOptions): Promise<string> {
  const path = await realpath(file).catch(() => resolve(file));
  const found = await stat(path).catch(() => null);
  if (!found) await requireDirectory(path, file);
  const state = await stat(source);
  if (found?.ino === state.ino && found.dev === state.dev) {
    throw new RelayError('USAGE', `${path} is the state file itself.`, {
      remedy: 'Give the copy another name.',
    });
  }
  if (await isOwnFile(path, await realpath(home))) {
    throw new RelayError('USAGE', `${path} is the place of a file that relay itself uses.`, {
      remedy: 'Give the copy another name, or put it into another directory.',
    });
  }
  if (!found) return path;
  if (found.isDirectory()) {
    throw new RelayError('USAGE', `${path} is a directory.`, {
      remedy: 'Give the name of a file in it, like `relay.backup`.',
    });
  }
  if (!force) throw taken(path);
  await requireEarlierCopy(path, found.isFile());
  return path;
}

async function requireDirectory(path: string, file: string): Promise<void> {
  const directory = /[\\/]$/.test(file) ? path : dirname(path);
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory()) return;
  throw new RelayError('USAGE', `There is no directory ${directory}.`, {
    remedy: 'Create it first, or give another path.',
  });
}

/** Refuses to replace anything but an earlier copy: a typo must not overwrite the master key. */
async function requireEarlierCopy(path: string, isFile: boolean): Promise<void> {
  if (isFile) {
    const start = await readStart(path, 100).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
    if (isOurs(start)) return;
  }
  throw new RelayError('USAGE', `${path} is not a copy of the state, so it was not replaced.`, {
    remedy: 'Give another path, or remove it yourself first.',
  });
}

function taken(path: string): RelayError {
  return new RelayError('USAGE', `${path} already exists.`, {
    remedy: 'Give another name, or replace an earlier copy with --force.',
  });
}

/** The error if the new copy may lack what the earlier one has, and what cannot be read again. */
function poorer(path: string, companion: Companion, why: string): RelayError {
  return new RelayError(
    'STORE_ERROR',
    `${path} was not replaced. The new copy may lack ${companion.holds}: ${basename(companion.path)} ${why}.`,
    {
      remedy: `Give the new copy another name. Restoring the earlier one brings the ${companion.holds} back, with its older jobs and kept playlists.`,
    },
  );
}

function cannotWrite(path: string, error: unknown): RelayError {
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The copy cannot be written to ${path}: ${what}.`, {
    remedy: `${remedy}, or give another path.`,
    cause: error,
  });
}

/**
 * Gives the file at `path` a second name, `<path>.<why>-<UTC time>`. The file keeps that name when a new file takes `path`.
 * @returns the second name, which is new; null if there is no file
 */
export async function keepStateFile(path: string, why: string, clock: Clock): Promise<string | null> {
  if (!(await stat(path).catch(() => null))) return null;
  const time = stampOf(clock.now());
  for (let attempt = 1; ; attempt++) {
    const kept = `${path}.${why}-${time}${attempt === 1 ? '' : `-${attempt}`}`;
    if (!(await linkUnlessExists(path, kept))) continue;
    await chmod(kept, 0o600);
    return kept;
  }
}
