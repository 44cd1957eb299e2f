import { excerpt, type Row } from '../list.ts';
import { songOfFile, titlesNameArtists } from '../paths.ts';
import { takeAddresses } from '../refs.ts';
import type { Reader } from './reader.ts';

interface Pending {
  line: number;
  raw: string;
  title: string;
  album?: string;
}

/** M3U and M3U8: `#EXTINF:seconds,Artist - Title` above the address of each song, or the address alone. */
export const m3u8: Reader = {
  format: 'm3u8',
  name: 'M3U playlist',
  looksLike: ({ text }) => /^\s*#EXTM3U\b/iu.test(text) || /^#EXTINF:/imu.test(text.slice(0, 100_000)),
  read({ lines }) {
    const rows: Row[] = [];
    let name: string | undefined;
    let pending: Pending | null = null;
    let artist: string | undefined;
    const given = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    const isWhole = titlesNameArtists(
      given.flatMap((written) => (isTitleLine(written.trim()) ? afterComma(written).trim() : [])),
    );
    for (const [index, written] of given.entries()) {
      const line = index + 1;
      const text = written.trim();
      const raw = excerpt(text);
      if (isTitleLine(text)) {
        if (pending) rows.push(withoutAddress(pending, artist, isWhole));
        pending = { line, raw, title: afterComma(text).trim() };
      } else if (/^#PLAYLIST:/iu.test(text)) name ??= text.slice('#PLAYLIST:'.length).trim();
      else if (/^#EXTALB:/iu.test(text) && pending) pending.album = text.slice('#EXTALB:'.length).trim();
      else if (/^#EXTART:/iu.test(text)) artist = text.slice('#EXTART:'.length).trim();
      else if (/^#EXTM3U\b/iu.test(text)) continue;
      else if (text === '') rows.push({ line, raw, why: 'empty' });
      else if (text.startsWith('#')) rows.push({ line, raw, why: 'comment' });
      else {
        rows.push(rowOf({ line, raw }, text, pending, artist, isWhole));
        pending = null;
      }
    }
    if (pending) rows.push(withoutAddress(pending, artist, isWhole));
    return { rows, ...(name && { name }) };
  },
};

const isTitleLine = (text: string) => /^#EXTINF:/iu.test(text);

/**
 * What follows the first comma that is not between quotation marks. A mark that nothing closes (12" mix) is part of a name. One
 * pattern for the whole line would run out of stack on a line of several megabytes.
 */
function afterComma(text: string): string {
  const unquoted = text.replace(/"[^"]*"/gu, (quoted) => ' '.repeat(quoted.length));
  const comma = unquoted.indexOf(',');
  return comma === -1 ? '' : text.slice(comma + 1);
}

/**
 * @param artist the artist that the directive `#EXTART` names for the file
 * @param isWhole as for `songOfFile`
 */
function rowOf(
  found: Row,
  address: string,
  pending: Pending | null,
  artist: string | undefined,
  isWhole: boolean,
): Row {
  const { refs } = takeAddresses(address);
  const row = pending ? { line: pending.line, raw: excerpt(`${pending.raw}\n${found.raw}`) } : found;
  const fields = { ...(refs.length > 0 && { uri: address }), ...albumOf(pending) };
  const title = pending?.title ?? '';
  if (title === '' && refs.length > 0) return { ...row, fields };
  // What a link to Spotify has between its slashes is no directory.
  return { ...row, ...songOfFile({ title, artist, path: refs.length > 0 ? '' : address }, fields, isWhole) };
}

/** The row of a title that no address follows. Some programs write lists of names only. */
function withoutAddress(pending: Pending, artist: string | undefined, isWhole: boolean): Row {
  const { line, raw, title } = pending;
  return { line, raw, ...songOfFile({ title, artist, path: '' }, albumOf(pending), isWhole) };
}

const albumOf = (pending: Pending | null) => (pending?.album ? { album: pending.album } : {});
