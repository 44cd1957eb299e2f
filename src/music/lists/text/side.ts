/** Decides once for a file on which side of the separator the artist is. */
import { nameKey } from '../../normalise.ts';
import { readNote } from '../../versionNotes.ts';
import type { ArtistSide } from '../list.ts';

export type Side = ArtistSide['side'];

/** A note in brackets, which occurs in titles and not in names of artists. */
const TITLE_NOTE =
  /[([](?:feat|ft|featuring|with|live|remix|acoustic|official|lyric|audio|video|demo|bonus|explicit|from|remaster)\b|(?:remix|mix|version|edit|remaster(?:ed)?|live|session)[)\]]/iu;
/** Words and signs that often join names of artists, and are less frequent in titles. */
const JOINED = /\s(?:&|x|vs\.?|feat\.?|ft\.?)\s/iu;

/** Title, artist and album of the parts of one line. */
export interface Song {
  title: string;
  artist: string;
  album?: string;
}

/**
 * Decides on which side of the lines the artist is. Five kinds of evidence are weighed: an artist often has several songs in a
 * list, and a title is rarely there twice. Version notes and quotation marks belong to titles. Some names are known to be artists,
 * and some join several artists. Without any evidence the artist is on the left, as in most lists.
 * @param known keys of artists, from rows in which title and artist are separate fields
 * @param quoted the side in quotation marks, of each line that has one
 */
export function decideSide(
  lines: readonly (readonly string[])[],
  known: ReadonlySet<string>,
  quoted: readonly Side[],
): ArtistSide {
  const left = lines.map((parts) => songOf(parts, 'left').artist);
  const right = lines.map((parts) => songOf(parts, 'right').artist);
  const signs = [
    weigh(repeats(left), repeats(right), (side) => `names repeat on the ${side}`),
    weigh(
      2 * quoted.filter((side) => side === 'right').length,
      2 * quoted.filter((side) => side === 'left').length,
      (side) => `titles in quotation marks are on the ${other(side)}`,
    ),
    weigh(2 * knownIn(left, known), 2 * knownIn(right, known), (side) => `known artists are on the ${side}`),
    weigh(
      count(right, TITLE_NOTE),
      count(left, TITLE_NOTE),
      (side) => `titles with notes are on the ${other(side)}`,
    ),
    weigh(count(left, JOINED) / 2, count(right, JOINED) / 2, (side) => `joint names are on the ${side}`),
  ];
  const balance = signs.reduce((sum, { lean }) => sum + lean, 0);
  const side: Side = balance < 0 ? 'right' : 'left';
  const [strongest] = signs
    .filter(({ lean }) => lean !== 0 && lean < 0 === balance < 0)
    .sort((a, b) => Math.abs(b.lean) - Math.abs(a.lean));
  if (!strongest || balance === 0) {
    return { side: 'left', because: 'no other evidence; most lists put it there', certain: false };
  }
  return {
    side,
    because: strongest.because(side),
    certain: Math.abs(balance) >= Math.max(2, lines.length / 50),
  };
}

/** The song in a line of two or more parts. The parts beside the artist, such as a note, are in the title. */
export function songOf(parts: readonly string[], side: Side): Song {
  const numberAt = parts.findIndex((part, at) => at > 0 && at < parts.length - 1 && /^\d{1,3}$/u.test(part));
  if (side === 'left') {
    const [artist = '', ...rest] = parts;
    // "Artist - Album - 03 - Title", as files are named.
    if (numberAt > 1)
      return songWith(artist, parts.slice(numberAt + 1), parts.slice(1, numberAt).join(' - '));
    return songWith(artist, numberAt === 1 ? rest.slice(1) : rest);
  }
  const at = parts.length > 2 && readNote(parts.at(-1) ?? '') ? parts.length - 2 : parts.length - 1;
  return songWith(parts[at] ?? '', [...parts.slice(0, at), ...parts.slice(at + 1)]);
}

function songWith(artist: string, title: readonly string[], album?: string): Song {
  return { artist, title: title.join(' - '), ...(album !== undefined && { album }) };
}

/** Number of rows that repeat a name from further up. */
function repeats(names: readonly string[]): number {
  const spellings = new Set(names);
  return names.length - new Set([...spellings].map(nameKey)).size;
}

function knownIn(names: readonly string[], known: ReadonlySet<string>): number {
  return known.size === 0 ? 0 : names.filter((name) => known.has(nameKey(name))).length;
}

function count(names: readonly string[], pattern: RegExp): number {
  return names.filter((name) => pattern.test(name)).length;
}

/** One piece of evidence. `lean` is above 0 for the left side. */
function weigh(left: number, right: number, because: (side: Side) => string) {
  return { lean: left - right, because };
}

function other(side: Side): Side {
  return side === 'left' ? 'right' : 'left';
}
