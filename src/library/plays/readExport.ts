/** Reads a privacy export: its plays one by one, and how many playlists and saved songs it holds besides. */
import { basename } from 'node:path';
import { isObject, readJson } from '../../base/parsing.ts';
import { messageOf } from '../../base/thrown.ts';
import { boundedReader, type ExportFile, kindOf, RefusedExport, withExportFiles } from './exportFiles.ts';
import { eachRow, NotRows } from './jsonRows.ts';
import { type Play, playOf } from './play.ts';

/** Maximum size of a file of playlists or saved songs, in bytes. A larger one is not counted. */
const MAX_LIST = 64 * 1024 * 1024;
/** Other files that `relay import` reads. */
const OTHERS = /\.(?:csv|m3u8?|pls|tsv|txt|xspf|zip)$/i;

/** What was read besides the plays. */
interface ReadExport {
  /** Number of rows that are not plays. */
  unreadable: number;
  /** The files that could not be read to their end, and why: `"endsong_1.json" is empty`. */
  unread: string[];
  /** Number of playlists, and of saved songs. */
  lists: { playlists: number; saved: number };
}

/**
 * Reads the plays of an export. A file that cannot be read is left out, from the fault on.
 * @param onProgress called with the progress, in bytes
 * @throws RefusedExport if it holds no history, or if no file of it can be read; errors of the system and of `onPlay`
 */
export function readExport(
  path: string,
  label: string,
  onPlay: (play: Play) => void,
  onProgress: (done: number, total: number) => void,
): Promise<ReadExport> {
  return withExportFiles(path, label, async (files) => {
    const [only] = files;
    const isOne = files.length === 1 && only?.path === label;
    const histories = files.filter((file) => isOne || kindOf(file.path) === 'history');
    if (histories.length === 0) throw noHistory(label, files);
    const lists = files.filter((file) => !isOne && kindOf(file.path) === 'list' && file.size <= MAX_LIST);
    const total = [...histories, ...lists].reduce((sum, { size }) => sum + size, 0);
    const content = boundedReader(label, (done) => onProgress(done, total));
    const found: ReadExport = { unreadable: 0, unread: [], lists: { playlists: 0, saved: 0 } };
    let plays = 0;
    for (const file of histories) {
      const before = plays;
      let others = 0;
      const fault = await eachRow(content(file), (row) => {
        const play = playOf(row);
        if (play === null) others += 1;
        else onPlay(play);
        plays += play === null ? 0 : 1;
      }).then(() => (others > 0 && plays === before ? 'holds no plays' : null), faultOf);
      if (fault === null) found.unreadable += others;
      else found.unread.push(`${shown(file)} ${fault}`);
    }
    if (plays === 0 && found.unread.length > 0) throw nothingRead(label, isOne, found.unread);
    for (const file of lists) count(found.lists, await jsonIn(content(file)));
    return found;
  });
}

/** Says what is wrong with a file. @throws an error that the file did not cause */
function faultOf(error: unknown): string {
  if (error instanceof NotRows) return error.message;
  // Errors of the archive and of inflating have no name of their own.
  const { code = '' } = error as NodeJS.ErrnoException;
  const isOfFile = error instanceof Error && (error.constructor === Error || code.startsWith('Z_'));
  if (error instanceof RefusedExport || !isOfFile) throw error;
  return `cannot be read (${messageOf(error)})`;
}

/** Returns the name of a file without characters that a terminal acts on. */
function shown({ path }: ExportFile): string {
  return `"${basename(path)
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?')
    .slice(0, 100)}"`;
}

/** Parses a whole file; null if it cannot be read or is not JSON. */
async function jsonIn(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of chunks) parts.push(chunk);
  } catch (error) {
    faultOf(error);
    return null;
  }
  return (
    readJson(
      Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\ufeff/u, ''),
    ) ?? null
  );
}

function count(lists: ReadExport['lists'], content: unknown): void {
  if (!isObject(content)) return;
  if (Array.isArray(content.playlists)) lists.playlists += content.playlists.length;
  if (Array.isArray(content.tracks)) lists.saved += content.tracks.length;
}

function nothingRead(label: string, isOne: boolean, [first = '', ...more]: readonly string[]): RefusedExport {
  const others = more.length === 0 ? '' : `; ${more.length} more files cannot be read either`;
  return new RefusedExport(isOne ? `${first}.` : `Nothing of ${label} can be read: ${first}${others}.`);
}

function noHistory(label: string, files: readonly ExportFile[]): RefusedExport {
  const message = `${label} holds no listening history: none of its files is called StreamingHistory… or endsong….`;
  const other = files.find(({ path }) => kindOf(path) === 'list' || OTHERS.test(path));
  if (other)
    return new RefusedExport(
      message,
      `For what else it holds, import one file at a time, such as ${other.path}.`,
    );
  return new RefusedExport(
    message,
    'Ask Spotify for the extended streaming history, at Account, Privacy, and import the file that Spotify sends.',
  );
}

/**
 * Returns the lists of an export as JSON: its saved songs, or its playlists, which may be in several files. null if it has none.
 * @throws RefusedExport; errors of the system
 */
export function exportList(path: string, label: string, part: 'saved' | 'playlists'): Promise<Buffer | null> {
  return withExportFiles(path, label, async (files) => {
    const contents = await Promise.all(files.filter(({ path }) => kindOf(path) === 'list').map(contentOf));
    if (part === 'saved') {
      const library = contents.find(({ tracks }) => Array.isArray(tracks));
      return library ? asJson({ tracks: library.tracks }) : null;
    }
    const playlists = contents.flatMap((content) =>
      Array.isArray(content.playlists) ? content.playlists : [],
    );
    return playlists.length > 0 ? asJson({ playlists }) : null;
  });
}

async function contentOf(file: ExportFile): Promise<Record<string, unknown>> {
  const content = await jsonIn(file.chunks());
  return isObject(content) ? content : {};
}

function asJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
