/**
 * Saves the state: writes the whole image to a temporary file, syncs it, renames it over the state file and syncs the
 * directory. At every moment the file is a complete database, the old one or the new one. One save runs at a time. A change
 * during a save leads to one more save.
 */

import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { removeStaleTemps, renameOver, syncDirectory, tempPathFor, writeSynced } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { ensureHome } from '../home/home.ts';
import type { Image } from '../sql/pagedFile.ts';
import { identityAt, identityOfImage, markImage, refuseForeign } from './fileIdentity.ts';
import { readStateFile, type StateFile, stateFilePath } from './stateFile.ts';

/** Changes of a small file within this time are saved together. With the save itself, that takes less than a second. */
const SOON_MS = 500;
/** Maximum size of a small file, in bytes: some settings and a few jobs. */
const SMALL_BYTES = 250_000;
/**
 * A larger file is saved less often, to spare the disk, since nobody waits for these saves. The delay is a millisecond for
 * every 250 bytes.
 */
const SOON_BYTES_PER_MS = 250;
/** The longest delay. If the disk works, a crash loses at most the changes of the last 20 s that nobody waited for. */
const MAX_SOON_MS = 20_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

export interface SaveSource {
  /** Returns the database file as it is now. */
  image(): Image;
  /** Grows with every change. */
  version(): number;
}

export interface SaverOptions {
  path: string;
  source: SaveSource;
  /**
   * What the file on disk holds now. `version` is -1 if the state must be saved. `at` is Unix milliseconds. `at` and `identity`
   * are null if there is no file.
   */
  saved: { version: number; sizeBytes: number; at: number | null; identity: string | null };
  clock: Clock;
  log: Log;
  fs: SaveFs;
}

export interface SaverState {
  /** `degraded`: the last save failed, and is retried. */
  status: 'ok' | 'degraded';
  /** Why the last save failed, `STORE_ERROR`; null if it did not. */
  failure: RelayError | null;
  /** Size of the file on disk, in bytes; 0 before the first save. */
  sizeBytes: number;
  /** Time of the last save, in Unix milliseconds; null before the first. */
  lastSavedAt: number | null;
  unsavedChanges: boolean;
}

/** The saving functions of a `Store`, whose interface describes them. */
export interface Saver {
  saveNow(): Promise<void>;
  saveSoon(): void;
  /** Saves even if nothing has changed, to find out if the disk can be written. @throws RelayError `STORE_ERROR` */
  probe(): Promise<void>;
  state(): SaverState;
  close(): Promise<void>;
}

interface Save {
  /** Version of the image; null until it is taken. */
  version: number | null;
  done: Promise<void>;
}

export function createSaver({ path, source, saved, clock, log, fs }: SaverOptions): Saver {
  const closing = new AbortController();
  let { version: savedVersion, sizeBytes, at: lastSavedAt, identity } = saved;
  let running: Save | null = null;
  let soon = false;
  let retrying = false;
  let failure: RelayError | null = null;

  function start(): Save {
    const save: Save = { version: null, done: Promise.resolve() };
    running = save;
    save.done = write(save).finally(() => {
      running = null;
    });
    return save;
  }

  async function write(save: Save): Promise<void> {
    // Wait one turn: the caller may be inside a transaction, and other changes of this turn share the image. A caller whose
    // save has just failed undoes its change in this turn, and the image must not hold that change.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      save.version = source.version();
      const image = source.image();
      markImage(image.parts[0]);
      await replaceFile(image);
      savedVersion = save.version;
      sizeBytes = image.length;
      lastSavedAt = clock.now();
    } catch (error) {
      throw failed(error);
    }
    if (failure) log.info({ path }, 'the state is saved again');
    failure = null;
  }

  async function replaceFile(image: Image): Promise<void> {
    const temp = tempPathFor(path);
    try {
      await fs.writeSynced(temp, image.parts);
      refuseForeign(path, identity, await fs.identityAt(path));
      await fs.rename(temp, path);
      identity = identityOfImage(image);
    } catch (error) {
      // Half an image would only fill the disk further.
      await fs.remove(temp).catch(() => {});
      throw error;
    }
    await fs.syncDirectory(dirname(path));
  }

  function failed(error: unknown): RelayError {
    if (!failure) log.error({ path, err: messageOf(error) }, 'the state cannot be saved; trying again');
    failure = saveError(path, error);
    if (!retrying && !closing.signal.aborted) void retry();
    return failure;
  }

  async function retry(): Promise<void> {
    retrying = true;
    for (let delay = FIRST_RETRY_MS; failure; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      const stopped = await clock.sleep(delay, closing.signal).then(
        () => false,
        () => true,
      );
      if (stopped) break;
      await (running ?? start()).done.catch(() => {});
    }
    retrying = false;
  }

  async function saveNow(): Promise<void> {
    const target = source.version();
    while (savedVersion < target) {
      const save = running ?? start();
      const coversTarget = save.version === null || save.version >= target;
      // If a save that began before this change fails, the next one may still succeed.
      await (coversTarget ? save.done : save.done.catch(() => {}));
    }
  }

  return {
    saveNow,
    saveSoon() {
      if (soon || closing.signal.aborted) return;
      soon = true;
      clock
        .sleep(soonMs(sizeBytes), closing.signal)
        .then(() => {
          soon = false;
          return saveNow();
        })
        .catch(() => {});
    },
    probe: () => (running ?? start()).done,
    state: () => ({
      status: failure ? 'degraded' : 'ok',
      failure,
      sizeBytes,
      lastSavedAt,
      unsavedChanges: savedVersion < source.version(),
    }),
    async close() {
      closing.abort(new Error('the state is closed'));
      await saveNow();
      await running?.done.catch(() => {});
    },
  };
}

function soonMs(sizeBytes: number): number {
  if (sizeBytes <= SMALL_BYTES) return SOON_MS;
  return Math.min(Math.round(sizeBytes / SOON_BYTES_PER_MS), MAX_SOON_MS);
}

const CAUSES: Record<string, { what: string; remedy: string }> = {
  ENOSPC: { what: 'the disk is full', remedy: 'Free some space' },
  EDQUOT: { what: 'the disk quota is used up', remedy: 'Free some space' },
  EROFS: { what: 'the file system is read-only', remedy: 'Make it writable' },
  EACCES: { what: 'the directory is not writable', remedy: 'Make the directory writable for its owner' },
  EPERM: { what: 'the directory is not writable', remedy: 'Make the directory writable for its owner' },
};

/** Says why a write failed and how to fix that. Both texts are parts of a sentence, without a full stop. */
export function diskProblem(error: unknown): { what: string; remedy: string } {
  return CAUSES[systemCodeOf(error) ?? ''] ?? { what: messageOf(error), remedy: 'Check the disk' };
}

function saveError(path: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const { what, remedy } = diskProblem(error);
  return new RelayError('STORE_ERROR', `The state cannot be saved to ${path}: ${what}.`, {
    remedy: `${remedy}. relay retries by itself, and nothing already saved is lost.`,
    cause: error,
  });
}

export interface SaveFs {
  /** Creates `path`, which must not exist, for its owner only. Returns once `bytes` are on the disk. */
  writeSynced(path: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void>;
  /** Replaces `to` with `from` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Makes a rename in the directory survive a power loss. */
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the home ready, removes what dead processes left beside its state file, and returns the file's path. */
  prepare(home: string, log: Log): Promise<string>;
  /**
   * Reads the state file as it is at one moment; null if there is none.
   * @throws RelayError `STATE_DAMAGED`, `HOME_UNUSABLE`
   */
  read(path: string): Promise<StateFile | null>;
  /** Reads length and header of the file at `path`, as one text; null if there is none. */
  identityAt(path: string): Promise<string | null>;
}

export const nodeSaveFs: SaveFs = {
  writeSynced: (path, bytes) => writeSynced(path, bytes),
  rename: renameOver,
  syncDirectory,
  remove: (path) => rm(path, { force: true }),
  async prepare(home, log) {
    await ensureHome(home, log);
    const path = await stateFilePath(home);
    await removeStaleTemps(path);
    return path;
  },
  read: (path) => readStateFile(path),
  identityAt,
};
