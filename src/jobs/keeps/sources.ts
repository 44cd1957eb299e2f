/** The playlists that a query reads, and that it does not get now. */
import { playlistsInQuery } from '../../domain/keepRules.ts';
import type { Library } from '../../library/library.ts';
import type { Keep } from '../../store/tables/keeps.ts';

/** A source without rows. */
export interface Away {
  /** What `Keep.gone` holds once a person lets the runs do without this playlist. */
  key: string;
  name: string;
  /** `refused`: Spotify does not give its rows. `left`: it has left the account. `unknown`: no playlist has this name. */
  why: 'refused' | 'left' | 'unknown';
}

/** An ID of a playlist in a query. */
const ID = /'([0-9A-Za-z]{22})'/g;
/** The keys of playlists in `Keep.gone`, which also has songs that Spotify refuses. */
const PLAYLIST_KEY = /^(?:spotify:playlist:|playlist )/;

/**
 * The playlists whose rows a query may lack: Spotify refuses the rows, or the playlist that the query names has left the
 * account or has another name. A query names playlists by their IDs, and a ready rule by their names.
 * @param missed the playlists whose rows Spotify refuses
 */
export async function awayFrom(
  library: Library,
  { playlistId, name, query }: Pick<Keep, 'playlistId' | 'name' | 'query'>,
  missed: ReadonlyArray<{ id: string; name: string }>,
): Promise<Away[]> {
  const refused = missed.map((one): Away => ({ key: playlistUri(one.id), name: one.name, why: 'refused' }));
  const ids = Array.from(query.matchAll(ID), ([, id = '']) => id);
  const names = playlistsInQuery(query, name).filter((one) => one !== name);
  const listed = ids.length + names.length === 0 ? [] : await library.listedPlaylists();
  const unlisted = new Set(ids.filter((id) => listed.every((one) => one.id !== id)));
  // Not every text that looks like an ID is one. Only a playlist that was read once has versions.
  const left = unlisted.size === 0 ? [] : await library.versionedPlaylists();
  const away = [
    ...refused,
    ...left
      .filter(({ id }) => unlisted.has(id))
      .map((one): Away => ({ key: playlistUri(one.id), name: one.name, why: 'left' })),
    ...names
      .filter((wanted) => listed.every((one) => one.name !== wanted))
      .map((one): Away => ({ key: `playlist ${one}`, name: one, why: 'unknown' })),
  ];
  return away.filter(({ key }) => playlistId === null || key !== playlistUri(playlistId));
}

/** What a run still does without. A person's leave to do without a playlist ends once that playlist is back. */
export function stillGone({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string[] {
  const isAway = new Set(away.map(({ key }) => key));
  return gone.filter((one) => !PLAYLIST_KEY.test(one) || isAway.has(one));
}

/** Says which playlists the query lacks without a person's leave; null if there are none. */
export function missing({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string | null {
  const lacking = away.filter(({ key }) => !gone.includes(key));
  if (lacking.length === 0) return null;
  const namesOf = (some: readonly Away[]) => some.map(({ name }) => `"${name}"`);
  const refused = namesOf(lacking.filter(({ why }) => why === 'refused'));
  const left = namesOf(lacking.filter(({ why }) => why !== 'refused'));
  const texts = [
    refused.length > 0 &&
      `Spotify does not give the rows of ${refused.join(', ')} now, and the query may read them.`,
    left.length > 0 && `The query reads ${left.join(' and ')}, which you no longer have.`,
    lacking.some(({ why }) => why === 'unknown') &&
      'If it only has another name now, stop keeping this playlist, and add it again.',
    `If you accept, it runs without ${lacking.length === 1 ? 'it' : 'them'}.`,
  ];
  return texts.filter(Boolean).join(' ');
}

function playlistUri(id: string): string {
  return `spotify:playlist:${id}`;
}
