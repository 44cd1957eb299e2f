/**
 * Imports of listening histories, one at a time. A thread reads and checks the whole export. Only then are its plays written,
 * in short turns, so that other requests are answered in between. `memory.db` is saved once at the end. If the process is
 * killed, the next import of the same export adds the plays that are missing: no play is written twice.
 */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Random } from '../../base/clock.ts';
import { hashOf } from '../../base/digest.ts';
import { RelayError } from '../../domain/errors.ts';
import type { PlaysCount, PlaysProgress, PlaysRequest } from '../../domain/plays.ts';
import { IMPORT_WORKER } from '../../generated/importWorker.ts';
import type { LibraryFile } from '../files/libraryFile.ts';
import { countPlays, createPlayWriter, playsAccount, putPlaysAccount, timeOf } from '../tables/plays.ts';
import { isOutOfMemory, startThread } from '../thread.ts';
import type { ImportReply, ImportStart } from './messages.ts';
import { receiveUpload } from './uploads.ts';

/** Number of plays, or of items, to write in one turn, which takes some milliseconds. */
const TURN = 200;
/**
 * Memory limit for the thread's values: enough for the plays of a lifetime, and a bound for files that only claim to hold
 * them.
 */
const VALUES_LIMIT_MB = 320;

export interface PlayImports {
  /** Begins an import, or puts it in line behind others. @returns the number of the import */
  start(request: PlaysRequest): number;
  /**
   * Begins an import of an archive that is being sent. Keeps the archive in the home until the import has ended.
   * @returns the number of the import, once the whole archive has arrived
   * @throws errors of `receiveUpload`
   */
  startUpload(chunks: AsyncIterable<Uint8Array>, request: Omit<PlaysRequest, 'path'>): Promise<number>;
  /**
   * Returns how far an import is.
   * @throws RelayError `NOT_FOUND` for an unknown number, or if eight later imports were begun
   * @throws the error with which the import failed, such as `INVALID_ARGUMENT` for a file that is not an export
   */
  progress(id: number): PlaysProgress;
  /** Resolves when the import has ended, successfully or not; at once for an unknown number. */
  ended(id: number): Promise<void>;
  /** Ends the imports that were begun so far, then calls `remove` to delete plays. Later imports wait for `remove`. */
  forget(remove: () => Promise<void>): Promise<void>;
  /** Ends the imports that were begun so far. */
  stop(): Promise<void>;
}

interface Import {
  progress: PlaysProgress;
  error: unknown;
  done: Promise<void>;
}

/** @param userName returns the user name of the connected account; null if none is connected, and in the demo */
export function createPlayImports(
  memory: LibraryFile,
  userName: () => string | null,
  { home, random }: { home: string; random: Random },
): PlayImports {
  const imports = new Map<number, Import>();
  /** Ends the imports that were begun so far. */
  let ending = new AbortController();
  let lane: Promise<void> = Promise.resolve();
  let last = 0;

  async function run(one: Import, request: PlaysRequest, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const own = userName();
    const only = request.anyAccount || own === null ? null : own.toLowerCase();
    const label = request.label ?? basename(request.path);
    const reading = startReading({ path: request.path, label, only });
    const leave = () => void reading.worker.terminate();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const read = await reading.untilRead((done, total) => {
        one.progress = { state: 'reading', done, total };
      });
      if (read.kind === 'foreign') {
        const whose = own === null ? '' : `, and "${own}" is connected`;
        one.progress = {
          state: 'asking',
          question: `${label} is the history of the account "${read.account}"${whose}.`,
        };
        return;
      }
      const digest = read.account === null ? null : hashOf(read.account.toLowerCase()).slice(0, 32);
      const before = await memory.use((sql) => ({ total: countPlays(sql), account: playsAccount(sql) }));
      const isOther = digest !== null && before.account !== null && before.account !== digest;
      if (isOther && before.total > 0 && !request.anyAccount) {
        one.progress = {
          state: 'asking',
          question: `${label} is the history of the account "${read.account}"; the stored plays are another account's.`,
        };
        return;
      }
      one.progress = { state: 'writing', done: 0, total: read.count };
      // What others have written is saved first: if this import cannot be saved, everything that is unsaved is dropped.
      await memory.save();
      const added = await writeAll(reading, one, read.count, signal);
      const total = await memory.use((sql) => {
        if (digest !== null) putPlaysAccount(sql, digest);
        return countPlays(sql);
      });
      await memory.save().catch(async (error) => {
        // Plays that stay unsaved would keep everything else from being saved too.
        await memory.revert();
        throw error;
      });
      const plays: PlaysCount = {
        read: read.count,
        added,
        total,
        from: read.range && timeOf(read.range.from),
        to: read.range && timeOf(read.range.to),
        unreadable: read.unreadable,
      };
      one.progress = { state: 'done', plays, note: memory.news() };
    } finally {
      signal.removeEventListener('abort', leave);
      await reading.worker.terminate();
      // The plays of a lifetime take a hundred megabytes, and questions need that memory sooner than the next import does.
      await memory.rest();
    }
  }

  async function writeAll(
    reading: Reading,
    one: Import,
    total: number,
    signal: AbortSignal,
  ): Promise<number> {
    const writer = createPlayWriter();
    let [added, done] = [0, 0];
    for (let batch = await reading.next(); batch !== null; batch = await reading.next()) {
      const part = batch;
      for (let at = 0; at < part.items.length; at += TURN) {
        signal.throwIfAborted();
        const items = part.items.slice(at, at + TURN);
        await memory.use((sql) => sql.transaction(() => writer(sql).items(items)));
        await turnOfOthers();
      }
      for (let at = 0; at < part.item.length; at += TURN) {
        signal.throwIfAborted();
        const end = Math.min(part.item.length, at + TURN);
        added += await memory.use((sql) => sql.transaction(() => writer(sql).write(part, at, end)));
        await turnOfOthers();
      }
      done += part.item.length;
      one.progress = { state: 'writing', done, total };
    }
    return added;
  }

  function start(request: PlaysRequest, after: () => Promise<void> = async () => {}): number {
    last += 1;
    const { signal } = ending;
    const one: Import = {
      progress: { state: 'reading', done: 0, total: 0 },
      error: null,
      done: Promise.resolve(),
    };
    one.done = lane
      .then(() => run(one, request, signal))
      .finally(after)
      .catch((error) => {
        one.error = signal.aborted ? signal.reason : error;
      });
    lane = one.done;
    // Only the last eight imports are kept: `progress` no longer finds earlier ones.
    imports.delete(last - 8);
    imports.set(last, one);
    return last;
  }

  return {
    start: (request) => start(request),
    async startUpload(chunks, request) {
      const path = await receiveUpload(home, random, chunks);
      return start({ ...request, path }, () => rm(path, { force: true }));
    },
    progress(id) {
      const one = imports.get(id);
      if (!one) throw new RelayError('NOT_FOUND', 'There is no such import.');
      if (one.error !== null) throw one.error;
      return one.progress;
    },
    ended: async (id) => imports.get(id)?.done,
    forget(remove) {
      ending.abort(new RelayError('CANCELLED', 'Plays were forgotten during the import, so it was ended.'));
      ending = new AbortController();
      const done = lane.then(remove);
      lane = done.catch(() => {});
      return done;
    },
    async stop() {
      ending.abort(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
      await lane;
    },
  };
}

/** Lets requests that have come in during the turn go first. */
function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Batch = Extract<ImportReply, { kind: 'batch' }>['batch'];
type Read = Extract<ImportReply, { kind: 'read' | 'foreign' }>;

interface Reading {
  worker: Worker;
  /** Waits until the thread has read and checked the export. @throws RelayError `INVALID_ARGUMENT` if it refuses the export */
  untilRead(onProgress: (done: number, total: number) => void): Promise<Read>;
  /** Asks the thread for the next batch of plays; null at the end. */
  next(): Promise<Batch | null>;
}

function startReading(start: ImportStart): Reading {
  const limits = { maxOldGenerationSizeMb: VALUES_LIMIT_MB, maxYoungGenerationSizeMb: 8 };
  const worker = startThread('relay import', IMPORT_WORKER, start, limits);
  let heard: (reply: ImportReply) => void = () => {};
  let failed: (error: unknown) => void = () => {};
  worker.on('message', (message: ImportReply) => heard(message));
  worker.on('error', (error) => failed(errorOf(error, start.label)));
  worker.on('exit', () => failed(new RelayError('SHUTTING_DOWN', 'The import was ended.')));
  return {
    worker,
    untilRead(onProgress) {
      return new Promise((resolve, reject) => {
        failed = reject;
        heard = (message) => {
          if (message.kind === 'progress') onProgress(message.done, message.total);
          else if (message.kind === 'refused') reject(refusal(message));
          else resolve(message as Read);
        };
      });
    },
    next() {
      return new Promise((resolve, reject) => {
        failed = reject;
        heard = (message) => resolve(message.kind === 'batch' ? message.batch : null);
        worker.postMessage('next');
      });
    },
  };
}

function refusal({ message, remedy }: { message: string; remedy: string }): RelayError {
  return new RelayError('INVALID_ARGUMENT', message, { remedy });
}

function errorOf(error: unknown, label: string): unknown {
  if (!isOutOfMemory(error)) return error;
  return new RelayError('INVALID_ARGUMENT', `${label} needs more memory than relay allows for an export.`, {
    remedy: 'Unpack it, and import one file after the other.',
  });
}
