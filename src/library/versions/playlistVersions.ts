/** Keeps readings of playlists as versions in `memory.db`. */
import type { Clock } from '../../base/clock.ts';
import type { PlaylistVersion, VersionRow } from '../../domain/versions.ts';
import type { LibraryFile } from '../files/libraryFile.ts';
import { nameOfPlaylist, pendingRows, playlistSnapshot, rowsOfPlaylist } from '../tables/mirror.ts';
import {
  forgetVersions,
  listVersions,
  recordVersion,
  rowsOfVersion,
  thinOut,
  versionedName,
  versionedPlaylists,
} from '../tables/versions.ts';

export interface PlaylistVersionsFile {
  /** Keeps the rows in `pending_rows`, which were just read, as a version, if they differ from the last version. */
  keepPending(id: string): Promise<void>;
  /** The versions of a playlist, newest first. `name` is null if there are none. */
  list(id: string): Promise<{ name: string | null; items: PlaylistVersion[] }>;
  rows(id: string, version: number): Promise<VersionRow[] | null>;
  playlists(): Promise<Array<{ id: string; name: string }>>;
  forget(): Promise<void>;
}

/** @param mirror the copy, which holds what was read */
export function createPlaylistVersions(
  memory: LibraryFile,
  mirror: LibraryFile,
  clock: Clock,
): PlaylistVersionsFile {
  const keep = (playlist: { id: string; name: string }, rows: readonly VersionRow[]) =>
    memory.use((sql) => recordVersion(sql, playlist, rows, clock.now()));

  /** Keeps the present rows of a playlist that was read before versions were kept, or whose versions were forgotten. */
  async function keepPresent(id: string): Promise<void> {
    if (!(await mirror.exists())) return;
    const { name, rows, isRead } = await mirror.use((sql) => ({
      name: nameOfPlaylist(sql, id),
      rows: rowsOfPlaylist(sql, id),
      isRead: playlistSnapshot(sql, id) !== null,
    }));
    if (name !== null && isRead) await keep({ id, name }, rows);
  }

  return {
    async keepPending(id) {
      const { name, rows, before } = await mirror.use((sql) => ({
        name: nameOfPlaylist(sql, id) ?? id,
        rows: pendingRows(sql),
        before: rowsOfPlaylist(sql, id),
      }));
      // Avoids opening the file with the versions if there is nothing to keep.
      const isSame =
        before.length > 0 &&
        before.length === rows.length &&
        before.every(({ uri }, index) => uri === rows[index]?.uri);
      if (!isSame) await keep({ id, name }, rows);
    },
    async list(id) {
      const known = (await memory.exists()) && (await memory.use((sql) => listVersions(sql, id).length > 0));
      if (!known) await keepPresent(id);
      if (!(await memory.exists())) return { name: null, items: [] };
      return memory.use((sql) => {
        thinOut(sql, id, clock.now());
        return { name: versionedName(sql, id), items: listVersions(sql, id) };
      });
    },
    rows: async (id, version) =>
      (await memory.exists()) ? memory.use((sql) => rowsOfVersion(sql, id, version)) : null,
    playlists: async () => ((await memory.exists()) ? memory.use(versionedPlaylists) : []),
    async forget() {
      if (!(await memory.exists())) return;
      await memory.use(forgetVersions);
      await memory.save();
    },
  };
}
