/** Replaces all rows: the first request replaces, the others append. */
import { insertChunks, PLAYLIST_CHUNK, replaceChunks } from '../../provider/writes/playlistWrites.ts';
import { restorableUris } from '../../provider/writes/rollback.ts';
import { type JobKind, onlyChunk } from './kind.ts';

export const replacePlaylist: JobKind = {
  type: 'replace_playlist',
  target: 'playlist',
  chunkSize: PLAYLIST_CHUNK,
  // A row that could not be restored is refused before anything is lost.
  readBase: async ({ rows }, targetId, call) => restorableUris(await rows.readFresh(targetId, call)),
  write: (targetId, uris, isFirst) =>
    onlyChunk(isFirst ? replaceChunks(targetId, uris) : insertChunks(targetId, uris)),
  expected: (base, written) => (written.length === 0 ? [...base] : [...written]),
};
