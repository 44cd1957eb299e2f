/** Finds a song among the account's saved tracks, to avoid a search. Pure. */
import type { Track } from '../../domain/shapes.ts';
import { matchIsrc, matchTrack } from '../../music/match.ts';
import { normaliseName } from '../../music/names.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';

/**
 * The saved track that the query asks for. It must be the only recording that agrees with everything in the query, or that has
 * the query's recording code and album. If several releases of the recording are saved, the one that a search would prefer is
 * returned. A search may show an earlier release, but the saved one is what the person has and hears.
 * @returns null if a search has to decide
 */
export function savedMatch(query: TrackQuery, saved: readonly Track[]): Track | null {
  const { isrc, album } = query;
  if (isrc === undefined) {
    const { match } = matchTrack(query, saved);
    return match?.score === 1 ? match.track : null;
  }
  const track = matchIsrc(isrc, album, saved).match?.track ?? null;
  const isOnAlbum = album === undefined || normaliseName(track?.album.name ?? '') === normaliseName(album);
  return isOnAlbum ? track : null;
}
