/** Compares one track with the request: refused, or how well it fits and why. */
import type { Track } from '../domain/shapes.ts';
import { albumFit, albumVersions, versionsKey } from './albums.ts';
import { coveredBy, readBilling, sameArtist, splitNames } from './artists.ts';
import { compact, withoutThe } from './normalise.ts';
import { type ParsedTitle, parseTitle } from './title.ts';
import type { TrackQuery } from './trackQuery.ts';
import { sameDetail } from './versionNotes.ts';
import type { Version } from './vocabulary.ts';

/**
 * What each reason subtracts from a score of 1000. The requested album outweighs everything else together. The year
 * outweighs additional artists, but not a worse title, version or guest. Every accepted track scores above every near
 * miss.
 */
const COSTS = {
  album_differs: 300,
  version_unnamed: 80,
  guest_missing: 70,
  title_article: 60,
  title_words: 60,
  year_differs: 40,
  album_version: 25,
  year_near: 20,
  other_artists: 15,
  album_edition: 10,
  artist_not_first: 5,
  note_differs: 3,
  remaster_differs: 2,
} as const;

/** Costs of notes that do not make another recording; they never decide between two recordings. */
const NOTE_COSTS: ReadonlySet<Reason> = new Set(['note_differs', 'remaster_differs']);

/** Reasons that speak for a track. */
const AGREEMENTS = ['title', 'artist', 'version', 'album', 'year'] as const;
/** Why a track is refused, and its score in thousandths as a near miss. */
const REFUSALS = { title_differs: 200, artist_differs: 250, version_differs: 350 } as const;

/** Stable codes; `README.md` says what each means. */
type Reason = keyof typeof COSTS | (typeof AGREEMENTS)[number] | keyof typeof REFUSALS;

export interface Judged {
  readonly track: Track;
  /** Index in the provider's answer. */
  readonly index: number;
  readonly title: ParsedTitle;
  /** Names of all artists, including those named in the title. */
  readonly names: readonly string[];
  readonly accepted: boolean;
  /** 0 to 1000. */
  readonly points: number;
  /** The part of 1000 that was subtracted for notes that do not make another recording. */
  readonly noteCost: number;
  readonly reasons: readonly Reason[];
}

export interface Asked {
  readonly query: TrackQuery;
  readonly title: ParsedTitle;
  readonly main: readonly string[];
  readonly guests: readonly string[];
}

export function readAsked(query: TrackQuery): Asked {
  const title = parseTitle(query.title);
  const { main, guests } = readBilling(query.artist);
  return { query, title, main, guests: [...guests, ...title.featured] };
}

/** Never null: a track that does not fit at all scores 0. */
export function judge(asked: Asked, track: Track, index: number): Judged {
  const title = parseTitle(track.name);
  const names = [...track.artists.map((artist) => artist.name), ...title.featured];
  const results = [
    judgeTitle(asked.title, title),
    judgeArtists(asked, track, names),
    judgeVersion(asked, track, title),
  ];
  const subject = { track, index, title, names };
  if (results.some(isRefusal)) return { ...subject, ...refused(results) };
  const reasons = [...results.flat(), ...judgeAlbum(asked, track, title), ...judgeYear(asked, track)];
  return { ...subject, accepted: true, ...scored([...reasons, ...judgeNotes(asked.title, title, track)]) };
}

type Reasons = readonly Reason[];

function isRefusal(reasons: Reasons): boolean {
  return reasons.some((reason) => reason in REFUSALS);
}

function scored(reasons: readonly Reason[]): Pick<Judged, 'points' | 'noteCost' | 'reasons'> {
  const costOf = (reason: Reason) => (reason in COSTS ? COSTS[reason as keyof typeof COSTS] : 0);
  const total = (some: readonly Reason[]) => some.reduce((sum, reason) => sum + costOf(reason), 0);
  return {
    points: 1000 - total(reasons),
    noteCost: total(reasons.filter((reason) => NOTE_COSTS.has(reason))),
    reasons,
  };
}

/** One difference makes a near miss, two an unrelated track. With a different title the version is ignored. */
function refused(results: readonly Reasons[]): Pick<Judged, 'accepted' | 'points' | 'noteCost' | 'reasons'> {
  const [title = [], artist = [], version = []] = results;
  const reasons = [...title, ...artist, ...(isRefusal(title) ? [] : version)];
  const refusals = Object.entries(REFUSALS).filter(([reason]) => reasons.includes(reason as Reason));
  const points = isRefusal(title) && isRefusal(artist) ? 0 : Math.min(...refusals.map(([, kept]) => kept));
  return { accepted: false, points, noteCost: 0, reasons };
}

function judgeTitle(asked: ParsedTitle, title: ParsedTitle): Reasons {
  if (asked.base === '') return ['title_differs'];
  if (compact(asked.base) === compact(title.base)) return ['title'];
  if (compact(asked.words) === compact(title.words)) return ['title', 'title_words'];
  if (compact(withoutThe(asked.base)) === compact(withoutThe(title.base))) return ['title', 'title_article'];
  return ['title_differs'];
}

function judgeArtists(
  { query, title, main, guests }: Asked,
  track: Track,
  names: readonly string[],
): Reasons {
  const whole = names.find((name) => sameArtist(name, query.artist));
  const found = whole === undefined ? coveredBy(main, names) : [whole];
  if (!found || found.length === 0) return ['artist_differs'];
  const remixer = title.details.get('remix') ?? '';
  const isAsked = (name: string) =>
    [...found, ...guests, ...splitNames(remixer)].some((one) => sameArtist(one, name));
  const first = track.artists[0]?.name;
  return [
    'artist',
    ...(guests.every((guest) => names.some((name) => sameArtist(name, guest)))
      ? []
      : ['guest_missing' as const]),
    ...(names.every(isAsked) ? [] : ['other_artists' as const]),
    ...(first === undefined || isAsked(first) ? [] : ['artist_not_first' as const]),
  ];
}

function judgeVersion(asked: Asked, track: Track, title: ParsedTitle): Reasons {
  const wanted = asked.title.versions;
  if (wanted.size !== title.versions.size && compact(asked.title.words) === compact(title.words)) return [];
  const offered = versionsOf(title, wanted, track);
  if (versionsKey(wanted) !== versionsKey(offered)) return ['version_differs'];
  const results = [...wanted].map((version) => judgeDetail(version, asked.title, title, track));
  if (results.includes('version_differs')) return ['version_differs'];
  if (results.includes('version_unnamed')) return ['version_unnamed'];
  return wanted.size > 0 ? ['version'] : [];
}

/** The versions in the title; if there are none, the album's name may state the requested ones. */
function versionsOf(title: ParsedTitle, wanted: ReadonlySet<Version>, track: Track): ReadonlySet<Version> {
  if (title.versions.size > 0 || wanted.size === 0) return title.versions;
  const announced = albumVersions(track.album.name);
  return versionsKey(announced) === versionsKey(wanted) ? announced : title.versions;
}

/** A remix requested without a name matches any; with a name, the title or the artists must have that name. */
function judgeDetail(version: Version, asked: ParsedTitle, title: ParsedTitle, track: Track): Reason {
  const wanted = asked.details.get(version);
  const offered = title.details.get(version);
  if (wanted === offered) return 'version';
  if (wanted === undefined) return 'version_unnamed';
  if (offered !== undefined) return sameDetail(version, wanted, offered) ? 'version' : 'version_differs';
  const inArtists = track.artists.some((artist) => sameArtist(artist.name, wanted));
  return version === 'live' || inArtists ? 'version_unnamed' : 'version_differs';
}

function judgeAlbum({ query }: Asked, track: Track, title: ParsedTitle): Reasons {
  const fit = query.album === undefined ? 'other' : albumFit(query.album, track.album.name);
  if (fit === 'same') return ['album'];
  if (fit === 'edition') return ['album', 'album_edition'];
  const unsaid = [...albumVersions(track.album.name)].some((version) => !title.versions.has(version));
  return [
    ...(query.album === undefined ? [] : ['album_differs' as const]),
    ...(unsaid ? ['album_version' as const] : []),
  ];
}

function judgeYear({ query }: Asked, track: Track): Reasons {
  if (query.year === undefined) return [];
  const released = releaseYear(track);
  const distance = released === null ? Number.POSITIVE_INFINITY : Math.abs(released - query.year);
  if (distance === 0) return ['year'];
  return distance === 1 ? ['year_near'] : ['year_differs'];
}

function judgeNotes(asked: ParsedTitle, title: ParsedTitle, track: Track): Reasons {
  const kinds = (['remaster', 'edit', 'mono'] as const).some(
    (note) => asked.notes.has(note) !== title.notes.has(note),
  );
  const wording =
    (asked.notes.has('clean') && track.explicit === true) ||
    (asked.notes.has('explicit') && track.explicit === false);
  return [
    ...(kinds || wording ? ['note_differs' as const] : []),
    ...(!kinds && asked.remasterYear !== title.remasterYear ? ['remaster_differs' as const] : []),
  ];
}

/** The year that the album's release date starts with; null where the provider does not know it ("0000"). */
export function releaseYear(track: Track): number | null {
  const year = Number(/^\d{4}/u.exec(track.album.release_date ?? '')?.[0] ?? 0);
  return year === 0 ? null : year;
}
