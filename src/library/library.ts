/**
 * The library as a database: a copy of the account's saved tracks and playlists. Few requests keep the copy up to date, and a
 * query on it sends none. README.md says what happens when.
 */
import { interruptible, later } from '../base/abort.ts';
import { type Clock, isoOf, type Random } from '../base/clock.ts';
import { counted } from '../base/lists.ts';
import type { Log } from '../base/log.ts';
import { createMutex } from '../base/mutex.ts';
import { asRelayError, loginRequired, messageOf, RelayError } from '../domain/errors.ts';
import type {
  LibraryAnswer,
  LibraryCsv,
  LibraryList,
  LibraryPart,
  LibraryStatus,
} from '../domain/library.ts';
import { pauseAfter } from '../domain/pause.ts';
import type { Playlist, Track } from '../domain/shapes.ts';
import type { PlaylistVersions, VersionRow } from '../domain/versions.ts';
import type { TrackQuery } from '../music/trackQuery.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import { PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import type { Store } from '../store/file/open.ts';
import type { Sql } from '../store/sql/sql.ts';
import { getAccount } from '../store/tables/account.ts';
import { memoryFile, mirrorFile } from './files/files.ts';
import type { FileDisk, LibraryFile } from './files/libraryFile.ts';
import { createPlayImports, type PlayImports } from './plays/importPlays.ts';
import type { Question } from './query/messages.ts';
import { createQueryPool, type QueryPool } from './query/pool.ts';
import { type Budget, createPace } from './reading/pace.ts';
import { createReader, type ReadCall, SAVED_PAGE } from './reading/reader.ts';
import {
  clearFailures,
  factsOf,
  getMeta,
  isKnown,
  type ListedName,
  listedPlaylists,
  missedPlaylists,
  nameOfPlaylist,
  playlistSnapshot,
  playlistsDue,
  putMeta,
  renamePlaylist,
  rowsOfPlaylist,
  type Summary,
  setDue,
  summaryOf,
} from './tables/mirror.ts';
import { deletePlays } from './tables/plays.ts';
import { isKnownTrack, namesOf, recordingsOf, savedLike } from './tables/tracks.ts';
import {
  afterReading,
  LAG_MS,
  playlistKey,
  type Touched,
  touch,
  touchedIn,
  touchedKey,
  touchedPlaylists,
  untilNow,
} from './touched.ts';
import { createPlaylistVersions } from './versions/playlistVersions.ts';
import type { Watcher, Written } from './watchedProvider.ts';

/** How long a question waits for the first reading. The first reading of a small account takes less. */
const FIRST_WAIT_MS = 10_000;
/** How long a question waits for the first reading in the demo, which has no limits. */
const DEMO_WAIT_MS = 30_000;
/** How long a call reads rows, at a check or of the saved tracks alone. The background reads what is left after that. */
const CHECK_MS = 25_000;
/** Maximum number of characters of rows, columns and note as JSON, so that the whole answer has at most 10,000. */
const ROW_CHARACTERS = 9_200;
/** A reading that took longer than this is checked before it counts as complete. */
const LONG_READING_MS = 10 * 60_000;
/** How long each step in the background waits at most for calls of people and models to end. */
const QUIET_MS = 10_000;
/** Reasons for waits that a question does not cut short while the first reading is under way. */
const HELD_UP: readonly string[] = ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'BUDGET', 'LOGIN_REQUIRED'];
const ALL_LISTS: readonly LibraryList[] = ['saved', 'playlists'];
/**
 * Age from which a kept playlist also checks the lists that its query does not read. Other programs may have changed these
 * lists.
 */
const UNHEARD_MS = 7 * 86_400_000;
/** Maximum age of the saved tracks when songs of a list are looked up in them. A question allows the same age by default. */
const FRESH_MS = 10 * 60_000;
/** From this number of songs on, a request to check the saved tracks is worth it, since it may spare searches. */
const WORTH_A_LOOK = 10;
/** Minimum time between two checks of the saved tracks for songs of a list. */
const LOOK_AGAIN_MS = 60_000;
const NO_PLAYS =
  'plays is empty: relay knows no plays until the owner imports Spotify’s export of the listening history (relay import my_spotify_data.zip).';
/** The end of the last play, and whether most of the last thousand have no URI. All plays may be a million. */
const LATEST_PLAYS =
  'SELECT max(played_at), count(uri) * 2 < count(*) FROM (SELECT played_at, uri FROM plays ORDER BY played_at DESC LIMIT 1000)';
const NAMED_ONLY = 'Most of the latest have no uri, as in the account data: compare name and artist too.';
const RESTS = 'the reading of the library waits';

export interface LibraryOptions {
  home: string;
  /** The provider without `watchedProvider.ts`, since the reader's own requests are not those of a person or a model. */
  provider: ProviderApi;
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  /** Limits of the reading in the background; null in the demo, which has none. */
  budget: Budget | null;
  /** Disk, threads and memory; the machine's own by default. */
  ground?: { disk?: FileDisk; pool?(): QueryPool; freeMemory?(): void };
}

interface LibraryQuestion {
  sql: string;
  /** Maximum number of rows; null for no limit of rows or characters. */
  limit: number | null;
  maxAgeMinutes: number;
}

/** A part of the library that one tool needs. */
type LibraryView =
  | { kind: 'saved' }
  /** One playlist. With `isKnown`, `view` returns null unless the rows have been read and relay has not just written to them. */
  | { kind: 'playlist'; id: string; isKnown?: boolean };

/** The plays that a query reads. */
export interface PlaysRead {
  /** When the last play ended, ISO 8601; null if none are stored. */
  until: string | null;
  /** Says this to the reader of an answer, whose rows alone would mean that nothing was heard since. */
  note: string;
}

/** `progress` receives how far a reading of many pages is, if the caller waits for it. */
type Caller = Pick<Call, 'signal'> & Partial<Pick<Call, 'progress'>>;

export interface Library {
  /**
   * Answers a question from the copy. Brings the copy up to date first if it is older than the question allows, or lacks
   * something that relay wrote.
   * @throws RelayError `LOGIN_REQUIRED` if no account is connected and nothing has been read; otherwise as `QueryPool.ask`
   */
  ask(question: LibraryQuestion, call: Caller): Promise<LibraryAnswer>;
  /** Does the same as `ask`, and returns the rows as CSV. */
  askCsv(question: LibraryQuestion, call: Caller): Promise<LibraryCsv>;
  /**
   * Answers the query of a kept playlist, with all rows. Of the lists that the query reads, checks those older than
   * `maxAgeMinutes`; of the other lists, those older than a week. Checks all lists if `maxAgeMinutes` is 0.
   * @returns the answer; `missed` has the playlists whose rows the answer may lack
   */
  follow(
    sql: string,
    maxAgeMinutes: number,
    call: Caller,
  ): Promise<LibraryAnswer & { missed: Array<{ id: string; name: string }> }>;
  /** Says how far the plays reach that a query reads; null if it reads none. */
  playsRead(sql: string, call: Pick<Caller, 'signal'>): Promise<PlaysRead | null>;
  /**
   * Brings one part of the copy up to date, and runs a query of relay's own.
   * @returns null if the part is not in the copy, or if `isKnown` forbids an answer. `note` says which part of the saved tracks
   *   has been read; null if all rows have been read
   * @throws RelayError `LOGIN_REQUIRED`, or of the provider
   */
  view(
    part: LibraryView,
    sql: string,
    call: Caller,
  ): Promise<{ rows: Array<Array<string | number | null>>; note: string | null } | null>;
  /** Reads the list of playlists, and stores it. @throws RelayError `LOGIN_REQUIRED`, or of the provider */
  playlists(call: Caller): Promise<Playlist[]>;
  /**
   * Brings one playlist of the copy up to date, and lists its versions, newest first. If Spotify cannot be asked, lists the
   * stored versions.
   * @throws RelayError `NOT_FOUND` if the playlist has no versions
   */
  versions(id: string, call: Caller): Promise<PlaylistVersions>;
  /** Returns the rows of one version in order; null if no version has that number. */
  versionRows(id: string, version: number): Promise<VersionRow[] | null>;
  /**
   * Returns the rows of a playlist in the copy: URIs in order, '' for a row without an item. null if the copy does not list the
   * playlist.
   */
  playlistRows(id: string): Promise<string[] | null>;
  /** Returns the name of a playlist, and whether it is the account's own; null if the copy does not list the playlist. */
  playlistFacts(id: string): Promise<{ name: string; mine: boolean } | null>;
  /** Returns the names of those tracks that are in the copy, by URI. */
  trackNames(uris: readonly string[]): Promise<Map<string, { name: string; artist: string }>>;
  /** Lists playlists whose rows Spotify does not give now, although they were read before or are the account's own. */
  missedPlaylists(): Promise<Array<{ id: string; name: string }>>;
  /** Returns the recording (`domain/recordings.ts`) of those tracks that are in the copy, by URI. */
  recordings(uris: readonly string[]): Promise<Map<string, string>>;
  /** Returns those `uris` whose tracks are in a list of the copy. Spotify offered the tracks when the list was read. */
  knownTracks(uris: readonly string[]): Promise<string[]>;
  /**
   * Returns saved tracks that may be a song of a list. They have the song's ISRC or, if the query has none, its title and first
   * artist. Returns none if the copy of the saved tracks is not complete and current, or cannot be read.
   * @param listed number of songs still to be found; for `WORTH_A_LOOK` or more, an older copy is first brought up to date
   */
  savedLike(query: TrackQuery, listed: number, call: Caller): Promise<Track[]>;
  /** Lists the playlists of the copy. */
  listedPlaylists(): Promise<ListedName[]>;
  /** Lists the playlists that have versions, also those that are no longer in the account. */
  versionedPlaylists(): Promise<Array<{ id: string; name: string }>>;
  status(): Promise<LibraryStatus>;
  /** Begins a reading, or a check if everything has been read. Returns at once. @throws RelayError `LOGIN_REQUIRED` */
  sync(): Promise<LibraryStatus>;
  forget(part: LibraryPart): Promise<void>;
  /** Writes `memory.db`, so that a copy of the file is complete. @throws RelayError `STORE_ERROR` */
  saveMemory(): Promise<void>;
  /**
   * Deletes the copy after its account was disconnected.
   * @param erase true to delete `memory.db` too
   * @returns true if there was a copy
   */
  accountLeft(erase: boolean): Promise<boolean>;
  /** Continues a reading that waits, whatever it waits for: a login may end the other reasons too. */
  loggedIn(): void;
  readonly watcher: Watcher;
  /** Imports of listening histories, which need no account. */
  readonly plays: PlayImports;
  /** Continues a reading that was interrupted when relay stopped. */
  start(): void;
  stop(): Promise<void>;
}

const NOTHING: Summary = {
  coverage: { saved: 'none', playlists: { read: 0, total: 0, unreadable: 0 } },
  asOf: null,
  begunAt: null,
  account: null,
  complete: false,
  listAsOf: { saved: null, playlists: null },
  wanted: false,
  due: 0,
  tracks: 0,
  saved: 0,
  savedTotal: null,
  listed: false,
};

export function createLibrary(options: LibraryOptions): Library {
  const { store, clock, random, log, budget } = options;
  const place = { ...options, ...options.ground };
  const memory = memoryFile(place);
  const file = savedAfter(memory, mirrorFile(place));
  const playlistVersions = createPlaylistVersions(memory, file, clock, log);
  /** True while a step in the background runs: each request of the step is counted in the budget before it is sent. */
  let isPaced = false;
  const paced: ProviderApi = {
    ...options.provider,
    async send(request, call) {
      if (isPaced) await file.use((sql) => pace.count(sql));
      return options.provider.send(request, call);
    },
  };
  const reader = createReader(paced, file, clock, playlistVersions.keepPending);
  const connected = (): string | null => {
    const account = getAccount(store);
    return account === null || account.reauthorizationRequired ? null : account.providerUserId;
  };
  // The demo's account is invented, so no history belongs to it.
  const listener = budget === null ? () => null : connected;
  const plays = createPlayImports(memory, listener, options);
  const pace = createPace(budget, clock);
  let pool: QueryPool | null = null;
  let known: Summary | null = null;
  let touched: Touched = {};
  const turns = createMutex();
  /** The check of the saved tracks that all songs of a list share; null if none is under way. */
  let savedLook: Promise<void> | null = null;
  /** When the last check in `savedLook` began, in monotonic milliseconds. */
  let lookedAtSaved = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  /** The reading in the background; null if none is under way. */
  let reading: { done: Promise<void>; stop: AbortController } | null = null;
  /** Why the reading in the background waits; null if it does not. `until` is null if only a login ends the wait. */
  let pause: { until: number | null; reason: string } | null = null;
  let wake = new AbortController();
  /** When a step of the reading was last saved, in monotonic milliseconds. */
  let savedAt = Number.NEGATIVE_INFINITY;
  /** Number of requests under way that are not the reader's own. */
  let foreground = 0;
  /** Called when no request of a person or a model is under way any more. */
  const quiet: Array<() => void> = [];
  /** Called when the reading has advanced, waits or has ended. */
  const progressed: Array<() => void> = [];

  /**
   * Runs `work` once no other work on the copy runs: a step in the background, or a whole check. `signal` ends the wait for the
   * turn, and the wait for the work.
   */
  function exclusively<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return interruptible(signal, turns.runExclusive('copy', work, signal));
  }

  async function summary(): Promise<Summary> {
    if (known) return known;
    if (!(await file.exists())) return NOTHING;
    return refresh((sql) => {
      const text = getMeta(sql, 'touched');
      if (text !== null) touched = { ...touchedIn(text), ...touched };
    });
  }

  function refresh(also: (sql: Sql) => void = () => {}): Promise<Summary> {
    return file.use((sql) => {
      also(sql);
      known = summaryOf(sql);
      return known;
    });
  }

  /** @param otherwise the answer if there is no copy */
  async function inCopy<T>(work: (sql: Sql) => T, otherwise: T): Promise<T> {
    return (await file.exists()) ? file.use(work) : otherwise;
  }

  function tell(): void {
    for (const one of progressed.splice(0)) one();
  }

  /** Makes sure that the copy is of this account: a copy of another account is dropped. @returns a summary of the copy */
  async function copyOf(account: string): Promise<Summary> {
    const found = await summary();
    touched = untilNow(touched, clock.now());
    if (found.account === account) return found;
    if (found !== NOTHING) await drop();
    return refresh((sql) => putMeta(sql, 'account', account));
  }

  /** True for a copy of another account than the one that is connected now. */
  function isOthers(found: Summary): boolean {
    const account = connected();
    return account !== null && found.account !== null && found.account !== account;
  }

  /** Drops the copy if another account was connected since it was read. */
  async function dropOthers(): Promise<void> {
    if (!isOthers(await summary())) return;
    await stopReading();
    await exclusively(async () => {
      if (isOthers(await summary())) await drop();
    }, stopping.signal);
  }

  /**
   * Continues the reading of the connected account, after a login and when relay starts. If there is no library, calls nothing
   * once the disk has answered. Otherwise the speed of the disk would decide which functions the executable's code cache holds.
   */
  async function resumeAsConnected(): Promise<void> {
    if ((await summary()) === NOTHING) return;
    await dropOthers();
    await resume();
  }

  async function drop(): Promise<void> {
    await file.drop();
    known = null;
    touched = {};
    pause = null;
  }

  /**
   * Stores that there is something to read, and starts the reading in the background if none is under way.
   * @param begunAt when the reading began at whose end all lists are known; null if this one leaves lists unchecked
   */
  async function want(begunAt: number | null): Promise<void> {
    const found = await summary();
    const isDated = found.begunAt === null && begunAt !== null;
    if (!found.wanted || isDated) {
      await refresh((sql) => {
        putMeta(sql, 'wanted', 1);
        if (isDated) putMeta(sql, 'begun_at', begunAt);
      });
      await file.save();
    }
    launch();
  }

  function launch(): void {
    if (reading || stopping.signal.aborted) return;
    void begin((signal) =>
      inBackground(signal).catch((error) => {
        if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'reading the library ended');
      }),
    );
  }

  /** Runs `work` as the reading in the background. @returns a promise that settles when the work has ended */
  function begin(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const done = work(AbortSignal.any([stopping.signal, stop.signal])).finally(() => {
      reading = null;
      tell();
    });
    reading = { done, stop };
    return done;
  }

  /** Continues a reading that was begun and has not ended. */
  async function resume(): Promise<void> {
    if ((await summary()).wanted) launch();
  }

  async function stopReading(): Promise<void> {
    const running = reading;
    running?.stop.abort(new Error('the reading is ended'));
    wake.abort();
    await running?.done;
  }

  async function inBackground(signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const account = connected();
      if (account === null) {
        pause = { until: null, reason: 'LOGIN_REQUIRED' };
        return;
      }
      if (!(await copyOf(account)).wanted) return;
      await untilQuiet(signal);
      const waitMs = await file.use((sql) => pace.waitMs(sql));
      if (waitMs > 0) {
        // A wait of a minute or less is not worth showing.
        pause = waitMs > 60_000 ? { until: clock.now() + waitMs, reason: 'BUDGET' } : null;
        await rest(Math.min(waitMs, 60_000), signal);
        continue;
      }
      pause = null;
      try {
        const call = { signal, account };
        const isMore = await exclusively(() => backgroundStep(call), signal);
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

  /** Waits after a failure in the background, and shows the failure as the reason. @returns false if only a login helps */
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

  /** Takes the next step of the reading in the background. @returns false if the reading has ended */
  async function backgroundStep(call: ReadCall): Promise<boolean> {
    isPaced = true;
    try {
      return await takeStep(call);
    } finally {
      isPaced = false;
    }
  }

  async function takeStep(call: ReadCall): Promise<boolean> {
    const isMore = await reader.step(call);
    const now = await refresh();
    if (isMore) {
      // In the demo there are no limits: a lost page costs nothing, and a save takes longer than a request. So the copy is
      // saved at most once a second.
      const isDue = budget !== null || clock.monotonic() - savedAt >= 1_000;
      if (isDue) {
        await file.save();
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
      await file.use((sql) => putMeta(sql, 'begun_at', clock.now()));
      await reader.checkSaved(call);
      await reader.checkPlaylists(call);
      await refresh();
      await file.save();
      return true;
    }
    await ended(begunAt);
    return false;
  }

  /** Records that `lists` were checked at `asOf`, and that nothing is left to read. Ends any wait. */
  async function ended(asOf: number, lists: readonly LibraryList[] = ALL_LISTS): Promise<void> {
    const { listAsOf } = await summary();
    await refresh((sql) => {
      const read = [...lists, ...touchedPlaylists(touched).map(playlistKey)];
      touched = afterReading(touched, asOf, read, (id) => playlistSnapshot(sql, id));
      keepTouched(sql);
      const times = ALL_LISTS.map((list) => (lists.includes(list) ? asOf : (listAsOf[list] ?? asOf)));
      putMeta(sql, 'as_of', Math.min(...times));
      for (const [index, list] of ALL_LISTS.entries()) putMeta(sql, `${list}_as_of`, times[index] ?? asOf);
      if (getMeta(sql, 'wanted') !== null) putMeta(sql, 'wanted', null);
      if (getMeta(sql, 'begun_at') !== null) putMeta(sql, 'begun_at', null);
    });
    pause = null;
    wake.abort();
    await file.save();
  }

  function keepTouched(sql: Sql): void {
    const text = Object.keys(touched).length === 0 ? null : JSON.stringify(touched);
    if (getMeta(sql, 'touched') !== text) putMeta(sql, 'touched', text);
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

  /**
   * Finds out what has changed since the last check, and reads it. Reads rows of playlists for at most `CHECK_MS`; the
   * background reads the others.
   * @param asked lists to check; lists that relay has just written to are always checked too
   * @returns a note for the answer if not everything was read; otherwise null
   */
  async function check(
    account: string,
    signal: AbortSignal,
    asked: readonly LibraryList[] = ALL_LISTS,
  ): Promise<string | null> {
    const call = { signal, account };
    const begunAt = clock.now();
    const written = Object.keys(touched);
    const lists = ALL_LISTS.filter((list) => asked.includes(list) || written.includes(list));
    if (lists.includes('saved')) await reader.checkSaved(call);
    if (lists.includes('playlists')) await reader.checkPlaylists(call);
    await file.use((sql) => {
      // Somebody is waiting, so playlists whose last reading failed are tried now, without their wait.
      clearFailures(sql);
      for (const id of touchedPlaylists(touched)) setDue(sql, id);
    });
    const end = clock.monotonic() + CHECK_MS;
    const leaveRest = async () => {
      await file.save();
      await want(lists.length === ALL_LISTS.length ? begunAt : null);
    };
    try {
      while (clock.monotonic() < end && (await reader.step(call))) await refresh();
    } catch (error) {
      // The background reads what comes after a playlist that failed.
      await refresh();
      await leaveRest();
      throw error;
    }
    const now = await refresh();
    if (now.complete && now.due === 0) {
      await ended(begunAt, lists);
      return null;
    }
    await leaveRest();
    return changesLeft(now);
  }

  /** Checks all lists in the background, and tries again after failures. @throws the reason of `signal` */
  async function checkAll(account: string, signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await exclusively(() => check(account, signal), signal);
        pause = null;
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(await waitAfter(thrown, failures, signal))) return;
      }
    }
  }

  /** Checks only the lists and playlists in `touched`: relay has written to them, and no reading has shown the write yet. */
  async function checkTouched(account: string, signal: AbortSignal): Promise<void> {
    const call = { signal, account };
    const begunAt = clock.now();
    const keys = Object.keys(touched);
    if (keys.includes('saved')) await reader.checkSaved(call);
    if (keys.includes('playlists')) await reader.checkPlaylists(call);
    const ids = touchedPlaylists(touched);
    await file.use((sql) => {
      for (const id of ids) setDue(sql, id);
    });
    for (const id of ids) await reader.readPlaylist(id, call);
    await refresh((sql) => {
      touched = afterReading(touched, begunAt, keys, (id) => playlistSnapshot(sql, id));
      keepTouched(sql);
    });
    await file.save();
  }

  /**
   * Brings the copy up to date for a question. If Spotify cannot be asked, leaves the copy as it is.
   * @returns a note for the answer, which says what the answer lacks; null if it lacks nothing
   * @throws RelayError `LOGIN_REQUIRED` if no account is connected and nothing is known
   */
  async function bringUpToDate(
    { sql, maxAgeMinutes }: Pick<LibraryQuestion, 'sql' | 'maxAgeMinutes'>,
    lists: readonly LibraryList[],
    call: Caller,
  ): Promise<string | null> {
    const { signal } = call;
    const maxAgeMs = maxAgeMinutes * 60_000;
    const account = connected();
    if (account === null) {
      const { asOf } = await summary();
      // Plays need no account, and versions are kept after a logout.
      const isNamed = /\b(?:plays|versions|version_items)\b/i.test(withoutTexts(sql));
      const isOfMemory = isNamed && (await memory.exists());
      if (asOf === null && !isOfMemory) throw loginRequired();
      return 'No Spotify account is connected, so this is what was known before.';
    }
    const found = await copyOf(account);
    if (isFirst(found)) return firstReading(call);
    const old = lists.filter((list) => ageOf(found, list) > maxAgeMs);
    if (old.length === 0 && found.complete && Object.keys(touched).length === 0) return null;
    try {
      return await exclusively(async () => {
        // After the first reading, a list may lack something too: for example, a new playlist has been listed but not read.
        if (old.length > 0 || !found.complete) return check(account, signal, old);
        await checkTouched(account, signal);
        return null;
      }, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asRelayError(thrown);
      if (error.code === 'INTERNAL') throw thrown;
      await refresh();
      return `Spotify could not be asked (${error.code}): this is what was known before. ${error.remedy ?? ''}`.trim();
    }
  }

  function ageOf({ listAsOf }: Summary, list: LibraryList): number {
    const asOf = listAsOf[list];
    return asOf === null ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - asOf);
  }

  /** Ends the waits after failures, since somebody asks now. */
  async function tryAgain(): Promise<void> {
    await file.use(clearFailures);
    pause = null;
    wake.abort();
  }

  /**
   * Begins or continues the first reading, and waits a while for its end.
   * @returns a note if the first reading has not ended; otherwise null
   */
  async function firstReading({ signal, progress: tellCaller }: Caller): Promise<string | null> {
    if (pause && !HELD_UP.includes(pause.reason)) await tryAgain();
    await want(clock.now());
    const timer = new AbortController();
    let late = false;
    const ms = budget === null ? DEMO_WAIT_MS : FIRST_WAIT_MS;
    const slept = later(clock, ms, AbortSignal.any([timer.signal, signal]), () => {
      late = true;
    });
    while (!late && reading && !pause && !(await summary()).complete) {
      await Promise.race([slept, new Promise<void>((resolve) => progressed.push(resolve))]);
      signal.throwIfAborted();
      if (tellCaller) {
        const { done, total } = (await statusOf()).progress;
        tellCaller(done, total);
      }
    }
    timer.abort();
    const { complete } = await summary();
    if (complete) return null;
    const { progress, state, until, reason } = await statusOf();
    const rest = state === 'waiting' ? ` It waits${until ? ` until ${until}` : ''} (${reason}).` : '';
    return `The first reading is not over: ${progress.done} of about ${progress.total} requests.${rest} The answer covers what has been read.`;
  }

  async function statusOf(): Promise<LibraryStatus> {
    const found = await summary();
    const now = isOthers(found) ? NOTHING : found;
    const isThere = now !== NOTHING;
    const left =
      isThere && now.account !== null && (!now.complete || now.due > 0) ? await reader.requestsLeft() : 0;
    const done = isThere ? requestsDone(now) : 0;
    const isWaiting = pause !== null;
    return {
      as_of: isoOf(now.asOf ?? now.begunAt),
      coverage: now.coverage,
      state: isWaiting ? 'waiting' : reading ? 'reading' : 'idle',
      until: isoOf(pause?.until ?? null),
      reason: pause?.reason ?? null,
      progress: { done, total: done + left },
      tracks: now.tracks,
      saved: now.saved,
      size_bytes: file.size,
    };
  }

  async function rowsOf(
    question: Pick<Question, 'sql' | 'limit' | 'maxCharacters' | 'isCsv' | 'isExplained'>,
    signal: AbortSignal,
  ) {
    // The thread reads the files itself, so a file that is not in memory need not be opened here.
    if (!(await file.exists())) {
      // The copy was there and is gone. `undamaged` treats this like a file that the thread cannot open.
      if (known)
        throw new RelayError('STORE_ERROR', 'library.db is gone.', { details: { file: 'library.db' } });
      await file.use(() => {});
    }
    await file.save();
    pool ??= options.ground?.pool?.() ?? createQueryPool(clock, options.ground?.freeMemory);
    const memoryPath = (await memory.exists()) ? memory.path : null;
    return pool.ask({ ...question, mirror: file.path, memory: memoryPath }, signal);
  }

  /**
   * Brings the saved tracks up to date. If their first reading takes longer than `CHECK_MS`, it continues in the background.
   * @returns a note if not all saved tracks have been read; otherwise null
   */
  async function bringSaved(call: ReadCall): Promise<string | null> {
    const end = clock.monotonic() + CHECK_MS;
    try {
      if ((await refresh()).coverage.saved === 'complete') await checkSavedAlone(call);
      else
        while (clock.monotonic() < end && (await reader.savedStep(call))) {
          await file.save();
          const { saved, savedTotal } = await refresh();
          call.progress?.(Math.ceil(saved / SAVED_PAGE), Math.ceil((savedTotal ?? saved) / SAVED_PAGE));
        }
    } finally {
      await refresh();
      await file.save();
    }
    const now = await refresh();
    if (now.coverage.saved === 'complete') return null;
    await want(now.asOf === null ? clock.now() : null);
    return `Only ${now.saved} of ${now.savedTotal ?? 'many'} saved tracks have been read; the others follow.`;
  }

  /** Brings the rows of one playlist up to date. @returns false if the copy lacks them, for example if Spotify refuses them */
  async function bringPlaylist(id: string, call: ReadCall): Promise<boolean> {
    if (!(await summary()).listed) await reader.checkPlaylists(call);
    const begunAt = clock.now();
    const key = playlistKey(id);
    if (Object.hasOwn(touched, key)) await file.use((sql) => setDue(sql, id));
    await reader.readPlaylist(id, call);
    const isHere = await file.use((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
    await refresh((sql) => {
      if (isHere) touched = afterReading(touched, begunAt, [key], () => playlistSnapshot(sql, id));
      keepTouched(sql);
    });
    await file.save();
    return isHere;
  }

  /** Reads what has changed in the saved tracks, and nothing else. Stores the time only if the first reading has ended. */
  async function checkSavedAlone(call: ReadCall): Promise<void> {
    const begunAt = clock.now();
    await reader.checkSaved(call);
    const { complete, listAsOf } = await refresh();
    if (!complete) return;
    await refresh((sql) => {
      touched = afterReading(touched, begunAt, ['saved'], () => null);
      keepTouched(sql);
      putMeta(sql, 'saved_as_of', begunAt);
      putMeta(sql, 'as_of', Math.min(begunAt, listAsOf.playlists ?? begunAt));
    });
  }

  /**
   * True if the copy of the saved tracks is current. If `listed` songs are worth a request, an older copy is checked first. Such
   * a check begins at most once in `LOOK_AGAIN_MS`, and never while other work on the copy runs.
   */
  async function hasSaved(account: string, listed: number, signal: AbortSignal): Promise<boolean> {
    const found = await summary();
    if (found.account !== account || !found.complete) return false;
    if (isSavedFresh(found)) return true;
    const isWorthIt = listed >= WORTH_A_LOOK && clock.monotonic() - lookedAtSaved >= LOOK_AGAIN_MS;
    if (!savedLook && isWorthIt && turns.isFree('copy')) {
      lookedAtSaved = clock.monotonic();
      savedLook = exclusively(() => checkSavedAlone({ signal, account }), signal)
        .then(() => file.save())
        .catch((thrown) => {
          // Searches then look for the songs, and report what is wrong with Spotify.
          if (!signal.aborted && asRelayError(thrown).code === 'INTERNAL')
            log.error({ err: thrown }, 'the saved tracks could not be looked at');
        })
        .finally(() => {
          savedLook = null;
        });
    }
    if (savedLook) await interruptible(signal, savedLook);
    return isSavedFresh(await summary());
  }

  function isSavedFresh(found: Summary): boolean {
    return ageOf(found, 'saved') <= FRESH_MS && !Object.hasOwn(touched, 'saved');
  }

  /** True if the copy has the rows of a playlist, and relay has not written to the playlist in the last `LAG_MS`. */
  async function hasRows(id: string): Promise<boolean> {
    const written = touched[playlistKey(id)];
    if (written && clock.now() - written.at < LAG_MS) return false;
    return file.use((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
  }

  /** Reads the list of playlists, then the playlist's rows if they have changed. @returns true if the list has the playlist */
  async function bringListed(id: string, call: ReadCall): Promise<boolean> {
    await reader.checkPlaylists(call);
    await file.use((sql) => {
      if (Object.hasOwn(touched, playlistKey(id))) setDue(sql, id);
    });
    const { isListed, isDue } = await file.use((sql) => ({
      isListed: nameOfPlaylist(sql, id) !== null,
      isDue: playlistsDue(sql).some((due) => due.id === id),
    }));
    if (isDue) await reader.readPlaylist(id, call);
    await refresh();
    await file.save();
    return isListed;
  }

  /**
   * Like `bringListed`, but answers from the copy if Spotify cannot be asked. Returns true if the copy has no list either, since
   * nothing then says that the playlist is gone.
   */
  async function isListedNow(id: string, { signal }: Caller): Promise<boolean> {
    const account = connected();
    try {
      if (account !== null) {
        await copyOf(account);
        return await exclusively(() => bringListed(id, { signal, account }), signal);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (asRelayError(thrown).code === 'INTERNAL') throw thrown;
    }
    if (!(await summary()).listed) return true;
    return file.use((sql) => nameOfPlaylist(sql, id) !== null);
  }

  /** Returns the lists that a query reads; until the first reading has ended, all lists. */
  async function listsReadBy(sql: string, { signal }: Caller): Promise<readonly LibraryList[]> {
    if (!(await summary()).complete) return ALL_LISTS;
    const { lists } = await rowsOf({ sql, limit: 0, maxCharacters: 0, isExplained: true }, signal);
    return lists ?? ALL_LISTS;
  }

  async function answerTo(
    question: LibraryQuestion,
    lists: readonly LibraryList[],
    call: Caller,
    isCsv = false,
  ): Promise<LibraryAnswer & { csv?: string }> {
    const { sql, limit } = question;
    const note = await bringUpToDate(question, lists, call);
    const { asOf, begunAt, coverage } = await summary();
    const [most, maxCharacters] =
      limit === null
        ? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
        : [limit, ROW_CHARACTERS - (note?.length ?? 0)];
    const rows = await rowsOf({ sql, limit: most, maxCharacters, isCsv }, call.signal);
    return {
      ...(rows.csv === undefined ? {} : { csv: rows.csv }),
      columns: rows.columns,
      rows: rows.rows,
      row_count: rows.count ?? rows.rows.length,
      truncated: rows.truncated,
      as_of: isoOf(asOf ?? begunAt),
      coverage,
      ...noteOf([note, memory.news()]),
    };
  }

  /**
   * Replaces a file that was damaged or removed while relay ran. Drops a damaged copy, and puts a damaged `memory.db` aside.
   * @returns false if the error is about neither file
   */
  async function replacedDamaged(error: unknown, { signal }: Caller): Promise<boolean> {
    const { file: name } = (error instanceof RelayError ? error.details : null) ?? {};
    if (name === 'library.db') await exclusively(drop, signal);
    // SQLite does not say which file is damaged, so damage that shows while a query runs is reported for `memory.db`. If that
    // file is sound, the copy is the damaged one.
    else if (name === 'memory.db') {
      if (await memory.check()) await exclusively(drop, signal);
    } else return false;
    return true;
  }

  /** Does some work. If a file turns out to be damaged or gone, replaces the file and does the work once more. */
  async function undamaged<T>(call: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(await replacedDamaged(error, call))) throw error;
      return work();
    }
  }

  async function playsRead(sql: string, { signal }: Caller): Promise<PlaysRead | null> {
    if (!/\bplays\b/i.test(withoutTexts(sql))) return null;
    const { rows } = await rowsOf({ sql: LATEST_PLAYS, limit: 1, maxCharacters: 1_000 }, signal);
    const [until, isNamedOnly] = rows[0] ?? [];
    if (typeof until !== 'string') return { until: null, note: NO_PLAYS };
    const end = `plays end on ${until.slice(0, 10)}: relay does not know what was heard since.`;
    return { until, note: isNamedOnly === 1 ? `${end} ${NAMED_ONLY}` : end };
  }

  async function withPlaysNote<T extends { note?: string }>(
    { sql }: LibraryQuestion,
    answer: T,
    call: Caller,
  ): Promise<T> {
    return { ...answer, ...noteOf([answer.note ?? null, (await playsRead(sql, call))?.note ?? null]) };
  }

  /** See `Library.missedPlaylists`. A playlist that has versions was read before. */
  async function missed(): Promise<Array<{ id: string; name: string }>> {
    const all = await file.use(missedPlaylists);
    if (all.every(({ isSure }) => isSure)) return all;
    const versioned = new Set((await playlistVersions.playlists()).map(({ id }) => id));
    return all.filter(({ id, isSure }) => isSure || versioned.has(id));
  }

  function requireAccount(): string {
    const account = connected();
    if (account === null) throw loginRequired();
    return account;
  }

  return {
    ask: (question, call) =>
      undamaged(call, async () => withPlaysNote(question, await answerTo(question, ALL_LISTS, call), call)),
    askCsv: (question, call) =>
      undamaged(call, async () => {
        const answer = await answerTo(question, ALL_LISTS, call, true);
        const { columns, rows, csv = '', ...facts } = await withPlaysNote(question, answer, call);
        return { csv, ...facts };
      }),
    follow: (sql, maxAgeMinutes, call) =>
      undamaged(call, async () => {
        const read = await listsReadBy(sql, call);
        const now = await summary();
        // A person who asks for a run wants every list to be checked.
        const isLooked = (list: LibraryList) => maxAgeMinutes === 0 || ageOf(now, list) > UNHEARD_MS;
        const lists = ALL_LISTS.filter((list) => read.includes(list) || isLooked(list));
        const answer = await answerTo({ sql, limit: null, maxAgeMinutes }, lists, call);
        return { ...answer, missed: read.includes('playlists') ? await missed() : [] };
      }),
    playsRead: (sql, call) => undamaged(call, () => playsRead(sql, call)),
    view: (part, sql, { signal, progress }) =>
      undamaged({ signal }, async () => {
        const account = requireAccount();
        await copyOf(account);
        const call = { signal, account, progress };
        if (part.kind === 'playlist' && part.isKnown && !(await hasRows(part.id))) return null;
        const note = await exclusively(async () => {
          if (part.kind === 'saved') return { text: await bringSaved(call) };
          return (await bringPlaylist(part.id, call)) ? { text: null } : null;
        }, signal);
        if (note === null) return null;
        const most = Number.MAX_SAFE_INTEGER;
        const { rows } = await rowsOf({ sql, limit: most, maxCharacters: most }, signal);
        return { rows, note: note.text };
      }),
    async playlists({ signal }) {
      const account = requireAccount();
      await copyOf(account);
      return exclusively(async () => {
        const read = await reader.checkPlaylists({ signal, account });
        await refresh();
        await file.save();
        return read;
      }, signal);
    },
    async versions(id, call) {
      const present = await isListedNow(id, call);
      const { name, items } = await playlistVersions.list(id);
      await memory.save();
      if (items.length > 0) return { playlist_id: id, name: name ?? id, present, items };
      throw new RelayError('NOT_FOUND', `There are no versions of the playlist ${id}.`, {
        remedy: 'relay keeps a version of each playlist that it can read, from the first reading on.',
      });
    },
    playlistRows: (id) =>
      inCopy((sql) => {
        const isListed = nameOfPlaylist(sql, id) !== null;
        return isListed ? rowsOfPlaylist(sql, id).map(({ uri }) => uri ?? '') : null;
      }, null),
    playlistFacts: (id) => inCopy((sql) => factsOf(sql, id), null),
    trackNames: (uris) => inCopy((sql) => namesOf(sql, uris), new Map()),
    missedPlaylists: async () => ((await file.exists()) ? missed() : []),
    recordings: (uris) => inCopy((sql) => recordingsOf(sql, uris), new Map()),
    knownTracks: (uris) => inCopy((sql) => uris.filter((uri) => isKnownTrack(sql, uri)), []),
    async savedLike(query, listed, { signal }) {
      const account = connected();
      try {
        if (account === null || !(await hasSaved(account, listed, signal))) return [];
        return await file.use((sql) => savedLike(sql, query));
      } catch (error) {
        signal.throwIfAborted();
        // A search finds the song as well.
        log.warn({ reason: messageOf(error) }, 'the saved tracks could not be looked through');
        return [];
      }
    },
    versionRows: (id, version) => playlistVersions.rows(id, version),
    listedPlaylists: () => inCopy(listedPlaylists, []),
    versionedPlaylists: () => playlistVersions.playlists(),
    status: statusOf,
    async sync() {
      const account = requireAccount();
      const found = await copyOf(account);
      await tryAgain();
      if (isFirst(found)) await want(clock.now());
      else if (!reading) {
        // This call returns at once, so the check takes the place of the reading in the background.
        const checked = begin((signal) => checkAll(account, signal).catch(() => {}));
        void checked.then(() => (pause === null ? resume() : undefined)).catch(() => {});
      }
      return statusOf();
    },
    async forget(part) {
      if (part === 'mirror') {
        await stopReading();
        await exclusively(drop, stopping.signal);
        return;
      }
      if (part === 'versions') return playlistVersions.forget();
      return plays.forget(async () => {
        if (!(await memory.exists())) return;
        await memory.use(deletePlays);
        await memory.save();
      });
    },
    saveMemory: () => memory.save(),
    async accountLeft(erase) {
      await stopReading();
      const was = await file.exists();
      await exclusively(drop, stopping.signal);
      if (erase) await plays.forget(() => memory.drop());
      return was;
    },
    loggedIn() {
      pause = null;
      wake.abort();
      void resumeAsConnected().catch(() => {});
    },
    plays,
    watcher: {
      wrote(written) {
        const isNew = !Object.hasOwn(touched, touchedKey(written));
        touched = touch(touched, written, clock.now());
        const renamed = written.kind === 'playlist' && written.name !== null;
        if (isNew || renamed) void noteWritten(written);
      },
      began() {
        foreground += 1;
        return () => {
          foreground -= 1;
          if (foreground > 0) return;
          for (const one of quiet.splice(0)) one();
        };
      },
    },
    start() {
      void resumeAsConnected().catch((error) =>
        log.warn({ reason: messageOf(error) }, 'the library could not be opened'),
      );
    },
    async stop() {
      stopping.abort(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
      await plays.stop();
      await stopReading();
      await turns.runExclusive('copy', async () => {});
      await pool?.close();
      await file.close();
      await memory.close();
    },
  };

  /**
   * Saves `touched` and the new name of a playlist at once. If a crash lost them, the copy would count as current without what
   * relay has written.
   */
  async function noteWritten(written: Written): Promise<void> {
    try {
      if (stopping.signal.aborted || !(await file.exists())) return;
      await refresh((sql) => {
        keepTouched(sql);
        if (written.kind === 'playlist' && written.name !== null)
          renamePlaylist(sql, written.id, written.name);
      });
      await file.save();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the library was not saved');
    }
  }
}

/**
 * Returns `file` with a `save` that saves `first` before it. After a crash between the two saves, the playlist is read once
 * more. In the other order, its version would be lost.
 */
function savedAfter(first: LibraryFile, file: LibraryFile): LibraryFile {
  const save = async () => {
    await first.save();
    await file.save();
  };
  return Object.create(file, { save: { value: save } }) as LibraryFile;
}

/** A query without its texts and comments, which may hold the names of tables. */
function withoutTexts(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
}

/** True until everything has been read once. */
function isFirst({ complete, asOf }: Summary): boolean {
  return !complete && asOf === null;
}

/** Estimates how many requests the reading has taken so far. */
function requestsDone({ saved, coverage, listed }: Summary): number {
  return (
    Math.ceil(saved / SAVED_PAGE) +
    (listed ? Math.max(1, Math.ceil(coverage.playlists.total / PLAYLIST_PAGE)) : 0) +
    coverage.playlists.read
  );
}

/** Says which part of a check follows in the background. */
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

function noteOf(notes: ReadonlyArray<string | null>): { note?: string } {
  const note = notes.filter((one) => one !== null).join(' ');
  return note === '' ? {} : { note };
}
