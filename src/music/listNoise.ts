/**
 * Removes what lists carry besides title and artist: track numbers, file endings, channel names, "Official Video", the artist
 * in front of the title. Each may also be part of a name ("9. Kettle"), so the text as written is always tried first.
 */
import { withoutEntities } from '../base/parsing.ts';
import {
  foldLetters,
  hasLetterOrDigit,
  lacksSigns,
  nameKey,
  normaliseName,
  readBilling,
  sameArtist,
  tidy,
} from './names.ts';
import { isOnlyNote } from './title.ts';

interface Names {
  title: string;
  artist: string;
  year?: number;
}

/** What lists write in place of an unknown artist. */
const NO_ARTIST = new Set('various artists,various,va,v a,unknown artist,unknown,n a,none,artist'.split(','));
/** "Artist - Topic", "ArtistVEVO", "Artist Official": the names of channels. */
const CHANNELS = [
  /\s+-\s*topic$/iu,
  /\s*vevo$/iu,
  /[\s\-|·]*[\s([\-|]official(?: (?:artist )?(?:youtube )?channel)?[)\]]?$/iu,
  /(?<=\p{Ll})Official$/u,
];
const WORD_STARTS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/** The ending of a file, also of a copy: " (1).mp3". */
export const FILE_ENDING =
  /(?:\s*\(\d{1,2}\))?\.(?:mp[234c]|m4[abp]|flac|wav|og[ga]|opus|aac|wma|aiff?|alac|ape|webm|mkv)$/iu;
/** The site that downloaded a file, in front of its name. */
export const SITE =
  /^(?:\[(?:www\.)?[a-z\d-]+\.[a-z]{2,5}\]|(?:(?:www\.)?[a-z\d][a-z\d-]*\.(?:com|net|org|cc|is|io|to|co|me|tv|app|cloud)|y2mate|yt1s|snaptube)\s*[-–_])[-–_\s]*(?=\S)/iu;
const BULLET = /^[•·▪►▶*>–-]\s+(?=\S)/u;
/** "03. ", "3) ", "[03] ", "#3: ", "1-03 ", "03 - ", "A1. ", "Track 3: ". A letter must follow somewhere. */
const NUMBER =
  /^(?:[([]?#?\d{1,3}[.)\]]+(?!\d)\s*|#?\d{1,3}:\s+|\d{1,2}-\d{2}[.)]?\s+|\d{1,3}\s*-\s+|0\d\s+|[A-D]\d{1,2}(?:[.)]|\s+-)\s+|(?:track|titel|piste)\s*\d{1,3}\s*[.:)-]\s*)(?=.*\p{L})/iu;
/** Phrases that lists write after a folded title without brackets, and that no song is likely to end with. */
const PHRASES = [
  'official (?:music[ -])?(?:lyrics? |hd |4k )?(?:video(?: ?clip)?|audio|lyrics|clip|mv|m/v|visuali[sz]er)',
  '(?:music|lyrics?) video,with lyrics,lyrics,video clip,clip officiel,video officielle,(?:lyric )?video(?:clip)? oficial',
  'clipe oficial,audio oficial,offizielles (?:musik)?video,(?:video|audio) ufficiale,официальныи клип',
  'full hd,u?hd,hq,[48]k,1080p,720p,60fps,m/?v',
].join(',');
const ENDING = new RegExp(`[\\s|/,~•·:-]+[([]?(?:${PHRASES.replaceAll(',', '|')})[)\\]]?$`, 'u');
/** A title may end with the bare word. */
const BRACKETED = /\s*(?:\((?:audio|video)\)|\[(?:audio|video)\])$/u;
const TIME_OR_YEAR = /\s*[([](?:(?:\d{1,2}:)?\d{1,2}:[0-5]\d|((?:19|20)\d\d))[)\]]$/u;
/** Notes that lists also write without brackets. */
const NOTE_ENDING =
  /\s+(radio edit|radio version|single version|single edit|album version|original mix|original version|bonus track)$/iu;
/** What separates artist and title. A colon counts only if it follows a word and a space follows the colon. */
const BETWEEN = /\s+[-|~•]+\s*|\s*[-|~•]+\s+|\s+\/\/\s+|(?<=[^\s:]):\s+/gu;
const QUOTED = /^(.+?)\s+["“„«](.+)["”“»]$/u;
/** The ID of a video, which has a digit, a stroke or capitals in it, and the quality of a file: "[-0S3qV972A0]", "(MP3 128k)". */
const TAGS = [
  /\s*\[(?=[^\]]*(?:[\d_-]|\p{Ll}\p{Lu}))[\w-]{11}\]$/u,
  /(?<=\S)-(?=[\w-]*\d)(?=[\w-]*\p{Ll})(?=[\w-]*\p{Lu})[\w-]{11}$/u,
  /\s*[([](?:mp3[ _-]?)?\d{2,3} ?k(?:bps|bit(?:\/s)?)?(?:[ _](?:mp3|m4a|aac|opus))?[)\]]$|[\s_-]\d{2,3} ?kbps$|_\d{3}k$/iu,
];
/** The most things to remove, and the most separators to try: a title with many dashes is no list's. */
const MAX_STEPS = 8;
const MAX_CUTS = 6;

/** The ways to read a query: as written, without noise, and without the artist in the title, as in "Plinth - Ovo by Ovo". */
export function readingsOf<T extends Names>(query: T): readonly T[] {
  const readings = [query, read(query, { keepArtist: true }), read(query, { keepArtist: false })];
  return readings.filter(
    ({ title, artist }, at) =>
      !readings.slice(0, at).some((other) => other.title === title && other.artist === artist),
  );
}

/** The name without a number in front that counts lines. */
export function withoutNumber(name: string): string {
  return name.replace(NUMBER, '');
}

/** The title without the endings that downloaders give to files. They are in no name, so no reading keeps them. */
export function withoutTags(title: string): string {
  const rest = [...TAGS, ...TAGS].reduce(
    (text, tag) => text.replace(tag, ''),
    title.replace(FILE_ENDING, ''),
  );
  return rest.trim() || title;
}

/** The query without noise; unchanged if there is none. */
export function withoutNoise<T extends Names>(query: T): T {
  return read(query, { keepArtist: false });
}

function read<T extends Names>(query: T, { keepArtist }: { keepArtist: boolean }): T {
  const billing = untimed(tidy(withoutEntities(query.artist)));
  const channel = channelless(billing.text);
  const found = cleanTitle(query.title, channel, keepArtist);
  const isNamed = !keepArtist && NO_ARTIST.has(normaliseName(channel));
  const { title, artist } = (isNamed && namedIn(found.title)) || { title: found.title, artist: channel };
  const year = query.year ?? found.year ?? billing.year;
  return {
    ...query,
    title: kept(title, query.title),
    artist: kept(artist, query.artist),
    ...(year !== undefined && { year }),
  };
}

/** The text as written if nothing was removed, or nothing would be left. */
function kept(clean: string, written: string): string {
  return normaliseName(clean) === '' || clean === tidy(written) ? written : clean;
}

function cleanTitle(
  written: string,
  artist: string,
  keepArtist: boolean,
): { title: string; year: number | undefined } {
  let title = withoutTags(tidy(withoutEntities(written)));
  if (!title.includes(' ')) title = title.replace(/_+/gu, ' ').trim();
  let year: number | undefined;
  let mayHoldArtist = !keepArtist;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const named = mayHoldArtist ? withoutArtist(title, artist) : title;
    const timeless = untimed(named);
    year ??= timeless.year;
    const unended = withoutEnding(timeless.text);
    // A number may be the first word of the artist's name, so the artist goes first.
    const next = named === title ? unended.replace(BULLET, '').replace(NUMBER, '') : unended;
    if (next === title || !isName(next)) break;
    // The artist is taken off once: a title such as "Plinth - Ovo by Ovo" may have it too.
    mayHoldArtist &&= named === title;
    title = next;
  }
  return { title: title.replace(NOTE_ENDING, ' - $1'), year };
}

/** The artist and the title of a title that names both. */
function namedIn(title: string): { title: string; artist: string } | null {
  const [artist = '', ...rest] = title.split(/\s+-+\s+/u);
  const song = rest.join(' - ');
  return isName(artist) && isName(song) ? { title: song, artist } : null;
}

/** True for a name, false for a mere version note, which would be all that remains of "Ula - Live". */
function isName(text: string): boolean {
  return hasLetterOrDigit(text) && !isOnlyNote(text);
}

function untimed(text: string): { text: string; year?: number } {
  const found = TIME_OR_YEAR.exec(text);
  const rest = text.slice(0, found?.index);
  if (!found || !isName(rest)) return { text };
  return { text: rest, ...(found[1] && { year: Number(found[1]) }) };
}

function channelless(written: string): string {
  const name = CHANNELS.reduce((text, ending) => text.replace(ending, ''), written);
  if (name === written || /^(?:the)?$/u.test(normaliseName(name))) return written;
  const isGlued = !name.includes(' ') && !/\s(?:topic|official)/iu.test(written);
  return isGlued ? name.replace(WORD_STARTS, ' ') : name;
}

function withoutEnding(title: string): string {
  const folded = foldLetters(title);
  const [ending] = ENDING.exec(folded) ?? BRACKETED.exec(folded) ?? [];
  // Folding may change the length of what is in front, so the length of the rest is counted from the end.
  const rest = ending === undefined ? '' : title.slice(0, -ending.length).trim();
  return isName(rest) ? rest : title;
}

/** Removes the artist before or after the title. Other names beside the artist become guests. */
function withoutArtist(title: string, artist: string): string {
  const cuts = [...title.matchAll(BETWEEN)]
    .slice(0, MAX_CUTS)
    .map(({ index, 0: sign }) => [title.slice(0, index), title.slice(index + sign.length)]);
  const [, before, after] = QUOTED.exec(title) ?? [];
  for (const [left = '', right = ''] of [...cuts, ...(before && after ? [[before, after]] : [])]) {
    const names = isName(right) ? guestsBeside(left, artist) : null;
    if (names) return names.length > 0 ? `${right.trim()} (feat. ${names.join(', ')})` : right.trim();
    if (isName(left) && sameArtist(right, artist)) return left.trim();
  }
  const by = title.toLowerCase().lastIndexOf(' by ');
  return by > 0 && sameArtist(title.slice(by + 4), artist) ? title.slice(0, by).trim() : title;
}

/** The names in `text` besides those of the billing `artist`; null if `text` is not that billing. */
function guestsBeside(text: string, artist: string): string[] | null {
  if (sameArtist(text, artist) || lacksSigns(normaliseName(artist), text)) return [];
  const [there, asked] = [readBilling(text), readBilling(artist)];
  const askedKeys = new Set([...asked.main, ...asked.guests].map(nameKey));
  const names = new Map([...there.main, ...there.guests].map((name) => [nameKey(name), name]));
  const others = [...names].flatMap(([key, name]) => (askedKeys.has(key) ? [] : [name]));
  if (asked.main.every((name) => names.has(nameKey(name)))) return others;
  return others.length === 0 ? [] : null;
}
