/**
 * Keeps the copy of the account's library up to date. Reads one list of the account after the other: first what somebody waits for,
 * then what is missing. After failures it pauses and tries again; it ends when nothing is left to read. Whoever asks for a list
 * only waits for that.
 */
import { setMaxListeners } from 'node:events';
import { firstOf } from '../base/abort.ts';
import { type Clock, isoOf, type Random } from '../base/clock.ts';
import { counted } from '../base/lists.ts';
import type { Log } from '../base/log.ts';
import { asRelayError, loginRequired, messageOf, RelayError } from '../domain/errors.ts';
import type { LibraryList, LibraryStatus } from '../domain/library.ts';
import { pauseAfter } from '../domain/pause.ts';
import type { Playlist } from '../domain/shapes.ts';
import type { VersionRow } from '../domain/versions.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { LibraryFile } from './files/files.ts';
import { type Budget, createPace } from './pace.ts';
import { createReader, type ReadCall } from './reader.ts';
import {
  getMeta,
  noteCurrent,
  playlistSnapshot,
  playlistsDue,
  putMeta,
  renamePlaylist,
  type Summary,
  summaryOf,
} from './tables/mirror.ts';
import { tidyTracks } from './tables/tracks.ts';
import type { Watcher, Written } from './watchedProvider.ts';

/**
 * What is read at a time: `playlists` for the list of playlists, `saved` for what has changed in the saved tracks, `more saved` for
 * their next page, or the ID of a playlist.
 */
type Key = string;

/** `progress` receives how far a reading of many pages is. */
export type Caller = Pick<Call, 'signal'> & Partial<Pick<Call, 'progress'>>;

const ALL_LISTS: readonly LibraryList[] = ['saved', 'playlists'];
const NO_PLAYLISTS: readonly Key[] = [...ALL_LISTS, 'more saved'];
const OF_ONE_PLAYLIST: readonly string[] = ['PROVIDER_UNAVAILABLE', 'PROVIDER_INVALID_RESPONSE'];

/** How long a call waits for what it asked for. The rest is read after that. */
const WAIT_MS = 25_000;
/** How long a question waits for the first reading. The first reading of a small account takes less. */
const FIRST_WAIT_MS = 10_000;
/** How long a question waits for the first reading in the demo, which has no limits. */
const DEMO_WAIT_MS = 30_000;
/** How long it takes until a write shows everywhere. A list takes about a second, a playlist's snapshot up to half a minute. */
const LAG_MS = 35_000;
/** How much earlier a playlist may show its new snapshot than its new rows. */
const ROWS_LAG_MS = 5_000;
const MINUTE_MS = 60_000;

const ANY_TIME = 2 ** 31 - 1;

export interface SyncOptions {
  provider: ProviderApi;
  file: LibraryFile;
  /** Called when all rows of a playlist have been read, before they replace the earlier rows. */
  onRead(playlist: Playlist, rows: readonly VersionRow[]): Promise<void>;
  /** Writes `memory.db`. @throws RelayError `STORE_ERROR` */
  saveVersions(): Promise<void>;
  connected(): string | null;
  clock: Clock;
  random: Random;
  log: Log;
  /** Limits of the reading in the background; null in the demo, which has none. */
  budget: Budget | null;
}

/** A write of relay's that no reading has shown yet. */
interface Write {
  at: number;
  /** The playlist's snapshot that the write made; null for the lists, and if the provider did not name the snapshot. */
  snapshotId: string | null;
}

interface Wait {
  /** True once what the caller waits for has happened. */
  isDone(): boolean | Promise<boolean>;
  /** Called when something has happened meanwhile. */
  heard?(): unknown;
  ms: number;
  /** False if the budget may hold up the worker meanwhile. The wait then ends as soon as it does. */
  isUrgent: boolean;
}

export type Sync = ReturnType<typeof createSync>;

export function createSync(options: SyncOptions) {
  const { file, connected, clock, random, log, budget } = options;
  const pace = createPace(options.provider, budget, file, clock, tell);
  const reader = createReader(pace.provider, change, options.onRead, clock);

  /** What the copy holds; null if that has to be counted again. */
  let known: Summary | null = null;
  let isWrittenKnown = false;
  /** By key, the last write to each list that no reading has shown yet, since the provider's lists lag behind writes. */
  let written: Record<Key, Write> = {};
  /** The list of playlists as it was last read. */
  let listed: Playlist[] = [];
  /** True once somebody has asked for the saved tracks alone. They are then read to their end. */
  let isSavedAsked = false;
  let isStopping = false;
  /** True while only kept playlists have asked since the copy was last saved. */
  let isQuiet = false;
  /** When the copy was last saved, in monotonic milliseconds. */
  let savedAt = Number.NEGATIVE_INFINITY;

  let running: Promise<void> | null = null;
  let halting = new AbortController();
  /** What is read now, and how many pages of that. */
  let present: { key: Key; done: number; total: number } | null = null;
  /** Why the reading waits. `until` is null if only a login ends the wait. */
  let pause: { until: number | null; error: RelayError } | null = null;
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

  // What the copy holds

  async function change<T>(work: (sql: Sql) => T): Promise<T> {
    return file.use((sql) => {
      const before = sql.version();
      try {
        return work(sql);
      } finally {
        if (sql.version() !== before) known = null;
      }
    });
  }

  /** Groups the tracks of the copy into songs, if any have changed. */
  async function tidied(): Promise<void> {
    if ((await summary()).areTracksDue) await change(tidyTracks);
  }

  /** Saves the versions first: after a crash between the two saves, the playlist is read once more, and no version is lost. */
  async function save(): Promise<void> {
    await options.saveVersions();
    await file.save();
  }

  /** Saves what was read, unless only kept playlists have asked for it. */
  async function finished(): Promise<void> {
    await tidied();
    await (isQuiet ? options.saveVersions() : save());
  }

  /** Saves what only kept playlists have asked for so far. A save that fails is logged, and tried again. */
  async function endQuiet(): Promise<void> {
    if (isQuiet) await save().catch(() => {});
    isQuiet = false;
  }

  async function summary(): Promise<Summary> {
    if (known) return known;
    if (!(await file.exists())) return NOTHING;
    if (!isWrittenKnown) {
      isWrittenKnown = true;
      const text = await change((sql) => getMeta(sql, 'written'));
      written = { ...(JSON.parse(text ?? '{}') as typeof written), ...written };
    }
    return change((sql) => {
      known = summaryOf(sql);
      return known;
    });
  }

  /** Makes sure that there is a copy, and that it is of this account: a copy of another account is dropped. */
  async function of(account: string): Promise<Summary> {
    const found = await summary();
    if (found.account === account) return found;
    if (found !== NOTHING) await drop();
    await change((sql) => putMeta(sql, 'account', account));
    return summary();
  }

  async function drop(): Promise<void> {
    await halt(new Error('the reading is ended'));
    halting = new AbortController();
    pause = null;
    for (const keys of [asked, failed, unlucky]) keys.clear();
    tell();
    await file.drop();
    [known, written, listed, isSavedAsked] = [null, {}, [], false];
  }

  /** Returns the age of a list in milliseconds; infinite if it was never read. */
  function ageOf({ listAsOf }: Summary, list: LibraryList): number {
    const asOf = listAsOf[list];
    return asOf === null ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - asOf);
  }

  /** Notes that the whole library is to be read, also after a restart. */
  async function wantAll(): Promise<void> {
    if ((await summary()).begunAt !== null) return;
    await change((sql) => putMeta(sql, 'begun_at', clock.now()));
    await save();
  }

  // What is read next

  function missing(account: string): Promise<Key[] | null> {
    return change((sql) => {
      if (getMeta(sql, 'account') !== account) return null;
      const isWanted = getMeta(sql, 'begun_at') !== null;
      // The list comes first: without it, a copy of all saved tracks would look like that of an account without playlists.
      if (isWanted && getMeta(sql, 'listed_at') === null) return ['playlists'];
      const isSavedDue = (isWanted || isSavedAsked) && getMeta(sql, 'saved_complete') !== '1';
      const due = isWanted ? playlistsDue(sql) : [];
      return [...(isSavedDue ? ['more saved'] : []), ...due.map(({ id }) => id)];
    });
  }

  async function read(key: Key, call: ReadCall): Promise<boolean> {
    const begunAt = clock.now();
    let isRead = true;
    if (key === 'playlists') listed = await reader.list(call);
    else if (key === 'saved') await reader.checkSaved(call);
    else if (key === 'more saved') isRead = await reader.moreSaved(call);
    else await reader.playlist(key, call, Object.hasOwn(written, key));
    await change((sql) => {
      noteCurrent(sql);
      noteShown(sql, key, begunAt);
    });
    // A kill of the first reading then loses at most one list or page. The demo has no limits: there a lost page costs nothing, and
    // a save takes longer than a request.
    if ((await summary()).asOf === null && (budget !== null || clock.monotonic() - savedAt >= 1_000)) {
      await save();
      savedAt = clock.monotonic();
    }
    return isRead;
  }

  // Reading

  function tell(): void {
    for (const one of waiting.splice(0)) one();
  }

  /** Chooses what to read next; null if nothing is left, or all that is left has failed. */
  function next(lacking: readonly Key[]): Key | null {
    const isOpen = (key: Key) => !failed.has(key);
    const order = ['playlists', ...[...asked].filter((key) => !NO_PLAYLISTS.includes(key)), 'saved'];
    const first = order.find((key) => asked.has(key) && isOpen(key));
    if (first !== undefined || isHeldUp) return first ?? null;
    const open = lacking.filter(isOpen);
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
      const lacking = await missing(account);
      if (lacking === null) {
        asked.clear();
        return;
      }
      const key = next(lacking);
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
        await finished();
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
      const isRead = await read(key, { signal, account, progress });
      unlucky.delete(key);
      isLastFailed = false;
      return isRead;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asRelayError(thrown);
      if (error.code === 'INTERNAL') log.error({ err: thrown }, 'reading the library failed');
      if (wasAsked) asked.add(key);
      // Spotify may fail with one playlist only. If it fails twice in a row, it would probably fail with all others too.
      isHeldUp ||= isLastFailed || NO_PLAYLISTS.includes(key) || !OF_ONE_PLAYLIST.includes(error.code);
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

  /** Has lists read before all others. A list that is being read now is read once more. */
  function ask(keys: readonly Key[]): void {
    for (const key of keys) {
      asked.add(key);
      failed.delete(key);
    }
    rouse();
  }

  /** True until the lists have been read that somebody has asked for, also while their reading fails. */
  const isAsked = (keys: readonly Key[]) => keys.some((key) => asked.has(key) || present?.key === key);

  /**
   * Waits until `isDone`, or until one of `keys` has failed or the reading pauses.
   * @returns the failure; `late` if it takes too long; otherwise null
   */
  async function waitFor(
    keys: readonly Key[],
    signal: AbortSignal,
    { isDone, heard, ms, isUrgent }: Wait,
  ): Promise<RelayError | 'late' | null> {
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
  }

  /** Has lists read, and waits for them, however long it takes. @throws RelayError of the provider */
  async function readFor(keys: readonly Key[], { signal, progress }: Caller): Promise<void> {
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
  }

  /** Ends any pause, and tries again what failed. Starts if something is left to read. */
  function tryAgain(): void {
    forgive();
    rouse();
  }

  async function halt(reason: Error): Promise<void> {
    halting.abort(reason);
    await running;
  }

  // relay's own writes

  /** Notes that a list was read. A write to it counts as shown once all lags are over, or once its snapshot has come. */
  function noteShown(sql: Sql, key: Key, begunAt: number): void {
    const write = written[key];
    if (!write) return;
    // After the clock was set back, the write would lie in the future.
    const age = Math.abs(begunAt - write.at);
    const isSnapshot = write.snapshotId !== null && playlistSnapshot(sql, key) === write.snapshotId;
    if (age < LAG_MS && !(isSnapshot && age >= ROWS_LAG_MS)) return;
    const { [key]: _, ...rest } = written;
    written = rest;
    putMeta(sql, 'written', JSON.stringify(written));
  }

  function wrote(one: Written): void {
    const key = one.kind === 'playlist' ? one.id : one.kind;
    const isNew = !Object.hasOwn(written, key);
    const [snapshotId, name] = one.kind === 'playlist' ? [one.snapshotId, one.name] : [null, null];
    written = { ...written, [key]: { at: clock.now(), snapshotId } };
    if (isNew || name !== null)
      void noteWritten(key, name).catch((error) =>
        log.warn({ reason: messageOf(error) }, 'the library was not saved'),
      );
  }

  /** Saves the write at once. If a crash lost it, the copy would count as current without what relay has written. */
  async function noteWritten(key: Key, name: string | null): Promise<void> {
    if (isStopping || (await summary()) === NOTHING) return;
    await change((sql) => {
      putMeta(sql, 'written', JSON.stringify(written));
      if (name !== null) renamePlaylist(sql, key, name);
    });
    if (!isQuiet) await save();
  }

  // What the copy lacks, in words

  async function status(): Promise<LibraryStatus> {
    const all = await summary();
    const account = connected();
    const isOthers = account !== null && all.account !== null && all.account !== account;
    const found = isOthers ? NOTHING : all;
    const until = pause ? pause.until : pace.heldUntil;
    const reason = pause?.error.code ?? (until === null ? null : 'BUDGET');
    return {
      as_of: isoOf(found.asOf ?? found.begunAt),
      coverage: found.coverage,
      state: reason !== null ? 'waiting' : running !== null ? 'reading' : 'idle',
      until: isoOf(until),
      reason,
      progress: found.progress,
      tracks: found.tracks,
      saved: found.saved,
      size_bytes: file.size,
    };
  }

  async function firstNote(): Promise<string> {
    const { progress, state, until, reason } = await status();
    const wait = state === 'waiting' ? ` It waits${until ? ` until ${until}` : ''} (${reason}).` : '';
    return `The first reading is not over: ${progress.done} of about ${progress.total} requests.${wait} The answer covers what has been read.`;
  }

  return {
    file,
    summary,
    tidied,
    /** Runs `work` on the copy; returns `otherwise` if there is none. */
    read: async <T>(work: (sql: Sql) => T, otherwise: T): Promise<T> =>
      (await file.exists()) ? change(work) : otherwise,
    of,
    drop,
    /**
     * Brings the lists up to date that are older than a question allows, and whatever relay has written to. Begins or continues the
     * first reading.
     * @param quiet true for a kept playlist: the copy is then saved with the next question, since it can be read again
     * @returns a note for the answer, which says what the answer lacks; null if it lacks nothing
     */
    async current(
      maxAgeMinutes: number,
      { signal, progress }: Caller,
      quiet = false,
    ): Promise<string | null> {
      const found = await summary();
      if (!quiet) await endQuiet();
      else if (running === null && found.isWhole) isQuiet = true;
      const isFirst = found.asOf === null;
      const old = ALL_LISTS.filter((list) => !isFirst && ageOf(found, list) >= maxAgeMinutes * MINUTE_MS);
      const keys = [...new Set([...old, ...Object.keys(written)])];
      if (!isFirst && found.isWhole && keys.length === 0) return null;
      await wantAll();
      ask(keys);
      tryAgain();
      const firstMs = budget ? FIRST_WAIT_MS : DEMO_WAIT_MS;
      const end = await waitFor(keys, signal, {
        isDone: () => running === null && !pause,
        async heard() {
          if (!progress) return;
          const { done, total } = (await summary()).progress;
          progress(done, total);
        },
        ms: isFirst ? firstMs : WAIT_MS,
        isUrgent: !isFirst,
      });
      if (end instanceof RelayError && end.code === 'INTERNAL') throw end;
      const now = await summary();
      if (isFirst) return now.asOf === null ? firstNote() : null;
      if (end instanceof RelayError)
        return `Spotify could not be asked (${end.code}): this is what was known before. ${end.remedy ?? ''}`.trim();
      if (isAsked(keys)) return 'Spotify has not answered yet: this is what was known before.';
      return now.isWhole ? null : changesLeft(now);
    },
    /** Brings the saved tracks up to date. @returns a note if not all have been read; otherwise null @throws RelayError of the provider */
    async saved({ signal, progress }: Caller): Promise<string | null> {
      isSavedAsked = true;
      ask(['saved']);
      const end = await waitFor(['saved', 'more saved'], signal, {
        isDone: async () => !isAsked(['saved']) && (await summary()).coverage.saved === 'complete',
        heard() {
          if (present?.key === 'more saved' && present.total > 0) progress?.(present.done, present.total);
        },
        ms: WAIT_MS,
        isUrgent: true,
      });
      if (end instanceof RelayError) throw end;
      if (end === null) return null;
      const { saved, savedTotal } = await summary();
      return `Only ${saved} of ${savedTotal ?? 'many'} saved tracks have been read; the others follow.`;
    },
    /** Reads the list of playlists. @throws RelayError of the provider */
    async playlists(caller: Caller): Promise<Playlist[]> {
      await readFor(['playlists'], caller);
      return listed;
    },
    /**
     * Brings the rows of one playlist up to date.
     * @returns false if the copy lacks them, for example if Spotify refuses them
     * @throws RelayError of the provider
     */
    async playlist(id: string, caller: Caller): Promise<boolean> {
      await readFor((await summary()).listed ? [id] : ['playlists', id], caller);
      return (await file.exists()) && change((sql) => playlistSnapshot(sql, id) !== null);
    },
    /** True if the rows of a playlist are not those of the snapshot in the list, or if relay has just written to the playlist. */
    isDue: async (id: string) =>
      Object.hasOwn(written, id) || change((sql) => playlistsDue(sql).some((due) => due.id === id)),
    /** True if the copy has the rows of a playlist, and relay has not just written to the playlist. */
    async hasRows(id: string): Promise<boolean> {
      const write = written[id];
      if (write && Math.abs(clock.now() - write.at) < LAG_MS) return false;
      return change((sql) => playlistSnapshot(sql, id) !== null);
    },
    status,
    /** Begins the first reading, or a check of all lists. Returns at once. */
    async begin(): Promise<void> {
      await endQuiet();
      const { asOf } = await summary();
      await wantAll();
      ask(asOf === null ? [] : ALL_LISTS);
      tryAgain();
    },
    /**
     * Continues a reading that was interrupted when relay stopped or that waits, whatever it waits for: a login may end the other
     * reasons too. Drops the copy of another account.
     */
    async resume(): Promise<void> {
      const found = await summary();
      // Without a library, nothing more is called once the disk has answered. Otherwise the speed of the disk would decide which
      // functions the executable's code cache holds.
      if (found === NOTHING) return;
      const account = connected();
      if (account !== null && found.account !== null && found.account !== account) return drop();
      if (running !== null || pause || (found.begunAt !== null && !found.isWhole)) tryAgain();
    },
    watcher: { wrote, began: pace.began } satisfies Watcher,
    stop(): Promise<void> {
      isStopping = true;
      return halt(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
    },
  };
}

const NOTHING: Summary = {
  account: null,
  begunAt: null,
  coverage: { saved: 'none', playlists: { read: 0, total: 0, unreadable: 0 } },
  listAsOf: { saved: null, playlists: null },
  asOf: null,
  listed: false,
  saved: 0,
  savedTotal: null,
  tracks: 0,
  due: 0,
  isWhole: false,
  areTracksDue: false,
  progress: { done: 0, total: 0 },
};

function changesLeft({ coverage, saved, savedTotal, due }: Summary): string {
  const parts = [
    ...(coverage.saved === 'complete'
      ? []
      : [
          `The saved tracks have changed and are read again: ${saved} of ${savedTotal ?? 'many'} have been read.`,
        ]),
    ...(due === 0
      ? []
      : [`${counted(due, 'playlist')} ${due === 1 ? 'has' : 'have'} changed; their rows are being read.`]),
  ];
  return parts.join(' ');
}
