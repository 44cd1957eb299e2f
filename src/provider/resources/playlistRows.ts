/** Reads the rows of playlists, in as few requests as possible. Whole playlists are cached for a minute per snapshot. */
import type { Clock } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import { mayBeRows, sameRows, uriOf } from '../../domain/rows.ts';
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../api.ts';
import { compareWithOwn, mergedWithOwn, type PartShown, type States } from './ownWrites.ts';
import { type PageRequest, readAll } from './paging.ts';
import { getPlaylistBegin, getPlaylistItems, PLAYLIST_PAGE } from './playlists.ts';

const REUSE_MS = 60_000;
/** Number of playlists whose rows are cached; each may hold ten thousand. */
const KEPT_PLAYLISTS = 8;
/**
 * Number of rows in the first page of a reading that checks another one: one fewer than usual, so that the pages of both readings
 * end at different rows. Pages may show the list at different times. Two readings with the same pages could miss the same
 * row, and look alike.
 */
const OTHER_BEGIN = PLAYLIST_PAGE - 1;
/** Maximum number of rows to read of a playlist, more than the provider lets a playlist hold. */
const ALL_ROWS = 20_000;

/** A part of a list, as it was read. */
export interface RowsPart {
  /** 0-based position of the first row that was read. */
  from: number;
  /** The URIs; '' for a row without one. */
  rows: readonly string[];
  /** True if the list ends with these rows. */
  isEnd: boolean;
}

/**
 * Pads a part of a list to a list of `length` rows. Rows that were not read are empty strings. If the part is the end of the
 * list, nothing is added after it.
 */
export function asList({ from, rows, isEnd }: RowsPart, length: number): string[] {
  const rest = isEnd ? 0 : Math.max(0, length - from - rows.length);
  return [...new Array<string>(from).fill(''), ...rows, ...new Array<string>(rest).fill('')];
}

export interface PlaylistRows {
  /**
   * Metadata and all rows; rows read within the last minute under the same snapshot are reused. After a write of relay, waits
   * some seconds for the list to show it (`readShown`).
   */
  read(playlistId: string, call: Call): Promise<{ playlist: Playlist; items: Item[] }>;
  /** All rows as the list shows them now, even if it does not show relay's own writes yet. */
  readFresh(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * All rows as the list shows them, once it shows relay's own last write.
   * @param waitMs how long after that write to stop waiting, and return the rows as they are; by default `LAG_MS`
   */
  readShown(playlistId: string, call: Call, waitMs?: number): Promise<Item[]>;
  /** All rows, including what relay wrote within the last minute, even if the list does not show those writes yet. */
  readSettled(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * All rows as with `readSettled`, for a change that is being planned. A reading of a long list is reused for a minute if
   * both the snapshot and a fresh first page confirm it. If rows of a new reading repeat, a second one has to show the same.
   */
  readForChange(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * All rows as with `readSettled`, for a write that replaces them all. Several pages may together be a state that never existed,
   * so a second reading has to show the same rows.
   * @throws RelayError `CONFLICT` if no two readings in a row are equal for at least 15 s: somebody is editing the playlist
   */
  readTwice(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * The URIs of all rows as with `readSettled`, but reads only the last rows, or those from `from` up to but not including `to`.
   * Rows that were not read are empty strings. If others have written too, reads all rows.
   */
  readPart(playlistId: string, part: 'end' | { from: number; to: number }, call: Call): Promise<string[]>;
  /**
   * Reads whole pages, as the list shows them now, from `from` until they include the row before `to`. If `to` is null, reads to
   * the end. If the list ends before `from`, reads its last rows instead.
   */
  readBetween(
    playlistId: string,
    part: { from: number; to: number | null },
    call: Call,
  ): Promise<RowsPart & { items: Item[] }>;
  /**
   * The rows that a list will show once it shows all of relay's own writes. null if the list shows all writes already, if there
   * were none within the last minute, or if others wrote too.
   */
  caughtUp(playlistId: string, shown: RowsPart): readonly string[] | null;
  /** True if the playlist itself, when requested, has the snapshot, the number of rows and the first rows of `left`. */
  isAt(
    playlistId: string,
    left: { snapshotId: string; rows: readonly string[] },
    call: Call,
  ): Promise<boolean>;
  /** True if relay wrote to the playlist within the last minute, and `forgetOwn` was not called since. */
  hasWritten(playlistId: string): boolean;
  /**
   * Records what a write of relay did: every state that the list went through, beginning with the one before the write.
   * @param ageMs how long ago the write was
   */
  wrote(playlistId: string, states: () => Iterable<readonly string[]>, ageMs?: number): void;
  /** Forgets what relay wrote, so that later readings are no longer compared with it. */
  forgetOwn(playlistId: string): void;
  /** Drops a playlist from the cache, and notes the time. Call it before the first and after the last request of a write. */
  forget(playlistId: string): void;
}

/**
 * For this long after a write, a list that differs may merely lag. After that, relay takes the difference for somebody else's
 * change. A typical lag is 0.6 s.
 */
export const LAG_MS = 6_000;
/** On most days, no list lags longer than this. */
export const USUAL_LAG_MS = 3_000;
const LOOK_AGAIN_MS = 400;
/** Maximum number of readings of a list that changes while it is read. */
const MAX_READINGS = 4;
/** Minimum time and number of readings before relay gives up finding two equal readings in a row. */
const STEADY = { ms: 15_000, readings: 6 };
/** Number of requests that it takes to confirm cached rows (`isUnchanged`). A list of no more pages is read again instead. */
const CONFIRM_REQUESTS = 2;
/** How long relay's own writes to a playlist are remembered: lists have been seen to lag by 45 s. */
export const REMEMBER_MS = 60_000;

interface OwnWrite {
  states: () => Iterable<readonly string[]>;
  /** Monotonic milliseconds. */
  at: number;
}

interface KeptRows {
  snapshotId: string;
  items: Item[];
  /** Monotonic milliseconds. */
  at: number;
}

function statesOf(writes: readonly OwnWrite[]): States[] {
  return writes.map(({ states }) => [...states()]);
}

export function createPlaylistRows(api: ProviderApi, clock: Clock): PlaylistRows {
  const kept = new Map<string, KeptRows>();
  const own = new Map<string, OwnWrite[]>();
  /** Time when relay last wrote to each playlist, or began to, in monotonic milliseconds. */
  const touched = new Map<string, number>();
  /** Number of times that a write began or ended. Rows that are read while this number changes may be from before the write. */
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
   * Reads again if the pages are not of one state of the list: their totals differ, or the number of rows is not the total.
   * @param first the first page, if another request has already returned it
   * @param begin how many rows to ask for first
   */
  async function readFresh(
    playlistId: string,
    call: Call,
    first: Pick<Page<Item>, 'items' | 'total'> | null = null,
    begin = PLAYLIST_PAGE,
  ): Promise<Item[]> {
    const page = pageOf(playlistId, call);
    let before: number | null = null;
    for (let reading = 1; ; reading++) {
      const isShort = begin < PLAYLIST_PAGE;
      const known = isShort ? await page({ limit: begin, offset: 0 }) : reading === 1 ? first : null;
      const { items: all, total, steady } = await readAll(page, PLAYLIST_PAGE, ALL_ROWS, call, known);
      const items = ofOneState(playlistId, all);
      let isSteady = steady;
      // The total may be that of an earlier, shorter state of the list. Then there are more rows to read.
      const mayBeMore = items.length > total || ownWrites(playlistId).length > 0;
      const isPaged = () => items.length > 0 && (items.length - begin) % PLAYLIST_PAGE === 0;
      for (let isFull = mayBeMore && items.length >= total; isFull && isPaged(); ) {
        const more = await page({ limit: PLAYLIST_PAGE, offset: items.length });
        items.push(...more.items);
        isSteady &&= more.total === total;
        isFull = more.items.length > 0;
      }
      const missing = Math.min(total, ALL_ROWS) - items.length;
      // If the next reading lacks as many rows, Spotify counts rows that it does not show.
      const isWhole = isSteady && (missing === 0 || missing === before);
      if (isWhole || reading === MAX_READINGS) return items;
      before = missing;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  /**
   * Drops the rows after a page that ends early, if the rows up to there are a state of relay's own writes. In that state the
   * list ended there, and the later pages show another state. Otherwise the page may be short because Spotify leaves out rows.
   */
  function ofOneState(playlistId: string, items: Item[]): Item[] {
    const end = items.findIndex(({ position }, index) => position !== index);
    if (end < 0) return items;
    const begin = items.slice(0, end);
    const seen = compareWithOwn(statesOf(ownWrites(playlistId)), () => begin.map(uriOf));
    return seen.kind === 'other' ? items : begin;
  }

  /** The writes of relay to a playlist within the last minute, oldest first. */
  function ownWrites(playlistId: string): OwnWrite[] {
    const recent = (own.get(playlistId) ?? []).filter(({ at }) => clock.monotonic() - at <= REMEMBER_MS);
    own.set(playlistId, recent);
    return recent;
  }

  /**
   * Reads until the list shows a state from before, during or after relay's own writes. If that is not the last state, the list
   * lags, so the later writes are added. If the list shows no such state some seconds after the last write, others wrote too.
   * @returns `value`: what was read; `rows`: the rows that should be there, null if relay wrote nothing within the last minute;
   * `isMixed`: true if others wrote too
   */
  async function settled<T>(
    playlistId: string,
    read: () => Promise<T>,
    shownIn: (value: T) => PartShown,
    call: Call,
    begin?: number,
  ): Promise<{ value: T; rows: readonly string[] | null; isMixed: boolean }> {
    for (;;) {
      // A slow reading may show the list as it was when the first page was requested.
      const begunAt = clock.monotonic();
      const value = await read();
      const writes = ownWrites(playlistId);
      const last = writes.at(-1);
      if (!last) return { value, rows: null, isMixed: false };
      const states = statesOf(writes);
      const seen = compareWithOwn(states, shownIn(value), begin);
      if (seen.kind === 'current') return { value, rows: shownIn(value)(seen.length), isMixed: false };
      if (seen.kind === 'behind') return { value, rows: seen.rows, isMixed: false };
      if (begunAt - last.at > LAG_MS) {
        return { value, rows: mergedWithOwn(states, shownIn(value)), isMixed: true };
      }
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  async function readSettled(playlistId: string, call: Call, begin?: number): Promise<Item[]> {
    const read = () => readFresh(playlistId, call, null, begin);
    const { value, rows } = await settled(playlistId, read, (items) => () => items.map(uriOf), call, begin);
    return rows === null || sameRows(rows, value.map(uriOf)) ? value : itemsFor(rows, value);
  }

  async function readShown(playlistId: string, call: Call, waitMs = LAG_MS): Promise<Item[]> {
    for (;;) {
      const begunAt = clock.monotonic();
      const items = await readFresh(playlistId, call);
      const writes = ownWrites(playlistId);
      const isOld = begunAt - (writes.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > waitMs;
      if (isOld || compareWithOwn(statesOf(writes), () => items.map(uriOf)).kind === 'current') return items;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  /** Reads up to `to` or until a page is short, whatever the total says, since the total may lag behind the rows. */
  async function readBetween(
    playlistId: string,
    { from: begin, to }: { from: number; to: number | null },
    call: Call,
  ): Promise<RowsPart & { items: Item[] }> {
    const page = pageOf(playlistId, call);
    for (let from = begin; ; from = Math.max(0, from - PLAYLIST_PAGE)) {
      const items: Item[] = [];
      let isEnd = false;
      while (!isEnd && (to === null || from + items.length < to)) {
        const shown = await page({ limit: PLAYLIST_PAGE, offset: from + items.length });
        items.push(...shown.items);
        isEnd = shown.items.length < PLAYLIST_PAGE;
      }
      if (items.length > 0 || from === 0) return { from, items, rows: items.map(uriOf), isEnd };
    }
  }

  /**
   * True if both the snapshot and the first page confirm a cached reading. Either alone may be outdated: the snapshot by up to
   * half a minute.
   */
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

  async function readTwice(playlistId: string, call: Call): Promise<Item[]> {
    const known = keptRows(playlistId);
    const isReusable = known !== null && known.at - touchedAt(playlistId) > LAG_MS;
    let before = isReusable ? known.items : await readSettled(playlistId, call);
    // The rows of a single page are always of one state of the list.
    if (before.length < PLAYLIST_PAGE && !isReusable) return before;
    const until = clock.monotonic() + STEADY.ms;
    for (let reading = 1; ; reading++) {
      const begin = reading % 2 === 1 ? OTHER_BEGIN : PLAYLIST_PAGE;
      const items = await readSettled(playlistId, call, begin);
      if (sameRows(items.map(uriOf), before.map(uriOf))) return items;
      // A full page may have more rows after it, even if the total says otherwise: the total may lag.
      if (items.length < begin) return items;
      if (reading >= STEADY.readings && clock.monotonic() >= until) throw stillEdited(playlistId);
      before = items;
      await clock.sleep(LOOK_AGAIN_MS, call.signal);
    }
  }

  return {
    readFresh: (playlistId, call) => readFresh(playlistId, call),
    readShown,
    readSettled: (playlistId, call) => readSettled(playlistId, call),
    async readForChange(playlistId, call) {
      const known = keptRows(playlistId);
      const isWorthAsking =
        known &&
        known.items.length > CONFIRM_REQUESTS * PLAYLIST_PAGE &&
        known.at - touchedAt(playlistId) > LAG_MS;
      if (isWorthAsking && (await isUnchanged(playlistId, known, call))) return known.items;
      const items = await readSettled(playlistId, call);
      // A row that moves while the pages are read may be on two of them.
      const mayBeTwice = items.length > PLAYLIST_PAGE && new Set(items.map(uriOf)).size < items.length;
      if (!mayBeTwice) return items;
      const again = await readSettled(playlistId, call, OTHER_BEGIN);
      return sameRows(again.map(uriOf), items.map(uriOf)) ? again : readTwice(playlistId, call);
    },
    readTwice,
    async readPart(playlistId, part, call) {
      const page = pageOf(playlistId, call);
      const read = async (): Promise<RowsPart & { total: number }> => {
        // A recent write of relay may lie above the wanted rows, and the list may show these rows as they were before that write.
        const isClose = part !== 'end' && part.to <= PLAYLIST_PAGE && ownWrites(playlistId).length > 0;
        const begin = part === 'end' || isClose ? 0 : part.from;
        const first = await page({ limit: PLAYLIST_PAGE, offset: begin });
        const { total } = first;
        if (first.items.length < PLAYLIST_PAGE) {
          return { from: begin, rows: first.items.map(uriOf), isEnd: true, total };
        }
        if (part === 'end') {
          const end = Math.max(0, total - PLAYLIST_PAGE + 1);
          const last = await readBetween(playlistId, { from: end, to: null }, call);
          // The first page is kept, since it may show what others did there. Without it, a list of the same length would be
          // taken for one that lags.
          const begin = asList({ from: 0, rows: first.items.map(uriOf), isEnd: false }, last.from);
          return { from: 0, rows: [...begin.slice(0, last.from), ...last.rows], isEnd: true, total };
        }
        const items = [...first.items];
        let isEnd = false;
        // The total may lag, so the last counted row need not be the list's last row.
        for (let at = begin + items.length; !isEnd && (at < part.to || at >= total); at += PLAYLIST_PAGE) {
          const { items: more } = await page({ limit: PLAYLIST_PAGE, offset: at });
          items.push(...more);
          isEnd = more.length < PLAYLIST_PAGE;
        }
        return { from: begin, rows: items.map(uriOf), isEnd, total };
      };
      const shownIn = (shown: RowsPart) => (length: number) => asList(shown, length);
      const { value, rows, isMixed } = await settled(playlistId, read, shownIn, call);
      // Part of a list does not show where another person's rows are in the rest of it. A page that lags may end too early, so
      // the rows also have to be as many as the total says.
      const isCounted = value.rows.length === value.total;
      const isWhole = value.from === 0 && value.isEnd && isCounted && !value.rows.includes('');
      const isElsewhere = async () => {
        if (rows === null || value.isEnd || value.total === rows.length) return false;
        // The total lags, or others have written below the rows that were read.
        const { items } = await page({ limit: PLAYLIST_PAGE, offset: Math.max(0, rows.length - 1) });
        return !sameRows(items.map(uriOf), rows.slice(-1));
      };
      if (isMixed ? !isWhole : await isElsewhere()) return (await readTwice(playlistId, call)).map(uriOf);
      return [...(rows ?? asList(value, value.total))];
    },
    readBetween,
    caughtUp(playlistId, part) {
      const seen = compareWithOwn(statesOf(ownWrites(playlistId)), (length) => asList(part, length));
      return seen.kind === 'behind' ? seen.rows : null;
    },
    async isAt(playlistId, { snapshotId, rows }, call) {
      const { playlist, first } = await getPlaylistBegin(api, playlistId, call);
      if (!first || playlist.snapshot_id !== snapshotId || first.total !== rows.length) return false;
      return mayBeRows(rows.slice(0, first.items.length), first.items.map(uriOf));
    },
    forget,
    forgetOwn: (playlistId) => own.delete(playlistId),
    hasWritten: (playlistId) => ownWrites(playlistId).length > 0,
    wrote(playlistId, states, ageMs = 0) {
      const now = clock.monotonic();
      for (const id of own.keys()) if (ownWrites(id).length === 0) own.delete(id);
      own.set(playlistId, [...(own.get(playlistId) ?? []), { states, at: now - ageMs }]);
    },
    async read(playlistId, call) {
      const writesBefore = writes;
      const { playlist, first } = await getPlaylistBegin(api, playlistId, call);
      const known = keptRows(playlistId);
      if (known && known.snapshotId === playlist.snapshot_id) return { playlist, items: known.items };
      // A playlist's metadata lags longer than its rows.
      const isTouched = clock.monotonic() - touchedAt(playlistId) <= REMEMBER_MS;
      const items = isTouched ? await readShown(playlistId, call) : await readFresh(playlistId, call, first);
      kept.delete(playlistId);
      if (playlist.snapshot_id !== null && writes === writesBefore) {
        kept.set(playlistId, { snapshotId: playlist.snapshot_id, items, at: clock.monotonic() });
        for (const oldest of kept.keys()) if (kept.size > KEPT_PLAYLISTS) kept.delete(oldest);
      }
      return { playlist, items };
    },
  };
}

function stillEdited(playlistId: string): RelayError {
  return new RelayError('CONFLICT', `The playlist ${playlistId} kept changing while relay was reading it.`, {
    remedy: 'Try again once nobody is editing it.',
  });
}

/**
 * Returns an item for each row: one that the list shows with the same URI. If the list shows none, the item has nothing but the
 * URI.
 */
function itemsFor(rows: readonly string[], shown: readonly Item[]): Item[] {
  const named = new Map(shown.map((item) => [uriOf(item), item]));
  return rows.map((uri, position) => {
    const item = named.get(uri) ?? unnamed(uri);
    return { ...item, position };
  });
}

function unnamed(uri: string): Item {
  const track = {
    id: uri.split(':').at(-1) ?? null,
    uri,
    type: 'track' as const,
    name: uri,
    artists: [],
    album: { id: null, name: null, release_date: null },
    duration_ms: null,
    explicit: null,
    is_local: false,
    isrc: null,
    url: null,
  };
  return {
    position: 0,
    added_at: null,
    item_type: 'track',
    is_local: false,
    item: uri === '' ? null : track,
  };
}
