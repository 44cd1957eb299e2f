/** The remembered matches, for `relay remembered` and the owner's page. */
import { isoOf } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { RelayError } from '../domain/errors.ts';
import type { RememberedMatch } from '../domain/localApi.ts';
import { deleteAliases, listAliases, type StoredAlias } from '../store/tables/aliases.ts';
import type { Core } from './core.ts';

/** Matches that were settled, then learned ones, newest first. */
export function rememberedMatches(core: Core, limit: number): RememberedMatch[] {
  return listAliases(core.store, limit).map((alias) => matchOf(core, alias));
}

/**
 * @param id ID of a match; null for all of them
 * @returns how many were forgotten, and the match with this ID; null for all of them
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
      remedy: { text: 'Run {command} to see the IDs.', command: ['remembered'] },
    });
  }
  if (!first) return { forgotten: 0, match: null };
  const match = id === null ? null : matchOf(core, first);
  // Not undone if the disk fails: the match stays forgotten at least until the server stops.
  await store.durable(() => deleteAliases(store, id === null ? null : found.map(({ key }) => key)));
  log.info({ matches: found.length }, 'remembered matches forgotten');
  return { forgotten: found.length, match };
}

/**
 * The ID of a match: stable, and short enough to type. Of 20,000 matches, two rarely have the same one. They are then forgotten
 * together.
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
    track: { uri: track.uri, name: track.name, artists: track.artists.map(({ name }) => name).join(', ') },
    source,
    by: wordsOf(core, alias),
    confirmed: confirmed === 1,
    at: isoOf(updatedAt),
  };
}

function wordsOf(core: Core, { source, settledBy }: StoredAlias): string {
  if (source === 'learned') return 'relay, automatically';
  if (settledBy === null) return 'not known';
  const clientId = /^client (.+)$/.exec(settledBy)?.[1];
  if (clientId === undefined) return WORDS[settledBy] ?? 'not known';
  const name = core.oauth.clients.find(clientId)?.name;
  return name ? `the client "${name}"` : 'a client that is gone';
}

const WORDS: Readonly<Record<string, string>> = {
  'command-line': 'you, in the terminal',
  page: 'you, on the page',
  stdio: 'a client through relay stdio',
  'api-key': 'a client with the API key',
};
