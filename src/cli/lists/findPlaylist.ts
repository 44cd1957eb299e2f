/** Finds the playlist that a person names. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { ADDRESS, BARE_ID } from '../../domain/ids.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { LocalApi } from '../../server/calls.ts';

/**
 * @param given name, ID, URI or link. Case, accents and punctuation of a name do not matter
 * @throws RelayError `NOT_FOUND`, or `USAGE` if several playlists have the name
 */
export async function findPlaylist(local: LocalApi, given: string): Promise<PlaylistFacts> {
  if (ADDRESS.test(given)) return local.getPlaylist({ playlist: given });
  if (BARE_ID.test(given)) {
    const found = await local.getPlaylist({ playlist: given }).catch(nullIfNotFound);
    if (found) return found;
  }
  const { playlists } = await local.listPlaylists();
  const { calledLike } = await import('../../music/names.ts');
  const matches = calledLike(playlists, given);
  const [found] = matches;
  if (!found) throw await notFound([given], playlists);
  if (matches.length > 1) throw several(given, matches);
  return found;
}

/**
 * Returns the playlists with these names.
 * @param given names; they are compared as in `findPlaylist`
 * @throws RelayError `NOT_FOUND`, or `USAGE` if a name may mean several others
 */
export async function playlistsCalled(
  local: LocalApi,
  given: readonly string[],
): Promise<Array<{ id: string; name: string }>> {
  const { playlists } = await local.listPlaylists();
  const { calledLike } = await import('../../music/names.ts');
  const found = given.map((name) => ({ name, matches: calledLike(playlists, name) }));
  const missing = found.filter(({ matches }) => matches.length === 0).map(({ name }) => name);
  if (missing.length > 0) throw await notFound(missing, playlists, true);
  for (const { name, matches } of found) {
    const names = [...new Set(matches.map((one) => one.name))];
    if (names.length === 1) continue;
    throw new RelayError('USAGE', `Several playlists are called like "${name}".`, {
      remedy: `Write the name exactly as in Spotify: ${names.map((one) => `"${one}"`).join(' or ')}.`,
    });
  }
  return found.flatMap(({ matches }) => matches.map(({ id, name }) => ({ id, name })));
}

const QUOTED = `A name with a comma goes in quotation marks, as in --like 'union="Rock, Pop",Gym'.`;

function nullIfNotFound(error: unknown): null {
  if (error instanceof RelayError && error.code === 'NOT_FOUND') return null;
  throw error;
}

/** @param isList true for names that were separated by commas */
async function notFound(
  given: readonly string[],
  playlists: readonly PlaylistFacts[],
  isList = false,
): Promise<RelayError> {
  const { didYouMean } = await import('../../base/nearest.ts');
  const names = [...new Set(playlists.map(({ name }) => name))];
  const meant = [...new Set(given.flatMap((one) => didYouMean(one, names) ?? []))];
  const isCut = isList && meant.some((text) => text.includes(','));
  const wanted = given.map((one) => `"${one}"`).join(' or ');
  return new RelayError('NOT_FOUND', `Your library has no playlist ${wanted}.`, {
    remedy: {
      text: [...meant, ...(isCut ? [QUOTED] : []), '{command} lists them.'].join(' '),
      command: ['playlists'],
    },
  });
}

function several(given: string, matches: readonly PlaylistFacts[]): RelayError {
  const which = matches.map(({ id, rows }) => (rows === null ? id : `${id} (${counted(rows, 'row')})`));
  return new RelayError('USAGE', `${matches.length} playlists are called "${given}".`, {
    remedy: `Give the ID instead: ${which.join(' or ')}.`,
  });
}
