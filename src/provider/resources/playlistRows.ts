/** Reads the rows of playlists. Whole playlists are cached for a minute per snapshot. */
import type { Clock } from '../../base/clock.ts';
import { mayBeRows, uriOf } from '../../domain/rows.ts';
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../api.ts';
import { type PageRequest, readAll } from './paging.ts';
import { getPlaylistBegin, getPlaylistItems, PLAYLIST_PAGE } from './playlists.ts';

const REUSE_MS = 60_000;
/** Number of playlists whose rows are cached; each may hold ten thousand. */
const KEPT_PLAYLISTS = 8;
/** Maximum number of rows to read of a playlist, more than the provider lets a playlist hold. */
const ALL_ROWS = 20_000;
/** A list that shows neither what relay left nor an earlier state of it counts as somebody else's edit after this time. */
export const LAG_MS = 6_000;
/** A list that still shows the rows from before relay's own write counts as somebody else's edit after this time. */
export const LONG_LAG_MS = 40_000;
/** On most days, no list lags longer than this. */
export const USUAL_LAG_MS = 3_000;
/** For this long after its own write, relay expects that a list still shows what was there before. */
export const REMEMBER_MS = 60_000;
const LOOK_AGAIN_MS = 400;
const MAX_LOOK_AGAIN_MS = 3_000;
/** Maximum number of readings of a list whose pages do not fit together. */
const MAX_READINGS = 4;

/** The end of a list, as it was read. */
export interface RowsPart {
  /** 0-based position of the first row that was read. */
  from: number;
  /** The URIs; '' for a row without one. */
  rows: readonly string[];
}

/** The end of a list as a whole list. Rows that were not read are empty strings. */
export function asList({ from, rows }: RowsPart): string[] {
  return [...new Array<string>(from).fill(''), ...rows];
}

export interface PlaylistRows {
  /** Metadata and all rows; rows that were read within the last minute under the same snapshot are reused. */
  read(playlistId: string, call: Call): Promise<{ playlist: Playlist; items: Item[] }>;
  /** All rows as the list shows them now. */
  readFresh(playlistId: string, call: Call): Promise<Item[]>;
  /** All rows, once the list shows what relay has left there. If it never does, somebody else has edited it. */
  readSettled(playlistId: string, call: Call): Promise<Item[]>;
  /** As `readSettled`, but reads only the last rows of a long list. Other rows are empty strings. */
  readTail(playlistId: string, call: Call): Promise<string[]>;
  /** The rows from `from` to the end, as the list shows them now. */
  readEnd(playlistId: string, from: number, call: Call): Promise<RowsPart & { items: Item[] }>;
  forget(playlistId: string): void;
}

/** A write of relay to a playlist: every state that its list went through, beginning with the one before it. */
export interface OwnWrite {
  states: ReadonlyArray<readonly string[]>;
  ageMs: number;
}

/** @param ownWrites returns relay's own writes to a playlist of the last minute, oldest first */
export function createPlaylistRows(
  api: ProviderApi,
  clock: Clock,
  ownWrites: (playlistId: string) => readonly OwnWrite[],
): PlaylistRows {
  const kept = new Map<string, { snapshotId: string; items: Item[]; at: number }>();
  let writes = 0;

  const pageOf = (playlistId: string, call: Call) => (window: PageRequest) =>
    getPlaylistItems(api, playlistId, window, call);

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
      // The total may lag behind the rows.
      const mayBeMore = items.length > total || ownWrites(playlistId).length > 0;
      while (mayBeMore && items.length >= total && items.length > 0 && items.length % PLAYLIST_PAGE === 0) {
        const more = await page({ limit: PLAYLIST_PAGE, offset: items.length });
        items.push(...more.items);
        if (more.items.length === 0) break;
      }
      const missing = total - items.length;
      if ((steady && (missing === 0 || missing === before)) || reading === MAX_READINGS) return items;
      before = missing;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  /** Reads until the list shows what relay left there, or until it is too late for a list that lags. */
  async function settled<T>(
    playlistId: string,
    read: () => Promise<T>,
    rowsIn: (value: T) => readonly string[],
    call: Call,
  ): Promise<T> {
    for (let waitMs = LOOK_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, MAX_LOOK_AGAIN_MS)) {
      const recent = ownWrites(playlistId);
      const last = recent.at(-1);
      const value = await read();
      if (!last) return value;
      const states = recent.flatMap((write) => write.states);
      const shown = rowsIn(value);
      const shows = (rows: readonly string[]) => mayBeRows(rows, shown);
      if (shows(states.at(-1) ?? [])) return value;
      if (last.ageMs > (states.some(shows) ? LONG_LAG_MS : LAG_MS)) return value;
      await clock.sleep(waitMs, call.signal);
    }
  }

  const readSettled = (playlistId: string, call: Call) =>
    settled(
      playlistId,
      () => readFresh(playlistId, call),
      (items) => items.map(uriOf),
      call,
    );

  async function readEnd(
    playlistId: string,
    begin: number,
    call: Call,
  ): Promise<RowsPart & { items: Item[] }> {
    const page = pageOf(playlistId, call);
    for (let from = begin; ; from = Math.max(0, from - PLAYLIST_PAGE)) {
      const items: Item[] = [];
      for (let isEnd = false; !isEnd; ) {
        const shown = await page({ limit: PLAYLIST_PAGE, offset: from + items.length });
        items.push(...shown.items);
        isEnd = shown.items.length < PLAYLIST_PAGE;
      }
      if (items.length > 0 || from === 0) return { from, items, rows: items.map(uriOf) };
    }
  }

  return {
    readFresh: (playlistId, call) => readFresh(playlistId, call),
    readSettled,
    readEnd,
    async readTail(playlistId, call) {
      const read = async (): Promise<RowsPart> => {
        const { items, total } = await pageOf(playlistId, call)({ limit: PLAYLIST_PAGE, offset: 0 });
        const rows = items.map(uriOf);
        if (rows.length < PLAYLIST_PAGE) return { from: 0, rows };
        return readEnd(playlistId, Math.max(0, total - PLAYLIST_PAGE + 1), call);
      };
      return asList(await settled(playlistId, read, asList, call));
    },
    forget(playlistId) {
      writes += 1;
      kept.delete(playlistId);
    },
    async read(playlistId, call) {
      const writesBefore = writes;
      const { playlist, first } = await getPlaylistBegin(api, playlistId, call);
      const known = kept.get(playlistId);
      const isFresh = known !== undefined && clock.monotonic() - known.at < REUSE_MS;
      if (isFresh && known.snapshotId === playlist.snapshot_id) return { playlist, items: known.items };
      const isTouched = ownWrites(playlistId).length > 0;
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
  };
}
