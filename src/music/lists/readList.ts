/** Reads a list: bytes in, entries out. Pure; nothing here reads a file or asks Spotify. */
import { counted } from '../../base/lists.ts';
import { LEFT_OUT_PLAYS, type ListFormat, type ListReading } from '../../domain/listImport.ts';
import { nameKey, normaliseName } from '../normalise.ts';
import { decodeList, refused } from './decode.ts';
import { entriesOf } from './entriesOf.ts';
import { isEntry, tidyText } from './entry.ts';
import { excerpt, type ListEntry, type NotSong, type ReadList } from './list.ts';
import { READERS } from './readers/index.ts';
import type { Reader } from './readers/reader.ts';
import { onlyCode, type Source, sourceOf } from './source.ts';

/** A line that is reported takes about 200 bytes of memory, however short it is. */
const MAX_LINES = 500_000;

/**
 * Reads a list of any known format. Each line or row of the file is in `entries` or in `notSongs`. Lines of the format itself,
 * such as the header of a table, are in neither. So are the songs of other playlists, if one is chosen.
 * @throws RelayError `INVALID_ARGUMENT` if the file cannot be read or has no song, with `details.line` for a fault in one line
 */
export function readList(bytes: Uint8Array, options: ListReading = {}): ReadList {
  const { text: written, encoding } = decodeList(bytes);
  const { text, around } = onlyCode(written);
  const source = sourceOf(text);
  if (source.lines.length > MAX_LINES) {
    throw refused(`The file has ${source.lines.length} lines; at most ${MAX_LINES} are read.`, {
      line: MAX_LINES + 1,
      remedy: 'Split it.',
    });
  }
  const reader = readerFor(source, options);
  const { allPlays = false } = options;
  const { rows, name, decided = {}, isHistory = false } = reader.read(source, { allPlays });
  const { results: found, side } = entriesOf(rows, options.artistSide);
  const results = isHistory && !allPlays ? withoutRepeats(found) : found;
  const { entries, lists, chosen } = chooseList(results.filter(isEntry), options.list);
  const notSongs = [
    ...results.filter((result): result is NotSong => !isEntry(result) && !around.has(result.line)),
    ...linesOf(written, around),
  ];
  if (options.format === undefined && reader.format === 'txt') refuseProse(entries, notSongs);
  if (entries.length === 0) throw noSongs(reader, notSongs);
  const onlyName = tidyText(name ?? '') || (lists.length === 1 ? lists[0]?.name : chosen);
  return {
    format: reader.format,
    encoding,
    entries,
    notSongs: notSongs.sort((a, b) => a.line - b.line),
    decided: { ...decided, ...(side && { artistSide: side }) },
    ...(onlyName && { name: onlyName }),
    ...(lists.length > 1 && { lists }),
  };
}

/** The lines around a block of code. */
function linesOf(written: string, around: ReadonlySet<number>): NotSong[] {
  if (around.size === 0) return [];
  return written.split('\n').flatMap((text, index) => {
    return around.has(index + 1)
      ? [{ line: index + 1, text: excerpt(text), why: 'outside the block of code' }]
      : [];
  });
}

function readerFor(source: Source, { format, fileName = '' }: ListReading): Reader {
  const wanted = (name: ListFormat) => READERS.find((reader) => reader.format === name) as Reader;
  if (format !== undefined) return wanted(format);
  const found = READERS.find(({ looksLike }) => looksLike(source)) as Reader;
  return found.format === 'txt' && /\.m3u8?$/iu.test(fileName) ? wanted('m3u8') : found;
}

/** Keeps the first play of each song, and reports the others as repeats. */
function withoutRepeats(results: readonly (ListEntry | NotSong)[]): (ListEntry | NotSong)[] {
  const seen = new Set<string>();
  return results.map((result) => {
    if (!isEntry(result)) return result;
    const { uri, artist, title, line, raw } = result;
    const key = uri ?? `${nameKey(artist)}\n${nameKey(title)}`;
    if (seen.has(key)) return { line, text: raw, why: LEFT_OUT_PLAYS.again };
    seen.add(key);
    return result;
  });
}

/** Name of the list of the songs that a file with several playlists puts in none of them. */
const NO_PLAYLIST = 'Songs in no playlist';

function chooseList(read: ListEntry[], wanted: string | undefined) {
  const named = new Set(read.flatMap(({ list }) => list ?? []));
  // The songs in no playlist become a list of their own. Otherwise they would be lost if each playlist is imported by itself.
  const all = named.size > 1 ? read.map((entry) => ({ ...entry, list: entry.list ?? NO_PLAYLIST })) : read;
  const counts = new Map<string, number>();
  for (const { list } of all) if (list !== undefined) counts.set(list, (counts.get(list) ?? 0) + 1);
  const lists = [...counts].map(([name, entries]) => ({ name, entries }));
  if (wanted === undefined) return { entries: all, lists, chosen: undefined };
  const chosen = counts.has(wanted)
    ? wanted
    : lists.find(({ name }) => normaliseName(name) === normaliseName(wanted))?.name;
  if (chosen === undefined) {
    throw refused(`The file has no playlist "${wanted}".`, {
      remedy: lists.length === 0 ? 'It has no named playlists.' : `It has: ${namesOf(lists)}.`,
    });
  }
  return { entries: all.filter(({ list }) => list === chosen), lists, chosen };
}

function namesOf(lists: readonly { name: string }[]): string {
  const names = lists.slice(0, 10).map(({ name }) => `"${name}"`);
  const more = lists.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const ARTISTS_NEEDED = 'Titles without artists cannot be matched: write one song a line as "Artist - Title".';

/** Refuses prose, such as a mail or an article: a few of its lines may have a dash and so look like songs. */
function refuseProse(entries: readonly ListEntry[], notSongs: readonly NotSong[]): void {
  const missed = notSongs.filter(({ why }) => why === 'no artist' || why === 'too long for a song');
  if (entries.length * 5 >= missed.length + entries.length || missed.length < 4) return;
  const [first] = missed;
  throw refused(
    `Only ${entries.length} of ${counted(missed.length + entries.length, 'line')} can be read as a song; line ${first?.line} cannot (${first?.why}).`,
    {
      line: first?.line ?? 1,
      remedy: {
        text: `${ARTISTS_NEEDED} To try anyway, give the format txt.`,
        terminal: { text: `${ARTISTS_NEEDED} To try anyway, add --format txt.`, commands: [] },
        page: `${ARTISTS_NEEDED} To try anyway, run {command} in a terminal.`,
        command: ['import', 'FILE', '--format', 'txt'],
      },
    },
  );
}

function noSongs(reader: Reader, notSongs: readonly NotSong[]) {
  const first = notSongs.find(({ why }) => why !== 'empty' && why !== 'comment') ?? notSongs[0];
  const where = first ? ` Line ${first.line}: ${first.why}.` : '';
  return refused(`The file was read as ${reader.name}, but no song was found in it.${where}`, {
    ...(first && { line: first.line }),
    // Nothing in the file looks like a song, as in the export of an empty playlist.
    remedy: first
      ? 'Write one song a line as "Artist - Title", or give a table whose first line names title and artist.'
      : 'Give a file with songs in it.',
  });
}
