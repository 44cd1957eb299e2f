/** The remembered matches, for the owner's page. */
import { isoOf } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { askerWords } from '../domain/changeWords.ts';
import { RelayError } from '../domain/errors.ts';
import type { RememberedMatch } from '../domain/localApi.ts';
import { isrcOf } from '../music/trackQuery.ts';
import { deleteAliases, listAliases, type StoredAlias } from '../store/tables/aliases.ts';
import { askerOf } from '../tools/asker.ts';
import type { Core } from './core.ts';

/** Lists the matches that a person or a client settled, then the learned ones. Each group begins with the newest. */
export function rememberedMatches(core: Core, limit: number): RememberedMatch[] {
  return listAliases(core.store, limit).map((alias) => matchOf(core, alias));
}

/**
 * @param id ID of a match; null for all of them
 * @returns how many matches were forgotten; `match` is the forgotten match, or null if `id` is null
 * @throws RelayError `NOT_FOUND`, `STORE_ERROR`
 */
export async function forgetRemembered(
  core: Core,
  id: string | null,
): Promise<{ forgotten: number; match: RememberedMatch | null }> {
  const { store, log } = core;
  const found = listAliases(store, -1).filter(({ key }) => id === null || idOf(key) === id);
  const [first] = found;
  if (id !== null && !first) {
    throw new RelayError('NOT_FOUND', `Nothing is remembered under "${id}".`, {
      remedy: 'Load the page again to see what is remembered.',
    });
  }
  if (!first) return { forgotten: 0, match: null };
  const match = id === null ? null : matchOf(core, first);
  // If the save fails, the match stays forgotten in memory. It comes back only if the server stops before a save succeeds.
  await store.durable(() => deleteAliases(store, id === null ? null : found.map(({ key }) => key)));
  log.info({ matches: found.length }, 'remembered matches forgotten');
  return { forgotten: found.length, match };
}

/**
 * The ID of a match: stable, and short enough to type. Even among 20,000 matches, two rarely share an ID. If they do, both are
 * forgotten together.
 */
function idOf(key: string): string {
  return hashOf(key).slice(0, 8);
}

function matchOf(core: Core, alias: StoredAlias): RememberedMatch {
  const { key, title, artist, album, track, source, confirmed, updatedAt } = alias;
  return {
    id: idOf(key),
    title,
    artist,
    album,
    isrc: isrcOf(key),
    track: { uri: track.uri, name: track.name, artists: track.artists.map(({ name }) => name).join(', ') },
    source,
    by: wordsOf(core, alias),
    confirmed: confirmed === 1,
    at: isoOf(updatedAt),
  };
}

/** Who settled it, in words. */
function wordsOf(core: Core, { source, settledBy }: StoredAlias): string {
  if (source === 'learned') return 'relay, automatically';
  return settledBy === null ? 'not known' : askerWords(askerOf(core, { by: settledBy }));
}
