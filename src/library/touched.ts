/** Keeps track of relay's own writes that no reading has shown yet, since the provider's lists lag behind writes. Pure. */
import type { Written } from './watchedProvider.ts';

/** How long it takes until a write shows everywhere. A list takes about a second, a playlist's snapshot up to half a minute. */
export const LAG_MS = 35_000;
/** How much earlier a playlist may show its new snapshot than its new rows. */
const ROWS_LAG_MS = 5_000;

interface Touch {
  /** Time of the write, in Unix milliseconds. */
  at: number;
  /** The playlist's snapshot that the write made; null for the lists, and if the provider did not name the snapshot. */
  snapshotId: string | null;
}

/** The last write to each list, by key: `saved`, `playlists` for the list of playlists, or `playlist:` and an ID. */
export type Touched = Readonly<Record<string, Touch>>;

/** Adds a write, which replaces an earlier one to the same list. @param at Unix milliseconds */
export function touch(touched: Touched, written: Written, at: number): Touched {
  const snapshotId = written.kind === 'playlist' ? written.snapshotId : null;
  return { ...touched, [touchedKey(written)]: { at, snapshotId } };
}

/** Dates writes in the future to `now`. After the clock was set back, they would otherwise count as recent for too long. */
export function untilNow(touched: Touched, now: number): Touched {
  const all = Object.entries(touched);
  if (all.every(([, { at }]) => at <= now)) return touched;
  return Object.fromEntries(all.map(([key, one]) => [key, { ...one, at: Math.min(one.at, now) }]));
}

/** Parses the stored JSON. Drops keys that this version does not know, since nothing would read them. */
export function touchedIn(text: string): Touched {
  const all = Object.entries(JSON.parse(text) as Touched);
  return Object.fromEntries(all.filter(([key]) => LISTS.includes(key) || key.startsWith(PLAYLIST)));
}

export function touchedPlaylists(touched: Touched): string[] {
  return Object.keys(touched)
    .filter((key) => key.startsWith(PLAYLIST))
    .map((key) => key.slice(PLAYLIST.length));
}

/**
 * Returns `touched` without the writes that a reading has certainly shown. Writes to lists that were not read stay in it.
 * @param begunAt when the reading began, in Unix milliseconds
 * @param keys what was read: `saved`, `playlists` or a playlist's key
 * @param snapshotOf returns the snapshot in which a playlist was read
 */
export function afterReading(
  touched: Touched,
  begunAt: number,
  keys: readonly string[],
  snapshotOf: (id: string) => string | null,
): Touched {
  const left = Object.entries(touched).filter(([key, { at, snapshotId }]) => {
    if (!keys.includes(key)) return true;
    if (begunAt - at >= LAG_MS) return false;
    if (begunAt - at < ROWS_LAG_MS || snapshotId === null) return true;
    return snapshotOf(key.slice(PLAYLIST.length)) !== snapshotId;
  });
  return Object.fromEntries(left);
}

const PLAYLIST = 'playlist:';
const LISTS: readonly string[] = ['saved', 'playlists'];

export function playlistKey(id: string): string {
  return `${PLAYLIST}${id}`;
}

/** Returns the key of a write in `Touched`. */
export function touchedKey(written: Written): string {
  return written.kind === 'playlist' ? playlistKey(written.id) : written.kind;
}
