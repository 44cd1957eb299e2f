/** Matches songs that are requested by recording code. */
import type { Track } from '../domain/shapes.ts';
import type { MatchResult } from './match.ts';
import { normaliseName } from './normalise.ts';
import { byDate, codeOf } from './recordings.ts';

/**
 * Matches the recording with this code. A release on the requested album comes first, then the earliest release. The result is
 * unmatched if no track in `found` has the code.
 * @param isrc twelve upper-case characters without hyphens
 */
export function matchIsrc(isrc: string, album: string | undefined, found: readonly Track[]): MatchResult {
  const releases = found.filter((track) => !track.is_local && codeOf({ track }) === isrc);
  const asked = normaliseName(album ?? '');
  const isOnAlbum = ({ album: { name } }: Track) => asked !== '' && normaliseName(name ?? '') === asked;
  const [track] = [...releases].sort(
    (a, b) => Number(isOnAlbum(b)) - Number(isOnAlbum(a)) || byDate({ track: a }, { track: b }),
  );
  if (!track) return { status: 'unmatched', match: null, candidates: [] };
  return {
    status: 'matched',
    match: { track, score: 1 },
    candidates: [{ track, score: 1, reasons: ['isrc'] }],
  };
}
