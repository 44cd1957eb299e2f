/**
 * Keeps the copy of the account's library up to date: has the worker read what a question needs, and says what the copy still
 * lacks.
 */
import { type Clock, isoOf, type Random } from '../base/clock.ts';
import { counted } from '../base/lists.ts';
import type { Log } from '../base/log.ts';
import { messageOf, RelayError } from '../domain/errors.ts';
import type { LibraryList, LibraryStatus } from '../domain/library.ts';
import type { Playlist } from '../domain/shapes.ts';
import type { VersionRow } from '../domain/versions.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { LibraryFile } from './files/libraryFile.ts';
import { type Budget, createPace } from './pace.ts';
import { createReader, type ReadCall } from './reader.ts';
import {
  getMeta,
  isKnown,
  playlistSnapshot,
  playlistsDue,
  putMeta,
  renamePlaylist,
  type Summary,
  settle,
  summaryOf,
} from './tables/mirror.ts';
import { settleTracks } from './tables/songs.ts';
import type { Watcher, Written } from './watchedProvider.ts';
import { type Caller, createWorker, type Key } from './worker.ts';

const ALL_LISTS: readonly LibraryList[] = ['saved', 'playlists'];

/** How long a call waits for what it asked for. The worker reads the rest after that. */
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

export interface SyncOptions {
  provider: ProviderApi;
  file: LibraryFile;
  /** Called when all rows of a playlist have been read, before they replace the earlier rows. */
  onRead(playlist: Playlist, rows: readonly VersionRow[]): Promise<void>;
  /** Writes `memory.db`. @throws RelayError `STORE_ERROR` */
  saveVersions(): Promise<void>;
  /** Returns the ID of the connected account; null if none is connected. */
  connected(): string | null;
  clock: Clock;
  random: Random;
  log: Log;
  /** Limits of the reading in the background; null in the demo, which has none. */
  budget: Budget | null;
}

export interface Sync {
  readonly file: LibraryFile;
  /** True if this process has used the copy and has not dropped it. */
  readonly wasSeen: boolean;
  /** True if what is known of the copy is about this database. */
  knows(sql: Sql): boolean;
  /** Says what the copy holds. */
  summary(): Promise<Summary>;
  /** Groups the tracks of the copy into songs, if any have changed. */
  settled(): Promise<void>;
  /** Runs `work` on the copy; returns `otherwise` if there is none. */
  read<T>(work: (sql: Sql) => T, otherwise: T): Promise<T>;
  /** Makes sure that there is a copy, and that it is of this account: a copy of another account is dropped. */
  of(account: string): Promise<Summary>;
  /** Ends the reading, and deletes the copy. */
  drop(): Promise<void>;
  /**
   * Brings the lists up to date that are older than a question allows, and whatever relay has written to. Begins or
   * continues the first reading.
   * @param isQuiet true for a kept playlist: the copy is then saved hours later, since it can be read again
   * @returns a note for the answer, which says what the answer lacks; null if it lacks nothing
   */
  current(maxAgeMinutes: number, caller: Caller, isQuiet?: boolean): Promise<string | null>;
  /**
   * Brings the saved tracks up to date.
   * @returns a note if not all saved tracks have been read; otherwise null
   * @throws RelayError of the provider
   */
  saved(caller: Caller): Promise<string | null>;
  /** Reads the list of playlists. @throws RelayError of the provider */
  playlists(caller: Caller): Promise<Playlist[]>;
  /**
   * Brings the rows of one playlist up to date.
   * @returns false if the copy lacks them, for example if Spotify refuses them
   * @throws RelayError of the provider
   */
  playlist(id: string, caller: Caller): Promise<boolean>;
  /** True if the rows of a playlist are not those of the snapshot in the list, or if relay has just written to the playlist. */
  isDue(id: string): Promise<boolean>;
  /** True if the copy has the rows of a playlist, and relay has not just written to the playlist. */
  hasRows(id: string): Promise<boolean>;
  status(): Promise<LibraryStatus>;
  /** Begins the first reading, or a check of all lists. Returns at once. */
  begin(): Promise<void>;
  /**
   * Continues a reading that was interrupted when relay stopped or that waits, whatever it waits for: a login may end the other
   * reasons too. Drops the copy of another account.
   */
  resume(): Promise<void>;
  readonly watcher: Watcher;
  stop(): Promise<void>;
}

/** A write of relay's that no reading has shown yet. */
interface Write {
  /** In Unix milliseconds. */
  at: number;
  /** The playlist's snapshot that the write made; null for the lists, and if the provider did not name the snapshot. */
  snapshotId: string | null;
}

export function createSync(options: SyncOptions): Sync {
  const { file, connected, clock, log, budget } = options;
  const pace = createPace(options.provider, budget, file, clock, () => worker.tell());
  const reader = createReader(pace.provider, change, options.onRead, clock);
  const worker = createWorker({ ...options, missing, read, finished, pace });

  /** What the copy holds; null if that has to be counted again. */
  let known: Summary | null = null;
  /** The database that was used last. The file is closed when nobody uses it, and may be lost or damaged until it is opened. */
  let database: Sql | null = null;
  let wasSeen = false;
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

  // What the copy holds

  async function change<T>(work: (sql: Sql) => T): Promise<T> {
    wasSeen = true;
    return file.use((sql) => {
      if (sql !== database) known = null;
      database = sql;
      const before = sql.version();
      try {
        return work(sql);
      } finally {
        if (sql.version() !== before) known = null;
      }
    });
  }

  async function settled(): Promise<void> {
    if ((await summary()).areTracksDue) await change(settleTracks);
  }

  /** Saves what was read, unless only kept playlists have asked for it. */
  async function finished(): Promise<void> {
    await settled();
    await (isQuiet ? options.saveVersions() : file.save());
  }

  function quieten(is: boolean): void {
    isQuiet = is;
    file.lazily(is);
  }

  async function summary(): Promise<Summary> {
    if (known) return known;
    if (!(await file.exists())) return NOTHING;
    if (!wasSeen) {
      const text = await change((sql) => getMeta(sql, 'written'));
      written = { ...(JSON.parse(text ?? '{}') as typeof written), ...written };
    }
    return change((sql) => {
      known = summaryOf(sql);
      return known;
    });
  }

  async function of(account: string): Promise<Summary> {
    // A file that was closed is opened first: if it is damaged, what is known of its content is wrong.
    if (await file.exists()) await change(() => {});
    const found = await summary();
    if (found.account === account) return found;
    if (found !== NOTHING) await drop();
    await change((sql) => putMeta(sql, 'account', account));
    return summary();
  }

  async function drop(): Promise<void> {
    await worker.halt();
    await file.drop();
    [known, wasSeen, written, listed, isSavedAsked] = [null, false, {}, [], false];
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
    await file.save();
  }

  // What the worker does

  function missing(account: string): Promise<Key[] | null> {
    const before = known;
    return change((sql) => {
      const owner = getMeta(sql, 'account');
      if (owner === null) {
        // The file was damaged or lost while it was closed.
        putMeta(sql, 'account', account);
        putMeta(sql, 'begun_at', before?.begunAt ?? null);
      } else if (owner !== account) return null;
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
      settle(sql);
      noteShown(sql, key, begunAt);
    });
    // A kill of the first reading then loses at most one list or page. The demo has no limits: there a lost page costs nothing, and
    // a save takes longer than a request.
    if ((await summary()).asOf === null && (budget !== null || clock.monotonic() - savedAt >= 1_000)) {
      await file.save();
      savedAt = clock.monotonic();
    }
    return isRead;
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
    if (!isQuiet) await file.save();
  }

  // What the copy lacks, in words

  async function status(): Promise<LibraryStatus> {
    const all = await summary();
    const account = connected();
    const isOthers = account !== null && all.account !== null && all.account !== account;
    const found = isOthers ? NOTHING : all;
    const { pause } = worker;
    const until = pause ? pause.until : pace.heldUntil;
    const reason = pause?.error.code ?? (until === null ? null : 'BUDGET');
    return {
      as_of: isoOf(found.asOf ?? found.begunAt),
      coverage: found.coverage,
      state: reason !== null ? 'waiting' : worker.isBusy ? 'reading' : 'idle',
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
    get wasSeen() {
      return wasSeen;
    },
    knows: (sql) => database === null || sql === database,
    summary,
    settled,
    read: async (work, otherwise) => ((await file.exists()) ? change(work) : otherwise),
    of,
    drop,
    async current(maxAgeMinutes, { signal, progress }, quiet = false) {
      const found = await summary();
      if (!quiet) quieten(false);
      else if (!worker.isBusy && found.isWhole) quieten(true);
      const isFirst = found.asOf === null;
      const old = ALL_LISTS.filter((list) => !isFirst && ageOf(found, list) >= maxAgeMinutes * MINUTE_MS);
      const keys = [...new Set([...old, ...Object.keys(written)])];
      if (!isFirst && found.isWhole && keys.length === 0) return null;
      await wantAll();
      worker.ask(keys);
      worker.tryAgain();
      const firstMs = budget ? FIRST_WAIT_MS : DEMO_WAIT_MS;
      const end = await worker.waitFor(keys, signal, {
        isDone: () => !worker.isBusy && !worker.pause,
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
      if (worker.isAsked(keys)) return 'Spotify has not answered yet: this is what was known before.';
      return now.isWhole ? null : changesLeft(now);
    },
    async saved({ signal, progress }) {
      isSavedAsked = true;
      worker.ask(['saved']);
      const end = await worker.waitFor(['saved', 'more saved'], signal, {
        isDone: async () => !worker.isAsked(['saved']) && (await summary()).coverage.saved === 'complete',
        heard() {
          const { present } = worker;
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
    async playlists(caller) {
      await worker.readFor(['playlists'], caller);
      return listed;
    },
    async playlist(id, caller) {
      await worker.readFor((await summary()).listed ? [id] : ['playlists', id], caller);
      return (await file.exists()) && change((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
    },
    isDue: async (id) =>
      Object.hasOwn(written, id) || change((sql) => playlistsDue(sql).some((due) => due.id === id)),
    async hasRows(id) {
      const write = written[id];
      if (write && Math.abs(clock.now() - write.at) < LAG_MS) return false;
      return change((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
    },
    status,
    async begin() {
      quieten(false);
      const { asOf } = await summary();
      await wantAll();
      worker.ask(asOf === null ? [] : ALL_LISTS);
      worker.tryAgain();
    },
    async resume() {
      const found = await summary();
      // Without a library, nothing more is called once the disk has answered. Otherwise the speed of the disk would decide which
      // functions the executable's code cache holds.
      if (found === NOTHING) return;
      const account = connected();
      if (account !== null && found.account !== null && found.account !== account) return drop();
      if (worker.isBusy || worker.pause || (found.begunAt !== null && !found.isWhole)) worker.tryAgain();
    },
    watcher: { wrote, began: pace.began },
    stop() {
      isStopping = true;
      return worker.stop();
    },
  };
}

/** The summary if there is no copy. */
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

/** Says what is still being read after a check. */
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
