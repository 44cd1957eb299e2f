/** The searches for one track: as few as possible, since each costs part of a daily quota. */
import { RelayError } from '../../domain/errors.ts';
import type { Track } from '../../domain/shapes.ts';
import { isForgiven, type MatchResult, matchIsrc, matchTrack } from '../../music/match.ts';
import { searchQueries, shorterQuery, type TrackQuery } from '../../music/trackQuery.ts';

/** The most searches that `findTrack` makes for a query. If the first finds the song as written, it makes only one. */
export function mostSearches(query: TrackQuery): number {
  const byCode = query.isrc === undefined ? 0 : 1;
  return byCode + (byCode > 0 && !hasNames(query) ? 0 : searchQueries(query).length);
}

/** Without both names nothing but a recording code can match. */
function hasNames({ title, artist }: TrackQuery): boolean {
  return title !== '' && artist !== '';
}

/**
 * Finds the track for a query. If title and artist are written as on Spotify, one search is enough. Looser searches follow only
 * while nothing fits. A match that forgives a typo is accepted only after the loosest search, which may show a song with the
 * name as written. That makes at most two searches, or three if an album is requested. A recording code takes one more search,
 * which comes first. If nothing fits, title and artist may be on the wrong sides: the plain words of the last search do not tell
 * them apart, so the other way takes no search.
 */
export async function findTrack(
  query: TrackQuery,
  search: (text: string) => Promise<readonly Track[]>,
): Promise<MatchResult> {
  if (query.isrc !== undefined) {
    const result = matchIsrc(query.isrc, query.album, await search(`isrc:${query.isrc}`));
    if (result.match || !hasNames(query)) return result;
  }
  const found = new Map<string, Track>();
  const texts = searchQueries(query);
  let result: MatchResult = { status: 'unmatched', match: null, candidates: [] };
  for (const text of texts) {
    if (isForgiven(result) && text !== texts.at(-1)) continue;
    for (const track of await searchShorter(text, query, search))
      if (!found.has(track.uri)) found.set(track.uri, track);
    result = matchTrack(query, [...found.values()]);
    if (result.status !== 'unmatched' && !isForgiven(result)) return result;
    // Of a title without an artist, a person chooses among what is found.
    if (!hasNames(query) && result.candidates.length > 0) return result;
  }
  if (result.status !== 'unmatched' || !hasNames(query)) return result;
  const swapped = matchTrack({ ...query, title: query.artist, artist: query.title }, [...found.values()]);
  return swapped.match && !isForgiven(swapped) ? swapped : result;
}

/** Spotify refuses some texts (400). A few plain words are then tried once, so that the song need not wait for another attempt. */
async function searchShorter(
  text: string,
  query: TrackQuery,
  search: (text: string) => Promise<readonly Track[]>,
): Promise<readonly Track[]> {
  try {
    return await search(text);
  } catch (error) {
    const shorter = shorterQuery(query);
    if (!(error instanceof RelayError) || error.code !== 'INVALID_ARGUMENT' || shorter.length >= text.length)
      throw error;
    return await search(shorter);
  }
}
