/** Scores how near a refused track is to the request, so that people see the most likely one first. */

import { compact, normaliseName } from './normalise.ts';
import { romanised, scriptOf } from './scripts.ts';
import { differsInMeaning, distance, isOneAway, isTypo, similarity } from './spelling.ts';
import type { ParsedTitle } from './title.ts';
import { PERFORMS_OTHERS, type Version } from './vocabulary.ts';

export interface Names {
  readonly title: ParsedTitle;
  /** Normalised name; of a track with several artists, the nearest one. */
  readonly artist: string;
}

export interface Differences {
  readonly title: boolean;
  readonly artist: boolean;
  readonly version: boolean;
}

/** The score for a title or an artist that agrees. Scores in this file are in thousandths. */
const AGREES = 400;
/** The score for the same kind of version, with a typo in its place or remixer; other versions score less. */
const VERSION_TYPO = 380;
/**
 * Scores for a title or an artist that differs. One that shares nothing with the requested name scores `least`, and likeness adds
 * at most `likeness`. In a title, typos count only if they do not change its meaning. Every accepted track scores more.
 */
const TITLE = { least: 60, likeness: 270, oneTypo: 390, twoTypos: 365 };
const ARTIST = { least: 160, likeness: 180, oneTypo: 385, twoTypos: 360 };
/** When title and artist both differ, each must be at least this much alike for the track to be a candidate. */
const MIN_ALIKE = 0.6;
/** The score for names in scripts that cannot be compared, such as Han with Latin. */
const UNREADABLE = 40;

/**
 * Versions that are far from every other version. `CLOSE` holds the near versions. All others, such as a remix, are in between.
 */
const FAR: ReadonlySet<Version> = new Set(['karaoke', 'cover', 'tribute']);
const CLOSE: ReadonlySet<Version> = new Set([
  'live',
  'acoustic',
  'stripped',
  'extended',
  'demo',
  'alternate',
  're-recorded',
  'rehearsal',
  'version',
]);

/** True if one of the names is in another script than the requested one. */
export function inOtherScript(asked: Names, offered: Names): boolean {
  return otherScript(asked.title.base, offered.title.base) || otherScript(asked.artist, offered.artist);
}

/** The normalised name that is most like the normalised `wanted`: one of `names`, or all of them joined. */
export function nearestName(wanted: string, names: readonly string[]): string {
  const offered = [...names, names.join(' ')].map(normaliseName);
  const rated = offered.map((name) => ({ name, points: likeness(wanted, name) }));
  return rated.reduce((best, one) => (one.points > best.points ? one : best)).name;
}

/** 0 to 390; 0 for an unrelated track. */
export function nearness(asked: Names, offered: Names, differs: Differences): number {
  const version = versionNearness(asked.title, offered.title, differs);
  const title = differs.title ? nameNearness(asked.title.base, offered.title.base, TITLE) : AGREES;
  const share = PERFORMS_OTHERS.test(offered.artist) && !PERFORMS_OTHERS.test(asked.artist) ? 0.25 : 1;
  const artist = differs.artist ? share * nameNearness(asked.artist, offered.artist, ARTIST) : AGREES;
  if (!differs.title || !differs.artist) return Math.round(Math.min(title, artist, version));
  return Math.round(bothDiffer(asked, offered) * share * (version / AGREES));
}

/** 0 to 300. */
function bothDiffer(asked: Names, offered: Names): number {
  const alike = [
    likeness(asked.title.base, offered.title.base),
    likeness(asked.artist, offered.artist),
  ] as const;
  if (Math.min(...alike) >= MIN_ALIKE) return alike[0] * alike[1] * 300;
  const unreadable =
    inOtherScript(asked, offered) &&
    [offered.title.base, offered.artist].every((name) => /\p{Script=Han}/u.test(name));
  return unreadable ? UNREADABLE : 0;
}

function versionNearness(asked: ParsedTitle, offered: ParsedTitle, { version }: Differences): number {
  if (!version) return AGREES;
  const kinds = [...new Set([...asked.versions, ...offered.versions])].filter(
    (kind) => asked.versions.has(kind) !== offered.versions.has(kind),
  );
  if (kinds.some((kind) => FAR.has(kind))) return 120;
  // Both are the same kind of version, with another place, year or remixer.
  if (kinds.length === 0) return isDetailTypo(asked, offered) ? VERSION_TYPO : 345;
  return (kinds.every((kind) => CLOSE.has(kind)) ? 350 : 300) - 5 * (kinds.length - 1);
}

function isDetailTypo(asked: ParsedTitle, offered: ParsedTitle): boolean {
  const differing = [...asked.details].filter(([kind, detail]) => detail !== offered.details.get(kind));
  return (
    differing.length > 0 &&
    differing.every(([kind, detail]) => isTypo(detail, offered.details.get(kind) ?? ''))
  );
}

function nameNearness(asked: string, offered: string, points: typeof TITLE): number {
  if (asked === '' || offered === '') return points.least;
  if (otherScript(asked, offered)) return points.least + points.likeness * likeness(asked, offered);
  // Another number or a plural makes another song of a title; an artist's name is only misspelled.
  const mayBeTypo = points !== TITLE || !differsInMeaning(asked, offered);
  // In a name of two letters, one letter is half of the name.
  if (mayBeTypo && compact(offered).length > 2 && isOneAway(asked, offered)) return points.oneTypo;
  const isLong = compact(asked).length >= 6;
  if (mayBeTypo && isLong && distance(compact(asked), compact(offered)) === 2) return points.twoTypos;
  return points.least + points.likeness * similarity(asked, offered);
}

function likeness(asked: string, offered: string): number {
  if (!otherScript(asked, offered)) return similarity(asked, offered);
  return similarity(romanised(asked), romanised(offered));
}

function otherScript(a: string, b: string): boolean {
  const [one, other] = [scriptOf(a), scriptOf(b)];
  return one !== null && other !== null && one !== other;
}
