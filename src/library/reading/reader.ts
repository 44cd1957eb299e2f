/**
 * Brings the copy up to date in steps. A step usually sends one request. It sends more if a list changes during the reading, or
 * if smaller pages have to be tried. The copy itself tells which step comes next, so an interrupted reading continues where it
 * stopped.
 */
import type { Clock } from '../../base/clock.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import type { Item, Playlist } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../../provider/api.ts';
import {
  getMyPlaylists,
  getPlaylistBegin,
  getPlaylistItems,
  PLAYLIST_PAGE,
} from '../../provider/resources/playlists.ts';
import { getSavedTracks } from '../../provider/resources/savedTracks.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { LibraryFile } from '../files/libraryFile.ts';
import {
  appendListed,
  appendPending,
  appendSaved,
  asSavedKey,
  clearSaved,
  countPending,
  countSaved,
  finishPending,
  getMeta,
  isKnown,
  type ListedPlaylist,
  listedSoFar,
  listingOf,
  type PendingRead,
  type PlaylistDue,
  type PlaylistRow,
  pendingRead,
  playlistsDue,
  putMeta,
  putPlaylistFacts,
  putPlaylists,
  readablePlaylist,
  reviseSaved,
  type SavedRow,
  savedKeyOf,
  savedKeys,
  setFailed,
  setListing,
  setPending,
  setUnreadable,
  unreadableIds,
} from '../tables/mirror.ts';
import { findSavedChanges } from './savedChanges.ts';

/** Number of saved tracks that one request reads. */
export const SAVED_PAGE = 50;
/** Smaller page sizes to try, since the provider answers 500 to large pages deep in a very large library. */
const SMALLER = [20, 5, 1];
/** How long a smaller size stays in use, since a larger page would probably fail again. */
const SMALLER_MS = 10 * 60_000;
/** Maximum number of attempts to read a list that changes while it is read. */
const TRIES = 3;
/** The owner of Spotify's own playlists. The snapshots of these playlists change at each request, and no app gets their rows. */
const PROVIDER_USER = 'spotify';
/** How long a playlist is skipped after a failed reading, or after it kept changing. Others are read meanwhile. */
const FAILED_MS = 10 * 60_000;

/** Whose library to read, and when to stop. */
export interface ReadCall {
  signal: AbortSignal;
  /** The provider's ID of the user. */
  account: string;
  /** Receives how many pages have been read and how many there are; undefined if nobody waits for them. */
  progress?: Call['progress'];
}

export interface Reader {
  /**
   * Takes the next step of a reading that is not complete, and stores what was read.
   * @returns false if nothing is left to read, or if each playlist that is left failed in the last ten minutes
   * @throws RelayError of the provider
   */
  step(call: ReadCall): Promise<boolean>;
  /**
   * Takes the next step of reading the saved tracks.
   * @returns false if all of them have been read
   * @throws RelayError of the provider, or `PROVIDER_UNAVAILABLE` if three checks have brought the reading no further
   */
  savedStep(call: ReadCall): Promise<boolean>;
  /**
   * Brings the rows of one listed playlist up to date. Takes one request if the playlist's snapshot has not changed, and none if
   * the playlist is not readable. If somebody changes the playlist again and again, the earlier rows stay.
   * @throws RelayError of the provider
   */
  readPlaylist(id: string, call: ReadCall): Promise<void>;
  /**
   * Finds and stores what has changed in the saved tracks. If all of them have been read and nothing has changed,
   * this takes one request. If the list differs by more than additions and removals, the stored list is deleted, and the next
   * steps read it from the start.
   * @throws RelayError of the provider, or `PROVIDER_UNAVAILABLE` if the list changes at every attempt
   */
  checkSaved(call: ReadCall): Promise<void>;
  /**
   * Reads and stores the list of playlists. Takes one request for every fifty playlists.
   * @throws RelayError of the provider, or `PROVIDER_UNAVAILABLE` if the list changes at every attempt
   */
  checkPlaylists(call: ReadCall): Promise<Playlist[]>;
  /** Estimates how many requests are left. Until the list of playlists has been read, playlist rows do not count. */
  requestsLeft(): Promise<number>;
}

/**
 * @param onRead called when all rows of a playlist have been read, before they replace the earlier rows. What it stores must be on
 *   the disk before the copy is saved: rows in a saved copy are not read a second time
 */
export function createReader(
  provider: ProviderApi,
  file: LibraryFile,
  clock: Clock,
  onRead: (id: string) => Promise<void>,
): Reader {
  /** From `offset` on, saved tracks are read in pages of this size until a time of the monotonic clock. */
  let smaller = { offset: 0, size: SAVED_PAGE, until: Number.NEGATIVE_INFINITY };
  /** The playlist that last changed while its rows were read, and how often in a row. */
  let moving = { id: '', times: 0 };
  /** The position that the reading of the saved tracks did not get beyond, and how many checks in a row did not help. */
  let stuck = { at: 0, times: 0 };

  async function savedPage(
    offset: number,
    limit: number,
    call: ReadCall,
  ): Promise<{ total: number; rows: SavedRow[] }> {
    const isSmaller = offset >= smaller.offset && clock.monotonic() < smaller.until;
    const size = isSmaller ? Math.min(limit, smaller.size) : limit;
    try {
      const page = await getSavedTracks(provider, { limit: size, offset }, call);
      return {
        total: page.total,
        rows: page.items.map(({ added_at, track }) => ({ added_at, media: track })),
      };
    } catch (thrown) {
      const error = asRelayError(thrown);
      const isTooDeep = offset > 0 && error.code === 'PROVIDER_UNAVAILABLE' && error.details?.sent !== false;
      const next = SMALLER.find((one) => one < size);
      if (!isTooDeep || next === undefined) throw error;
      smaller = { offset, size: next, until: clock.monotonic() + SMALLER_MS };
      return savedPage(offset, next, call);
    }
  }

  /** Does the work of `Reader.checkSaved`. @returns the total, and whether the stored rows are still the list's first ones */
  async function compareSaved(call: ReadCall): Promise<{ total: number | null; isSame: boolean }> {
    const { known, isWhole } = await file.use((sql) => ({
      known: savedKeys(sql),
      isWhole: getMeta(sql, 'saved_complete') === '1',
    }));
    // The next steps read the whole list.
    if (known.length === 0 && !isWhole) return { total: null, isSame: true };
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const found = await findSavedChanges(known, isWhole, (offset, limit) => savedPage(offset, limit, call));
      if (found === 'moving') continue;
      return file.use((sql) => {
        if (found === 'unlike') {
          clearSaved(sql);
          putMeta(sql, 'wanted', 1);
          return { total: null, isSame: false };
        }
        if (getMeta(sql, 'saved_total') !== String(found.total)) putMeta(sql, 'saved_total', found.total);
        return { total: found.total, isSame: reviseSaved(sql, found.rows, found.seen) };
      });
    }
    throw changing('The saved tracks');
  }

  async function savedStep(call: ReadCall): Promise<boolean> {
    const { offset, isWhole, total, last } = await file.use((sql) => ({
      offset: countSaved(sql),
      isWhole: getMeta(sql, 'saved_complete') === '1',
      total: getMeta(sql, 'saved_total'),
      last: savedKeys(sql).slice(-SAVED_PAGE),
    }));
    if (isWhole) return false;
    const page = await savedPage(offset, SAVED_PAGE, call);
    const lastOnes = new Set(last.map(savedKeyOf));
    const repeats = page.rows.some((row) => lastOnes.has(savedKeyOf(asSavedKey(row))));
    // The list seems to have changed after the pages before this one were read, so their rows are brought up to date first.
    if (offset > 0 && (repeats || total !== String(page.total))) {
      const now = await compareSaved(call);
      if (!now.isSame || now.total !== page.total) {
        stuck = { at: Math.max(stuck.at, offset), times: stuck.times + 1 };
        if (stuck.times < TRIES) return true;
        throw changing('The saved tracks', Math.min(60 * 2 ** (stuck.times - TRIES), 3_600));
      }
    }
    const isEnd = page.rows.length === 0 || offset + page.rows.length >= page.total;
    if (isEnd || offset + page.rows.length > stuck.at) stuck = { at: 0, times: 0 };
    await file.use((sql) =>
      sql.transaction(() => {
        appendSaved(sql, page.rows);
        putMeta(sql, 'saved_total', page.total);
        if (isEnd) putMeta(sql, 'saved_complete', 1);
      }),
    );
    return true;
  }

  async function listStep(call: ReadCall): Promise<void> {
    const { offset, total } = await file.use((sql) => listingOf(sql) ?? { offset: 0, total: null });
    const page = await getMyPlaylists(provider, { limit: PLAYLIST_PAGE, offset }, call);
    // The list changed after the pages before this one were read. Playlists may have moved to another page, so all are read.
    if (total !== null && total !== page.total) {
      await checkPlaylists(call);
      return;
    }
    await file.use((sql) =>
      sql.transaction(() => {
        appendListed(sql, judged(sql, page.items, call.account));
        if (page.next_offset !== null) {
          setListing(sql, { offset: page.next_offset, total: page.total });
          return;
        }
        putPlaylists(sql, listedSoFar(sql));
        putMeta(sql, 'listed', 1);
      }),
    );
  }

  async function checkPlaylists(call: ReadCall): Promise<Playlist[]> {
    const read: Playlist[] = [];
    let [attempt, offset, total] = [1, 0, -1];
    for (;;) {
      const page = await getMyPlaylists(provider, { limit: PLAYLIST_PAGE, offset }, call);
      if (total >= 0 && page.total !== total) {
        if (attempt === TRIES) throw changing('The list of playlists');
        attempt += 1;
        [offset, total] = [0, -1];
        read.length = 0;
        continue;
      }
      read.push(...page.items);
      if (page.next_offset === null) break;
      [offset, total] = [page.next_offset, page.total];
    }
    await file.use((sql) => {
      putPlaylists(sql, judged(sql, read, call.account));
      if (getMeta(sql, 'listed') !== '1') putMeta(sql, 'listed', 1);
    });
    return read;
  }

  /** Sends the first request for a playlist, which returns its facts and its first rows. */
  async function beginPlaylist(due: PlaylistDue, call: ReadCall): Promise<void> {
    const { id } = due;
    const isForeign = due.mine === 0 && due.collaborative !== 1;
    const begin = await unlessRefused(id, isForeign, getPlaylistBegin(provider, id, call));
    if (!begin) return;
    const { playlist, first } = begin;
    if (!first && due.mine === 0) return refuse(id, isForeign);
    const total = first?.total ?? playlist.total_items ?? 0;
    const pending: PendingRead = { id, snapshotId: playlist.snapshot_id, total };
    const isWhole = await file.use((sql) =>
      sql.transaction(() => {
        putPlaylistFacts(sql, playlist);
        if (isKnown(sql, id, playlist.snapshot_id)) return false;
        setPending(sql, pending);
        appendPending(sql, (first?.items ?? []).map(playlistRow));
        return first !== null && first.items.length >= total;
      }),
    );
    if (isWhole) await finish(pending);
  }

  async function finish(pending: PendingRead): Promise<void> {
    await onRead(pending.id);
    await file.use((sql) => sql.transaction(() => finishPending(sql, pending, clock.now())));
  }

  async function continuePlaylist(pending: PendingRead, call: ReadCall): Promise<void> {
    const { id, total } = pending;
    const offset = await file.use((sql) => countPending(sql));
    const window = { limit: PLAYLIST_PAGE, offset };
    const page = await unlessRefused(id, false, getPlaylistItems(provider, id, window, call));
    if (!page) return;
    const isWhole = await file.use((sql) =>
      sql.transaction(() => {
        // Somebody is changing the playlist, so it is read again from its first row.
        if (page.total !== total && offset > 0) {
          setPending(sql, null);
          moving = { id, times: moving.id === id ? moving.times + 1 : 1 };
          if (moving.times < TRIES) return false;
          moving = { id, times: 0 };
          setFailed(sql, id, clock.now());
          return false;
        }
        appendPending(sql, page.items.map(playlistRow));
        return page.items.length === 0 || offset + page.items.length >= page.total;
      }),
    );
    if (isWhole) await finish({ ...pending, total: page.total });
  }

  /**
   * Returns the answer to a request for a playlist. If Spotify refuses the playlist, stores the refusal and returns null.
   * @throws RelayError of the provider; if Spotify itself failed, the playlist is marked, so that others are read before it
   */
  async function unlessRefused<T>(id: string, isForeign: boolean, request: Promise<T>): Promise<T | null> {
    try {
      return await request;
    } catch (thrown) {
      const error = asRelayError(thrown);
      if (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND') {
        await refuse(id, isForeign && error.code === 'FORBIDDEN');
        return null;
      }
      if (error.code === 'PROVIDER_UNAVAILABLE' || error.code === 'PROVIDER_INVALID_RESPONSE') {
        await file.use((sql) => {
          setFailed(sql, id, clock.now());
          setPending(sql, null);
        });
      }
      throw error;
    }
  }

  async function refuse(id: string, isForeign: boolean): Promise<void> {
    await file.use((sql) =>
      sql.transaction(() => {
        setPending(sql, null);
        setUnreadable(sql, id);
        // Whether Spotify hands out other people's playlists depends on the app's registration. If it refuses one, it refuses all.
        if (!isForeign) return;
        putMeta(sql, 'foreign_refused', 1);
        for (const due of playlistsDue(sql))
          if (due.mine === 0 && due.collaborative !== 1) setUnreadable(sql, due.id);
      }),
    );
  }

  async function rowsStep(call: ReadCall): Promise<boolean> {
    const { pending, due } = await file.use((sql) => ({
      pending: pendingRead(sql),
      due: playlistsDue(sql).find(
        ({ failed_at }) => failed_at === null || clock.now() - failed_at >= FAILED_MS,
      ),
    }));
    if (pending) await continuePlaylist(pending, call);
    else if (due) await beginPlaylist(due, call);
    else return false;
    return true;
  }

  return {
    async step(call) {
      // The list comes first: without it, a copy of all saved tracks would look like that of an account without playlists.
      const listed = await file.use((sql) => getMeta(sql, 'listed') === '1');
      if (!listed) {
        await listStep(call);
        return true;
      }
      return (await savedStep(call)) || rowsStep(call);
    },
    savedStep,
    async checkSaved(call) {
      await compareSaved(call);
    },
    checkPlaylists,
    async readPlaylist(id, call) {
      const first = await file.use((sql) => (pendingRead(sql)?.id === id ? null : readablePlaylist(sql, id)));
      if (first) await beginPlaylist(first, call);
      for (;;) {
        const pending = await file.use((sql) => pendingRead(sql));
        if (pending?.id === id) {
          const read = Math.ceil((await file.use(countPending)) / PLAYLIST_PAGE);
          const pages = Math.ceil(pending.total / PLAYLIST_PAGE);
          call.progress?.(read, pages);
          await continuePlaylist(pending, call);
          call.progress?.(read + 1, pages);
          continue;
        }
        const due = await file.use((sql) => playlistsDue(sql).find((one) => one.id === id));
        if (!due || due.failed_at !== null) return;
        // The playlist changed while it was read.
        await beginPlaylist(due, call);
      }
    },
    requestsLeft: () =>
      file.use((sql) => {
        const total = Number(getMeta(sql, 'saved_total') ?? 0);
        const isWhole = getMeta(sql, 'saved_complete') === '1';
        const saved = isWhole ? 0 : Math.max(1, Math.ceil((total - countSaved(sql)) / SAVED_PAGE));
        const listed = getMeta(sql, 'listed') === '1';
        const rows = playlistsDue(sql).reduce(
          (sum, due) => sum + Math.max(1, Math.ceil((due.total ?? 0) / PLAYLIST_PAGE)),
          0,
        );
        return saved + (listed ? rows : 1);
      }),
  };
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

function playlistRow({ added_at, added_by, item }: Item): PlaylistRow {
  return { added_at, added_by: added_by ?? null, media: item };
}

function changing(what: string, retryAfterSeconds?: number): RelayError {
  return new RelayError('PROVIDER_UNAVAILABLE', `${what} kept changing while relay was reading.`, {
    remedy: 'Try again in a minute.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
