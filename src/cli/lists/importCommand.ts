import { readFile, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { readStart } from '../../base/files.ts';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { ADDRESS } from '../../domain/ids.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import {
  type ImportPreview,
  type ImportTarget,
  LIST_FORMATS,
  type ListFormat,
  MAX_LIST_BYTES,
} from '../../domain/listImport.ts';
import type { ListContent } from '../../domain/localApi.ts';
import { type PlaysProgress, playsNotes, playsText } from '../../domain/plays.ts';
import type { LocalApi } from '../../server/calls.ts';
import { leaf, type Result } from '../command.ts';
import { commandLine, quotedPath } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { createProgress, hanging, note } from '../terminal/output.ts';
import { canAsk, type Dialogue, openDialogue, readStdin } from '../terminal/prompt.ts';
import { findPlaylist } from './findPlaylist.ts';

interface ImportOptions {
  to?: string;
  new?: string;
  saved?: boolean;
  replace?: boolean;
  each?: boolean;
  format?: ListFormat;
  encoding?: string;
  skipUnresolved?: boolean;
  skipDuplicates?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

const HELP = `
Reads CSV, tables with tabs, JSON, M3U, PLS, XSPF, iTunes XML, Spotify's own
data export, and text with one song a line. Without --to, --new or --saved,
relay creates a private playlist with the name in the file, or of the file.

On a terminal, relay asks about songs that were not found, and before it writes.
Elsewhere it writes nothing until every song is found, unless --skip-unresolved
is given.

A listening history from Spotify (the archive, its directory or one file of it)
goes into the library instead, where you can query each play in SQL. With --each
or --saved, an archive gives its playlists or saved songs.

Examples:
  $ relay import songs.csv --dry-run
  $ relay import songs.txt --new "Road trip"
  $ relay import my_spotify_data.zip
  $ cat jazz.txt folk.txt | relay import - --to "Morning run"`;

export function importCommand(context: Context): Command {
  const description = 'Make a playlist of a file of songs, or import your history';
  return leaf(context, 'import', description, runImport, HELP)
    .argument('<file>', 'File with the list; - reads it from stdin')
    .option('--to <playlist>', 'Add to this playlist: name, ID or link')
    .option('--new <name>', 'Create a playlist with this name')
    .option('--saved', 'Save the songs in Liked Songs')
    .option('--replace', 'With --to, replace the songs of the playlist')
    .option('--each', 'Create a playlist for each playlist in the file')
    .addOption(
      new Option('--format <format>', 'Format of the file; detected by default').choices(LIST_FORMATS),
    )
    .option('--encoding <name>', 'Encoding of the file, such as windows-1251; detected by default')
    .option('--skip-unresolved', 'Write the songs that were found, even if others were not')
    .option('--skip-duplicates', 'Leave out repeated songs, and songs that are already in the playlist')
    .option('--dry-run', 'Show what would be read; search and write nothing')
    .option('--yes', 'Do not ask, even if the file may not be a list of songs');
}

async function runImport(context: Context, file: string, options: ImportOptions): Promise<Result> {
  requireOneTarget(options);
  const kind = await kindOf(file);
  const { to, new: name, saved, each, format, dryRun, yes } = options;
  const asList = [to, name, saved, each, format].some((one) => one !== undefined);
  if (dryRun) {
    if (kind === 'export' && !asList)
      throw usage('--dry-run shows how a list is read. An archive or directory is read as a data export.');
    const content = await contentOf(context, file, kind === 'export', options);
    const preview = await context.withLocal((local) => local.previewImport(content));
    const plays = 'This is a listening history: without --dry-run, its plays go into the library.';
    return {
      value: { dry_run: true, preview },
      text: previewLines(context, file, preview),
      notes: [
        ...(preview.doubt === null ? [] : [preview.doubt]),
        ...(kind === 'plays' && !asList ? [plays] : []),
      ],
    };
  }
  const { local } = await context.server();
  if (kind !== 'list' && !asList) return importPlays(context, local, file);
  // No answer can follow a list on stdin.
  const talk = yes || file === '-' || !canAsk(context) ? null : openDialogue(context.io, context.signal);
  try {
    return await importList(context, local, file, kind === 'export', options, talk);
  } finally {
    talk?.close();
  }
}

async function importList(
  context: Context,
  local: LocalApi,
  file: string,
  isExport: boolean,
  options: ImportOptions,
  talk: Dialogue | null,
): Promise<Result> {
  const { skipUnresolved = false, skipDuplicates = false, to } = options;
  const content = await contentOf(context, file, isExport, options);
  const preview = await local.previewImport(content);
  const playlist = to === undefined ? null : await findTarget(local, to);
  if (!context.json) for (const line of previewLines(context, file, preview)) note(context.io, line);
  await requireList(preview, options, talk);
  const each = await eachOf(preview, options, talk);
  const target = each ? newTarget(each.join(', ')) : targetOf(file, preview, options, playlist);
  const place =
    target.kind === 'saved' ? 'Liked Songs' : `"${target.kind === 'new' ? target.name : playlist?.name}"`;
  const strict = !skipUnresolved;
  const { jobs: started } = await local.startImport({ ...content, target, each, strict, skipDuplicates });
  // The rows that are there now, if they will be gone.
  const gone = target.kind === 'playlist' && target.replace ? (playlist?.rows ?? null) : 0;
  const { carryOut, doneLines, leftLines, totalsOf } = await import('./importJobs.ts');
  const jobs = await carryOut(context, local, started, { skipUnresolved, talk, place, gone });
  const { written, skipped, unresolved } = totalsOf(jobs);
  const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
  const playlists = ids.map((id) => ({ id, url: `https://open.spotify.com/playlist/${id}` }));
  // Spotify may refuse a link as late as the write, when every song seemed to be found.
  const isPromised = strict && talk === null;
  return {
    value: { preview, target, written, skipped, unresolved, playlists, jobs },
    text: doneLines(target, place, jobs),
    notes: leftLines(context, jobs),
    exit: unresolved > 0 && (isPromised || written + skipped === 0) ? EXIT.failed : EXIT.done,
  };
}

const LINES_SHOWN = 10;
const COLUMNS_NAMED = ['title', 'artist', 'album', 'year', 'isrc', 'uri'];

/** Says how a file was read, before anything is searched for. */
function previewLines({ io }: Context, file: string, preview: ImportPreview): string[] {
  const { songs, format, encoding, name, lists, columns, artist_side: side, searches, jobs } = preview;
  const { total, reasons, lines } = preview.not_songs;
  const shown = lines.slice(0, LINES_SHOWN);
  const whys = Object.entries(reasons).map(([why, count]) => `${count} ${why}`);
  const used = COLUMNS_NAMED.flatMap((field) => {
    const column = columns[field];
    return column === undefined ? [] : [`${field} from "${visibleText(column, 60)}"`];
  });
  const known = preview.examples.filter(({ title, artist }) => title !== '' && artist !== '').slice(0, 2);
  const counts = [
    [preview.repeated, 'listed already'],
    [preview.with_uri, 'with a Spotify link: no search'],
    [preview.with_isrc, 'with a recording code (ISRC)'],
    [preview.remembered, 'known from earlier lists: no search'],
  ] as const;
  const { at_least: least, at_most: most } = searches;
  const before = preview.searches_24h === 0 ? '' : `; ${preview.searches_24h} in the last 24 hours`;
  const title = file === '-' ? 'The list' : visibleText(file, 200);
  return [
    `${title}: ${counted(songs, 'song')}, read as ${format} (${encoding})`,
    ...(lists.length > 0 ? [`  ${counted(lists.length, 'playlist')}; you can take one or all of them`] : []),
    ...(lists.length === 0 && name !== null ? [`  playlist "${visibleText(name, 100)}"`] : []),
    ...(used.length > 0 ? [`  ${used.join(', ')}`] : []),
    ...(side ? [`  the artist is on the ${side.side}: ${visibleText(side.because, 200)}`] : []),
    ...known.map(
      (one) => `  line ${one.line} is "${visibleText(one.title, 80)}" by ${visibleText(one.artist, 80)}`,
    ),
    ...(total > 0 ? [`  ${counted(total, 'line')} without a song: ${whys.join(', ')}`] : []),
    ...shown.map(({ line, text, why }) => `    line ${line}, ${why}: ${visibleText(text, 60)}`),
    ...(total > shown.length + (reasons.empty ?? 0) && shown.length === LINES_SHOWN ? ['    …'] : []),
    ...counts.filter(([count]) => count > 0).map(([count, what]) => `  ${count} ${what}`),
    `  searches of Spotify's daily quota: ${least === most ? least : `${least} to ${most}`}${before}`,
    ...(jobs > 1 ? [`  ${jobs} jobs, since each takes 10000 songs`] : []),
  ].flatMap((line) => hanging(line, io.columns));
}

/** Reads a list, or takes the saved songs or the playlists out of an export. */
async function contentOf(
  context: Context,
  file: string,
  isExport: boolean,
  { saved = false, format, encoding }: ImportOptions,
): Promise<ListContent> {
  const bytes = isExport ? await exportOf(file, saved) : await readInput(context, file);
  const fileName = file === '-' ? undefined : basename(file);
  return { content: bytes.toString('base64'), tracksOnly: saved, format, encoding, fileName };
}

async function exportOf(file: string, saved: boolean): Promise<Buffer> {
  const { exportList } = await import('../../library/plays/readExport.ts');
  const found = await exportList(file, basename(file), saved ? 'saved' : 'playlists').catch(
    (error: Error) => {
      throw new RelayError('INVALID_ARGUMENT', error.message, { cause: error });
    },
  );
  if (found) return found;
  throw usage(
    `An archive or directory is read as Spotify's data export. This one has no ${saved ? 'saved songs' : 'playlists'}.`,
  );
}

/** Asks about a file that may not be a list of songs; refuses the file if nobody can be asked. */
async function requireList(
  { doubt }: ImportPreview,
  { yes }: ImportOptions,
  talk: Dialogue | null,
): Promise<void> {
  if (doubt === null || yes) return;
  if (talk) return talk.requireYes(`${doubt} Import it anyway?`);
  throw new RelayError('USAGE', doubt, {
    remedy: 'Nothing was searched. To import it anyway, add --yes; --dry-run shows how it is read.',
  });
}

/** Returns the playlists of a file that each become a new playlist; undefined if all songs go to one place. */
async function eachOf(
  { lists }: ImportPreview,
  { each = false, to, saved, new: name }: ImportOptions,
  talk: Dialogue | null,
): Promise<string[] | undefined> {
  const names = lists.map((one) => one.name);
  if (names.length === 0 || to !== undefined || saved || name !== undefined) return undefined;
  if (each || (await talk?.confirm(`Create ${names.length} playlists, one for each?`, true))) return names;
  const some = names.slice(0, 5).map((one) => `"${one}"`);
  const more = names.length > some.length ? ' …' : '';
  throw new RelayError('USAGE', `The file has ${names.length} playlists: ${some.join(', ')}${more}.`, {
    remedy: 'Import each of them with --each, or put all into one playlist with --new or --to.',
  });
}

function newTarget(name: string): ImportTarget {
  return { kind: 'new', name: name.slice(0, 100) };
}

function targetOf(
  file: string,
  preview: ImportPreview,
  { new: name, saved, replace = false }: ImportOptions,
  playlist: PlaylistFacts | null,
): ImportTarget {
  if (saved) return { kind: 'saved' };
  if (playlist) return { kind: 'playlist', playlistId: playlist.id, replace };
  const found = name ?? preview.name ?? (file === '-' ? '' : basename(file, extname(file)));
  if (found.trim() === '') throw usage('Say where the songs go, with --new, --to or --saved.');
  return newTarget(found.trim());
}

function requireOneTarget({ to, new: name, saved, replace, each }: ImportOptions): void {
  const given = [to, name, saved, each].filter((one) => one !== undefined);
  if (given.length > 1)
    throw usage('--to, --new, --saved and --each say where the songs go: give one of them.');
  if (replace && to === undefined) throw usage('--replace needs --to: there is nothing else to replace.');
  if (name !== undefined && (name.trim() === '' || name.trim().length > 100))
    throw usage('The name of a playlist has 1 to 100 characters.');
}

function usage(message: string): RelayError {
  return new RelayError('USAGE', message, {
    remedy: { text: 'See {command}.', command: ['import', '--help'] },
  });
}

async function findTarget(local: LocalApi, given: string): Promise<PlaylistFacts> {
  const found = await findPlaylist(local, given);
  // Without this check, Spotify would refuse the write only after all searches were made.
  if (found.readable) return found;
  throw new RelayError('FORBIDDEN', `"${found.name}" belongs to ${found.owner}; you cannot add to it.`, {
    remedy: 'Give a playlist of your own, or make a new one with --new.',
  });
}

/**
 * Imports a listening history. Ctrl-C does not stop the server.
 * @throws RelayError `INVALID_ARGUMENT` if `file` is not an export, `INTERRUPTED` after Ctrl-C
 */
async function importPlays(context: Context, local: LocalApi, file: string): Promise<Result> {
  const { signal, platform } = context;
  const bar = createProgress(context.io);
  try {
    const { id } = await local.importPlays({ path: resolve(file) });
    let now = await local.playsProgress({ id });
    for (; now.state !== 'done'; now = await local.playsProgress({ id })) bar.draw(progressOf(now));
    const { plays, note: more } = now;
    const again = (option: string) => commandLine(context, 'import', quotedPath(file, platform), option);
    return {
      value: { plays },
      text: [playsText(plays)],
      notes: [...(more === null ? [] : [more]), ...playsNotes(plays, again)],
    };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new RelayError('INTERRUPTED', 'Interrupted. The server continues the import.', {
      remedy: 'Run the same command again to wait for its end. No play is added twice.',
    });
  } finally {
    bar.clear();
  }
}

function progressOf({ state, done, total }: Extract<PlaysProgress, { done: number }>) {
  if (state === 'writing') return { progress: done, total, message: 'Adding plays' };
  const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
  if (total === 0) return { progress: 0, message: 'Reading the export' };
  return { progress: megabytes(done), total: megabytes(total), message: 'Reading (MB)' };
}

const HEAD = 64 * 1024;
const ARCHIVE = ['PK\u0003\u0004', 'PK\u0005\u0006'];

/**
 * Returns `export` for an archive or a directory, `plays` for one file of a listening history, and `list` for everything else, also
 * for stdin.
 * @throws RelayError `USAGE` for a link
 */
async function kindOf(path: string): Promise<'export' | 'plays' | 'list'> {
  if (path === '-') return 'list';
  if (ADDRESS.test(path) || /^https?:\/\//i.test(path)) {
    throw new RelayError('USAGE', `${path} is a link, not a file.`, {
      remedy: {
        text: 'To save a playlist of yours to a file: {command}',
        command: ['export', 'PLAYLIST', '-o', 'FILE'],
      },
    });
  }
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return 'export';
  if (!found?.isFile()) return 'list';
  const head = (await readStart(path, HEAD).catch(() => Buffer.alloc(0))).toString('latin1');
  // Excel workbooks are zip archives too.
  if (ARCHIVE.some((sign) => head.startsWith(sign)))
    return /\.(?:xlsx|xlsm|ods|numbers|docx)$/i.test(path) ? 'list' : 'export';
  return looksLikePlays(head) ? 'plays' : 'list';
}

function looksLikePlays(head: string): boolean {
  if (!/^(?:\u00ef\u00bb\u00bf)?\s*\[\s*\{/.test(head)) return false;
  const isExtended = /"ts"\s*:/.test(head) && /"ms_played"\s*:/.test(head);
  return isExtended || (/"endTime"\s*:/.test(head) && /"msPlayed"\s*:/.test(head));
}

/** Reads a list. @param file a path, or `-` for stdin. @throws RelayError `INVALID_ARGUMENT` */
async function readInput(context: Context, file: string): Promise<Buffer> {
  if (file === '-') {
    const bytes = await readStdin(context, MAX_LIST_BYTES);
    if (bytes.length > MAX_LIST_BYTES) throw tooLarge();
    return bytes;
  }
  try {
    if ((await stat(file)).size > MAX_LIST_BYTES) throw tooLarge();
    return await readFile(file);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const whys: Record<string, string> = {
      ENOENT: 'There is no such file',
      EACCES: 'It may not be read',
    };
    const why = whys[systemCodeOf(error) ?? ''] ?? messageOf(error);
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be read. ${why}.`, {
      remedy: 'Give the path of a file, or - to read from stdin.',
      cause: error,
    });
  }
}

function tooLarge(): RelayError {
  const most = `${MAX_LIST_BYTES / 1024 / 1024} MiB, which is the most that is read.`;
  return new RelayError('INVALID_ARGUMENT', `The file has more than ${most}`, {
    remedy: 'Split it, or export one playlist instead of the whole library.',
  });
}
