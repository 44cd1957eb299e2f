/** Stores the rows of playlists, as they were read, as versions in `memory.db`. */
import type { Clock } from '../../base/clock.ts';
import type { PlaylistVersion, VersionRow } from '../../domain/versions.ts';
import type { LibraryFile } from '../files/files.ts';
import { nameOfPlaylist, readTime, rowsOfPlaylist } from '../tables/mirror.ts';
import {
  forgetVersions,
  listVersions,
  recordVersion,
  renameVersioned,
  rowsOfVersion,
  thinOut,
  versionedName,
  versionedPlaylists,
} from '../tables/versions.ts';

/** @param mirror the copy, which holds what was read */
export function createPlaylistVersions(memory: LibraryFile, mirror: LibraryFile, clock: Clock) {
  /**
   * Stores the rows in the copy as a version, if they were read after the last version and differ from it. That happens if they
   * were read before relay kept versions, or if the versions were forgotten or replaced by those of a backup.
   */
  async function keepPresent(id: string): Promise<void> {
    if (!(await mirror.exists())) return;
    const { name, rows, readAt } = await mirror.use((sql) => ({
      name: nameOfPlaylist(sql, id),
      rows: rowsOfPlaylist(sql, id),
      readAt: readTime(sql, id),
    }));
    if (name === null || readAt === null) return;
    await memory.use((sql) => {
      const [last] = listVersions(sql, id);
      if (!last || readAt > Date.parse(last.seen_at)) recordVersion(sql, { id, name }, rows, readAt);
    });
  }

  return {
    /** Stores the rows of a playlist, which were just read, as a version if they differ from the last one. */
    async keep({ id, name }: { id: string; name: string }, rows: readonly VersionRow[]): Promise<void> {
      await keepPresent(id);
      await memory.use((sql) => recordVersion(sql, { id, name }, rows, clock.now()));
    },
    /** Lists the versions of a playlist, newest first. `name` is null if there are none. */
    async list(id: string): Promise<{ name: string | null; items: PlaylistVersion[] }> {
      await keepPresent(id);
      if (!(await memory.exists())) return { name: null, items: [] };
      const present = (await mirror.exists()) ? await mirror.use((sql) => nameOfPlaylist(sql, id)) : null;
      return memory.use((sql) => {
        if (present !== null) renameVersioned(sql, { id, name: present });
        thinOut(sql, id, clock.now());
        return { name: versionedName(sql, id), items: listVersions(sql, id) };
      });
    },
    rows: async (id: string, version: number) =>
      (await memory.exists()) ? memory.use((sql) => rowsOfVersion(sql, id, version)) : null,
    playlists: async () => ((await memory.exists()) ? memory.use(versionedPlaylists) : []),
    async forget() {
      if (!(await memory.exists())) return;
      await memory.use(forgetVersions);
      await memory.save();
    },
  };
}
