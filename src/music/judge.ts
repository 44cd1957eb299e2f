/** Compares one track with the request, and says whether it fits, how well and why. */
import { type Track, yearOf } from '../domain/shapes.ts';
import { albumFit, albumVersions, versionsKey } from './albums.ts';
import { coveredBy, readBilling, sameArtist, splitNames } from './artists.ts';
import { inOtherScript, nearestName, nearness } from './nearness.ts';
import { compact, nameKey, normaliseName, signlessKeys, withoutThe } from './normalise.ts';
import { isOneAway, isTypo } from './spelling.ts';
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
  spelling: 60,
  year_differs: 40,
  album_version: 25,
  year_near: 20,
  other_artists: 15,
  album_edition: 10,
  artist_not_first: 5,
  note_differs: 3,
  remaster_differs: 2,
  signs_differ: 1,
} as const;

/** Reasons about notes that do not make another recording. Their costs never decide between two different recordings. */
const NOTE_REASONS: ReadonlySet<Reason> = new Set(['note_differs', 'remaster_differs']);

/** Why a track is refused. `script` is added if a name is in another script, where a comparison is only rough. */
const REFUSALS = ['title_differs', 'artist_differs', 'version_differs'] as const;

type Agreement = 'title' | 'artist' | 'version' | 'album' | 'year';

/** Stable codes; `README.md` says what each means. */
type Reason = keyof typeof COSTS | Agreement | (typeof REFUSALS)[number] | 'script';

/** A track that the provider found. */
export interface Offer {
  readonly track: Track;
  /** Index in the provider's answer. */
  readonly index: number;
  readonly title: ParsedTitle;
  /** Names of all artists, including those named in the title. */
  readonly names: readonly string[];
}

export interface Judged extends Offer {
  /** The score, 0 to 1000. */
  readonly points: number;
  /** The part of 1000 that was subtracted for notes that do not make another recording. */
  readonly noteCost: number;
  readonly reasons: readonly Reason[];
}

export interface Asked {
  readonly query: TrackQuery;
  readonly title: ParsedTitle;
  /** The main artists, as written. */
  readonly main: readonly string[];
  /** The guests that the artist or the title names. */
  readonly guests: readonly string[];
}

export function readAsked(query: TrackQuery): Asked {
  const title = parseTitle(query.title);
  const { main, guests } = readBilling(query.artist);
  return { query, title, main, guests: [...guests, ...title.featured] };
}

export function readOffer(track: Track, index: number): Offer {
  const title = parseTitle(track.name);
  return { track, index, title, names: [...track.artists.map((artist) => artist.name), ...title.featured] };
}

/** Judges how well a track fits; null for one that does not fit. */
export function judge(asked: Asked, offer: Offer): Judged | null {
  const results = resultsOf(asked, offer);
  return results.some(isRefusal) ? null : accepted(asked, offer, results);
}

/** Judges a track that does not fit: what differs, and how near the track comes. An unrelated track gets 0 points. */
export function judgeMiss(asked: Asked, offer: Offer): Judged {
  const [title = [], artist = [], version = []] = resultsOf(asked, offer);
  const differs = { title: isRefusal(title), artist: isRefusal(artist), version: isRefusal(version) };
  // If the title differs, an equal version says little.
  const reasons = [...title, ...artist, ...(differs.title && !differs.version ? [] : version)];
  const wanted = { title: asked.title, artist: normaliseName(asked.query.artist) };
  const artistName = differs.artist ? nearestName(wanted.artist, offer.names) : wanted.artist;
  const names = { title: offer.title, artist: artistName };
  const points = nearness(wanted, names, differs);
  const unsure: Reasons = points > 0 && inOtherScript(wanted, names) ? ['script'] : [];
  return { ...offer, points, noteCost: 0, reasons: [...reasons, ...unsure] };
}

/**
 * Judges the track as if one typo were corrected: in the title if the artist is exact, or in the artist if the title is. Null
 * if the track does not fit even then.
 */
export function judgeSpelling(asked: Asked, offer: Offer): Judged | null {
  const [title = [], artist = []] = resultsOf(asked, offer);
  if (isRefusal(title) === isRefusal(artist)) return null;
  const meant = isRefusal(title) ? withTitle(asked, offer.title) : withArtist(asked, offer);
  const results = meant ? resultsOf(meant, offer) : [];
  if (!meant || results.some(isRefusal) || !results[0]?.every((reason) => reason === 'title')) return null;
  const agreed = isRefusal(title) ? 'title' : 'artist';
  const reasons = results.map((some) => some.filter((reason) => reason !== agreed));
  return accepted(meant, offer, [...reasons, ['spelling']]);
}

/**
 * True if a request with a typo may also mean this track, which is one letter away and differs in nothing else. The test
 * accepts more than the typos that are forgiven. If a request may mean two songs, no typo in it is forgiven.
 */
export function isNear(asked: Asked, offer: Offer): boolean {
  const [title = [], artist = [], version = []] = resultsOf(asked, offer);
  if (isRefusal(title) === isRefusal(artist)) return false;
  if (isRefusal(artist)) {
    return (
      !isRefusal(version) && offer.names.some((name) => isOneAway(nameKey(name), nameKey(asked.query.artist)))
    );
  }
  return (
    (!isRefusal(version) && isOneAway(asked.title.base, offer.title.base)) ||
    isOneAway(normaliseName(asked.query.title), normaliseName(offer.track.name))
  );
}

/**
 * True if the track's title, or for `artist` one of its artists, is exactly as requested. The request then has no typo there.
 */
export function bearsName(asked: Asked, offer: Offer, field: 'title' | 'artist'): boolean {
  if (field === 'title') return compact(asked.title.base) === compact(offer.title.base);
  return offer.names.some((name) => sameArtist(name, asked.query.artist));
}

function withTitle(asked: Asked, title: ParsedTitle): Asked | null {
  const { base, words, versions } = asked.title;
  if (isTypo(base, title.base)) return { ...asked, title: { ...asked.title, base: title.base } };
  const isWhole = versions.size !== title.versions.size && isTypo(words, title.words);
  const whole = isWhole || isTypo(normaliseName(asked.query.title), normaliseName(title.written));
  return whole ? { ...asked, title } : null;
}

function withArtist(asked: Asked, { names }: Offer): Asked | null {
  const right = (written: string) =>
    names.find((name) => isTypo(normaliseName(written), normaliseName(name)));
  const whole = right(asked.query.artist);
  if (whole !== undefined) return { ...asked, query: { ...asked.query, artist: whole }, main: [whole] };
  const meant = asked.main.map((name) => right(name) ?? name);
  const changed = meant.filter((name, n) => name !== asked.main[n]);
  return changed.length === 1
    ? { ...asked, query: { ...asked.query, artist: meant.join(' & ') }, main: meant }
    : null;
}

type Reasons = readonly Reason[];

function resultsOf(asked: Asked, offer: Offer): Reasons[] {
  return [judgeTitle(asked.title, offer.title), judgeArtists(asked, offer), judgeVersion(asked, offer)];
}

function isRefusal(reasons: Reasons): boolean {
  return REFUSALS.some((reason) => reasons.includes(reason));
}

function accepted(asked: Asked, offer: Offer, results: readonly Reasons[]): Judged {
  const { track, title } = offer;
  const reasons = [
    ...new Set([
      ...results.flat(),
      ...judgeAlbum(asked, track, title),
      ...judgeYear(asked, track),
      ...judgeNotes(asked.title, title, track),
    ]),
  ];
  const costOf = (reason: Reason) => (reason in COSTS ? COSTS[reason as keyof typeof COSTS] : 0);
  const total = (some: readonly Reason[]) => some.reduce((sum, reason) => sum + costOf(reason), 0);
  const noteCost = total(reasons.filter((reason) => NOTE_REASONS.has(reason)));
  return { ...offer, points: 1000 - total(reasons), noteCost, reasons };
}

function judgeTitle(asked: ParsedTitle, title: ParsedTitle): Reasons {
  if (asked.base === '') return ['title_differs'];
  if (compact(asked.base) === compact(title.base)) return ['title'];
  if (hasSameWords(asked, title)) return ['title', 'title_words'];
  if (compact(withoutThe(asked.base)) === compact(withoutThe(title.base))) return ['title', 'title_article'];
  if (lacksSigns(asked.base, title.plain) || lacksSigns(normaliseName(asked.written), title.written)) {
    return ['title', 'signs_differ'];
  }
  return ['title_differs'];
}

/** True if `asked` is `name` without its punctuation: "Rope Tar" for "Rope & Tar". */
function lacksSigns(asked: string, name: string): boolean {
  return asked !== '' && signlessKeys(name).includes(compact(asked));
}

function judgeArtists({ query, title, main, guests }: Asked, { track, names }: Offer): Reasons {
  const whole = names.find((name) => sameArtist(name, query.artist));
  const exact = whole === undefined ? coveredBy(main, names) : [whole];
  const found = exact && exact.length > 0 ? exact : withoutSigns(query.artist, names);
  if (!found) return ['artist_differs'];
  const remixer = title.details.get('remix') ?? '';
  const isAsked = (name: string) =>
    [...found, ...splitNames(remixer)].some((one) => sameArtist(one, name)) ||
    guests.some((one) => sameGuest(one, name));
  const first = track.artists[0]?.name;
  return [
    'artist',
    ...(found === exact ? [] : ['signs_differ' as const]),
    ...(guests.every((guest) => names.some((name) => sameGuest(guest, name)))
      ? []
      : ['guest_missing' as const]),
    ...(names.every(isAsked) ? [] : ['other_artists' as const]),
    ...(first === undefined || isAsked(first) ? [] : ['artist_not_first' as const]),
  ];
}

/**
 * True for the same guest, even with a typo. Without this, a recording without any guest would fit better than one whose guest
 * has a typo.
 */
function sameGuest(written: string, name: string): boolean {
  return sameArtist(written, name) || isTypo(normaliseName(written), normaliseName(name));
}

/** The artists whose names, without punctuation, make up the requested one; null if there are none. */
function withoutSigns(asked: string, names: readonly string[]): readonly string[] | null {
  const key = normaliseName(asked);
  const one = names.find((name) => lacksSigns(key, name) || lacksSigns(withoutThe(key), name));
  if (one !== undefined) return [one];
  // Two words may be the name of one artist, and then must not match two artists.
  return key.split(' ').length > 2 && lacksSigns(key, names.join(' ')) ? names : null;
}

function judgeVersion(asked: Asked, { track, title }: Offer): Reasons {
  const wanted = asked.title.versions;
  if (wanted.size !== title.versions.size && hasSameWords(asked.title, title)) return [];
  const offered = versionsOf(title, wanted, track);
  if (versionsKey(wanted) !== versionsKey(offered)) return ['version_differs'];
  const results = [...wanted].map((version) => judgeDetail(version, asked.title, title, track));
  if (results.includes('version_differs')) return ['version_differs'];
  if (results.includes('version_unnamed')) return ['version_unnamed'];
  return wanted.size > 0 ? ['version'] : [];
}

/** True if two titles have the same letters in the same order, counting version notes, in brackets or not. */
function hasSameWords(asked: ParsedTitle, title: ParsedTitle): boolean {
  const letters = ({ written }: ParsedTitle) => compact(normaliseName(written));
  return compact(asked.words) === compact(title.words) || letters(asked) === letters(title);
}

/** The versions in the title; if there are none, the album's name may state the requested ones. */
function versionsOf(title: ParsedTitle, wanted: ReadonlySet<Version>, track: Track): ReadonlySet<Version> {
  if (title.versions.size > 0 || wanted.size === 0) return title.versions;
  const announced = albumVersions(track.album.name);
  return versionsKey(announced) === versionsKey(wanted) ? announced : title.versions;
}

/**
 * A remix requested without a name matches any remix. With a name, the title or the artists must have that name. The title of
 * a live recording need not name its place.
 */
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

/** The year that the album's release date starts with; null if the provider does not know it. */
export function releaseYear(track: Track): number | null {
  const year = yearOf(track.album.release_date);
  return year === null ? null : Number(year);
}
