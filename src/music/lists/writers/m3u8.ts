import { tidyText } from '../entry.ts';
import { type ListRow, rowWords, type Writer } from './row.ts';

/** Extended M3U in UTF-8. A row without an address is a comment, since an entry without one would take the next. */
export const m3u8: Writer = (rows, name) => {
  const title = tidyText(name ?? '');
  return ['#EXTM3U', ...(title === '' ? [] : [`#PLAYLIST:${title}`]), ...rows.flatMap(linesOf)]
    .map((line) => `${line}\n`)
    .join('');
};

function linesOf(row: ListRow): string[] {
  if (row.uri === null) return [`# not in Spotify's catalog: ${rowWords(row)}`];
  const seconds = row.duration_ms === null ? -1 : Math.round(row.duration_ms / 1000);
  const album = tidyText(row.album ?? '');
  return [`#EXTINF:${seconds},${rowWords(row)}`, ...(album === '' ? [] : [`#EXTALB:${album}`]), row.uri];
}
