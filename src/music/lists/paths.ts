/** What the path of a music file says about the song. */
import { percentDecoded } from '../../base/parsing.ts';
import type { Fields } from './columns.ts';

const EXTENSION = /\.(?:mp3|m4a|m4p|aac|flac|ogg|oga|opus|wav|wma|aiff?|alac|ape|mpc|mp4|mp2|webm)$/iu;
const NUMBER = /^(?:\d{1,2}[-.])?\d{1,3}(?:\s*[-.]\s*|\s+|_)(?=\S)/u;

/** What separates the artist from the title in a title line or a file name. */
const DASH = /\s[-–—]\s/u;
/** Directories that hold music, and are neither an artist nor an album. */
const PLACE = /^(?:(?:my )?music|musik|downloads?)$/iu;
/** The start of an address. The host of a web server is no directory. */
const START = /^(?:file:\/\/(?:localhost)?|https?:\/\/[^/]*)/iu;

/**
 * The song of a title line, which usually names the artist too. Some programs write the title alone: then the artist is
 * `artist`, or the one that the directories of the file name.
 */
export function songOfTitle(
  title: string,
  path: string,
  artist?: string,
): { text: string } | { fields: Fields } {
  if (DASH.test(title)) return { text: title };
  const song = artist ? { fields: { artist } } : songOfPath(path);
  return 'fields' in song ? { fields: { ...song.fields, title } } : { text: title };
}

/**
 * Returns the file name as text if it has the form "Artist - Title", or if the directories do not name an artist and an album.
 * Otherwise reads the fields from the layout that iTunes and most programs use: `Artist/Album/03 Title.mp3`.
 */
export function songOfPath(path: string): { text: string } | { fields: Fields } {
  const parts = percentDecoded(path.replace(START, ''))
    .split(/[/\\]+/u)
    .filter((part) => !/^\.{0,2}$/u.test(part));
  const file = (parts.at(-1) ?? '').replace(EXTENSION, '').replace(/_/gu, ' ');
  const [artist, album] = parts.slice(-3, -1);
  const unnumbered = file.replace(NUMBER, '');
  // In "21 - Artist - Title", "21" is a track number. In "21 - Title", it may be the artist, so it stays unless the directories
  // name an artist.
  if (DASH.test(unnumbered)) return { text: unnumbered };
  if (parts.length < 3 || !artist || !album || /:$/u.test(artist)) return { text: file };
  if (PLACE.test(artist) || PLACE.test(album)) return { text: file };
  return { fields: { title: unnumbered, artist, album } };
}
