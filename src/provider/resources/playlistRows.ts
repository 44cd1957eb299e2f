/**
 * Whole playlists: every row in order, in as few requests as possible, cached for a minute per snapshot. Writes to one
 * playlist wait for each other (the provider does not keep the order of concurrent writes).
 */
import { interruptible } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { mayBeRows, sameRows, uriOf } from '../../domain/rows.ts';
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../api.ts';
import { type PageRequest, readAll } from './paging.ts';
import { getPlaylistBegin, getPlaylistItems, PLAYLIST_PAGE } from './playlists.ts';

const REUSE_MS = 60_000;
/** Playlists whose rows are cached; each may hold ten thousand. */
const KEPT_PLAYLISTS = 8;
/** More than the provider lets a playlist hold. */
const ALL_ROWS = 20_000;

export interface PlaylistRows {
  /**
   * Metadata and all rows; rows read within the last minute under the same snapshot are reused. What relay itself wrote
   * last is in them.
   */
  read(playlistId: string, call: Call): Promise<{ playlist: Playlist; items: Item[] }>;
  /** All rows as the list shows them now. */
  readFresh(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * All rows, once the list shows what relay itself wrote last: lists lag behind writes. Waits some seconds at most, since
   * someone else may have changed it after that.
   */
  readSettled(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * The same for a change that is being planned: rows read within the last minute are reused where both the version and
   * a fresh page of the list say that they are still there.
   */
  readForChange(playlistId: string, call: Call): Promise<Item[]>;
  /** True if what describes the playlist shows this version, as many rows, and the same first ones. */
  isAt(
    playlistId: string,
    left: { snapshotId: string; rows: readonly string[] },
    call: Call,
  ): Promise<boolean>;
  /**
   * Waits until the list has caught up with what relay itself wrote last.
   * @returns all rows as they are then; null where nothing had to be read
   */
  settle(playlistId: string, call: Call): Promise<Item[] | null>;
  /** The rows that a write of relay within the last minute has left; null where they are not known. */
  known(playlistId: string): readonly string[] | null;
  /** Tells what a write of relay has left, as far as that is known. */
  wrote(playlistId: string, left: LeftRows): void;
  /** Drops a playlist from the cache: called before the first and after the last request of a write. */
  forget(playlistId: string): void;
  /**
   * Runs a write after earlier ones to the same playlist have ended. `signal` ends the wait for its turn, not the work: a
   * job may be writing for a minute.
   */
  exclusively<T>(playlistId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Lists lag behind writes by about 0.6 s. After this, one that differs from what was written shows another person's change. */
export const LAG_MS = 6_000;
/** What lists take at most on most days. */
export const USUAL_LAG_MS = 3_000;
const LOOK_AGAIN_MS = 400;
/** How often a list is read in a row that changes while it is read. */
const READINGS = 4;
/** Requests that tell whether rows are still there. */
const ASKING = 2;
/** How long relay's own last write to a playlist is remembered. */
const REMEMBER_MS = 60_000;
/** The provider's servers may differ by this much, and name whole seconds. */
const CLOCK_MS = 5_000;

/** What a write has left: all rows, or the last ones. */
interface LeftRows {
  rows: readonly string[] | null;
  tail: readonly string[] | null;
  /** How many rows there are, where only the last ones are known; null if that is not known either. */
  total: number | null;
  /** The last ones are not older than this by the provider's clock, Unix milliseconds; null if that is not known. */
  since: number | null;
}

interface OwnWrite extends LeftRows {
  /** Monotonic milliseconds. */
  at: number;
}

interface KeptRows {
  snapshotId: string;
  items: Item[];
  /** Monotonic milliseconds. */
  at: number;
}

/** True if the rows show the write; a row that Spotify no longer offers may be any. */
function shows(items: readonly Item[], { rows, tail, total, since }: OwnWrite): boolean {
  const expected = rows ?? tail ?? [];
  const size = rows?.length ?? total;
  if (size !== null && size !== items.length) return false;
  const shown = items.slice(Math.max(0, items.length - expected.length));
  if (!mayBeRows(expected, shown.map(uriOf))) return false;
  // The same rows may have been the last ones before.
  const isOlder = ({ added_at }: Item) =>
    since !== null && added_at !== null && Date.parse(added_at) < since - CLOCK_MS;
  return rows !== null || total !== null || !shown.some(isOlder);
}

export function createPlaylistRows(api: ProviderApi, clock: Clock): PlaylistRows {
  const kept = new Map<string, KeptRows>();
  const writing = new Map<string, Promise<unknown>>();
  const own = new Map<string, OwnWrite>();
  /** When relay last wrote to a playlist, or began to; monotonic milliseconds. */
  const touched = new Map<string, number>();
  /** Writes begun and ended so far: rows read while this changed may predate the write. */
  let writes = 0;

  function forget(playlistId: string): void {
    const now = clock.monotonic();
    writes += 1;
    kept.delete(playlistId);
    for (const [id, at] of touched) if (now - at > REMEMBER_MS) touched.delete(id);
    touched.set(playlistId, now);
  }

  function touchedAt(playlistId: string): number {
    return touched.get(playlistId) ?? Number.NEGATIVE_INFINITY;
  }

  function keptRows(playlistId: string): KeptRows | null {
    const known = kept.get(playlistId);
    return known && clock.monotonic() - known.at < REUSE_MS ? known : null;
  }

  const pageOf = (playlistId: string, call: Call) => (window: PageRequest) =>
    getPlaylistItems(api, playlistId, window, call);

  /**
   * Reads again where the pages are not of one state of the list: their totals differ, or there are other rows than they say.
   * @param first the first page, where another request has brought it
   */
  async function readFresh(
    playlistId: string,
    call: Call,
    first: Pick<Page<Item>, 'items' | 'total'> | null = null,
  ): Promise<Item[]> {
    const page = pageOf(playlistId, call);
    let before: number | null = null;
    for (let reading = 1; ; reading++) {
      const known = reading === 1 ? first : null;
      const { items, total, steady } = await readAll(page, PLAYLIST_PAGE, ALL_ROWS, call, known);
      const missing = Math.min(total, ALL_ROWS) - items.length;
      // A number that stays wrong is the provider's own: it may count rows that it does not show.
      const isWhole = steady && (missing === 0 || missing === before);
      if (isWhole || reading === READINGS) return items;
      before = missing;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  async function readSettled(playlistId: string, call: Call): Promise<Item[]> {
    const written = own.get(playlistId);
    if (written && written.rows === null && written.tail === null) {
      // Nothing tells whether the list shows it, so it gets the time that lists need.
      const rest = written.at + USUAL_LAG_MS - clock.monotonic();
      if (rest > 0) await clock.sleep(rest, call.signal);
      return readFresh(playlistId, call);
    }
    for (;;) {
      // A reading that takes long shows the list as it was when its first page was asked for.
      const begunAt = clock.monotonic();
      const items = await readFresh(playlistId, call);
      const last = own.get(playlistId);
      const isOld = !last || begunAt - last.at > LAG_MS;
      if (isOld || shows(items, last)) return items;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  /** The version may be an older one for half a minute after another person's change, the list for a second. */
  async function isUnchanged(
    playlistId: string,
    { snapshotId, items }: KeptRows,
    call: Call,
  ): Promise<boolean> {
    const [{ playlist }, page] = await Promise.all([
      getPlaylistBegin(api, playlistId, call),
      pageOf(playlistId, call)({ limit: PLAYLIST_PAGE, offset: 0 }),
    ]);
    const begin = items.slice(0, page.items.length).map(uriOf);
    const isSame = page.total === items.length && sameRows(page.items.map(uriOf), begin);
    return isSame && playlist.snapshot_id === snapshotId;
  }

  return {
    readFresh,
    readSettled,
    async readForChange(playlistId, call) {
      const known = keptRows(playlistId);
      const isWorthAsking =
        known && known.items.length > ASKING * PLAYLIST_PAGE && known.at - touchedAt(playlistId) > LAG_MS;
      return isWorthAsking && (await isUnchanged(playlistId, known, call))
        ? known.items
        : readSettled(playlistId, call);
    },
    async isAt(playlistId, { snapshotId, rows }, call) {
      const { playlist, first } = await getPlaylistBegin(api, playlistId, call);
      if (!first || playlist.snapshot_id !== snapshotId || first.total !== rows.length) return false;
      return mayBeRows(rows.slice(0, first.items.length), first.items.map(uriOf));
    },
    forget,
    async settle(playlistId, call) {
      const last = own.get(playlistId);
      const isRecent = last && clock.monotonic() - last.at <= LAG_MS;
      return isRecent ? readSettled(playlistId, call) : null;
    },
    known(playlistId) {
      const last = own.get(playlistId);
      return last && clock.monotonic() - last.at <= REMEMBER_MS ? last.rows : null;
    },
    wrote(playlistId, left) {
      const now = clock.monotonic();
      for (const [id, { at }] of own) if (now - at > REMEMBER_MS) own.delete(id);
      own.set(playlistId, { ...left, at: now });
    },
    async read(playlistId, call) {
      const writesBefore = writes;
      const { playlist, first } = await getPlaylistBegin(api, playlistId, call);
      const known = keptRows(playlistId);
      if (known && known.snapshotId === playlist.snapshot_id) return { playlist, items: known.items };
      // What describes a playlist lags longer than its rows.
      const isTouched = clock.monotonic() - touchedAt(playlistId) <= REMEMBER_MS;
      const items = isTouched
        ? await readSettled(playlistId, call)
        : await readFresh(playlistId, call, first);
      kept.delete(playlistId);
      if (playlist.snapshot_id !== null && writes === writesBefore) {
        kept.set(playlistId, { snapshotId: playlist.snapshot_id, items, at: clock.monotonic() });
        for (const oldest of kept.keys()) if (kept.size > KEPT_PLAYLISTS) kept.delete(oldest);
      }
      return { playlist, items };
    },
    async exclusively(playlistId, work, signal) {
      const before = writing.get(playlistId) ?? Promise.resolve();
      let begun = false;
      const begin = () => {
        signal?.throwIfAborted();
        begun = true;
        return work();
      };
      const mine = before.then(begin, begin).finally(() => {
        if (writing.get(playlistId) === settled) writing.delete(playlistId);
      });
      const settled = mine.catch(() => {});
      writing.set(playlistId, settled);
      return signal ? interruptible(signal, mine, () => !begun) : mine;
    },
  };
}
