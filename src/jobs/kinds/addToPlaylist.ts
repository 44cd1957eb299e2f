/** Appends to a playlist. */
import { insertChunks, PLAYLIST_CHUNK } from '../../provider/writes/playlistWrites.ts';
import { readUris } from '../playlistCheck.ts';
import { type JobKind, onlyChunk } from './kind.ts';

export const addToPlaylist: JobKind = {
  type: 'add_to_playlist',
  target: 'playlist',
  chunkSize: PLAYLIST_CHUNK,
  readBase: readUris,
  write: (targetId, uris) => onlyChunk(insertChunks(targetId, uris)),
  expected: (base, written) => [...base, ...written],
};
