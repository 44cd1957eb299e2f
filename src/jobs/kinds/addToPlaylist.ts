/** Appends to a playlist. */
import { insertChunks, PLAYLIST_CHUNK } from '../../provider/playlistWrites.ts';
import { readUris } from '../present.ts';
import { type JobKind, onlyChunk } from './kind.ts';

export const addToPlaylist: JobKind = {
  type: 'add_to_playlist',
  target: 'playlist',
  chunkSize: PLAYLIST_CHUNK,
  readBase: readUris,
  write: (targetId, uris) => onlyChunk(insertChunks(targetId, uris)),
  expected: (base, written) => [...base, ...written],
};
