/** Finds the playlist that a person names. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { ADDRESS, BARE_ID } from '../../domain/ids.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { LocalApi } from '../../server/calls.ts';

/**
 * @param given name, ID, URI or link. Case, accents and punctuation of a name do not matter
 * @param known the playlists of the library, if they have been fetched
 * @throws RelayError `NOT_FOUND`, or `USAGE` if several playlists have the name
 */
export async function findPlaylist(
  local: LocalApi,
  given: string,
  known?: readonly PlaylistFacts[],
): Promise<PlaylistFacts> {
  if (ADDRESS.test(given)) return local.getPlaylist({ playlist: given });
  if (BARE_ID.test(given)) {
    const found = await local.getPlaylist({ playlist: given }).catch(nullIfNotFound);
    if (found) return found;
  }
  const playlists = known ?? (await local.listPlaylists()).playlists;
  const { calledLike } = await import('../../music/names.ts');
  const matches = calledLike(playlists, given);
  const [found, other] = matches;
  if (found && !other) return found;
  if (found) {
    const which = matches.map(({ id, rows }) => (rows === null ? id : `${id} (${counted(rows, 'row')})`));
    throw new RelayError('USAGE', `${matches.length} playlists are called "${given}".`, {
      remedy: `Give the ID instead: ${which.join(' or ')}.`,
    });
  }
  const { didYouMean } = await import('../../base/nearest.ts');
  const meant = didYouMean(given, [...new Set(playlists.map(({ name }) => name))]);
  throw new RelayError('NOT_FOUND', `Your library has no playlist "${given}".`, {
    remedy: { text: `${meant ? `${meant} ` : ''}{command} lists them.`, command: ['playlists'] },
  });
}

/** Finds the named playlist; null if there is no playlist of this name yet. */
export async function playlistOrNull(local: LocalApi, given: string): Promise<PlaylistFacts | null> {
  return findPlaylist(local, given).catch((error) => {
    if (ADDRESS.test(given)) throw error;
    return nullIfNotFound(error);
  });
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof RelayError && error.code === 'NOT_FOUND') return null;
  throw error;
}
