/**
 * Finds the track for a title and an artist: first among the stored aliases, then (for a list) among the saved tracks,
 * last with the provider's search and the rules of `music`. A clear match is stored as an alias, so that the same song
 * needs no second search. Only this module decides which aliases are stored and which apply.
 */
import type { Clock } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Track } from '../../domain/shapes.ts';
import { isForgiven, type MatchResult, matchIsrc, matchTrack } from '../../music/match.ts';
import { normaliseName } from '../../music/names.ts';
import { aliasKey, type TrackQuery } from '../../music/trackQuery.ts';
import type { Call, ProviderApi } from '../../provider/api.ts';
import { SEARCH_PAGE, searchTracks } from '../../provider/resources/catalog.ts';
import type { Store } from '../../store/store.ts';
import { getAlias, putAlias } from '../../store/tables/aliases.ts';
import { findTrack } from './search.ts';

export interface Resolution extends MatchResult {
  /** `alias`: found without a search. */
  source: 'alias' | 'search';
  /** True for an alias that somebody confirmed although title, artist or album differ. */
  confirmed?: true;
}

export type Resolver = ReturnType<typeof createResolver>;

type Remembered = NonNullable<ReturnType<typeof getAlias>>;

/** The saved tracks that a song of a list may be; see `Library.savedLike`. */
type SavedLike = (query: TrackQuery) => Promise<readonly Track[]>;

/** @param savedLike given if there is a copy of the account's saved tracks */
export function createResolver(
  api: ProviderApi,
  store: Store,
  clock: Clock,
  savedLike: SavedLike = async () => [],
) {
  /** @param listed how many songs of the list are still to be found; 0 for a query by itself */
  async function resolve(query: TrackQuery, call: Call, listed = 0): Promise<Resolution> {
    const key = aliasKey(query);
    const known = remembered(query, key);
    if (known) return recalled(query, known);
    const saved = listed === 0 ? null : savedMatch(query, await savedLike(query));
    if (saved) {
      remember(key, query, saved);
      return unsearched(saved);
    }
    const result = await search(query, call);
    if (result.match) remember(key, query, result.match.track);
    return { ...result, source: 'search' };
  }

  /** A learned match that forgives a typo says so each time, until a person chooses the track. */
  function recalled(query: TrackQuery, { track, source, isConfirmed }: Remembered): Resolution {
    const result = source === 'learned' && query.isrc === undefined ? matchTrack(query, [track]) : null;
    if (result && isForgiven(result)) return { ...result, source: 'alias' };
    return { ...unsearched(track), ...(isConfirmed ? { confirmed: true } : {}) };
  }

  const unsearched = (track: Track): Resolution => ({
    status: 'matched',
    match: { track, score: 1 },
    candidates: [],
    source: 'alias',
  });

  /** An alias that a person set without a year is valid for every year; a learned alias is not. */
  function remembered({ year, ...anyYear }: TrackQuery, key: string): Remembered | null {
    const exact = getAlias(store, key);
    if (exact) return exact;
    if (year === undefined) return null;
    const general = getAlias(store, aliasKey(anyYear));
    return general?.source === 'person' ? general : null;
  }

  function search(query: TrackQuery, call: Call): Promise<MatchResult> {
    return findTrack(query, async (text) => {
      const { items } = await searchTracks(api, text, SEARCH_PAGE, { signal: call.signal, progress() {} });
      return items;
    });
  }

  function remember(key: string, { title, artist, album }: TrackQuery, track: Track): void {
    // A person may have chosen a track during the search.
    if (getAlias(store, key)?.source === 'person') return;
    const alias = { key, title, artist, album: album ?? null, track };
    putAlias(store, { ...alias, source: 'learned' }, clock.now());
    store.saveSoon();
  }

  /**
   * Stores the track that a person chose for a query. Resolves once the choice is on disk, with true if it replaced an alias.
   * @param by who chose it; see `Call.by`
   * @param confirmed true if the person confirmed the track although its names differ
   * @throws RelayError `ALIAS_MISMATCH` if query and track disagree and it is not confirmed, `STORE_ERROR`
   */
  async function choose(
    query: TrackQuery,
    track: Track,
    by: string | null,
    confirmed: boolean,
  ): Promise<boolean> {
    if (!confirmed && !fits(query, track)) throw mismatch(query, track);
    return store.durable(() => keep(query, track, by));
  }

  /** Like `choose`, but without the check and without saving, for callers that save several things together. */
  function keep(query: TrackQuery, track: Track, by: string | null): boolean {
    // Another list may mean another song of the same title.
    if (query.artist === '' && query.isrc === undefined) return false;
    const { title, artist, album = null } = query;
    const confirmed = fits(query, track) ? 0 : 1;
    const alias = { key: aliasKey(query), title, artist, album, track, settledBy: by, confirmed };
    return putAlias(store, { ...alias, source: 'person' }, clock.now());
  }

  /** True if an alias answers the query. Without one, a saved track may still answer it. @param key the query's `aliasKey` */
  const knows = (query: TrackQuery, key: string) => remembered(query, key) !== null;

  return { knows, resolve, choose, keep };
}

/** True if the track is what the query asks for. A search also accepts a track that is on another album than requested. */
function fits(query: TrackQuery, track: Track): boolean {
  const { status, candidates } = matchTrack(query, [track]);
  return status === 'matched' && candidates[0]?.reasons.includes('album_differs') !== true;
}

/** The names to leave out so that those of the track are used. */
function differing({ album, ...names }: TrackQuery, track: Track): string {
  if (album === undefined) return 'title and artist';
  if (fits(names, track)) return 'album';
  const own = { title: track.name, artist: track.artists[0]?.name ?? '' };
  return fits({ ...own, album }, track) ? 'title and artist' : 'title, artist and album';
}

function mismatch(query: TrackQuery, track: Track): RelayError {
  const names = track.artists.map(({ name }) => name).join(', ');
  const on = query.album === undefined ? '' : ` on "${query.album}"`;
  return new RelayError(
    'ALIAS_MISMATCH',
    `The track is "${track.name}" by ${names} on "${track.album.name ?? ''}", not "${query.title}" by ${query.artist}${on}.`,
    {
      remedy: `Pass the ID of the right track, or omit ${differing(query, track)}. If the user confirms that this track is right, pass confirm: true.`,
      details: { track: { id: track.id, name: track.name, artists: names } },
    },
  );
}

/**
 * The saved track that the query asks for. It must be the only recording that agrees with everything in the query, or that has
 * the query's recording code and album. If several releases of the recording are saved, the one that a search would prefer is
 * returned. A search may show an earlier release, but the saved one is what the person has and hears.
 * @returns null if a search has to decide
 */
function savedMatch(query: TrackQuery, saved: readonly Track[]): Track | null {
  const { isrc, album } = query;
  if (isrc === undefined) {
    const { match } = matchTrack(query, saved);
    return match?.score === 1 ? match.track : null;
  }
  const track = matchIsrc(isrc, album, saved).match?.track ?? null;
  const isOnAlbum = album === undefined || normaliseName(track?.album.name ?? '') === normaliseName(album);
  return isOnAlbum ? track : null;
}
