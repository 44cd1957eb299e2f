/** The copy of one account's library: its file, what it holds, and what relay has written since. */
import { interruptible } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createMutex } from '../base/mutex.ts';
import { messageOf } from '../domain/errors.ts';
import type { LibraryList } from '../domain/library.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { LibraryFile } from './files/libraryFile.ts';
import {
  getMeta,
  playlistSnapshot,
  putMeta,
  renamePlaylist,
  type Summary,
  summaryOf,
} from './tables/mirror.ts';
import {
  afterReading,
  playlistKey,
  type Touched,
  touch,
  touchedIn,
  touchedKey,
  touchedPlaylists,
  untilNow,
} from './touched.ts';
import type { Written } from './watchedProvider.ts';

export const ALL_LISTS: readonly LibraryList[] = ['saved', 'playlists'];

/** The summary if there is no copy. */
export const NOTHING: Summary = {
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

export interface Copy {
  readonly file: LibraryFile;
  /** relay's own writes that no reading has shown yet. Known once `summary` has been called. */
  readonly touched: Touched;
  /** True if work on the copy is under way or waits for its turn. */
  readonly isBusy: boolean;
  /** True if this process has seen the copy and has not dropped it. */
  readonly wasSeen: boolean;
  /**
   * Runs `work` once no other work on the copy runs: a step in the background, or a whole check. `signal` ends the wait for the
   * turn, and the wait for the work.
   */
  exclusively<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Says what the copy holds; `NOTHING` if there is none. */
  summary(): Promise<Summary>;
  /** Counts what the copy holds, after `write` if there is one. Makes the copy if there is none. */
  refresh(write?: (sql: Sql) => void): Promise<Summary>;
  /** Runs `work` on the copy; returns `otherwise` if there is none. */
  read<T>(work: (sql: Sql) => T, otherwise: T): Promise<T>;
  /** Makes sure that the copy is of this account: a copy of another account is dropped. */
  of(account: string): Promise<Summary>;
  drop(): Promise<void>;
  /** Removes from `touched` what a reading of the lists `keys` (as in `touched`) has shown, and stores the rest. */
  shown(sql: Sql, begunAt: number, keys: readonly string[]): void;
  /**
   * Records that the lists were checked: `lists` and the playlists that relay has written to at `asOf`, the other lists at the
   * time known for them. Nothing is left to read then.
   */
  setRead(asOf: number, lists: readonly LibraryList[]): Promise<void>;
  /** Records a write of relay's. */
  wrote(written: Written): void;
  /** Resolves once the work on the copy has ended. */
  idle(): Promise<void>;
}

/**
 * @param dropped called after the copy was dropped
 * @param stopping once it aborts, writes are no longer stored
 */
export function createCopy(
  file: LibraryFile,
  clock: Clock,
  log: Log,
  dropped: () => void,
  stopping: AbortSignal,
): Copy {
  let known: Summary | null = null;
  let touched: Touched = {};
  const turns = createMutex();

  async function summary(): Promise<Summary> {
    if (known) return known;
    if (!(await file.exists())) return NOTHING;
    return refresh((sql) => {
      const text = getMeta(sql, 'touched');
      if (text !== null) touched = { ...touchedIn(text), ...touched };
    });
  }

  function refresh(write: (sql: Sql) => void = () => {}): Promise<Summary> {
    return file.use((sql) => {
      write(sql);
      known = summaryOf(sql);
      return known;
    });
  }

  async function drop(): Promise<void> {
    await file.drop();
    known = null;
    touched = {};
    dropped();
  }

  function keepTouched(sql: Sql): void {
    const text = Object.keys(touched).length === 0 ? null : JSON.stringify(touched);
    if (getMeta(sql, 'touched') !== text) putMeta(sql, 'touched', text);
  }

  function shown(sql: Sql, begunAt: number, keys: readonly string[]): void {
    touched = afterReading(touched, begunAt, keys, (id) => playlistSnapshot(sql, id));
    keepTouched(sql);
  }

  /**
   * Saves `touched` and the new name of a playlist at once. If a crash lost them, the copy would count as current without what
   * relay has written.
   */
  async function noteWritten(written: Written): Promise<void> {
    try {
      if (stopping.aborted || !(await file.exists())) return;
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

  return {
    file,
    get touched() {
      return touched;
    },
    get isBusy() {
      return !turns.isFree('copy');
    },
    get wasSeen() {
      return known !== null;
    },
    exclusively: (work, signal) => interruptible(signal, turns.runExclusive('copy', work, signal)),
    summary,
    refresh,
    read: async (work, otherwise) => ((await file.exists()) ? file.use(work) : otherwise),
    async of(account) {
      const found = await summary();
      touched = untilNow(touched, clock.now());
      if (found.account === account) return found;
      if (found !== NOTHING) await drop();
      return refresh((sql) => putMeta(sql, 'account', account));
    },
    drop,
    shown,
    async setRead(asOf, lists) {
      const { listAsOf } = await summary();
      await refresh((sql) => {
        shown(sql, asOf, [...lists, ...touchedPlaylists(touched).map(playlistKey)]);
        const times = ALL_LISTS.map((list) => (lists.includes(list) ? asOf : (listAsOf[list] ?? asOf)));
        putMeta(sql, 'as_of', Math.min(...times));
        for (const [index, list] of ALL_LISTS.entries()) putMeta(sql, `${list}_as_of`, times[index] ?? asOf);
        if (getMeta(sql, 'wanted') !== null) putMeta(sql, 'wanted', null);
        if (getMeta(sql, 'begun_at') !== null) putMeta(sql, 'begun_at', null);
      });
    },
    wrote(written) {
      const isNew = !Object.hasOwn(touched, touchedKey(written));
      touched = touch(touched, written, clock.now());
      const renamed = written.kind === 'playlist' && written.name !== null;
      if (isNew || renamed) void noteWritten(written);
    },
    idle: () => turns.runExclusive('copy', async () => {}),
  };
}
