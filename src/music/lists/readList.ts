/** The way in: bytes to entries. Pure; nothing here reads a file or asks Spotify. */
import { counted } from '../../base/lists.ts';
import { decodeList, refused } from './decode.ts';
import { entriesOf } from './entriesOf.ts';
import { isEntry, tidyText } from './entry.ts';
import type { ListEntry, ListFormat, NotSong, ReadList } from './list.ts';
import { READERS } from './readers/index.ts';
import type { Reader } from './readers/reader.ts';
import { sourceOf } from './source.ts';

/** A line that is reported takes about 200 bytes of memory, however short it is. */
const MAX_LINES = 500_000;

export interface ReadOptions {
  /** Instead of finding out. */
  format?: ListFormat;
  /** Where the artist is in "A - B", instead of finding out. */
  artistSide?: 'left' | 'right';
  /** Only the playlist of this name, from a file that has several. */
  list?: string;
}

/**
 * Reads a list of any known format. Each line or row of the file is in `entries` or in `notSongs`, except what belongs to
 * the format itself, such as the header of a table.
 * @throws RelayError `INVALID_ARGUMENT`, with `details.line` where one line is to blame, if the file cannot be read or
 * has no song.
 */
export function readList(bytes: Uint8Array, options: ReadOptions = {}): ReadList {
  const { text, encoding } = decodeList(bytes);
  const source = sourceOf(text);
  if (source.lines.length > MAX_LINES) {
    throw refused(`The file has ${source.lines.length} lines; at most ${MAX_LINES} are read.`, {
      line: MAX_LINES + 1,
      remedy: 'Split it.',
    });
  }
  const reader = READERS.find(({ format, looksLike }) =>
    options.format === undefined ? looksLike(source) : format === options.format,
  ) as Reader;
  const { rows, name, decided = {} } = reader.read(source);
  const { results, side } = entriesOf(rows, options.artistSide);
  const all = results.filter(isEntry);
  const { entries, left, lists } = chooseList(all, options.list);
  const notSongs = [...results.filter((result): result is NotSong => !isEntry(result)), ...left];
  if (options.format === undefined && reader.format === 'txt') refuseProse(entries, notSongs);
  if (entries.length === 0) throw noSongs(reader, notSongs);
  const onlyName = tidyText(name ?? '') || (lists.length === 1 ? lists[0]?.name : options.list);
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

function chooseList(all: ListEntry[], wanted: string | undefined) {
  const counts = new Map<string, number>();
  for (const { list } of all) if (list !== undefined) counts.set(list, (counts.get(list) ?? 0) + 1);
  const lists = [...counts].map(([name, entries]) => ({ name, entries }));
  if (wanted === undefined) return { entries: all, left: [], lists };
  if (!counts.has(wanted)) {
    throw refused(`The file has no playlist "${wanted}".`, {
      remedy: lists.length === 0 ? 'It has no named playlists.' : `It has: ${namesOf(lists)}.`,
    });
  }
  const isWanted = ({ list }: ListEntry) => list === wanted;
  const left = all
    .filter((entry) => !isWanted(entry))
    .map(({ line, raw, list }) => ({
      line,
      text: raw,
      why: list ? `in the playlist "${list}"` : 'in no playlist',
    }));
  return { entries: all.filter(isWanted), left, lists };
}

function namesOf(lists: readonly { name: string }[]): string {
  const names = lists.slice(0, 10).map(({ name }) => `"${name}"`);
  const more = lists.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** A letter or an article has a dash here and there too. */
function refuseProse(entries: readonly ListEntry[], notSongs: readonly NotSong[]): void {
  const missed = notSongs.filter(({ why }) => why === 'no artist' || why === 'too long for a song');
  if (entries.length * 5 >= missed.length + entries.length || missed.length < 4) return;
  const [first] = missed;
  throw refused(
    `Only ${entries.length} of ${counted(missed.length + entries.length, 'line')} can be read as a song; line ${first?.line} cannot (${first?.why}).`,
    {
      line: first?.line ?? 1,
      remedy: 'Write one song a line as "Artist - Title". To read the file as it is, give the format txt.',
    },
  );
}

function noSongs(reader: Reader, notSongs: readonly NotSong[]) {
  const first = notSongs.find(({ why }) => why !== 'empty' && why !== 'comment') ?? notSongs[0];
  const where = first ? ` Line ${first.line}: ${first.why}.` : '';
  return refused(`No song was found in the file, read as ${reader.name}.${where}`, {
    ...(first && { line: first.line }),
    remedy:
      'Write one song a line as "Artist - Title", or give a table whose first line names title and artist.',
  });
}
