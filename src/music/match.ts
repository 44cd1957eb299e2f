/** Decides which of the tracks found is the requested one. The rules are in `README.md`. */
import type { JobCandidate } from '../domain/job.ts';
import type { Track } from '../domain/shapes.ts';
import { versionsKey } from './albums.ts';
import {
  type Asked,
  bearsName,
  isNear,
  type Judged,
  judge,
  judgeMiss,
  judgeSpelling,
  type Offer,
  readAsked,
  readOffer,
} from './judge.ts';
import { readingsOf } from './listNoise.ts';
import { compact, nameKey } from './normalise.ts';
import { chooseRecording, isOneRecording, type Recording, recordingsOf } from './recordings.ts';
import type { TrackQuery } from './trackQuery.ts';

export interface MatchResult {
  status: 'matched' | 'ambiguous' | 'unmatched';
  match: { track: Track; score: number } | null;
  /**
   * At most 5: the match, then one release of each equally good recording, then the others by score. If nothing fits, these are
   * the near misses, with one release of each recording.
   */
  candidates: JobCandidate[];
}

const MAX_CANDIDATES = 5;

/**
 * `found` are the tracks in the provider's order, which only decides between releases that are otherwise equal. Local
 * files are ignored, because the API cannot add them. The query is read as written. If nothing fits, it is read without
 * what lists carry besides title and artist. If still nothing fits, one typo is forgiven.
 */
export function matchTrack(query: TrackQuery, found: readonly Track[]): MatchResult {
  const offers = distinct(found).map(readOffer);
  const readings = readingsOf(query).map(readAsked);
  let incomplete: MatchResult | null = null;
  for (const asked of readings) {
    const accepted = offers.flatMap((offer) => judge(asked, offer) ?? []);
    const result = accepted.length > 0 ? chosenFrom(accepted) : null;
    // A missing guest may be noise of the list: as written, the guest of "Plinth feat. Ovo HD" is "Ovo HD". Another reading may
    // then find the guest.
    if (result?.candidates[0]?.reasons.includes('guest_missing') === false) return result;
    incomplete ??= result;
  }
  if (incomplete) return incomplete;
  const forgiven = readings.toReversed().map((asked) => withOneTypo(asked, offers));
  const result = forgiven.find((one) => one !== null);
  if (result) return result;
  const asked = readings.at(-1) ?? readAsked(query);
  const candidates = nearMisses(offers.map((offer) => judgeMiss(asked, offer)));
  return { status: 'unmatched', match: null, candidates };
}

/** True if the match forgives a typo. Another search may show that the name was right as written. */
export function isForgiven({ status, candidates }: MatchResult): boolean {
  return status !== 'unmatched' && candidates[0]?.reasons.includes('spelling') === true;
}

function chosenFrom(accepted: readonly Judged[]): MatchResult {
  const recordings = recordingsOf(accepted);
  const chosen = chooseRecording(recordings);
  const candidates = listed(chosen, recordings);
  if (!chosen) return { status: 'ambiguous', match: null, candidates };
  const [{ track, points }] = chosen.releases;
  return { status: 'matched', match: { track, score: points / 1000 }, candidates };
}

/** The match if one typo is forgiven; null unless exactly one song is near, and no track has the name as written. */
function withOneTypo(asked: Asked, offers: readonly Offer[]): MatchResult | null {
  const forgiven = offers.flatMap((offer) => judgeSpelling(asked, offer) ?? []);
  const [first] = forgiven;
  if (!first) return null;
  const near = [...forgiven, ...offers.filter((offer) => isNear(asked, offer))];
  if (near.some((offer) => songOf(offer) !== songOf(first))) return null;
  const field = first.reasons.includes('title') ? 'artist' : 'title';
  return offers.some((offer) => bearsName(asked, offer, field)) ? null : chosenFrom(forgiven);
}

/** A key that is equal for releases of one song in one version. */
function songOf({ title, track }: Offer): string {
  return JSON.stringify([
    compact(title.base),
    versionsKey(title.versions),
    nameKey(track.artists[0]?.name ?? ''),
  ]);
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
function listed(chosen: Recording | null, recordings: readonly Recording[]): JobCandidate[] {
  const strongest = recordings.filter((one) => one.strength === recordings[0]?.strength);
  const firsts = strongest.map(({ releases: [first] }) => first).sort((a, b) => b.points - a.points);
  const heads = [...new Set([...(chosen ? [chosen.releases[0]] : []), ...firsts])];
  const others = recordings.flatMap(({ releases }) => releases).filter((one) => !heads.includes(one));
  others.sort((a, b) => b.points - a.points);
  return [...heads, ...others].slice(0, MAX_CANDIDATES).map(candidateOf);
}

/** The best release of each recording. Other releases of a recording would take the places of other songs. */
function nearMisses(judged: readonly Judged[]): JobCandidate[] {
  const near = judged.filter((one) => one.points > 0);
  near.sort((a, b) => b.points - a.points || a.index - b.index);
  const first: Judged[] = [];
  for (const [at, one] of near.entries()) {
    if (first.length === MAX_CANDIDATES) break;
    if (!near.slice(0, at).some((better) => isOneRecording(better, one))) first.push(one);
  }
  return first.map(candidateOf);
}

function candidateOf({ track, points, reasons }: Judged): JobCandidate {
  return { track, score: points / 1000, reasons: [...reasons] };
}
