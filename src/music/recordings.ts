/** Groups tracks into recordings, and chooses a recording and its release. */
import { namesKey } from './artists.ts';
import { type Judged, releaseYear } from './judge.ts';
import { compact, withoutThe } from './normalise.ts';

/** The tracks of one recording, best release first. */
export interface Recording {
  readonly releases: readonly [Judged, ...Judged[]];
  /** Points of the best release, without the cost of notes. */
  readonly strength: number;
}

/** Maximum difference in length between releases of a recording: they begin and end with more or less silence. */
const SAME_LENGTH_MS = 3_000;
/** Maximum difference in length between a remaster and the original: the fade-out and the count-in may be longer. */
const REMASTER_LENGTH_MS = 10_000;

/**
 * The recordings among accepted candidates, strongest first. Tracks are one recording when they share an ISRC, or when
 * title, artists and version are the same and their lengths agree within three seconds. The grouping does not depend on
 * the order of `accepted`.
 */
export function recordingsOf(accepted: readonly Judged[]): Recording[] {
  const groups: Judged[][] = [];
  for (const one of accepted) {
    const same = groups.filter((group) => group.some((other) => isOneRecording(one, other)));
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push([...same.flat(), one]);
  }
  return groups.map(recordingOf).sort((a, b) => b.strength - a.strength || compareCodes(a, b));
}

/**
 * The best of the strongest recordings, or null if two are equally good. A recording whose every release has a note
 * such as "Remaster" or "Radio Edit" is only a form of the plain one.
 */
export function chooseRecording(recordings: readonly Recording[]): Recording | null {
  const strongest = recordings.filter((one) => one.strength === recordings[0]?.strength);
  const plain = strongest.filter((one) => leastNoteCost(one) === 0);
  const [chosen] = plain.length > 0 ? plain : [...strongest].sort(byNearestForm);
  if (!chosen || plain.length > 1) return null;
  if (plain.length === 1 && isNoted(chosen)) return chosen;
  return strongest.every((one) => one === chosen || areForms(one, chosen)) ? chosen : null;
}

/** True for the same ISRC; or the same title, artists and version, with lengths within three seconds. */
export function isOneRecording(a: Judged, b: Judged): boolean {
  if (codeOf(a) !== '' && codeOf(a) === codeOf(b)) return true;
  return songKey(a) === songKey(b) && lengthsAgree(a, b, SAME_LENGTH_MS);
}

/** The recording code in upper case without hyphens; '' for none. */
export function codeOf({ track }: Pick<Judged, 'track'>): string {
  return (track.isrc ?? '').replace(/[-\s]/gu, '').toUpperCase();
}

function songKey({ title, names }: Judged): string {
  const versions = [...title.versions].map((version) => `${version}:${title.details.get(version) ?? ''}`);
  return JSON.stringify([compact(withoutThe(title.base)), versions.sort(), namesKey(names)]);
}

function lengthsAgree(a: Judged, b: Judged, within: number): boolean {
  if (a.track.duration_ms === null || b.track.duration_ms === null) return false;
  return Math.abs(a.track.duration_ms - b.track.duration_ms) <= within;
}

/**
 * Orders releases with the same ISRC by requested album, requested year, then date. Of several ISRCs, the one with the most
 * points comes first.
 */
function recordingOf(group: readonly Judged[]): Recording {
  const byCode = new Map<string, Judged[]>();
  for (const one of group) {
    const code = codeOf(one) || one.track.uri;
    byCode.set(code, [...(byCode.get(code) ?? []), one]);
  }
  const ordered = [...byCode.values()].map((releases) => releases.sort(byRelease)).sort(byBestTitle);
  const [first, ...others] = ordered.flat();
  if (!first) throw new RangeError('A recording has at least one track.');
  return {
    releases: [first, ...others],
    strength: Math.max(...group.map((one) => one.points + one.noteCost)),
  };
}

function byRelease(a: Judged, b: Judged): number {
  return askedCost(a) - askedCost(b) || byDate(a, b) || b.points - a.points || a.index - b.index;
}

/** A number that orders releases: the lower it is, the better the release fits the requested album, then the year. */
function askedCost({ reasons }: Judged): number {
  if (reasons.includes('album_differs')) return 100 + yearCost(reasons);
  return (reasons.includes('album_edition') ? 10 : 0) + yearCost(reasons);
}

function yearCost(reasons: Judged['reasons']): number {
  if (reasons.includes('year_differs')) return 2;
  return reasons.includes('year_near') ? 1 : 0;
}

function byBestTitle(a: readonly Judged[], b: readonly Judged[]): number {
  return best(b) - best(a) || byFirst(a, b) || explicitFirst(a, b) || byCode(a, b);
}

function best(releases: readonly Judged[]): number {
  return Math.max(...releases.map((one) => one.points));
}

function byFirst([a]: readonly Judged[], [b]: readonly Judged[]): number {
  return a && b ? byDate(a, b) : 0;
}

/** The explicit release is the original; a clean one is edited. */
function explicitFirst([a]: readonly Judged[], [b]: readonly Judged[]): number {
  return Number(b?.track.explicit === true) - Number(a?.track.explicit === true);
}

/** Sorts by ISRC, so that the provider's order does not matter. Without ISRCs, the provider's order stays. */
function byCode([a]: readonly Judged[], [b]: readonly Judged[]): number {
  if (!a || !b) return 0;
  return compareTexts(codeOf(a), codeOf(b)) || a.index - b.index;
}

/** Earliest first, unknown dates last. Dates of different precision compare as text: "1985" is before "1985-06". */
export function byDate(a: Pick<Judged, 'track'>, b: Pick<Judged, 'track'>): number {
  return compareTexts(dateOf(a), dateOf(b));
}

/** Compares texts by code units, whatever the locale. */
function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function dateOf({ track }: Pick<Judged, 'track'>): string {
  return releaseYear(track) === null ? '9999' : (track.album.release_date ?? '9999');
}

/** Orders by the notes closest to the requested ones, then by the earliest date. */
function byNearestForm(a: Recording, b: Recording): number {
  return (
    leastNoteCost(a) - leastNoteCost(b) || compareTexts(firstDate(a), firstDate(b)) || compareCodes(a, b)
  );
}

function leastNoteCost({ releases }: Recording): number {
  return Math.min(...releases.map((one) => one.noteCost));
}

function firstDate({ releases }: Recording): string {
  return releases.map(dateOf).reduce((first, date) => (date < first ? date : first));
}

/** Breaks ties without depending on the provider's order. */
function compareCodes(a: Recording, b: Recording): number {
  return compareTexts(smallestCode(a), smallestCode(b));
}

function smallestCode({ releases }: Recording): string {
  return releases.map((one) => `${codeOf(one)} ${one.track.uri}`).reduce((a, b) => (b < a ? b : a));
}

/** True if every release has a note in its title. */
function isNoted({ releases }: Recording): boolean {
  return releases.every((one) => one.title.notes.size > 0);
}

/**
 * True if two recordings may be forms of the same one. An edit may have any length. A remaster has about the length of the
 * plain recording, or is not older than it. Any other remaster belongs to an earlier recording that was not found.
 */
function areForms(a: Recording, b: Recording): boolean {
  if (isEdit(a) || isEdit(b)) return true;
  if (isNoted(a) === isNoted(b)) return isNoted(a) && nearInLength(a, b);
  const [noted, plain] = isNoted(a) ? [a, b] : [b, a];
  return nearInLength(a, b) || firstDate(noted) >= firstDate(plain);
}

function nearInLength(a: Recording, b: Recording): boolean {
  return a.releases.some((one) => b.releases.some((other) => lengthsAgree(one, other, REMASTER_LENGTH_MS)));
}

function isEdit({ releases }: Recording): boolean {
  return releases.every((one) => one.title.notes.has('edit'));
}
