/** Saving and removing saved tracks. Both can safely be sent again, so no outcome has to be found out. */
import { LIBRARY_CHUNK, libraryChunks } from '../../provider/resources/savedTracks.ts';
import { type JobKind, onlyChunk } from './kind.ts';

function libraryKind(type: 'save_tracks' | 'remove_saved_tracks', method: 'PUT' | 'DELETE'): JobKind {
  return {
    type,
    target: 'library',
    chunkSize: LIBRARY_CHUNK,
    readBase: async () => [],
    write: (_, uris) => onlyChunk(libraryChunks(method, uris)),
    expected: () => null,
  };
}

export const saveTracks = libraryKind('save_tracks', 'PUT');
export const removeSavedTracks = libraryKind('remove_saved_tracks', 'DELETE');
