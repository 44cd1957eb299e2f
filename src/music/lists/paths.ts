/** What the path of a music file says about the song. */
import { percentDecoded } from '../../base/parsing.ts';
import type { Fields } from './columns.ts';

const EXTENSION = /\.(?:mp3|m4a|m4p|aac|flac|ogg|oga|opus|wav|wma|aiff?|alac|ape|mpc|mp4|mp2|webm)$/iu;
const NUMBER = /^(?:\d{1,2}[-.])?\d{1,3}(?:\s*[-.]\s*|\s+|_)(?=\S)/u;

/**
 * Returns the file name as text if it has the form "Artist - Title", or if the directories do not name an artist and an album.
 * Otherwise reads the fields from the layout that iTunes and most programs use: `Artist/Album/03 Title.mp3`.
 */
export function songOfPath(path: string): { text: string } | { fields: Fields } {
  const parts = percentDecoded(path.replace(/^file:\/\/(?:localhost)?/iu, ''))
    .split(/[/\\]+/u)
    .filter((part) => !/^\.{0,2}$/u.test(part));
  const file = (parts.at(-1) ?? '').replace(EXTENSION, '').replace(/_/gu, ' ');
  const [artist, album] = parts.slice(-3, -1);
  const unnumbered = file.replace(NUMBER, '');
  // In "21 - Artist - Title", "21" is a track number. In "21 - Title", it may be the artist, so it stays unless the directories
  // name an artist.
  if (/\s[-–—]\s/u.test(unnumbered)) return { text: unnumbered };
  if (parts.length < 3 || !artist || !album || /:$/u.test(artist)) return { text: file };
  return { fields: { title: unnumbered, artist, album } };
}
