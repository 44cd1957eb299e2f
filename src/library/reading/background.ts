/** The reading in the background: it begins at the first question, and continues after pauses, restarts and logins. */
import { later } from '../../base/abort.ts';
import { type Clock, isoOf, type Random } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { asRelayError, messageOf, RelayError } from '../../domain/errors.ts';
import type { LibraryList, LibraryStatus } from '../../domain/library.ts';
import { pauseAfter } from '../../domain/pause.ts';
import type { Call } from '../../provider/api.ts';
import { PLAYLIST_PAGE } from '../../provider/resources/playlists.ts';
import { ALL_LISTS, type Copy, NOTHING } from '../copy.ts';
import { clearFailures, putMeta, type Summary } from '../tables/mirror.ts';
import type { Pace } from './pace.ts';
import { type ReadCall, type Reader, SAVED_PAGE } from './reader.ts';

/** How long a question waits for the first reading. The first reading of a small account takes less. */
const FIRST_WAIT_MS = 10_000;
/** How long a question waits for the first reading in the demo, which has no limits. */
const DEMO_WAIT_MS = 30_000;
/** A reading that took longer than this is checked before it counts as complete. */
const LONG_READING_MS = 10 * 60_000;
/** How long each step in the background waits at most for calls of people and models to end. */
const QUIET_MS = 10_000;
/** Reasons for waits that a question does not cut short while the first reading is under way. */
const HELD_UP: readonly string[] = ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'BUDGET', 'LOGIN_REQUIRED'];
const RESTS = 'the reading of the library waits';

export interface BackgroundOptions {
  copy: Copy;
  reader: Reader;
  pace: Pace;
  /** Returns the ID of the connected account; null if none is connected. */
  connected(): string | null;
  clock: Clock;
  random: Random;
  log: Log;
  isDemo: boolean;
  stopping: AbortSignal;
}

/** `progress` receives how far a reading of many pages is, if the caller waits for it. */
export type Caller = Pick<Call, 'signal'> & Partial<Pick<Call, 'progress'>>;

export interface Background {
  /**
   * Stores that there is something to read, and starts the reading if none is under way.
   * @param begunAt when the reading began at whose end all lists are known; null if this one leaves lists unchecked
   */
  want(begunAt: number | null): Promise<void>;
  /**
   * Begins or continues the first reading, and waits a while for its end.
   * @returns a note if the first reading has not ended; otherwise null
   */
  first(call: Caller): Promise<string | null>;
  /** Runs `check` in place of the reading, again after failures; then continues the reading. Nothing if one is under way. */
  run(check: (signal: AbortSignal) => Promise<unknown>): void;
  /** Ends the waits after failures, since somebody asks now. */
  tryAgain(): Promise<void>;
  /** Records that `lists` were checked at `asOf`, and that nothing is left to read. Ends any wait. */
  ended(asOf: number, lists: readonly LibraryList[]): Promise<void>;
  /** Forgets why the reading waits; a wait that is under way continues. */
  forgetPause(): void;
  /** Continues a reading that was interrupted when relay stopped, and drops the copy of another account. */
  resume(): Promise<void>;
  /** Continues a reading that waits, whatever it waits for: a login may end the other reasons too. */
  loggedIn(): void;
  status(): Promise<LibraryStatus>;
  /** Called when a request of a person or a model begins. @returns a function to call when it has ended */
  requestBegan(): () => void;
  stop(): Promise<void>;
}

export function createBackground(options: BackgroundOptions): Background {
  const { copy, reader, pace, connected, clock, random, log, isDemo, stopping } = options;
  /** The reading; null if none is under way. */
  let reading: { done: Promise<void>; stop: AbortController } | null = null;
  /** Why the reading waits; null if it does not. `until` is null if only a login ends the wait. */
  let pause: { until: number | null; reason: string } | null = null;
  let wake = new AbortController();
  /** When a step was last saved, in monotonic milliseconds. */
  let savedAt = Number.NEGATIVE_INFINITY;
  /** Number of requests under way that are not the reader's own. */
  let foreground = 0;
  /** Called when no request of a person or a model is under way any more. */
  const quiet: Array<() => void> = [];
  /** Called when the reading has advanced, waits or has ended. */
  const progressed: Array<() => void> = [];

  function tell(): void {
    for (const one of progressed.splice(0)) one();
  }

  /** True for a copy of another account than the one that is connected now. */
  function isOthers(found: Summary): boolean {
    const account = connected();
    return account !== null && found.account !== null && found.account !== account;
  }

  /** Drops the copy if another account was connected since it was read. */
  async function dropOthers(): Promise<void> {
    if (!isOthers(await copy.summary())) return;
    await stop();
    await copy.exclusively(async () => {
      if (isOthers(await copy.summary())) await copy.drop();
    }, stopping);
  }

  /**
   * If there is no library, calls nothing once the disk has answered. Otherwise the speed of the disk would decide which
   * functions the executable's code cache holds.
   */
  async function resume(): Promise<void> {
    if ((await copy.summary()) === NOTHING) return;
    await dropOthers();
    await continueWanted();
  }

  async function continueWanted(): Promise<void> {
    if ((await copy.summary()).wanted) launch();
  }

  async function want(begunAt: number | null): Promise<void> {
    const found = await copy.summary();
    const isDated = found.begunAt === null && begunAt !== null;
    if (!found.wanted || isDated) {
      await copy.refresh((sql) => {
        putMeta(sql, 'wanted', 1);
        if (isDated) putMeta(sql, 'begun_at', begunAt);
      });
      await copy.file.save();
    }
    launch();
  }

  function launch(): void {
    if (reading || stopping.aborted) return;
    void begin((signal) =>
      readAll(signal).catch((error) => {
        if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'reading the library ended');
      }),
    );
  }

  /** Runs `work` as the reading. @returns a promise that settles when the work has ended */
  function begin(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const own = new AbortController();
    const done = work(AbortSignal.any([stopping, own.signal])).finally(() => {
      reading = null;
      tell();
    });
    reading = { done, stop: own };
    return done;
  }

  async function stop(): Promise<void> {
    const running = reading;
    running?.stop.abort(new Error('the reading is ended'));
    wake.abort();
    await running?.done;
  }

  async function readAll(signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const account = connected();
      if (account === null) {
        pause = { until: null, reason: 'LOGIN_REQUIRED' };
        return;
      }
      if (!(await copy.of(account)).wanted) return;
      await untilQuiet(signal);
      const waitMs = await pace.waitMs();
      if (waitMs > 0) {
        // A wait of a minute or less is not worth showing.
        pause = waitMs > 60_000 ? { until: clock.now() + waitMs, reason: 'BUDGET' } : null;
        await rest(Math.min(waitMs, 60_000), signal);
        continue;
      }
      pause = null;
      try {
        const call = { signal, account };
        const isMore = await copy.exclusively(() => pace.counted(() => takeStep(call)), signal);
        failures = 0;
        tell();
        if (!isMore) return;
      } catch (thrown) {
        signal.throwIfAborted();
        failures += 1;
        if (!(await waitAfter(thrown, failures, signal))) return;
      }
    }
  }

  /** Takes the next step. @returns false if the reading has ended */
  async function takeStep(call: ReadCall): Promise<boolean> {
    const isMore = await reader.step(call);
    const now = await copy.refresh();
    if (isMore) {
      // In the demo there are no limits: a lost page costs nothing, and a save takes longer than a request. So the copy is
      // saved at most once a second.
      if (!isDemo || clock.monotonic() - savedAt >= 1_000) {
        await copy.file.save();
        savedAt = clock.monotonic();
      }
      return true;
    }
    if (!now.complete || now.due > 0)
      throw new RelayError('PROVIDER_UNAVAILABLE', 'Some playlists could not be read.');
    const begunAt = now.begunAt ?? (now.asOf === null ? clock.now() : null);
    if (begunAt === null) {
      await ended(0, []);
      return false;
    }
    if (clock.now() - begunAt > LONG_READING_MS) {
      await copy.file.use((sql) => putMeta(sql, 'begun_at', clock.now()));
      await reader.checkSaved(call);
      await reader.checkPlaylists(call);
      await copy.refresh();
      await copy.file.save();
      return true;
    }
    await ended(begunAt, ALL_LISTS);
    return false;
  }

  async function ended(asOf: number, lists: readonly LibraryList[]): Promise<void> {
    await copy.setRead(asOf, lists);
    pause = null;
    wake.abort();
    await copy.file.save();
  }

  /** Waits after a failure, and shows the failure as the reason. @returns false if only a login helps */
  async function waitAfter(thrown: unknown, failures: number, signal: AbortSignal): Promise<boolean> {
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL') log.error({ err: thrown }, 'reading the library failed');
    const { until } = pauseAfter(error, { failures, now: clock.now(), fraction: random.fraction() });
    pause = { until, reason: error.code };
    tell();
    if (until === null) return false;
    const end = clock.monotonic() + until - clock.now();
    // The wait ends by the wall clock or the monotonic clock, whichever is earlier. The wall clock may be set back, and the
    // monotonic clock may stand still while the computer sleeps. So both are read again every minute.
    const leftMs = () => Math.min(until - clock.now(), end - clock.monotonic());
    while (leftMs() > 0 && pause) {
      pause = { until: clock.now() + leftMs(), reason: error.code };
      await rest(Math.min(leftMs(), 60_000), signal);
    }
    return true;
  }

  async function rest(ms: number, signal: AbortSignal): Promise<void> {
    wake = new AbortController();
    const slept = clock.sleep(ms, AbortSignal.any([signal, wake.signal])).catch(() => {});
    log.debug({ ms, reason: pause?.reason ?? null }, RESTS);
    await slept;
    signal.throwIfAborted();
  }

  /** Waits until no request of a person or a model is under way, but at most `QUIET_MS`: their requests go first. */
  async function untilQuiet(signal: AbortSignal): Promise<void> {
    if (foreground === 0) return;
    const late = new AbortController();
    const calm = new Promise<void>((resolve) => quiet.push(resolve));
    const slept = clock.sleep(QUIET_MS, AbortSignal.any([signal, late.signal])).catch(() => {});
    await Promise.race([calm, slept]);
    late.abort();
  }

  async function tryAgain(): Promise<void> {
    await copy.file.use(clearFailures);
    pause = null;
    wake.abort();
  }

  async function first({ signal, progress: tellCaller }: Caller): Promise<string | null> {
    if (pause && !HELD_UP.includes(pause.reason)) await tryAgain();
    await want(clock.now());
    const timer = new AbortController();
    let late = false;
    const ms = isDemo ? DEMO_WAIT_MS : FIRST_WAIT_MS;
    const slept = later(clock, ms, AbortSignal.any([timer.signal, signal]), () => {
      late = true;
    });
    while (!late && reading && !pause && !(await copy.summary()).complete) {
      await Promise.race([slept, new Promise<void>((resolve) => progressed.push(resolve))]);
      signal.throwIfAborted();
      if (tellCaller) {
        const { done, total } = (await status()).progress;
        tellCaller(done, total);
      }
    }
    timer.abort();
    if ((await copy.summary()).complete) return null;
    const { progress, state, until, reason } = await status();
    const wait = state === 'waiting' ? ` It waits${until ? ` until ${until}` : ''} (${reason}).` : '';
    return `The first reading is not over: ${progress.done} of about ${progress.total} requests.${wait} The answer covers what has been read.`;
  }

  async function status(): Promise<LibraryStatus> {
    const found = await copy.summary();
    const now = isOthers(found) ? NOTHING : found;
    const isThere = now !== NOTHING;
    const left =
      isThere && now.account !== null && (!now.complete || now.due > 0) ? await reader.requestsLeft() : 0;
    const done = isThere ? requestsDone(now) : 0;
    return {
      as_of: isoOf(now.asOf ?? now.begunAt),
      coverage: now.coverage,
      state: pause !== null ? 'waiting' : reading ? 'reading' : 'idle',
      until: isoOf(pause?.until ?? null),
      reason: pause?.reason ?? null,
      progress: { done, total: done + left },
      tracks: now.tracks,
      saved: now.saved,
      size_bytes: copy.file.size,
    };
  }

  /** @throws the reason of `signal` */
  async function untilDone(check: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await copy.exclusively(check, signal);
        pause = null;
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(await waitAfter(thrown, failures, signal))) return;
      }
    }
  }

  return {
    want,
    first,
    run(check) {
      if (reading) return;
      const checked = begin((signal) => untilDone(() => check(signal), signal).catch(() => {}));
      void checked.then(() => (pause === null ? continueWanted() : undefined)).catch(() => {});
    },
    tryAgain,
    ended,
    forgetPause() {
      pause = null;
    },
    resume,
    loggedIn() {
      pause = null;
      wake.abort();
      void resume().catch(() => {});
    },
    status,
    requestBegan() {
      foreground += 1;
      return () => {
        foreground -= 1;
        if (foreground > 0) return;
        for (const one of quiet.splice(0)) one();
      };
    },
    stop,
  };
}

/** Estimates how many requests the reading has taken so far. */
function requestsDone({ saved, coverage, listed }: Summary): number {
  return (
    Math.ceil(saved / SAVED_PAGE) +
    (listed ? Math.max(1, Math.ceil(coverage.playlists.total / PLAYLIST_PAGE)) : 0) +
    coverage.playlists.read
  );
}
