/**
 * Removes what lists carry besides title and artist: track numbers, file endings, channel names, "Official Video", the artist
 * in front of the title. Each may also be part of a name ("9. Kettle"), so the text as written is always tried first.
 */
import { readBilling, sameArtist } from './artists.ts';
import { withoutEntities } from './entities.ts';
import { foldLetters, tidy, tidyName } from './letters.ts';
import { compact, nameKey, normaliseName, signlessKeys } from './normalise.ts';
import { isOnlyNote } from './versionNotes.ts';
import { NO_ARTIST, NOTE_ENDINGS, TITLE_ENDINGS } from './vocabulary.ts';

/** "Artist - Topic", "ArtistVEVO", "Artist Official": the names of channels. */
const TOPIC = /\s+-\s*topic$/iu;
const VEVO = /\s*vevo$/iu;
const OFFICIAL = /[\s\-|·]*[\s([\-|]official(?: (?:artist )?(?:youtube )?channel)?[)\]]?$/iu;
const GLUED_OFFICIAL = /(?<=\p{Ll})Official$/u;
const WORD_STARTS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

const FILE_ENDING = /\.(?:mp3|m4a|m4p|flac|wav|ogg|opus|aac|wma|aiff?|mp4|webm|mkv)$/iu;
const BULLET = /^[•·▪►▶*>–-]\s+(?=\S)/u;
/** "03. ", "3) ", "[03] ", "#3: ", "1-03 ", "03 - ", "A1. ", "Track 3: ". A letter must follow somewhere. */
const NUMBER =
  /^(?:[([]?#?\d{1,3}[.)\]]+(?!\d)\s*|#?\d{1,3}:\s+|\d{1,2}-\d{2}[.)]?\s+|\d{1,3}\s*-\s+|0\d\s+|[A-D]\d{1,2}(?:[.)]|\s+-)\s+|(?:track|titel|piste)\s*\d{1,3}\s*[.:)-]\s*)(?=.*\p{L})/iu;
const ENDING = new RegExp(
  `[\\s|/,~•·:-]+[([]?(?:${TITLE_ENDINGS.map((text) => foldLetters(text)).join('|')})[)\\]]?$`,
  'u',
);
/** Endings that are removed only in brackets, since a title may end with the bare word. */
const BRACKETED = /\s*(?:\((?:audio|video)\)|\[(?:audio|video)\])$/u;
/** A length or a year in brackets. */
const TIME_OR_YEAR = /\s*[([](?:(?:\d{1,2}:)?\d{1,2}:[0-5]\d|((?:19|20)\d\d))[)\]]$/u;
const NOTE_ENDING = new RegExp(`\\s+(${NOTE_ENDINGS.join('|')})$`, 'iu');
/** What separates artist and title. A colon counts only if it follows a word and a space follows the colon. */
const BETWEEN = /\s+[-|~•]+\s*|\s*[-|~•]+\s+|\s+\/\/\s+|(?<=[^\s:]):\s+/gu;
const QUOTED = /^(.+?)\s+["“„«](.+)["”“»]$/u;
/** Maximum length of a channel name, as for a billing. */
const MAX_CHANNEL = 1_000;
const MAX_STEPS = 8;
/** Maximum number of separators to try. A title has few; the limit bounds the work for a hostile one. */
const MAX_CUTS = 6;

/** The fields of a query that are read. */
interface Asked {
  readonly title: string;
  readonly artist: string;
  readonly year?: number;
}

/** The ways to read a query: as written, then without what lists carry besides title and artist. */
export function readingsOf<Q extends Asked>(query: Q): readonly Q[] {
  const clean = withoutNoise(query);
  return clean.title === query.title && clean.artist === query.artist ? [query] : [query, clean];
}

/** The query without what lists carry besides title and artist; unchanged if there is nothing to remove. */
export function withoutNoise<Q extends Asked>(query: Q): Q {
  const untimed = withoutTimeOrYear(tidyName(withoutEntities(query.artist), MAX_CHANNEL));
  const artist = withoutChannel(untimed.rest);
  const { title, year = untimed.year } = plainTitle(withoutEntities(query.title), artist);
  const named = NO_ARTIST.has(normaliseName(artist)) ? artistInFront(title) : null;
  const clean = named ?? { title, artist };
  return {
    ...query,
    title: kept(clean.title, query.title),
    artist: kept(clean.artist, query.artist),
    ...(year !== undefined && query.year === undefined && { year }),
  };
}

/** `clean`, or the text as written if only spaces or forms of characters differ, or if nothing is left. */
function kept(clean: string, written: string): string {
  return normaliseName(clean) === '' || clean === tidy(written) ? written : clean;
}

/** Removes from the name of a channel what is not the artist's name. */
function withoutChannel(artist: string): string {
  const written = tidyName(artist, MAX_CHANNEL);
  const name = [TOPIC, VEVO, OFFICIAL, GLUED_OFFICIAL].reduce(
    (text, ending) => text.replace(ending, ''),
    written,
  );
  if (/^(?:the)?$/u.test(normaliseName(name))) return written;
  const isGlued = !name.includes(' ') && (VEVO.test(written) || GLUED_OFFICIAL.test(written));
  return isGlued ? name.replace(WORD_STARTS, ' ') : name;
}

/** The title alone, and the year that was in brackets after it. */
function plainTitle(written: string, artist: string): { title: string; year?: number } {
  let year: number | undefined;
  let title = withSpaces(tidyName(written).replace(FILE_ENDING, ''));
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const untimed = withoutTimeOrYear(withoutArtist(title, artist).replace(BULLET, ''));
    year ??= untimed.year;
    const next = withoutEnding(untimed.rest);
    const shorter = withoutArtist(next, artist) === next ? next.replace(NUMBER, '') : next;
    if (shorter === title || !isName(shorter)) break;
    title = shorter;
  }
  return { title: title.replace(NOTE_ENDING, ' - $1'), ...(year !== undefined && { year }) };
}

function withoutTimeOrYear(text: string): { rest: string; year?: number } {
  const found = TIME_OR_YEAR.exec(text);
  const rest = found ? text.slice(0, found.index) : text;
  if (!isName(rest)) return { rest: text };
  return { rest, ...(found?.[1] && { year: Number(found[1]) }) };
}

/** File names have underscores for spaces. */
function withSpaces(text: string): string {
  return text.includes(' ') ? text : text.replace(/_+/gu, ' ').trim();
}

/** True for a name, false for a mere version note such as "Live", which would be all that remains of "Ula - Live". */
function isName(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !isOnlyNote(text);
}

function withoutEnding(title: string): string {
  // Folding may change the length of the text before the ending, so the length of the rest is counted from the end.
  const folded = foldLetters(title);
  const ending = (ENDING.exec(folded) ?? BRACKETED.exec(folded))?.[0];
  const rest = ending === undefined ? '' : title.slice(0, -ending.length).trim();
  return isName(rest) ? rest : title;
}

/** Removes the artist before or after the title, or "by Artist" at its end. Other names beside the artist become guests. */
function withoutArtist(title: string, artist: string): string {
  for (const { before, after } of cuts(title)) {
    const names = isName(after) ? namesWith(before, artist) : null;
    if (names) return names.length > 0 ? `${after} (feat. ${names.join(', ')})` : after;
    if (isName(before) && sameArtist(after, artist)) return before;
  }
  const by = title.toLowerCase().lastIndexOf(' by ');
  return by > 0 && sameArtist(title.slice(by + 4), artist) ? title.slice(0, by).trim() : title;
}

function* cuts(title: string): Generator<{ before: string; after: string }> {
  for (const { index, 0: sign } of [...title.matchAll(BETWEEN)].slice(0, MAX_CUTS)) {
    yield { before: title.slice(0, index).trim(), after: title.slice(index + sign.length).trim() };
  }
  const quoted = QUOTED.exec(title);
  if (quoted?.[1] && quoted[2]) yield { before: quoted[1], after: quoted[2] };
}

/**
 * The names in `text` that the billing `artist` lacks. null if `text` lacks a main artist of the billing and also names someone
 * who is not in it.
 */
function namesWith(text: string, artist: string): string[] | null {
  if (sameArtist(text, artist) || signlessKeys(text).includes(compact(normaliseName(artist)))) return [];
  const [there, asked] = [readBilling(text), readBilling(artist)];
  const names = [...there.main, ...there.guests];
  const keys = new Set(names.map(nameKey));
  const askedKeys = new Set([...asked.main, ...asked.guests].map(nameKey));
  if (asked.main.every((name) => keys.has(nameKey(name)))) {
    return names.filter((name) => !askedKeys.has(nameKey(name)));
  }
  return names.every((name) => askedKeys.has(nameKey(name))) ? [] : null;
}

/** Splits "Artist - Title", for a list that names no artist; null if there are not two names. */
function artistInFront(title: string): Asked | null {
  const parts = title.split(/\s+-+\s+/u);
  const [artist = '', ...rest] = parts;
  const song = rest.join(' - ');
  return rest.length > 0 && isName(song) && isName(artist) ? { title: song, artist } : null;
}
