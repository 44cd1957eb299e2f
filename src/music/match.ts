/** Decides which of the tracks found is the requested one, and lists what comes near. The rules are in `README.md`. */
import type { JobCandidate } from '../domain/job.ts';
import { type Track, yearOf } from '../domain/shapes.ts';
import { readingsOf } from './listNoise.ts';
import {
  compact,
  coveredBy,
  lacksSigns,
  nameKey,
  normaliseName,
  readBilling,
  sameArtist,
  sameName,
  splitNames,
  withoutThe,
} from './names.ts';
import {
  byDate,
  chooseRecording,
  codeOf,
  isOneRecording,
  type Judged,
  type Offer,
  type Recording,
  recordingsOf,
} from './recordings.ts';
import { differsInMeaning, distance, isOneAway, isTypo, similarity } from './spelling.ts';
import { kindsKey, type Note, type ParsedTitle, parseTitle, sameDetail, type Version } from './title.ts';
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
 * What each reason subtracts from 1000. The requested album outweighs everything else together. The year outweighs additional
 * artists, but not a worse title, version or guest. Every accepted track scores above every near miss.
 */
const COSTS: Readonly<Record<string, number>> = {
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
};
const NOTES: readonly Note[] = ['remaster', 'edit', 'mono', 'clean', 'explicit'];
/** Reasons about notes that do not make another recording, and about the release. */
const NOTE_REASONS = ['note_differs', 'remaster_differs'];
/**
 * Reasons of a fit in part, since what differs may be noise of the list: as written, the guest of "Plinth feat. Ovo HD" is "Ovo HD",
 * and "Plinth - Live" by the band Live is a live recording.
 */
const IN_PART = ['guest_missing', 'version_unnamed'];
const RELEASE_REASONS = ['album_differs', 'album_edition', 'year_differs', 'year_near'];

interface Asked {
  readonly query: TrackQuery;
  readonly title: ParsedTitle;
  /** The main artists, as written. */
  readonly main: readonly string[];
  /** The guests that the artist or the title names. */
  readonly guests: readonly string[];
}

/** The reasons why title, artist and version of a track fit; null for what does not fit. */
interface Verdict {
  readonly title: readonly string[] | null;
  readonly artist: readonly string[] | null;
  readonly version: readonly string[] | null;
}

/**
 * The query is read as written. If nothing fits, or only in part, it is read without what lists carry besides title and artist. If
 * still nothing fits, one typo is forgiven.
 * @param found the tracks in the provider's order. Local files are ignored, because the API cannot add them
 */
export function matchTrack(query: TrackQuery, found: readonly Track[]): MatchResult {
  const distinct = new Map(found.filter((track) => !track.is_local).map((track) => [track.uri, track]));
  const offers = [...distinct.values()].map(readOffer);
  const readings = readingsOf(query).map(readAsked);
  let incomplete: MatchResult | null = null;
  for (const asked of readings) {
    const accepted = offers.flatMap((offer) => accept(asked, offer, judge(asked, offer)) ?? []);
    if (accepted.length === 0) continue;
    const result = chosenFrom(accepted);
    const reasons = result.candidates[0]?.reasons ?? [];
    if (!IN_PART.some((reason) => reasons.includes(reason))) return result;
    incomplete ??= result;
  }
  if (incomplete) return incomplete;
  for (const asked of readings.toReversed()) {
    const forgiven = withOneTypo(asked, offers);
    if (forgiven) return forgiven;
  }
  const plain = readings.at(-1) ?? readAsked(query);
  return { status: 'unmatched', match: null, candidates: nearMisses(plain, offers) };
}

/** Matches the recording with this code (`isrcOf`). A release on the requested album comes first, then the earliest. */
export function matchIsrc(isrc: string, album: string | undefined, found: readonly Track[]): MatchResult {
  const releases = found.filter((track) => !track.is_local && codeOf(track) === isrc);
  const isOnAlbum = (track: Track) => sameName(album ?? '', track.album.name ?? '');
  const [track] = releases.sort((a, b) => Number(isOnAlbum(b)) - Number(isOnAlbum(a)) || byDate(a, b));
  if (!track) return { status: 'unmatched', match: null, candidates: [] };
  const candidates = [{ track, score: 1, reasons: ['isrc'] }];
  return { status: 'matched', match: { track, score: 1 }, candidates };
}

/** True if the match forgives a typo. Another search may show that the name was right as written. */
export function isForgiven({ status, candidates }: MatchResult): boolean {
  return status !== 'unmatched' && candidates[0]?.reasons.includes('spelling') === true;
}

function readAsked(query: TrackQuery): Asked {
  const title = parseTitle(query.title);
  const { main, guests } = readBilling(query.artist);
  return { query, title, main, guests: [...guests, ...title.guests] };
}

function readOffer(track: Track, index: number): Offer {
  const title = parseTitle(track.name);
  return { track, index, title, names: [...track.artists.map(({ name }) => name), ...title.guests] };
}

function judge(asked: Asked, offer: Offer): Verdict {
  return {
    title: judgeTitle(asked.title, offer.title),
    artist: judgeArtists(asked, offer),
    version: judgeVersion(asked, offer),
  };
}

/** The track with its score, or null if it does not fit. */
function accept(asked: Asked, offer: Offer, { title, artist, version }: Verdict): Judged | null {
  if (!title || !artist || !version) return null;
  return scored(offer, [...title, ...artist, ...version, ...judgeRelease(asked, offer)]);
}

/** A reason that is given twice costs twice. */
function scored(offer: Offer, reasons: readonly string[]): Judged {
  const cost = (some = reasons) =>
    reasons.filter((one) => some.includes(one)).reduce((sum, one) => sum + (COSTS[one] ?? 0), 0);
  return {
    ...offer,
    reasons,
    points: 1000 - cost(),
    noteCost: cost(NOTE_REASONS),
    releaseCost: cost(RELEASE_REASONS),
  };
}

function judgeTitle(asked: ParsedTitle, title: ParsedTitle): string[] | null {
  if (asked.base === '') return null;
  if (compact(asked.base) === compact(title.base)) return ['title'];
  if (hasSameWords(asked, title)) return ['title', 'title_words'];
  if (compact(withoutThe(asked.base)) === compact(withoutThe(title.base))) return ['title', 'title_article'];
  const isBare =
    lacksSigns(asked.base, title.plain) || lacksSigns(normaliseName(asked.written), title.written);
  return isBare ? ['title', 'signs_differ'] : null;
}

/** True for the same letters in the same order, with version notes in brackets or not. */
function hasSameWords(asked: ParsedTitle, title: ParsedTitle): boolean {
  const words = ({ base, versionText }: ParsedTitle) => compact(`${base} ${versionText}`);
  const letters = ({ written }: ParsedTitle) => compact(normaliseName(written));
  return words(asked) === words(title) || letters(asked) === letters(title);
}

function judgeArtists({ query, title, main, guests }: Asked, { track, names }: Offer): string[] | null {
  const whole = names.find((name) => sameArtist(name, query.artist));
  const exact = whole === undefined ? coveredBy(main, names) : [whole];
  const found = exact ?? withoutSigns(query.artist, names);
  if (!found) return null;
  const asked = [...found, ...splitNames(title.versions.get('remix') ?? '')];
  const isAsked = (name: string) =>
    asked.some((one) => sameArtist(one, name)) || guests.some((one) => sameGuest(one, name));
  const [first] = track.artists;
  return [
    'artist',
    ...(exact ? [] : ['signs_differ']),
    ...(guests.every((guest) => names.some((name) => sameGuest(guest, name))) ? [] : ['guest_missing']),
    ...(names.every(isAsked) ? [] : ['other_artists']),
    ...(first === undefined || isAsked(first.name) ? [] : ['artist_not_first']),
  ];
}

/** True for the same guest, even with a typo: otherwise a recording without any guest would fit better. */
function sameGuest(written: string, name: string): boolean {
  return sameArtist(written, name) || isTypo(written, name);
}

/** The artists whose names, without punctuation, make up the requested one; null if there are none. */
function withoutSigns(artist: string, names: readonly string[]): readonly string[] | null {
  const key = normaliseName(artist);
  const one = names.find((name) => lacksSigns(key, name) || lacksSigns(withoutThe(key), name));
  if (one !== undefined) return [one];
  // Two words may be the name of one artist, and then must not match two artists.
  return key.split(' ').length > 2 && lacksSigns(key, names.join(' ')) ? names : null;
}

function judgeVersion(asked: Asked, offer: Offer): string[] | null {
  const wanted = asked.title.versions;
  const isSame = hasSameKinds(wanted, offer);
  const details = isSame
    ? [...wanted].map(([version, detail]) => judgeDetail(version, detail, offer))
    : [null];
  if (details.includes(null)) return hasSameWords(asked.title, offer.title) ? [] : null;
  if (details.includes('version_unnamed')) return ['version_unnamed'];
  return wanted.size > 0 ? ['version'] : [];
}

/** True for the same kinds of version. The album's name may state the version of all its songs. */
function hasSameKinds(wanted: ReadonlyMap<Version, string>, { track, title }: Offer): boolean {
  if (kindsKey(wanted) === kindsKey(title.versions)) return true;
  return title.versions.size === 0 && kindsKey(wanted) === kindsKey(albumVersions(track));
}

/** A remix requested without a name fits any remix; with one, the title or the artists must have it. A live recording need not. */
function judgeDetail(version: Version, wanted: string, { track, title }: Offer): string | null {
  const offered = title.versions.get(version) ?? '';
  if (wanted === offered) return 'version';
  if (wanted === '') return 'version_unnamed';
  if (offered !== '') return sameDetail(version, wanted, offered) ? 'version' : null;
  const isNamed = version === 'live' || track.artists.some(({ name }) => sameArtist(name, wanted));
  return isNamed ? 'version_unnamed' : null;
}

const LIVE_ALBUM = /^live (?:at|in|from|on)\b|\b(?:in concert|unplugged|live)$/u;

function albumVersions({ album }: Track): ReadonlyMap<Version, string> {
  const { base, versions } = parseTitle(album.name ?? '');
  return LIVE_ALBUM.test(base) ? new Map([...versions, ['live', '']]) : versions;
}

/** What album, year and notes say for and against a release. There is one reason for each note that differs. */
function judgeRelease({ query, title: asked }: Asked, { track, title }: Offer): string[] {
  return [...judgeAlbum(query, track, title), ...judgeYear(query, track), ...judgeNotes(asked, title, track)];
}

function judgeAlbum({ album }: TrackQuery, track: Track, title: ParsedTitle): string[] {
  if (album !== undefined && sameName(album, track.album.name ?? '')) return ['album'];
  if (album !== undefined && isEdition(album, track.album.name ?? '')) return ['album', 'album_edition'];
  const isUnsaid = [...albumVersions(track).keys()].some((version) => !title.versions.has(version));
  return [...(album === undefined ? [] : ['album_differs']), ...(isUnsaid ? ['album_version'] : [])];
}

/** True for the same album as a deluxe, remastered or other edition. A live or other version of an album is another album. */
function isEdition(asked: string, name: string): boolean {
  const [a, b] = [parseTitle(asked), parseTitle(name)];
  return sameName(a.base, b.base) && kindsKey(a.versions) === kindsKey(b.versions);
}

function judgeYear({ year }: TrackQuery, track: Track): string[] {
  if (year === undefined) return [];
  const released = yearOf(track.album.release_date);
  const years = released === null ? Number.POSITIVE_INFINITY : Math.abs(Number(released) - year);
  if (years === 0) return ['year'];
  return [years === 1 ? 'year_near' : 'year_differs'];
}

function judgeNotes(asked: ParsedTitle, title: ParsedTitle, track: Track): string[] {
  const isMarked = (note: Note) =>
    (note === 'clean' && track.explicit !== true) || (note === 'explicit' && track.explicit !== false);
  const isOther = (note: Note) =>
    asked.notes.has(note) ? !title.notes.has(note) && !isMarked(note) : title.notes.has(note);
  const others = NOTES.filter(isOther).map(() => 'note_differs');
  if (others.length > 0) return others;
  return asked.notes.get('remaster') === title.notes.get('remaster') ? [] : ['remaster_differs'];
}

function chosenFrom(accepted: readonly Judged[]): MatchResult {
  const recordings = recordingsOf(accepted);
  const chosen = chooseRecording(recordings);
  const candidates = listed(chosen, recordings);
  if (!chosen) return { status: 'ambiguous', match: null, candidates };
  const [{ track, points }] = chosen.releases;
  return { status: 'matched', match: { track, score: points / 1000 }, candidates };
}

/** The chosen track, then one release of each equally good recording, then all others by score. */
function listed(chosen: Recording | null, recordings: readonly Recording[]): JobCandidate[] {
  const byPoints = (a: Judged, b: Judged) => b.points - a.points;
  const strongest = recordings.filter(({ strength }) => strength === recordings[0]?.strength);
  const firsts = strongest.map(({ releases: [first] }) => first).sort(byPoints);
  const heads = [...new Set([...(chosen ? [chosen.releases[0]] : []), ...firsts])];
  const others = recordings.flatMap(({ releases }) => releases).filter((one) => !heads.includes(one));
  return [...heads, ...others.sort(byPoints)].slice(0, MAX_CANDIDATES).map(candidateOf);
}

function candidateOf({ track, points, reasons }: Judged): JobCandidate {
  return { track, score: points / 1000, reasons: [...new Set(reasons)] };
}

/**
 * The match if one typo is forgiven, in the title if the artist is exact, or in the artist if the title is. Null if the request may
 * mean two songs, also by a typo that is not forgiven, or if a track has the name as written: the text is then no typo.
 */
function withOneTypo(asked: Asked, offers: readonly Offer[]): MatchResult | null {
  const near = offers.flatMap((offer) => {
    const verdict = judge(asked, offer);
    if ((verdict.title === null) === (verdict.artist === null)) return [];
    const field = verdict.title === null ? ('title' as const) : ('artist' as const);
    const forgiven = forgive(asked, offer, field);
    return forgiven || isNear(asked, offer, field, verdict) ? [{ offer, field, forgiven }] : [];
  });
  const first = near.find(({ forgiven }) => forgiven !== null);
  const songOf = ({ title, track }: Offer) =>
    [compact(title.base), kindsKey(title.versions), nameKey(track.artists[0]?.name ?? '')].join('|');
  if (!first || near.some(({ offer }) => songOf(offer) !== songOf(first.offer))) return null;
  const bearsName = ({ title, names }: Offer) =>
    first.field === 'title'
      ? compact(asked.title.base) === compact(title.base)
      : names.some((name) => sameArtist(name, asked.query.artist));
  return offers.some(bearsName) ? null : chosenFrom(near.flatMap(({ forgiven }) => forgiven ?? []));
}

/** The track as it fits once a typo in one field is corrected; null if it does not fit even then. */
function forgive(asked: Asked, offer: Offer, field: 'title' | 'artist'): Judged | null {
  const meant = field === 'title' ? withTitle(asked, offer.title) : withArtist(asked, offer.names);
  const verdict = meant && judge(meant, offer);
  if (!verdict?.title?.every((reason) => reason === 'title')) return null;
  const accepted = accept(meant ?? asked, offer, verdict);
  return accepted && scored(offer, [...accepted.reasons.filter((reason) => reason !== field), 'spelling']);
}

function withTitle(asked: Asked, title: ParsedTitle): Asked | null {
  if (isTypo(asked.title.base, title.base)) return { ...asked, title: { ...asked.title, base: title.base } };
  return isTypo(asked.query.title, title.written) ? { ...asked, title } : null;
}

function withArtist(asked: Asked, names: readonly string[]): Asked | null {
  const right = (written: string) => names.find((name) => isTypo(written, name));
  const whole = right(asked.query.artist);
  const meant = whole === undefined ? asked.main.map((name) => right(name) ?? name) : [whole];
  const isSame = meant.every((name, at) => name === asked.main[at]);
  return isSame ? null : { ...asked, query: { ...asked.query, artist: meant.join(' & ') }, main: meant };
}

/** True if one letter more or less would make the names those of the track. */
function isNear(
  { query, title: asked }: Asked,
  { track, title, names }: Offer,
  field: string,
  { version }: Verdict,
) {
  if (field === 'title' && isOneAway(query.title, track.name)) return true;
  const isOne =
    field === 'title'
      ? isOneAway(asked.base, title.base)
      : names.some((one) => isOneAway(nameKey(one), nameKey(query.artist)));
  return version !== null && isOne;
}

/** The best release of each recording that comes near. Other releases would take the places of other songs. */
function nearMisses(asked: Asked, offers: readonly Offer[]): JobCandidate[] {
  const near = offers.map((offer) => judgeMiss(asked, offer)).filter(({ points }) => points > 0);
  near.sort((a, b) => b.points - a.points || a.index - b.index);
  const first = near.filter((one, at) => !near.slice(0, at).some((better) => isOneRecording(better, one)));
  return first.slice(0, MAX_CANDIDATES).map(candidateOf);
}

/** The score for a title, an artist or a version that agrees, in thousandths. Every accepted track scores more. */
const AGREES = 400;
/** The score for another version that other people perform. */
const OF_OTHERS = 120;
/** When title and artist both differ, each must be at least this much alike. */
const MIN_ALIKE = 0.6;
/** Words in the name of someone who performs other people's songs. */
const PERFORMS_OTHERS =
  /\b(?:tributes?|karaoke|covers?|sing along|backing tracks?|made famous|lullaby|piano guys|string quartet)\b/u;

/** What differs in a track that does not fit, and how near it comes. An unrelated track gets 0 points. */
function judgeMiss(asked: Asked, offer: Offer): Judged {
  const { title, artist, version } = judge(asked, offer);
  // If the title differs, an equal version says little.
  const ofVersion = title ? (version ?? ['version_differs']) : version ? [] : ['version_differs'];
  const reasons = [...(title ?? ['title_differs']), ...(artist ?? ['artist_differs']), ...ofVersion];
  const [wanted, offered] = [asked.title.base, offer.title.base];
  const { artist: wantedArtist } = asked.query;
  const nearest = nearestName(wantedArtist, offer.names);
  const versionPoints = version ? AGREES : otherVersion(asked.title, offer.title);
  const parts = [
    title ? AGREES : nearness(wanted, offered, 60, differsInMeaning(wanted, offered)),
    artist ? AGREES : nearness(wantedArtist, nearest, 160, false),
    versionPoints,
  ];
  const alike = [similarity(wanted, offered), similarity(wantedArtist, nearest)] as const;
  const both = Math.min(...alike) < MIN_ALIKE ? 0 : (alike[0] * alike[1] * 300 * versionPoints) / AGREES;
  const performsOthers = (name: string) => PERFORMS_OTHERS.test(normaliseName(name));
  const share = performsOthers(nearest) && !performsOthers(wantedArtist) ? 0.25 : 1;
  const points = Math.round((title || artist ? Math.min(...parts) : both) * share);
  return { ...offer, points, noteCost: 0, releaseCost: 0, reasons };
}

/** The name that is most like the wanted one: one of `names`, or all of them together. */
function nearestName(wanted: string, names: readonly string[]): string {
  const offered = [...names, names.join(' ')].map((name) => ({ name, alike: similarity(wanted, name) }));
  return offered.reduce((best, one) => (one.alike > best.alike ? one : best)).name;
}

/** The score for another name: `least` if it shares nothing, at most 330, and more only for a typo or two. */
function nearness(asked: string, offered: string, least: number, meansOther: boolean): number {
  if (!meansOther && compact(offered).length > 2 && isOneAway(asked, offered)) return 390;
  if (!meansOther && compact(asked).length >= 6 && distance(asked, offered) === 2) return 365;
  return least + (330 - least) * similarity(asked, offered);
}

/** 300 to 350 for another version by the same artist: more if the notes are alike, as for a typo in the remixer's name. */
function otherVersion(asked: ParsedTitle, offered: ParsedTitle): number {
  const isOther = (kind: Version) => asked.versions.has(kind) !== offered.versions.has(kind);
  if ((['karaoke', 'cover', 'tribute'] as const).some(isOther)) return OF_OTHERS;
  const isPlain = asked.versionText === '' || offered.versionText === '';
  return 300 + 50 * (isPlain ? 0.5 : similarity(asked.versionText, offered.versionText));
}
