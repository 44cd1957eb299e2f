/** The playlists that a query reads, and that it does not get now. */
import { playlistsInQuery } from '../../domain/keepRules.ts';
import type { Library } from '../../library/library.ts';
import type { Keep } from '../../store/tables/keeps.ts';

/** A source without rows. */
export interface Away {
  /** What `Keep.gone` holds once a person lets the runs do without this playlist. */
  key: string;
  name: string;
  /** True if the account still has the playlist, and only its rows cannot be read. */
  isListed: boolean;
}

/** An ID of a playlist in a query. */
const ID = /'([0-9A-Za-z]{22})'/g;

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
  const refused = missed.map((one) => ({ key: playlistUri(one.id), name: one.name, isListed: true }));
  const ids = new Set(Array.from(query.matchAll(ID), ([, id]) => id));
  const names = playlistsInQuery(query, name).filter((one) => one !== name);
  const listed = ids.size + names.length === 0 ? [] : await library.listedPlaylists();
  const left = ids.size === 0 ? [] : await library.versionedPlaylists();
  const isListed = new Set(listed.flatMap((one) => [one.id, one.name]));
  return [
    ...refused,
    ...left
      .filter(({ id }) => ids.has(id) && !isListed.has(id))
      .map((one) => ({ key: playlistUri(one.id), name: one.name, isListed: false })),
    ...names
      .filter((one) => !isListed.has(one))
      .map((one) => ({ key: `playlist ${one}`, name: one, isListed: false })),
  ].filter(({ key }) => playlistId === null || key !== playlistUri(playlistId));
}

/** What a run does without, after a person's leave to do without some playlists has ended for those that are back. */
export function stillGone({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string[] {
  const isAway = new Set(away.map(({ key }) => key));
  return gone.filter((one) => !/^(?:spotify:playlist:|playlist )/.test(one) || isAway.has(one));
}

/** Says which playlists the query lacks without a person's leave; null if there are none. */
export function missing({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string | null {
  const lacking = away.filter(({ key }) => !gone.includes(key));
  const named = (isListed: boolean) =>
    lacking.filter((one) => one.isListed === isListed).map(({ name }) => `"${name}"`);
  const [refused, left] = [named(true), named(false)];
  const isByName = lacking.some(({ key }) => key.startsWith('playlist '));
  if (lacking.length === 0) return null;
  return [
    ...(refused.length === 0
      ? []
      : [`Spotify does not give the rows of ${refused.join(', ')} now, which the query may read.`]),
    ...(left.length === 0
      ? []
      : [`You have no playlist ${left.join(' or ')} any more, which the query reads.`]),
    ...(isByName ? ['If it only has another name now, stop keeping this playlist, and add it again.'] : []),
    `If you accept, it runs without ${lacking.length === 1 ? 'it' : 'them'}.`,
  ].join(' ');
}

function playlistUri(id: string): string {
  return `spotify:playlist:${id}`;
}
