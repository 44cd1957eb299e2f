/** Reads a list: bytes in, entries out. Pure; nothing here reads a file or asks Spotify. */
import { counted } from '../../base/lists.ts';
import { LEFT_OUT_PLAYS, type ListReading } from '../../domain/listImport.ts';
import { nameKey, normaliseName } from '../names.ts';
import { namesTitles } from './columns.ts';
import { decodeList } from './decode.ts';
import { entriesOf, isEntry } from './entries.ts';
import { CHAT, refuseForeign, withoutSenders } from './foreign.ts';
import { beginsLikeJson, json, spotify } from './json.ts';
import {
  excerpt,
  type ListEntry,
  type NotSong,
  playlistNamer,
  type Reader,
  type ReadList,
  type Row,
  refused,
  tidyText,
} from './list.ts';
import { cue, itunes, m3u8, pls, xspf } from './playlists.ts';
import { csv, tsv } from './tables.ts';

/** A line that is reported takes about 200 bytes of memory, however short it is. */
const MAX_LINES = 500_000;
/** Name of the list of the songs that a file with several playlists puts in none of them. */
const NO_PLAYLIST = 'Songs in no playlist';

/** One song a line. The last format to be tried. */
const txt: Reader = {
  format: 'txt',
  name: 'text with one song a line',
  looksLike: () => true,
  read(text) {
    const lines = text.replace(/\n$/u, '').split('\n');
    const headings = lines.map((line) => /^#\s*playlist:\s*(.+)$/iu.exec(line)?.[1]?.trim() ?? '');
    if (headings.filter((heading) => heading !== '').length < 2) {
      const name = headings.slice(0, 5).find((heading) => heading !== '');
      return { rows: lines.map(textRow), ...(name && { name }) };
    }
    const named = playlistNamer();
    let list = '';
    const rows = lines.map((line, at) => {
      list = headings[at] ? named(headings[at]) : list;
      return { ...textRow(line, at), fields: { list } };
    });
    return { rows };
  },
};

const READERS: readonly Reader[] = [spotify, json, itunes, xspf, m3u8, pls, cue, tsv, csv, txt];

/**
 * Each line or row of the file is in `entries` or in `notSongs`, but for lines of the format itself, and the songs of other
 * playlists if one is chosen.
 * @throws RelayError `INVALID_ARGUMENT` if the file cannot be read or has no song, with `details.line` for a fault in one line
 */
export function readList(bytes: Uint8Array, options: ListReading = {}): ReadList {
  const { text: written, encoding, doubt } = decodeList(bytes, options.encoding);
  const plain = withoutFormulas(written);
  const chat = withoutSenders(plain);
  const { text, around } = onlyCode(chat ?? plain);
  if (text.split('\n').length > MAX_LINES)
    throw refused(`The file has more than ${MAX_LINES} lines.`, { line: MAX_LINES + 1, remedy: 'Split it.' });
  if (options.format === undefined) refuseForeign(text);
  const reader = readerOf(text, options);
  const { allPlays = false } = options;
  const { rows, name, decided = {}, isHistory = false } = reader.read(text, { allPlays });
  const titles = options.format === undefined ? (chat === null ? 'likely' : 'none') : 'all';
  const { results: all, side } = entriesOf(rows, options.artistSide, titles);
  const results = isHistory && !allPlays ? withoutRepeats(all) : all;
  const { entries, lists, chosen } = chooseList(results.filter(isEntry), options.list);
  const notSongs = [
    ...results.filter((one): one is NotSong => !isEntry(one) && !around.has(one.line)),
    ...around.values(),
  ].sort((a, b) => a.line - b.line);
  if (options.format === undefined && reader === txt) refuseProse(entries, notSongs);
  if (entries.length === 0) throw noSongs(reader, notSongs);
  const warning = doubt ?? (chat === null ? undefined : CHAT);
  const onlyName = tidyText(name ?? '') || (lists.length === 1 ? lists[0]?.name : chosen);
  return {
    format: reader.format,
    encoding,
    entries,
    notSongs,
    decided: { ...decided, ...(side && { artistSide: side }) },
    ...(warning && { doubt: warning }),
    ...(onlyName && { name: onlyName }),
    ...(lists.length > 1 && { lists }),
  };
}

/** Cells such as `="Title"`, which spreadsheets write so that a text stays a text, are cells in quotation marks. */
function withoutFormulas(text: string): string {
  return text
    .replace(/(?<=^|[,;\t])"=""([^"\n]*)"""(?=[,;\t\n]|$)/gmu, '"$1"')
    .replace(/(?<=^|[,;\t])=(?="(?:[^"\n]|"")*"(?:[,;\t\n]|$))/gmu, '');
}

/** The reader of the given format, else the first that fits. The name of the file counts only for M3U without a header. */
function readerOf(text: string, { format, fileName = '' }: ListReading): Reader {
  const given = READERS.find((reader) => reader.format === format);
  if (given) return given;
  const found = READERS.find(({ looksLike }) => looksLike(text)) ?? txt;
  return found === txt && /\.m3u8?$/iu.test(fileName) ? m3u8 : found;
}

function textRow(written: string, index: number): Row {
  const row = { line: index + 1, raw: excerpt(written) };
  const start = written.slice(0, 1_000);
  if (written.trim() === '') return { ...row, why: 'empty' };
  // "#1 Artist" has a number, and "#Title" is a title.
  if (/^\s*(?:#(?:[\s#]|$)|\/\/)/u.test(start)) return { ...row, why: 'comment' };
  if (/^[\s\-=_*~#.+–—]*$/u.test(start)) return { ...row, why: 'no words' };
  if ((/^[^\t]*:\s*$/u.test(start) && !/\s[-–—]\s/u.test(start)) || (index === 0 && namesTitles([start])))
    return { ...row, why: 'heading' };
  return { ...row, text: written.trim() };
}

/**
 * The text of the blocks of code, with empty lines in place of all others, and the lines around the blocks. Assistants put a list
 * into such a block and write a few sentences around it. If more lines are around the blocks than in them, the text stays as it
 * is, unless the blocks hold JSON.
 */
function onlyCode(text: string): { text: string; around: ReadonlyMap<number, NotSong> } {
  const around = new Map<number, NotSong>();
  let [fences, inside] = [0, 0];
  const lines = text.split('\n').map((line, at) => {
    const isFence = /^\s*```[\w-]*\s*$/u.test(line);
    if (isFence) fences += 1;
    if (isFence || line.trim() === '') return '';
    if (fences % 2 === 1) {
      inside += 1;
      return line;
    }
    around.set(at + 1, { line: at + 1, text: excerpt(line), why: 'outside the block of code' });
    return '';
  });
  const code = lines.join('\n');
  const isList = fences > 0 && fences % 2 === 0 && (around.size <= inside || beginsLikeJson(code));
  return isList ? { text: code, around } : { text, around: new Map() };
}

/** Keeps the first play of each song, and reports the others as repeats. */
function withoutRepeats(results: readonly (ListEntry | NotSong)[]): (ListEntry | NotSong)[] {
  const seen = new Set<string>();
  return results.map((result) => {
    if (!isEntry(result)) return result;
    const key = result.uri ?? `${nameKey(result.artist)}\n${nameKey(result.title)}`;
    if (seen.has(key)) return { line: result.line, text: result.raw, why: LEFT_OUT_PLAYS.again };
    seen.add(key);
    return result;
  });
}

function chooseList(read: ListEntry[], wanted: string | undefined) {
  const isSeveral = new Set(read.flatMap(({ list }) => list ?? [])).size > 1;
  // Otherwise the songs in no playlist would be lost if each playlist is imported by itself.
  const all = isSeveral ? read.map((entry) => ({ ...entry, list: entry.list ?? NO_PLAYLIST })) : read;
  const counts = new Map<string, number>();
  for (const { list } of all) if (list !== undefined) counts.set(list, (counts.get(list) ?? 0) + 1);
  const lists = [...counts].map(([name, entries]) => ({ name, entries }));
  if (wanted === undefined) return { entries: all, lists, chosen: undefined };
  const chosen = counts.has(wanted)
    ? wanted
    : lists.find(({ name }) => normaliseName(name) === normaliseName(wanted))?.name;
  if (chosen !== undefined) return { entries: all.filter(({ list }) => list === chosen), lists, chosen };
  const names =
    lists
      .slice(0, 10)
      .map(({ name }) => `"${name}"`)
      .join(', ') + (lists.length > 10 ? ` and ${lists.length - 10} more` : '');
  throw refused(`The file has no playlist "${wanted}".`, {
    remedy: lists.length === 0 ? 'It has no named playlists.' : `It has: ${names}.`,
  });
}

const ARTISTS_NEEDED = 'Write one song a line as "Artist - Title".';

/** Refuses prose, such as a mail: a few of its lines may have a dash and so look like songs. */
function refuseProse(entries: readonly ListEntry[], notSongs: readonly NotSong[]): void {
  const missed = notSongs.filter(({ why }) => why === 'no artist' || why === 'too long for a song');
  if (entries.length * 5 >= missed.length + entries.length || missed.length < 4) return;
  const [first] = missed;
  throw refused(
    `Only ${entries.length} of ${counted(missed.length + entries.length, 'line')} can be read as a song; line ${first?.line} cannot (${first?.why}).`,
    {
      line: first?.line ?? 1,
      remedy: `${ARTISTS_NEEDED} To try anyway, {give the format txt|add --format txt|import it in a terminal, with --format txt}.`,
    },
  );
}

function noSongs({ name }: Reader, notSongs: readonly NotSong[]) {
  const first = notSongs.find(({ why }) => why !== 'empty' && why !== 'comment') ?? notSongs[0];
  const what = `The file was read as ${name}, but no song was found in it.`;
  if (!first) return refused(what, { remedy: 'Give a file with songs in it.' });
  return refused(`${what} Line ${first.line}: ${first.why}.`, {
    line: first.line,
    remedy:
      'Write one song a line as "Artist - Title", or give a table whose first line names title and artist. If each line is a title, give the format txt.',
  });
}
