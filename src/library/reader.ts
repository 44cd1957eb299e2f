/** Reads one list of the account at a time, and stores it in the copy as a whole: never a part of a playlist's rows. */
import type { Clock } from '../base/clock.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import type { Item, Playlist } from '../domain/shapes.ts';
import type { VersionRow } from '../domain/versions.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import { type AllRows, readAll } from '../provider/resources/paging.ts';
import {
  getAllMyPlaylists,
  getPlaylistBegin,
  getPlaylistItems,
  PLAYLIST_PAGE,
} from '../provider/resources/playlists.ts';
import { getSavedTracks } from '../provider/resources/savedTracks.ts';
import type { Sql } from '../store/sql/sql.ts';
import { findSavedChanges, type SavedPage } from './savedChanges.ts';
import {
  appendSaved,
  asSavedKey,
  clearSaved,
  getMeta,
  type ListedPlaylist,
  noteShort,
  playlistSnapshot,
  playlistsDue,
  putMeta,
  putPlaylistFacts,
  putPlaylists,
  putRows,
  readablePlaylist,
  reviseSaved,
  savedKeyOf,
  savedKeys,
  setUnreadable,
  unreadableIds,
} from './tables/mirror.ts';
import { trackRow } from './tables/tracks.ts';

const SAVED_PAGE = 50;
/** Smaller page sizes to try, since the provider answers 500 to large pages deep in a very large library. */
const SMALLER = [20, 5, 1];
/** How long a smaller size stays in use, since a larger page would probably fail again. */
const SMALLER_MS = 10 * 60_000;
/** Maximum number of attempts to read a list that changes while it is read. */
const TRIES = 3;
/** The owner of Spotify's own playlists. The snapshots of these playlists change at each request, and no app gets their rows. */
const PROVIDER_USER = 'spotify';

/** `account` is the provider's ID of the user whose library is read. */
export type ReadCall = Call & { account: string };

/**
 * All functions throw the RelayErrors of the provider, and `PROVIDER_UNAVAILABLE` if the list changes at every attempt.
 * @param change does some work on the copy
 * @param onRead called when all rows of a playlist have been read, before they replace the earlier rows
 */
export function createReader(
  provider: ProviderApi,
  change: <T>(work: (sql: Sql) => T) => Promise<T>,
  onRead: (playlist: Playlist, rows: readonly VersionRow[]) => Promise<void>,
  clock: Clock,
) {
  /** From `offset` on, saved tracks are read in pages of this size until a time of the monotonic clock. */
  let smaller = { offset: 0, size: SAVED_PAGE, until: Number.NEGATIVE_INFINITY };
  /** How often in a row the saved tracks had changed when their next page was read. */
  let moves = 0;

  async function savedPage(offset: number, limit: number, call: ReadCall): Promise<SavedPage> {
    const isSmaller = offset >= smaller.offset && clock.monotonic() < smaller.until;
    const size = isSmaller ? Math.min(limit, smaller.size) : limit;
    try {
      const { total, items } = await getSavedTracks(provider, { limit: size, offset }, call);
      return { total, rows: items.map(({ added_at, track }) => ({ added_at, media: track })) };
    } catch (thrown) {
      const error = asRelayError(thrown);
      const isTooDeep = offset > 0 && error.code === 'PROVIDER_UNAVAILABLE' && error.details?.sent !== false;
      const next = SMALLER.find((one) => one < size);
      if (!isTooDeep || next === undefined) throw error;
      smaller = { offset, size: next, until: clock.monotonic() + SMALLER_MS };
      return savedPage(offset, next, call);
    }
  }

  /**
   * Finds and stores what has changed in those saved tracks that have been read. If the list differs by more than additions and
   * removals, the stored list is deleted, and `moreSaved` reads it from the start.
   * @returns true if the stored rows are still the first ones of the list, which has `total` rows now
   */
  async function checkSaved(call: ReadCall, total?: number): Promise<boolean> {
    const begunAt = clock.now();
    const { known, isWhole } = await change((sql) => ({
      known: savedKeys(sql),
      isWhole: getMeta(sql, 'saved_complete') === '1',
    }));
    if (known.length === 0 && !isWhole) return true;
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const found = await findSavedChanges(known, isWhole, (offset, limit) => savedPage(offset, limit, call));
      if (found === 'moving') continue;
      return change((sql) => {
        if (found === 'unlike') {
          clearSaved(sql);
          return false;
        }
        const isShort = isWhole && found.rows.length < found.total;
        putMeta(sql, 'saved_at', begunAt);
        putMeta(sql, 'saved_total', found.total);
        putMeta(sql, 'saved_short', isShort ? 1 : null);
        if (isShort) return false;
        return reviseSaved(sql, found.rows, found.seen) && found.total === total;
      });
    }
    throw changing('The saved tracks');
  }

  /**
   * Reads and stores the next page of the saved tracks.
   * @returns false if nothing was stored, since the list has changed: what was read before has been brought up to date instead
   */
  async function moreSaved(call: ReadCall): Promise<boolean> {
    const begunAt = clock.now();
    const { known, total } = await change((sql) => ({
      known: savedKeys(sql),
      total: getMeta(sql, 'saved_total'),
    }));
    const offset = known.length;
    const page = await savedPage(offset, SAVED_PAGE, call);
    const lastKeys = new Set(known.slice(-SAVED_PAGE).map(savedKeyOf));
    const isRepeated = page.rows.some((row) => lastKeys.has(savedKeyOf(asSavedKey(row))));
    const isMoved = offset > 0 && (isRepeated || total !== String(page.total));
    // Two saved tracks may look alike, and the total may differ from page to page: then the rows before this page are the same.
    if (isMoved && !(await checkSaved(call, page.total))) {
      moves += 1;
      if (moves >= TRIES) throw changing('The saved tracks');
      return false;
    }
    moves = 0;
    const read = offset + page.rows.length;
    const isEnd = page.rows.length === 0 || read >= page.total;
    await change((sql) =>
      sql.transaction(() => {
        appendSaved(sql, page.rows);
        if (offset === 0) putMeta(sql, 'saved_at', begunAt);
        putMeta(sql, 'saved_total', page.total);
        if (isEnd) putMeta(sql, 'saved_complete', 1);
        if (isEnd) putMeta(sql, 'saved_short', read < page.total ? 1 : null);
      }),
    );
    call.progress(Math.ceil(read / SAVED_PAGE), Math.ceil((isEnd ? read : page.total) / SAVED_PAGE));
    return true;
  }

  async function list(call: ReadCall): Promise<Playlist[]> {
    const begunAt = clock.now();
    const { items } = await untilSteady('The list of playlists', () =>
      getAllMyPlaylists(provider, Number.MAX_SAFE_INTEGER, call),
    );
    await change((sql) =>
      sql.transaction(() => {
        putPlaylists(sql, judged(sql, items, call.account));
        putMeta(sql, 'listed_at', begunAt);
      }),
    );
    return items;
  }

  /**
   * Brings the rows of a listed playlist up to date. Takes one request if the playlist's snapshot has not changed, and none if the
   * playlist is not readable.
   * @param isForced true to read the rows whatever the snapshot, since it may lag behind a write
   */
  async function playlist(id: string, call: ReadCall, isForced: boolean): Promise<void> {
    const listed = await change((sql) => readablePlaylist(sql, id));
    if (!listed) return;
    const isForeign = listed.mine === 0 && listed.collaborative !== 1;
    try {
      await untilSteady(`The playlist "${listed.name}"`, async () => {
        const begin = await getPlaylistBegin(provider, id, call);
        const { playlist, first } = begin;
        const isCurrent = await change((sql) => {
          putPlaylistFacts(sql, playlist);
          return playlist.snapshot_id !== null && playlistSnapshot(sql, id) === playlist.snapshot_id;
        });
        if (isCurrent && !isForced) return null;
        if (!first && listed.mine === 0) return refuse(id, isForeign);
        const window = (one: { limit: number; offset: number }) => getPlaylistItems(provider, id, one, call);
        const rows = await readAll(window, PLAYLIST_PAGE, Number.MAX_SAFE_INTEGER, call, first);
        if (rows.steady) await store(playlist, rows);
        return rows;
      });
    } catch (thrown) {
      const { code } = asRelayError(thrown);
      if (code !== 'FORBIDDEN' && code !== 'NOT_FOUND') throw thrown;
      await refuse(id, isForeign && code === 'FORBIDDEN');
    }
  }

  async function store(playlist: Playlist, { items, total }: AllRows<Item>): Promise<void> {
    const isShort = items.length < total;
    if (isShort && (await change((sql) => noteShort(sql, playlist)))) return;
    if (!isShort) await onRead(playlist, items.map(versionRow));
    const rows = items.map(({ added_at, added_by, item }) => ({
      added_at,
      added_by: added_by ?? null,
      media: item,
    }));
    await change((sql) => putRows(sql, playlist, total, rows, clock.now()));
  }

  async function refuse(id: string, isForeign: boolean): Promise<null> {
    await change((sql) =>
      sql.transaction(() => {
        setUnreadable(sql, id);
        // Whether Spotify hands out other people's playlists depends on the app's registration. If it refuses one, it refuses all.
        if (!isForeign) return;
        putMeta(sql, 'foreign_refused', 1);
        for (const due of playlistsDue(sql))
          if (due.mine === 0 && due.collaborative !== 1) setUnreadable(sql, due.id);
      }),
    );
    return null;
  }

  return { list, checkSaved: async (call: ReadCall) => void (await checkSaved(call)), moreSaved, playlist };
}

/** Reads a list again until all its pages have the same total. @param what names the list in the error if that never happens */
async function untilSteady<T extends { steady: boolean } | null>(
  what: string,
  read: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const found = await read();
    if (found === null || found.steady) return found;
  }
  throw changing(what);
}

/** Decides for each playlist whether to read its rows. */
function judged(sql: Sql, playlists: readonly Playlist[], account: string): ListedPlaylist[] {
  const unreadable = unreadableIds(sql);
  const foreignRefused = getMeta(sql, 'foreign_refused') === '1';
  return playlists.map((playlist) => {
    const mine = playlist.owner.id === account;
    const isForeign = !mine && playlist.collaborative !== true;
    // Spotify can have refused the account's own playlist only by mistake, so each check tries that playlist again.
    const wasRefused = !mine && unreadable.get(playlist.id) === (playlist.collaborative === true);
    const isWithheld = playlist.owner.id === PROVIDER_USER || (isForeign && foreignRefused);
    return { ...playlist, mine, readable: !isWithheld && !wasRefused };
  });
}

function versionRow({ added_at, item }: Item): VersionRow {
  if (item === null) return { uri: null, name: null, artist: null, album: null, kind: null, added_at };
  const { uri, name, artist, album, kind } = trackRow(item);
  return { uri, name, artist, album, kind, added_at };
}

function changing(what: string): RelayError {
  return new RelayError('PROVIDER_UNAVAILABLE', `${what} kept changing while relay was reading.`, {
    remedy: 'Try again in a minute.',
  });
}
