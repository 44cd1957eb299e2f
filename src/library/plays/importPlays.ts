/** Imports of listening histories, one at a time, each in a thread of its own (`importExport.ts`). */
import { open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Random } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { PlaysProgress, PlaysRequest } from '../../domain/plays.ts';
import { UPLOAD_PREFIX } from '../../store/home/home.ts';
import { sqliteModule } from '../../store/sql/sqlite.ts';
import { isOutOfMemory, startThread } from '../thread.ts';
import type { ImportReply, ImportStart } from './importExport.ts';

/**
 * Memory limit for the thread's values: enough for the names of a lifetime, and a bound for files that only claim to hold them.
 */
const VALUES_LIMIT_MB = 320;

interface Import {
  progress: PlaysProgress;
  error: unknown;
  done: Promise<void>;
}

export function createPlayImports({ home, random }: { home: string; random: Random }) {
  const imports = new Map<number, Import>();
  /** Ends the imports that were begun so far. */
  let ending = new AbortController();
  let lane: Promise<void> = Promise.resolve();
  let last = 0;

  async function run(one: Import, { path, label = basename(path) }: PlaysRequest, signal: AbortSignal) {
    const start: ImportStart = { task: 'import', module: await sqliteModule(), home, path, label };
    signal.throwIfAborted();
    const limits = { maxOldGenerationSizeMb: VALUES_LIMIT_MB, maxYoungGenerationSizeMb: 8 };
    const worker = startThread('relay import', start, limits);
    const ended = new Promise<void>((resolve, reject) => {
      worker.on('message', (reply: ImportReply) => {
        if (reply.kind === 'failed')
          return reject(new RelayError(reply.code, reply.message, reply.remedy && { remedy: reply.remedy }));
        one.progress = reply.progress;
        if (reply.progress.state === 'done') resolve();
      });
      worker.on('error', (error) => reject(errorOf(error, label)));
      worker.on('exit', () => reject(new RelayError('SHUTTING_DOWN', 'The import was ended.')));
    });
    const leave = () => void worker.terminate();
    signal.addEventListener('abort', leave, { once: true });
    try {
      await ended;
    } finally {
      signal.removeEventListener('abort', leave);
      // With the thread goes all memory that the import took.
      await worker.terminate();
    }
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
    /** Begins an import, or puts it in line behind others. @returns the number of the import */
    start: (request: PlaysRequest) => start(request),
    /**
     * Begins an import of an archive that is being sent. Keeps the archive in the home until the import has ended.
     * @returns the number of the import, once the whole archive has arrived
     * @throws errors of `receiveUpload`
     */
    async startUpload(chunks: AsyncIterable<Uint8Array>, label: string): Promise<number> {
      const path = await receiveUpload(home, random, chunks);
      return start({ path, label }, () => rm(path, { force: true }));
    },
    /**
     * Returns how far an import is.
     * @throws RelayError `NOT_FOUND` for an unknown number, or if eight later imports were begun
     * @throws the error with which the import failed, such as `INVALID_ARGUMENT` for a file that is not an export
     */
    progress(id: number): PlaysProgress {
      const one = imports.get(id);
      if (!one) throw new RelayError('NOT_FOUND', 'There is no such import.');
      if (one.error !== null) throw one.error;
      return one.progress;
    },
    /** Resolves when the import has ended, successfully or not; at once for an unknown number. */
    ended: async (id: number) => imports.get(id)?.done,
    /** Ends the imports that were begun so far, then calls `remove` to delete plays. Later imports wait for `remove`. */
    forget(remove: () => Promise<void>): Promise<void> {
      ending.abort(new RelayError('CANCELLED', 'Plays were forgotten during the import, so it was ended.'));
      ending = new AbortController();
      const done = lane.then(remove);
      lane = done.catch(() => {});
      return done;
    },
    /** Ends the imports that were begun so far. */
    async stop(): Promise<void> {
      ending.abort(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
      await lane;
    },
  };
}

function errorOf(error: unknown, label: string): unknown {
  if (!isOutOfMemory(error)) return error;
  return new RelayError('INVALID_ARGUMENT', `${label} needs more memory than relay allows for an export.`, {
    remedy: 'Unpack it, and import one file after the other.',
  });
}

/** Maximum size of an archive that may be sent: ten times the history of a lifetime. */
const MAX_UPLOAD = 1024 * 1024 * 1024;

/**
 * Writes an archive that is being sent to a file in the home.
 * @returns the path of the file
 * @throws RelayError `INVALID_ARGUMENT` if the archive is too large; any error of `chunks`. The file is removed first.
 */
async function receiveUpload(
  home: string,
  random: Random,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const path = join(home, `${UPLOAD_PREFIX}${random.bytes(8).toString('hex')}`);
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > MAX_UPLOAD) throw tooLarge();
      await file.write(chunk);
    }
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  await file.close();
  return path;
}

/** Removes archives that were left when the process was killed. */
export async function removeUploads(home: string): Promise<void> {
  for (const name of await readdir(home).catch(() => [])) {
    if (name.startsWith(UPLOAD_PREFIX)) await rm(join(home, name), { force: true });
  }
}

function tooLarge(): RelayError {
  return new RelayError('INVALID_ARGUMENT', 'The archive has more than 1 GB.', {
    remedy: 'Import it in a terminal, with relay import.',
  });
}
