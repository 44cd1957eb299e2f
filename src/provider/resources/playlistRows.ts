/**
 * Whole playlists: every row in order, in as few requests as possible, cached for a minute per snapshot. Writes to one
 * playlist wait for each other (the provider does not keep the order of concurrent writes).
 */
import { interruptible } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Item, Playlist } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../api.ts';
import { readAll } from './paging.ts';
import { getPlaylist, getPlaylistItems, PLAYLIST_PAGE } from './playlists.ts';

const REUSE_MS = 60_000;
/** Playlists whose rows are cached; each may hold ten thousand. */
const KEPT_PLAYLISTS = 8;
/** More than the provider lets a playlist hold. */
const ALL_ROWS = 20_000;

export interface PlaylistRows {
  /** Metadata and all rows; rows read within the last minute under the same snapshot are reused. */
  read(playlistId: string, call: Call): Promise<{ playlist: Playlist; items: Item[] }>;
  /** All rows as they are now. */
  readFresh(playlistId: string, call: Call): Promise<Item[]>;
  /**
   * Runs a write after earlier ones to the same playlist have ended, and drops the playlist from the cache. `signal` ends
   * the wait for its turn, not the work: a job may be writing for a minute.
   */
  exclusively<T>(playlistId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createPlaylistRows(api: ProviderApi, clock: Clock): PlaylistRows {
  const kept = new Map<string, { snapshotId: string; items: Item[]; at: number }>();
  const writing = new Map<string, Promise<unknown>>();
  /** Writes begun and ended so far: rows read while this changed may predate the write. */
  let writes = 0;

  function forget(playlistId: string): void {
    writes += 1;
    kept.delete(playlistId);
  }

  async function readFresh(playlistId: string, call: Call): Promise<Item[]> {
    const page = (window: { limit: number; offset: number }) =>
      getPlaylistItems(api, playlistId, window, call);
    return (await readAll(page, PLAYLIST_PAGE, ALL_ROWS, call)).items;
  }

  return {
    readFresh,
    async read(playlistId, call) {
      const playlist = await getPlaylist(api, playlistId, call);
      const known = kept.get(playlistId);
      const usable =
        known && known.snapshotId === playlist.snapshot_id && clock.monotonic() - known.at < REUSE_MS;
      if (usable) return { playlist, items: known.items };
      const writesBefore = writes;
      const items = await readFresh(playlistId, call);
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
        forget(playlistId);
        return work();
      };
      const mine = before.then(begin, begin).finally(() => {
        forget(playlistId);
        if (writing.get(playlistId) === settled) writing.delete(playlistId);
      });
      const settled = mine.catch(() => {});
      writing.set(playlistId, settled);
      return signal ? interruptible(signal, mine, () => !begun) : mine;
    },
  };
}
