/** Groups tracks into recordings, and chooses a recording and its release. */
import { SAME_LENGTH_MS } from '../domain/recordings.ts';
import { type Track, yearOf } from '../domain/shapes.ts';
import { compact, namesKey, withoutThe } from './names.ts';
import type { Note, ParsedTitle } from './title.ts';

export interface Offer {
  readonly track: Track;
  /** Index in the provider's answer, which only decides between equals. */
  readonly index: number;
  readonly title: ParsedTitle;
  /** Names of all artists, including those named in the title. */
  readonly names: readonly string[];
}

/** A track that fits the request, or a near miss. */
export interface Judged extends Offer {
  /** 0 to 1000. */
  readonly points: number;
  /** The part of 1000 that was subtracted for notes that do not make another recording. */
  readonly noteCost: number;
  /** The part that was subtracted for album and year. */
  readonly releaseCost: number;
  readonly reasons: readonly string[];
}

/** The tracks of one recording, best release first. */
export interface Recording {
  readonly releases: readonly [Judged, ...Judged[]];
  /** Points of the best release, without the cost of notes. */
  readonly strength: number;
}

/** Maximum difference in length between a remaster and the original: the fade-out and the count-in may be longer. */
const REMASTER_LENGTH_MS = 10_000;

/** Notes of a recording that was cut, or has other words in some places. */
const EDITS: readonly Note[] = ['edit', 'clean', 'explicit'];

/** The recordings among accepted tracks, strongest first, whatever the order of `accepted`. */
export function recordingsOf(accepted: readonly Judged[]): Recording[] {
  const groups: Judged[][] = [];
  for (const one of accepted) {
    const same = groups.filter((group) => group.some((other) => isOneRecording(one, other)));
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push([...same.flat(), one]);
  }
  return groups
    .map(recordingOf)
    .sort((a, b) => b.strength - a.strength || byCode(a.releases[0], b.releases[0]));
}

/**
 * The best of the strongest recordings, or null if two are equally good. A recording whose every release has a note such as
 * "Remaster" or "Radio Edit" more or less than the request is only a form of the plain one.
 */
export function chooseRecording(recordings: readonly Recording[]): Recording | null {
  const strongest = recordings.filter((one) => one.strength === recordings[0]?.strength);
  const plain = strongest.filter((one) => leastNoteCost(one) === 0);
  const forms = [...strongest].sort(
    (a, b) => leastNoteCost(a) - leastNoteCost(b) || compareTexts(firstDate(a), firstDate(b)),
  );
  const chosen = plain[0] ?? forms[0];
  if (!chosen || plain.length > 1) return null;
  if (plain.length === 1 && isNoted(chosen)) return chosen;
  return strongest.every((one) => one === chosen || areForms(one, chosen)) ? chosen : null;
}

/** True for the same ISRC; or the same title, artists and version, with lengths within two seconds. */
export function isOneRecording(a: Offer, b: Offer): boolean {
  if (codeOf(a.track) !== '' && codeOf(a.track) === codeOf(b.track)) return true;
  return songKey(a) === songKey(b) && lengthsAgree(a, b, SAME_LENGTH_MS);
}

/** The recording code in upper case without hyphens; '' for none. */
export function codeOf({ isrc }: Track): string {
  return (isrc ?? '').replace(/[-\s]/gu, '').toUpperCase();
}

/** Earliest first, unknown dates last. Dates of different precision compare as text: "1985" is before "1985-06". */
export function byDate(a: Track, b: Track): number {
  return compareTexts(dateOf(a), dateOf(b));
}

/** The release with the most points tells the ISRC; of its releases, the one on the requested album comes first, then the earliest. */
function recordingOf(group: readonly Judged[]): Recording {
  const ordered = [...group].sort(byPoints);
  const code = codeOf((ordered[0] as Judged).track);
  const isSame = ({ track }: Judged, at: number) => at === 0 || (code !== '' && codeOf(track) === code);
  const releases = [
    ...ordered.filter(isSame).sort((a, b) => a.releaseCost - b.releaseCost || byDate(a.track, b.track)),
    ...ordered.filter((one, at) => !isSame(one, at)),
  ] as [Judged, ...Judged[]];
  return { releases, strength: Math.max(...group.map((one) => one.points + one.noteCost)) };
}

/** The most points first, then the earliest, then the explicit one, since a clean one is edited. */
function byPoints(a: Judged, b: Judged): number {
  const isExplicit = ({ track }: Judged) => Number(track.explicit === true);
  return b.points - a.points || byDate(a.track, b.track) || isExplicit(b) - isExplicit(a) || byCode(a, b);
}

/** By ISRC, so that the provider's order does not matter. Without ISRCs, that order stays. */
function byCode(a: Judged, b: Judged): number {
  return compareTexts(codeOf(a.track), codeOf(b.track)) || a.index - b.index;
}

/** Compares texts by code units, whatever the locale. */
function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function songKey({ title, names }: Offer): string {
  const versions = [...title.versions].map((version) => version.join(':')).sort();
  return JSON.stringify([compact(withoutThe(title.base)), versions, namesKey(names)]);
}

function lengthsAgree(a: Offer, b: Offer, within: number): boolean {
  const [one, other] = [a.track.duration_ms, b.track.duration_ms];
  return one !== null && other !== null && Math.abs(one - other) <= within;
}

function dateOf({ album }: Track): string {
  return yearOf(album.release_date) === null ? '9999' : (album.release_date ?? '9999');
}

function firstDate({ releases }: Recording): string {
  return releases.map(({ track }) => dateOf(track)).reduce((first, date) => (date < first ? date : first));
}

function leastNoteCost({ releases }: Recording): number {
  return Math.min(...releases.map((one) => one.noteCost));
}

function isNoted({ releases }: Recording): boolean {
  return releases.every(({ title }) => title.notes.size > 0);
}

/**
 * True if two recordings may be forms of one. An edit, also of the words, may have any length. A remaster has about the length of
 * the plain recording, or is not older: an older one belongs to an earlier recording that was not found.
 */
function areForms(a: Recording, b: Recording): boolean {
  const isEdit = ({ releases }: Recording) =>
    releases.every(({ title }) => EDITS.some((note) => title.notes.has(note)));
  if (isEdit(a) || isEdit(b)) return true;
  const isNear = a.releases.some((one) =>
    b.releases.some((other) => lengthsAgree(one, other, REMASTER_LENGTH_MS)),
  );
  if (isNoted(a) === isNoted(b)) return isNoted(a) && isNear;
  const [noted, plain] = isNoted(a) ? [a, b] : [b, a];
  return isNear || firstDate(noted) >= firstDate(plain);
}
