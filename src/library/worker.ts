/**
 * Reads one list of the account after the other: first what somebody waits for, then what is missing. After failures it pauses and
 * tries again; it ends when nothing is left to read. Whoever asks for a list only waits for the worker.
 */
import { setMaxListeners } from 'node:events';
import { firstOf } from '../base/abort.ts';
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { asRelayError, loginRequired, messageOf, RelayError } from '../domain/errors.ts';
import { pauseAfter } from '../domain/pause.ts';
import type { Call } from '../provider/api.ts';
import type { Pace } from './pace.ts';
import type { ReadCall } from './reader.ts';

/**
 * What the worker reads: `playlists` for the list of playlists, `saved` for what has changed in the saved tracks, `more saved` for
 * their next page, or the ID of a playlist.
 */
export type Key = string;

/** `progress` receives how far a reading of many pages is. */
export type Caller = Pick<Call, 'signal'> & Partial<Pick<Call, 'progress'>>;

export interface WorkerOptions {
  /** What is missing of the copy, in the order in which to read it; null if the copy is that of another account. */
  missing(account: string): Promise<Key[] | null>;
  /**
   * Reads and stores one list.
   * @returns false if nothing was read, since the list has changed
   */
  read(key: Key, call: ReadCall): Promise<boolean>;
  /** Called when nothing is left to read. */
  finished(): Promise<void>;
  /** Returns the ID of the connected account; null if none is connected. */
  connected(): string | null;
  pace: Pick<Pace, 'hurry' | 'heldUntil'>;
  clock: Clock;
  random: Random;
  log: Log;
}

interface Wait {
  /** True once what the caller waits for has happened. */
  isDone(): boolean | Promise<boolean>;
  /** Called when something has happened meanwhile. */
  heard?(): unknown;
  /** Maximum time in milliseconds. */
  ms: number;
  /** False if the budget may hold up the worker meanwhile. The wait then ends as soon as it does. */
  isUrgent: boolean;
}

export interface Worker {
  /** True if it reads or waits. */
  readonly isBusy: boolean;
  /** Why it waits; null if it does not. `until` is null if only a login ends the wait. */
  readonly pause: { until: number | null; error: RelayError } | null;
  /** What it reads now, and how many pages of that; null if it reads nothing. */
  readonly present: { key: Key; done: number; total: number } | null;
  /** Has lists read before all others. A list that is being read now is read once more. */
  ask(keys: readonly Key[]): void;
  /** Ends any pause, and tries again what failed. Starts if something is left to read. */
  tryAgain(): void;
  /** True until the lists have been read that somebody has asked for, also while their reading fails. */
  isAsked(keys: readonly Key[]): boolean;
  /**
   * Waits until `isDone`, or until one of `keys` has failed or the worker pauses.
   * @returns the failure; `late` if it takes too long; otherwise null
   */
  waitFor(keys: readonly Key[], signal: AbortSignal, wait: Wait): Promise<RelayError | 'late' | null>;
  /** Has lists read, and waits for them, however long it takes. @throws RelayError of the provider */
  readFor(keys: readonly Key[], caller: Caller): Promise<void>;
  /** Wakes those who wait for it. */
  tell(): void;
  /** Ends the reading, and forgets what was asked for. */
  halt(): Promise<void>;
  /** Ends the reading for good. */
  stop(): Promise<void>;
}

const LISTS: readonly Key[] = ['playlists', 'saved', 'more saved'];

/** Codes of failures that may concern one playlist only. */
const OF_ONE_PLAYLIST: readonly string[] = ['PROVIDER_UNAVAILABLE', 'PROVIDER_INVALID_RESPONSE'];
const MINUTE_MS = 60_000;
/** The longest sleep that a timer can count. */
const ANY_TIME = 2 ** 31 - 1;

export function createWorker(options: WorkerOptions): Worker {
  const { connected, pace, clock, random, log } = options;
  let running: Promise<void> | null = null;
  let halting = new AbortController();
  let isStopping = false;
  let present: Worker['present'] = null;
  let pause: Worker['pause'] = null;
  /** Ends the pause. */
  let waking = new AbortController();
  /** What somebody has asked for and has not been begun yet, or has failed. */
  const asked = new Set<Key>();
  /** What could not be read since the last pause. It is not tried again before the next one. */
  const failed = new Map<Key, RelayError>();
  /** What could not be read when it was last tried. The rest of what is missing is read before that. */
  const unlucky = new Set<Key>();
  let isLastFailed = false;
  /** True if only what somebody has asked for is read before the next pause. */
  let isHeldUp = false;
  /** Called when something has happened that a caller may wait for. */
  const waiting: Array<() => void> = [];

  function tell(): void {
    for (const one of waiting.splice(0)) one();
  }

  /** Chooses what to read next; null if nothing is left, or all that is left has failed. */
  function next(missing: readonly Key[]): Key | null {
    const isOpen = (key: Key) => !failed.has(key);
    const order = ['playlists', ...[...asked].filter((key) => !LISTS.includes(key)), 'saved'];
    const first = order.find((key) => asked.has(key) && isOpen(key));
    if (first !== undefined || isHeldUp) return first ?? null;
    const open = missing.filter(isOpen);
    return open.find((key) => !unlucky.has(key)) ?? open[0] ?? null;
  }

  async function work(signal: AbortSignal): Promise<void> {
    forgive();
    /** Number of pauses since something was read for which nobody asked. */
    let pauses = 0;
    for (;;) {
      signal.throwIfAborted();
      const account = connected();
      if (account === null) {
        pause = { until: null, error: loginRequired() };
        return;
      }
      const missing = await options.missing(account);
      if (missing === null) {
        asked.clear();
        return;
      }
      const key = next(missing);
      if (key !== null) {
        const wasAsked = asked.has(key);
        if ((await attempt(key, account, signal)) && !wasAsked) pauses = 0;
        tell();
      } else if (failed.size > 0) {
        const end = await rest(pauses + 1, signal);
        if (end === 'login') return;
        if (end === 'woken') continue;
        pauses += 1;
        forgive();
      } else {
        await options.finished();
        return;
      }
    }
  }

  /** Reads one list. If that fails, notes the failure. @returns true if something was read */
  async function attempt(key: Key, account: string, signal: AbortSignal): Promise<boolean> {
    const wasAsked = asked.delete(key);
    const progress = (done: number, total: number) => {
      present = { key, done, total };
      tell();
    };
    present = { key, done: 0, total: 0 };
    try {
      const isRead = await options.read(key, { signal, account, progress });
      unlucky.delete(key);
      isLastFailed = false;
      return isRead;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asRelayError(thrown);
      if (error.code === 'INTERNAL') log.error({ err: thrown }, 'reading the library failed');
      if (wasAsked) asked.add(key);
      // Spotify may fail with one playlist only. If it fails twice in a row, it would probably fail with all others too.
      isHeldUp ||= isLastFailed || LISTS.includes(key) || !OF_ONE_PLAYLIST.includes(error.code);
      isLastFailed = true;
      failed.set(key, error);
      unlucky.add(key);
      return false;
    } finally {
      present = null;
    }
  }

  /** Waits after failures. @returns `over` after the time, `woken` if somebody asks before, `login` if only a login helps */
  async function rest(failures: number, signal: AbortSignal): Promise<'over' | 'woken' | 'login'> {
    const error = [...failed.values()].at(-1) as RelayError;
    const { until } = pauseAfter(error, { failures, now: clock.now(), fraction: random.fraction() });
    pause = { until, error };
    tell();
    if (until === null) return 'login';
    const end = clock.monotonic() + until - clock.now();
    while (pause !== null) {
      // The wall clock may be set back, and the monotonic clock may stand still while the computer sleeps.
      const ms = Math.min(until - clock.now(), end - clock.monotonic(), MINUTE_MS);
      if (ms <= 0) {
        pause = null;
        return 'over';
      }
      await clock.sleep(ms, AbortSignal.any([signal, waking.signal])).catch(() => {});
      signal.throwIfAborted();
    }
    return 'woken';
  }

  function forgive(): void {
    failed.clear();
    isHeldUp = false;
  }

  function launch(): void {
    if (running || isStopping) return;
    const { signal } = halting;
    // Several pages are read at the same time, and Node warns at the eleventh listener.
    setMaxListeners(0, signal);
    running = work(signal)
      .catch((error) => {
        if (signal.aborted) return;
        pause = { until: null, error: asRelayError(error) };
        log.warn({ reason: messageOf(error) }, 'reading the library ended');
      })
      .finally(() => {
        running = null;
        tell();
        // Somebody may have asked at the last moment.
        if (asked.size > 0 && pause === null && !signal.aborted) launch();
      });
  }

  function rouse(): void {
    pause = null;
    waking.abort();
    waking = new AbortController();
    launch();
  }

  function ask(keys: readonly Key[]): void {
    for (const key of keys) {
      asked.add(key);
      failed.delete(key);
    }
    rouse();
  }

  const isAsked = (keys: readonly Key[]) => keys.some((key) => asked.has(key) || present?.key === key);

  const waitFor: Worker['waitFor'] = async (keys, signal, { isDone, heard, ms, isUrgent }) => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const limit = firstOf(clock, finished, signal, ms);
    const relax = isUrgent ? pace.hurry() : () => {};
    try {
      for (;;) {
        const told = new Promise<void>((resolve) => waiting.push(resolve));
        if (await isDone()) return null;
        const failures = keys.flatMap((key) => failed.get(key) ?? []);
        const failure = pause?.error ?? failures[0];
        if (failure) return failure;
        if (pace.heldUntil !== null && !isUrgent) return 'late';
        if ((await Promise.race([told, limit])) === 'late') return 'late';
        signal.throwIfAborted();
        await heard?.();
      }
    } finally {
      finish();
      relax();
    }
  };

  async function halt(reason: Error): Promise<void> {
    halting.abort(reason);
    await running;
  }

  return {
    get isBusy() {
      return running !== null;
    },
    get pause() {
      return pause;
    },
    get present() {
      return present;
    },
    ask,
    isAsked,
    waitFor,
    async readFor(keys, { signal, progress }) {
      ask(keys);
      const end = await waitFor(keys, signal, {
        isDone: () => !isAsked(keys),
        heard() {
          if (present && present.total > 0 && keys.includes(present.key))
            progress?.(present.done, present.total);
        },
        ms: ANY_TIME,
        isUrgent: true,
      });
      if (end instanceof RelayError) throw end;
    },
    tryAgain() {
      forgive();
      rouse();
    },
    tell,
    async halt() {
      await halt(new Error('the reading is ended'));
      halting = new AbortController();
      pause = null;
      for (const keys of [asked, failed, unlucky]) keys.clear();
      tell();
    },
    stop() {
      isStopping = true;
      return halt(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
    },
  };
}
