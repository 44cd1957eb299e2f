import { counted } from '../../../base/counted.ts';
import { tidyText } from '../entry.ts';
import { takeAddresses, takeIsrc } from '../refs.ts';
import { type ListRow, rowWords, type Writer } from './row.ts';

/** "Artist - Title  link", one row a line, below a comment with the playlist's name. */
export const txt: Writer = (rows, name) => {
  const title = tidyText(name ?? '');
  const heading = title === '' ? counted(rows.length, 'row') : `Playlist: ${title}`;
  return [`# ${heading}`, ...rows.map(lineOf)].map((line) => `${line}\n`).join('');
};

function lineOf(row: ListRow): string {
  const words = rowWords(row);
  if (row.uri === null) return `# not in Spotify's catalog: ${words}`;
  return isPlain(words) ? `${words}  ${linkOf(row.uri)}` : linkOf(row.uri);
}

/** Names that a reader would take for a comment, an address or a code are left out; the link says which song it is. */
function isPlain(words: string): boolean {
  const { refs } = takeAddresses(words);
  return words !== '' && !/^[#/]/u.test(words) && refs.length === 0 && takeIsrc(words).isrc === undefined;
}

function linkOf(uri: string): string {
  const [, kind, id] = /^spotify:(track|episode):(\w+)$/u.exec(uri) ?? [];
  return kind === undefined ? uri : `https://open.spotify.com/${kind}/${id}`;
}
