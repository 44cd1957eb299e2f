/** Songs asked for by their recording code. */
import type { Track } from '../domain/shapes.ts';
import type { MatchResult } from './match.ts';
import { normaliseName } from './normalise.ts';

/**
 * The release of the recording with this code: the one on the album asked for, else the earliest, else the first found.
 * Unmatched if none of `found` has the code.
 * @param isrc twelve upper-case characters without hyphens
 */
export function matchIsrc(isrc: string, album: string | undefined, found: readonly Track[]): MatchResult {
  const releases = found.filter((track) => !track.is_local && plainCode(track.isrc) === isrc);
  const asked = normaliseName(album ?? '');
  const isOnAlbum = ({ album: { name } }: Track) => asked !== '' && normaliseName(name ?? '') === asked;
  const [track] = [...releases].sort(
    (a, b) => Number(isOnAlbum(b)) - Number(isOnAlbum(a)) || compareDates(dateOf(a), dateOf(b)),
  );
  if (!track) return { status: 'unmatched', match: null, candidates: [] };
  return {
    status: 'matched',
    match: { track, score: 1 },
    candidates: [{ track, score: 1, reasons: ['isrc'] }],
  };
}

function plainCode(isrc: string | null): string {
  return (isrc ?? '').replace(/[-\s]/gu, '').toUpperCase();
}

/** A release without a date comes last. */
function dateOf({ album }: Track): string {
  return album.release_date || '9999';
}

function compareDates(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
