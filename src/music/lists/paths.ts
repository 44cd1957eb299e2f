/** What the path of a music file says about the song. */
import { percentDecoded } from '../../base/parsing.ts';
import { normaliseName } from '../normalise.ts';
import { NO_ARTIST } from '../vocabulary.ts';
import type { Fields } from './columns.ts';
import { MAX_LINE, type Row } from './list.ts';
import { canSplit } from './text/split.ts';

const EXTENSION = /\.(?:mp3|m4a|m4p|aac|flac|ogg|oga|opus|wav|wma|aiff?|alac|ape|mpc|mp4|mp2|webm)$/iu;
const NUMBER = /^(?:\d{1,2}[-.])?\d{1,3}(?:\s*[-.]\s*|\s+|_)(?=\S)/u;

/** What separates the artist from the title in a title line or a file name. */
const DASH = /\s[-‐‑‒–—―−－]{1,3}\s/u;
/** Directories that hold music, and are neither an artist nor an album. */
const PLACE = /^(?:(?:my )?music|musik|downloads?)$/iu;
/** Directories in which each person or disk has one. Its name is no artist. */
const ROOT = /^(?:[a-z]:\/)?(?:home|users|volumes|storage\/emulated)$/iu;
/** iTunes keeps records of several artists in this directory. */
const COMPILATIONS = /^compilations?$/iu;
/** A directory for one disc of an album. */
const DISC = /^(?:cd|dis[ck])[\s_-]*\d{1,2}$/iu;
/** The start of an address. The host of a web server is no directory. */
const START = /^(?:file:\/\/(?:localhost)?|https?:\/\/[^/]*)/iu;

/**
 * True if most of the titles in a playlist also name the artist, by "by", a tab or quotation marks. One title alone is not
 * enough: it may be "Stand by Me".
 */
export function titlesNameArtists(titles: readonly string[]): boolean {
  return titles.length > 1 && titles.filter(hasTwoNames).length * 2 > titles.length;
}

/** No pattern is tried on a text that is too long for a song. */
const hasTwoNames = (title: string) => title.length <= MAX_LINE && canSplit(title);

/**
 * The song of a file with a title, which usually names the artist too. If the title names none, the artist is `artist`, or the one
 * that the directories of the file name. Without a title, the path alone says which song it is.
 * @param more other fields of the song
 * @param isWhole true if the titles of the playlist name the artists too
 */
export function songOfFile(
  { title: written, artist, path }: { title: string; artist?: string | undefined; path: string },
  more: Fields,
  isWhole = false,
): Pick<Row, 'text' | 'fields'> {
  const title = isFileName(written, path) ? '' : written;
  if (DASH.test(title) || (isWhole && !artist && hasTwoNames(title))) return { text: title, fields: more };
  const song =
    artist && title !== '' ? { fields: { artist } } : songOfPath(isStream(title, path) ? '' : path);
  if ('fields' in song) return { fields: { ...song.fields, ...(title !== '' && { title }), ...more } };
  return { text: title === '' ? song.text : title, fields: more };
}

/**
 * True if a program had no title and wrote the name of the file: the name has its extension or a number such as 01. Without
 * these, "99 Lanterns" may be a title.
 */
function isFileName(title: string, path: string): boolean {
  if (!EXTENSION.test(title) && !/^0\d(?!\d)/u.test(title)) return false;
  const plain = (name: string) => name.replace(EXTENSION, '').replace(NUMBER, '');
  return plain(title) === plain(partsOf(path).at(-1) ?? '');
}

/** True for an address on the web that is not named after its title, such as that of a radio station. It has no artist. */
function isStream(title: string, path: string): boolean {
  if (title === '' || !/^https?:/iu.test(path)) return false;
  const file = normaliseName((partsOf(path).at(-1) ?? '').replace(EXTENSION, ''));
  return !file.includes(normaliseName(title.replace(/\s*[([].*$/u, '')));
}

/** The directories of a path and the name of the file. */
function partsOf(path: string): string[] {
  return percentDecoded(path.replace(START, ''))
    .split(/[/\\]+/u)
    .filter((part) => !/^\.{0,2}$/u.test(part));
}

/**
 * Returns the file name as text if it has the form "Artist - Title", or if the directories do not name an artist and an album.
 * Otherwise reads the fields from the layout that iTunes and most programs use: `Artist/Album/03 Title.mp3`.
 */
function songOfPath(path: string): { text: string } | { fields: Fields } {
  const parts = partsOf(path);
  const file = (parts.at(-1) ?? '').replace(EXTENSION, '').replace(/_/gu, ' ');
  const folders = parts.slice(0, -1);
  if (folders.length > 2 && DISC.test(folders.at(-1) ?? '')) folders.pop();
  const [artist, album] = folders.slice(-2);
  const above = folders.slice(0, -2);
  const unnumbered = file.replace(NUMBER, '');
  // In "21 - Artist - Title", "21" is a track number. In "21 - Title", it may be the artist, so it stays unless the directories
  // name an artist.
  if (DASH.test(unnumbered)) return { text: unnumbered };
  if (!artist || !album || /:$/u.test(artist) || ROOT.test(above.join('/'))) return { text: file };
  if (COMPILATIONS.test(artist) || NO_ARTIST.has(normaliseName(artist))) return { text: file };
  // Below a directory of music, or where a path begins with the artist, "Music" is an album.
  const isBelow =
    above.some((part) => PLACE.test(part)) || (above.length === 0 && /^[^/\\:]+[/\\]/u.test(path));
  if (PLACE.test(artist) || (PLACE.test(album) && !(isBelow && /^music$/iu.test(album))))
    return { text: file };
  return { fields: { title: unnumbered, artist, album } };
}
