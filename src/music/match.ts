/** Decides which of the tracks found is the requested one. The rules are in `README.md`. */
import type { Track } from '../domain/shapes.ts';
import { type Judged, judge, readAsked } from './judge.ts';
import { chooseRecording, type Recording, recordingsOf } from './recordings.ts';
import type { TrackQuery } from './trackQuery.ts';

export interface Candidate {
  track: Track;
  /** 0 to 1, in thousandths; accepted candidates score above 0.4, near misses below. */
  score: number;
  /** Stable codes, listed in `README.md`. */
  reasons: string[];
}

export interface MatchResult {
  status: 'matched' | 'ambiguous' | 'unmatched';
  match: { track: Track; score: number } | null;
  /**
   * At most 5, best first. One release of each equally good recording comes first; near misses only when nothing fits.
   */
  candidates: Candidate[];
}

const MAX_CANDIDATES = 5;

/**
 * `found` are the tracks in the provider's order, which only decides between releases that are otherwise equal. Local
 * files are ignored, because the API cannot add them.
 */
export function matchTrack(query: TrackQuery, found: readonly Track[]): MatchResult {
  const asked = readAsked(query);
  const judged = distinct(found).map((track, index) => judge(asked, track, index));
  const recordings = recordingsOf(judged.filter((one) => one.accepted));
  if (recordings.length === 0) return { status: 'unmatched', match: null, candidates: nearMisses(judged) };
  const chosen = chooseRecording(recordings);
  const candidates = listed(chosen, recordings);
  if (!chosen) return { status: 'ambiguous', match: null, candidates };
  const [{ track, points }] = chosen.releases;
  return { status: 'matched', match: { track, score: points / 1000 }, candidates };
}

function distinct(found: readonly Track[]): Track[] {
  const uris = new Set<string>();
  return found.filter((track) => {
    const isNew = !track.is_local && !uris.has(track.uri);
    uris.add(track.uri);
    return isNew;
  });
}

/** The chosen track, then one release of each equally good recording, then all others by score. */
function listed(chosen: Recording | null, recordings: readonly Recording[]): Candidate[] {
  const strongest = recordings.filter((one) => one.strength === recordings[0]?.strength);
  const firsts = strongest.map(({ releases: [first] }) => first).sort((a, b) => b.points - a.points);
  const heads = [...new Set([...(chosen ? [chosen.releases[0]] : []), ...firsts])];
  const others = recordings.flatMap(({ releases }) => releases).filter((one) => !heads.includes(one));
  others.sort((a, b) => b.points - a.points);
  return [...heads, ...others].slice(0, MAX_CANDIDATES).map(candidateOf);
}

function nearMisses(judged: readonly Judged[]): Candidate[] {
  return judged
    .filter((one) => one.points > 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .slice(0, MAX_CANDIDATES)
    .map(candidateOf);
}

function candidateOf({ track, points, reasons }: Judged): Candidate {
  return { track, score: points / 1000, reasons: [...reasons] };
}
