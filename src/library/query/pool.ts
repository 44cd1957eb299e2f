/**
 * Answers questions in threads, which can be ended at any moment. A thread is ended when its question takes too long or too
 * much memory, and after a minute without questions. At most two threads run at a time; other questions wait in line.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { interruptible, later } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import { QUERY_WORKER } from '../../generated/queryWorker.ts';
import { sqliteModule } from '../../store/sql/sqlite.ts';
import { isOutOfMemory, startThread } from '../thread.ts';
import type { Question, Reply, Rows, WorkerStart } from './messages.ts';

/** Number of questions to answer at the same time. Of several cores, one is left for the server. */
const WORKERS = Math.max(1, Math.min(2, availableParallelism() - 1));
const QUERY_MS = 5_000;
const IDLE_MS = 60_000;
const MEGABYTE = 1024 * 1024;
/** Limits of SQLite's own memory and of the thread's values. Together with the thread's program they stay below 256 MB. */
const HEAP_LIMIT = 128 * MEGABYTE;
const VALUES_LIMIT_MB = 64;
/** Maximum number of characters of CSV, each of which may take two bytes. The plays of a lifetime take less. */
const CSV_LIMIT = 128 * MEGABYTE;
/** WebAssembly never gives memory back, so a thread that has taken more bytes than this ends after its answer. */
const KEPT_HEAP = 40 * MEGABYTE;
/** Maximum number of questions in line; more would not be answered before their callers give up. */
const MAX_WAITING = 200;

type Asked = Omit<Question, 'id'>;

export interface QueryPool {
  /**
   * Answers a question, which may wait in line first.
   * @throws RelayError `INVALID_ARGUMENT` for a statement that is not valid or does more than read; `DEADLINE_EXCEEDED` if it
   *   needs too much time or memory, or if too many questions wait; `STORE_ERROR` if a file is damaged or cannot be opened
   * @throws RelayError `SHUTTING_DOWN` after `close`; `INTERNAL` if the thread ends; the reason of `signal`
   */
  ask(question: Asked, signal: AbortSignal): Promise<Rows>;
  /** Number of threads. @internal */
  readonly size: number;
  close(): Promise<void>;
}

interface Waiting {
  question: Asked;
  /** The CSV that has come so far, and its number of characters. */
  parts: string[];
  size: number;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  ready: boolean;
  /** The question that the thread works on; null if it is free. */
  at: Waiting | null;
  /** Aborting this ends the time limit of the question that the thread works on. */
  timer: AbortController;
}

export function createQueryPool(clock: Clock): QueryPool {
  const threads = new Set<Thread>();
  const waiting: Waiting[] = [];
  let idle = new AbortController();
  let starting = 0;
  let asked = 0;
  let closed = false;

  async function start(): Promise<void> {
    starting += 1;
    try {
      const workerData: WorkerStart = { module: await sqliteModule(), heapLimit: HEAP_LIMIT };
      if (closed) return;
      const limits = { maxOldGenerationSizeMb: VALUES_LIMIT_MB, maxYoungGenerationSizeMb: 4 };
      const worker = startThread('relay library', QUERY_WORKER, workerData, limits);
      worker.unref();
      const thread: Thread = { worker, ready: false, at: null, timer: new AbortController() };
      threads.add(thread);
      worker.on('message', (reply: Reply) => heard(thread, reply));
      worker.on('error', (error) => lost(thread, error));
      worker.on('exit', () => lost(thread, null));
    } catch (error) {
      // Without a thread the waiting questions would never be answered.
      for (const one of waiting.splice(0)) one.reject(error);
    } finally {
      starting -= 1;
    }
  }

  function heard(thread: Thread, reply: Reply): void {
    if (reply.kind === 'ready') {
      thread.ready = true;
      next();
      return;
    }
    const { at } = thread;
    if (reply.kind === 'part') {
      if (at) addPart(thread, at, reply.text);
      return;
    }
    thread.at = null;
    thread.timer.abort();
    if (reply.kind === 'rows')
      at?.resolve(at.question.isCsv ? { ...reply.rows, csv: at.parts.join('') } : reply.rows);
    else at?.reject(errorOf(reply));
    if (reply.heapBytes > KEPT_HEAP) end(thread);
    next();
  }

  function addPart(thread: Thread, at: Waiting, text: string): void {
    at.parts.push(text);
    at.size += text.length;
    if (at.size <= CSV_LIMIT) return;
    end(thread, tooMuchMemory());
    next();
  }

  /** Ends a thread; the question that it works on fails with `error`. */
  function end(thread: Thread, error?: RelayError): void {
    threads.delete(thread);
    thread.timer.abort();
    if (error) thread.at?.reject(error);
    thread.at = null;
    void thread.worker.terminate();
  }

  function lost(thread: Thread, error: Error | null): void {
    if (!threads.has(thread)) return;
    end(
      thread,
      isOutOfMemory(error)
        ? tooMuchMemory()
        : new RelayError('INTERNAL', 'The thread that answers queries has ended.', { cause: error }),
    );
    next();
  }

  function next(): void {
    if (closed) return;
    const thread = [...threads].find(({ ready, at }) => ready && at === null);
    if (waiting.length === 0) {
      if ([...threads].every(({ at }) => at === null)) restAfterAWhile();
      return;
    }
    if (!thread) {
      const isStarting = starting > 0 || [...threads].some(({ ready }) => !ready);
      if (threads.size + starting < WORKERS && !isStarting) void start();
      return;
    }
    const one = waiting.shift() as Waiting;
    thread.at = one;
    thread.timer = new AbortController();
    later(clock, QUERY_MS, thread.timer.signal, () => {
      end(thread, tookTooLong());
      next();
    });
    asked += 1;
    thread.worker.postMessage({ id: asked, ...one.question } satisfies Question);
    // Another thread may be free for another question.
    next();
  }

  function restAfterAWhile(): void {
    idle.abort();
    idle = new AbortController();
    later(clock, IDLE_MS, idle.signal, () => {
      for (const thread of threads) end(thread);
    });
  }

  return {
    async ask(question, signal) {
      signal.throwIfAborted();
      if (closed) throw new RelayError('SHUTTING_DOWN', 'relay is stopping.');
      if (waiting.length >= MAX_WAITING) throw tooMany();
      idle.abort();
      const answer = new Promise<Rows>((resolve, reject) => {
        waiting.push({ question, parts: [], size: 0, resolve, reject });
      });
      next();
      try {
        return await interruptible(signal, answer);
      } finally {
        const index = waiting.findIndex((one) => one.question === question);
        if (index >= 0) waiting.splice(index, 1);
      }
    },
    get size() {
      return threads.size;
    },
    async close() {
      closed = true;
      idle.abort();
      const stopped = new RelayError('SHUTTING_DOWN', 'relay is stopping.');
      for (const one of waiting.splice(0)) one.reject(stopped);
      const workers = [...threads].map(({ worker }) => worker);
      for (const thread of threads) end(thread, stopped);
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function errorOf({ reason, message }: Extract<Reply, { kind: 'refused' }>): RelayError {
  if (reason === 'memory') return tooMuchMemory();
  if (reason !== 'statement') {
    return new RelayError('STORE_ERROR', `${reason} cannot be opened: ${message}.`, {
      remedy: {
        text: 'Delete the copy with {command}: the next question reads it again.',
        command: ['library', 'forget'],
      },
      details: { file: reason },
    });
  }
  return new RelayError('INVALID_ARGUMENT', `${message}${message.endsWith('.') ? '' : '.'}`, {
    remedy: 'Write one SELECT in the dialect of SQLite.',
  });
}

function tookTooLong(): RelayError {
  return new RelayError('DEADLINE_EXCEEDED', `The query took longer than ${QUERY_MS / 1_000} seconds.`, {
    remedy:
      'Ask for less: join on indexed columns (uri, playlist_id, song; for plays also artist together with name), and put a LIMIT on recursion.',
  });
}

function tooMuchMemory(): RelayError {
  return new RelayError('DEADLINE_EXCEEDED', 'The query needs more than 256 MB of memory.', {
    remedy: 'Ask for fewer rows, or for shorter values.',
  });
}

function tooMany(): RelayError {
  return new RelayError('DEADLINE_EXCEEDED', 'Too many questions are waiting for an answer.', {
    remedy: 'Try again in a minute.',
  });
}
