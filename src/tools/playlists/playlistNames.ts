/** Names of playlists for texts about jobs and changes, even if Spotify cannot be reached. */
import { withDeadline } from '../../base/abort.ts';
import { inParallel } from '../../base/lists.ts';
import { getMyPlaylists, getPlaylist, PLAYLIST_PAGE } from '../../provider/resources/playlists.ts';
import { getPlaylistName } from '../../store/tables/playlistNames.ts';
import { namesGiven } from '../../store/tables/works.ts';
import type { Services } from '../tool.ts';

/** Names are optional, so reading them takes at most this long, and at most this many requests after the first. */
const NAMES_MS = 5_000;
const MAX_ASKED = 5;

/** The last name that relay has read or given; null if there is none. Sends no request. */
export function knownPlaylistName({ store }: Pick<Services, 'store'>, id: string): string | null {
  const seen = getPlaylistName(store, id);
  const [given] = namesGiven(store, id);
  if (given && given.at >= (seen?.seenAt ?? 0)) return given.name;
  return seen?.name ?? null;
}

/** Names by ID; unknown ones are left out. Sends no request. */
export function knownPlaylistNames(
  services: Pick<Services, 'store'>,
  ids: Iterable<string>,
): Map<string, string> {
  const names = new Map<string, string>();
  for (const id of ids) {
    const name = knownPlaylistName(services, id);
    if (name !== null) names.set(id, name);
  }
  return names;
}

/**
 * The names of playlists, by ID. Unknown names are read from Spotify: first the first page of the account's playlists, since it
 * has those that were used last, and then single playlists.
 */
export async function playlistNames(
  services: Services,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const unknown = () => {
    const known = knownPlaylistNames(services, ids);
    return [...new Set(ids)].filter((id) => !known.has(id));
  };
  if (unknown().length > 0) await askForNames(services, unknown);
  return knownPlaylistNames(services, ids);
}

async function askForNames({ provider, clock }: Services, unknown: () => string[]): Promise<void> {
  const late = new Error('no names in time');
  try {
    await withDeadline({ clock, ms: NAMES_MS, late }, async (signal) => {
      const call = { signal, progress() {} };
      await getMyPlaylists(provider, { limit: PLAYLIST_PAGE, offset: 0 }, call);
      await inParallel(unknown().slice(0, MAX_ASKED), MAX_ASKED, (id) => getPlaylist(provider, id, call));
    });
  } catch {
    // Without a login or a network, or under a limit, IDs are shown instead.
  }
}
