/**
 * Answers questions one after the other in a thread, which can be ended at any moment. It is ended when a question takes too long
 * or too much memory, and after a minute without questions. A question that takes long while others wait leaves the lane of the
 * quick ones: it goes on in the slow lane, a second thread, or waits for it. So it does not hold up the quick ones.
 */
import type { Worker } from 'node:worker_threads';
import { interruptible, later } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import { sqliteModule } from '../../store/sql/sqlite.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';
import { isOutOfMemory, startThread } from '../thread.ts';
import type { PostedQuestion, Question, Reply, Rows } from './runQuery.ts';

const QUERY_MS = 5_000;
/** How long a question may take in the quick lane while others wait, also in time of the processor. */
const TURN_MS = 100;
const IDLE_MS = 60_000;
const MEGABYTE = 1024 * 1024;
/** Limits of SQLite's own memory and of the thread's values. Together with the thread's program they stay below 256 MB. */
const HEAP_LIMIT = 128 * MEGABYTE;
const VALUES_LIMIT_MB = 64;
/** WebAssembly never gives memory back, so a thread that has taken more bytes than this ends after its answer. */
const KEPT_HEAP = 40 * MEGABYTE;
/** Maximum number of questions in line; more would not be answered before their callers give up. */
const MAX_WAITING = 200;

export interface QueryLine {
  /**
   * Answers a question, which may wait in line first.
   * @throws RelayError `INVALID_ARGUMENT` for a statement that is not valid or does more than read; `DEADLINE_EXCEEDED` if it
   *   needs too much time or memory, or if too many questions wait; `STORE_ERROR` if a file is damaged or cannot be opened
   * @throws RelayError `SHUTTING_DOWN` after `close`; `INTERNAL` if the thread ends; the reason of `signal`
   */
  ask(question: Question, signal: AbortSignal): Promise<Rows>;
  close(): Promise<void>;
}

interface Asked {
  question: Question;
  module: CompiledWasm;
  /** True once it has taken longer than a quick one. */
  isLong: boolean;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  /** The mark of the copy that the thread holds; null for none. */
  mirror: string | null;
  /** The question that the thread works on; null if it is free. */
  at: Asked | null;
  /** Aborting this ends the time limits of the question that the thread works on. */
  timer: AbortController;
}

interface Lane {
  thread: Thread | null;
  waiting: Asked[];
}

export function createQueryLine(clock: Clock): QueryLine {
  const quick: Lane = { thread: null, waiting: [] };
  const slow: Lane = { thread: null, waiting: [] };
  let idle = new AbortController();
  let closed = false;

  const laneOf = (thread: Thread) => [quick, slow].find((lane) => lane.thread === thread);

  function start(lane: Lane, module: CompiledWasm): Thread {
    const limits = { maxOldGenerationSizeMb: VALUES_LIMIT_MB, maxYoungGenerationSizeMb: 4 };
    const worker = startThread('relay library', { task: 'query', module, heapLimit: HEAP_LIMIT }, limits);
    worker.unref();
    const thread: Thread = { worker, mirror: null, at: null, timer: new AbortController() };
    lane.thread = thread;
    worker.on('message', (reply: Reply) => heard(thread, reply));
    worker.on('error', (error) => lost(thread, error));
    worker.on('exit', () => lost(thread, null));
    return thread;
  }

  function heard(thread: Thread, reply: Reply): void {
    const lane = laneOf(thread);
    if (!lane) return;
    const { at } = thread;
    if (reply.kind === 'begun') {
      if (at) limit(thread, at);
      return;
    }
    thread.at = null;
    thread.timer.abort();
    if (reply.kind === 'rows') at?.resolve(reply.rows);
    else at?.reject(errorOf(reply));
    const isOver = lane === slow && slow.waiting.length === 0;
    if (isOver || reply.heapBytes > KEPT_HEAP) end(lane);
    next(lane);
  }

  /** Ends the thread of a lane. @returns the question that it worked on */
  function end(lane: Lane): Asked | null {
    const { thread } = lane;
    lane.thread = null;
    thread?.timer.abort();
    void thread?.worker.terminate();
    return thread?.at ?? null;
  }

  function lost(thread: Thread, error: Error | null): void {
    const lane = laneOf(thread);
    if (!lane) return;
    const why = isOutOfMemory(error)
      ? tooMuchMemory()
      : new RelayError('INTERNAL', 'The thread that answers queries has ended.', { cause: error });
    end(lane)?.reject(why);
    next(lane);
  }

  function next(lane: Lane): void {
    if (lane === quick) giveWay();
    if (lane.thread?.at) return;
    // The newest first: of many that wait, the long ones are soon the oldest.
    const one = lane === quick ? lane.waiting.pop() : lane.waiting.shift();
    if (one) begin(lane.thread ?? start(lane, one.module), one);
    else if (lane === quick) restAfterAWhile();
  }

  /** Moves a long question to the slow lane if others wait. If that lane is free, the thread moves with its question. */
  function giveWay(): void {
    const { thread } = quick;
    if (!thread?.at?.isLong || quick.waiting.length === 0) return;
    if (slow.thread) {
      slow.waiting.push(thread.at);
      end(quick);
    } else {
      slow.thread = thread;
      quick.thread = null;
    }
  }

  function begin(thread: Thread, one: Asked): void {
    thread.at = one;
    thread.timer = new AbortController();
    const { mirror, ...question } = one.question;
    const { mark } = mirror;
    const posted: PostedQuestion = {
      ...question,
      mirror: thread.mirror === mark ? { mark } : { mark, bytes: mirror.bytes() },
    };
    thread.mirror = mark;
    thread.worker.postMessage(posted);
  }

  /**
   * Begins to count the time of a question. On a busy computer, a new thread needs longer to open the files than a quick question
   * takes, and a quick question may wait longer than a turn for the processor.
   */
  function limit({ timer }: Thread, one: Asked): void {
    later(clock, QUERY_MS, timer.signal, () => {
      const lane = [quick, slow].find(({ thread }) => thread?.at === one);
      if (!lane) return;
      end(lane)?.reject(tookTooLong());
      next(lane);
    });
    const before = process.cpuUsage();
    const turn = (): Promise<void> =>
      later(clock, TURN_MS, timer.signal, () => {
        const { user, system } = process.cpuUsage(before);
        if (user + system < TURN_MS * 1_000) return turn();
        one.isLong = true;
        next(quick);
      });
    void turn();
  }

  function restAfterAWhile(): void {
    idle.abort();
    idle = new AbortController();
    later(clock, IDLE_MS, idle.signal, () => void end(quick));
  }

  return {
    async ask(question, signal) {
      const module = await sqliteModule();
      signal.throwIfAborted();
      if (closed) throw stopping();
      if (quick.waiting.length + slow.waiting.length >= MAX_WAITING) throw tooMany();
      idle.abort();
      const answer = new Promise<Rows>((resolve, reject) => {
        quick.waiting.push({ question, module, isLong: false, resolve, reject });
      });
      next(quick);
      try {
        return await interruptible(signal, answer);
      } finally {
        for (const lane of [quick, slow])
          lane.waiting = lane.waiting.filter((one) => one.question !== question);
      }
    },
    async close() {
      closed = true;
      idle.abort();
      for (const lane of [quick, slow]) {
        for (const one of lane.waiting.splice(0)) one.reject(stopping());
        const worker = lane.thread?.worker;
        end(lane)?.reject(stopping());
        await worker?.terminate();
      }
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

function stopping(): RelayError {
  return new RelayError('SHUTTING_DOWN', 'relay is stopping.');
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
