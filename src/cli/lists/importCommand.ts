import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import { counted } from '../../base/lists.ts';
import { didYouMean } from '../../base/nearest.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import type { JobRecord } from '../../domain/job.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import {
  type ImportPreview,
  type ImportTarget,
  LIST_FORMATS,
  type ListReading,
} from '../../domain/listImport.ts';
import type { ListContent } from '../../domain/localApi.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { endOfInput } from '../terminal/endOfInput.ts';
import { hanging, note, printJson, printLine } from '../terminal/output.ts';
import type { Dialogue } from '../terminal/prompt.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

interface ImportOptions extends Omit<ListReading, 'list'> {
  to?: string;
  new?: string;
  saved?: boolean;
  replace?: boolean;
  skipUnresolved?: boolean;
  skipDuplicates?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  list?: string[];
  each?: boolean;
  allPlays?: boolean;
}

const HELP = `
Reads CSV, tables with tabs, JSON, M3U, PLS, XSPF, iTunes XML, Spotify's own
data export, and text with one song a line. Without --to, --new or --saved,
relay creates a private playlist. Its name is the one in the file, or else the
name of the file.

On a terminal, relay asks what to do about songs that were not found, and asks
again before it writes. Elsewhere it writes nothing until every song is found,
unless --skip-unresolved is given.

A listening history from Spotify goes into the library instead, where you can
query each play in SQL. Name the archive, the directory that it unpacks to, or
one file of it. This sends no request, and skips plays that are already there.
With --each, --list or --saved, an archive gives its playlists or saved songs.

Examples:
  $ relay import songs.csv --dry-run
  $ relay import songs.txt --new "Road trip"
  $ relay import favourites.json --saved --skip-unresolved
  $ relay import my_spotify_data.zip
  $ cat jazz.txt folk.txt | relay import - --to "Morning run"`;

export function importCommand(context: Context, finish: Finish): Command {
  const more = (value: string, before: string[] = []) => [...before, value];
  return new Command('import')
    .helpGroup(HELP_GROUPS.lists)
    .description('Create a playlist from a file of songs, or import a listening history')
    .argument('<file>', 'File with the list; - reads it from stdin')
    .option('--to <playlist>', 'Add to this playlist: name, ID or link')
    .option('--new <name>', 'Create a playlist with this name')
    .option('--saved', 'Save the songs in Liked Songs')
    .option('--replace', 'With --to, replace the songs of the playlist')
    .option('--skip-unresolved', 'Write the songs that were found, even if others were not')
    .option('--skip-duplicates', 'Leave out repeated songs, and songs that are already in the playlist')
    .addOption(
      new Option('--format <format>', 'Format of the file; detected by default').choices(LIST_FORMATS),
    )
    .addOption(
      new Option('--artist-side <side>', 'Where the artist is in "A - B"; detected by default').choices([
        'left',
        'right',
      ]),
    )
    .option('--encoding <name>', 'Encoding of the file, such as windows-1251; detected by default')
    .option(
      '--list <name>',
      'Only this playlist of a file that has several; if repeated, each becomes a playlist of its own',
      more,
    )
    .option('--each', 'Create a playlist for each playlist in the file')
    .option(
      '--all-plays',
      'From a listening history, take every play, also repeats and those of less than 30 s',
    )
    .option('--dry-run', 'Show what would be read; search and write nothing')
    .option('--yes', 'Do not ask, even if the file may not be a list of songs')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => finish(await runImport(context, file, options)));
}

async function runImport(context: Context, file: string, options: ImportOptions): Promise<ExitCode> {
  requireOneTarget(options);
  const { listeningHistoryIn } = await import('./historyFile.ts');
  const found = await listeningHistoryIn(file);
  const isHistory = found === 'export' || (found === 'file' && !saysItIsList(options));
  if (options.dryRun) {
    if (found === 'export' && !saysItIsList(options))
      throw usage(
        '--dry-run shows how a list of songs is read. An archive or directory is read as a data export.',
      );
    if (isHistory) {
      context.remark(
        'This is a listening history: the import puts its plays into the library. To make a playlist of them, add --new, --to or --saved.',
      );
    }
    await showOnly(context, file, options);
    return EXIT.done;
  }
  const { local } = await context.server();
  const talk = await openTalk(context, options);
  try {
    if (isHistory && !saysItIsList(options)) {
      const { importPlays } = await import('./importPlays.ts');
      await importPlays(context, local, file);
      return EXIT.done;
    }
    const to = file === '-' ? await askWhere(context, options, talk) : options;
    return await importList(context, local, file, to, file === '-' ? null : talk);
  } finally {
    talk?.close();
  }
}

/** True if an option applies only to lists of songs. A file of a listening history is then read as a list of songs. */
function saysItIsList(options: ImportOptions): boolean {
  const { to, new: name, saved, replace, format, encoding, artistSide, list, each, allPlays } = options;
  return [to, name, saved, replace, format, encoding, artistSide, list, each, allPlays].some(
    (one) => one !== undefined,
  );
}

/** Opens a dialogue for questions; null with `--json`, with `--yes`, or without a terminal. */
async function openTalk({ io, json, signal }: Context, { yes }: ImportOptions): Promise<Dialogue | null> {
  if (yes || json || !io.terminal.stdin || !io.terminal.stderr) return null;
  const { openDialogue } = await import('../terminal/prompt.ts');
  return openDialogue(io, signal);
}

/** Does a `--dry-run`, which needs no server and creates nothing. The preview counts songs that the home remembers. */
async function showOnly(context: Context, file: string, options: ImportOptions): Promise<void> {
  const content = await contentOf(context, file, options);
  const preview = await context.withLocal((local) => local.previewImport(content));
  await showPreview(context, file, preview, options);
}

/** Asks where the songs go before the person types or pastes the list, since no input can follow the list. */
async function askWhere(
  context: Context,
  options: ImportOptions,
  talk: Dialogue | null,
): Promise<ImportOptions> {
  if (talk === null) return options;
  let to = options;
  if (options.to === undefined && options.new === undefined && !options.saved) {
    const name = await talk.ask('Name of the new playlist: ');
    if (!name) throw usage('Say where the songs go, with --new, --to or --saved.');
    to = { ...options, new: name };
  }
  talk.close();
  const end = endOfInput(context.platform);
  note(context.io, `Paste the list, one song a line. ${end} on a line of its own ends it.`);
  return to;
}

async function contentOf(context: Context, file: string, options: ImportOptions): Promise<ListContent> {
  const { saved = false, format, encoding, artistSide, list = [], allPlays } = options;
  return {
    content: (await bytesOf(context, file, saved)).toString('base64'),
    tracksOnly: saved,
    format,
    encoding,
    artistSide,
    list: list.length === 1 ? list[0] : undefined,
    fileName: file === '-' ? undefined : basename(file),
    allPlays,
  };
}

/** Reads a list, or takes the saved songs or the playlists out of an export. */
async function bytesOf(context: Context, file: string, saved: boolean): Promise<Buffer> {
  const { listeningHistoryIn } = await import('./historyFile.ts');
  if ((await listeningHistoryIn(file)) !== 'export') {
    const { readInput } = await import('./readInput.ts');
    return readInput(context, file);
  }
  const { exportList } = await import('../../library/plays/exportLists.ts');
  const found = await exportList(file, basename(file), saved ? 'saved' : 'playlists').catch((error) => {
    throw new RelayError('INVALID_ARGUMENT', messageOf(error), { cause: error });
  });
  if (found) return found;
  throw usage(
    `An archive or directory is read as Spotify's data export, which goes into the library, not into a playlist. This one has no ${saved ? 'saved songs' : 'playlists'}.`,
  );
}

async function importList(
  context: Context,
  local: LocalApi,
  file: string,
  options: ImportOptions,
  talk: Dialogue | null,
): Promise<ExitCode> {
  const content = await contentOf(context, file, options);
  const preview = await local.previewImport(content);
  const playlist = options.to === undefined ? null : await findTarget(local, options.to);
  await showPreview(context, file, preview, options);
  await requireList(preview, options, talk);
  const each = await eachOf(preview, options, talk);
  const target = each ? newTarget(each.join(', ')) : targetOf(file, preview, options, playlist);
  const replaces = target.kind === 'playlist' && target.replace;
  const askToReplace = replaces && talk ? replaceQuestion(context, local, target, preview, talk) : null;
  await askToReplace?.();
  const { skipUnresolved = false, skipDuplicates = false } = options;
  const request = { ...content, target, each, strict: !skipUnresolved, skipDuplicates };
  const { jobs } = await local.startImport(request);
  const { carryOut } = await import('./carryOut.ts');
  const name = target.kind === 'new' ? target.name : (playlist?.name ?? '');
  const carrying = { skipUnresolved, talk, askToReplace, target, name };
  const done = await carryOut(context, local, jobs, carrying).catch((error: unknown) => {
    throw onOtherSide(error, preview);
  });
  const { written, skipped, unresolved } = await report(context, preview, target, name, done);
  // Spotify may refuse a link as late as the write, when every song seemed to be found.
  const isPromised = !skipUnresolved && talk === null;
  return unresolved > 0 && (isPromised || written + skipped === 0) ? EXIT.failed : EXIT.done;
}

/** If no song at all was found, adds to the error that the side of the artist was a guess. */
function onOtherSide(error: unknown, { artist_side }: ImportPreview): unknown {
  if (!artist_side || artist_side.certain || !(error instanceof RelayError)) return error;
  const remedy = error.remedyValue;
  if (error.code !== 'RESOLUTION_FAILED' || error.details?.resolved !== 0 || !remedy) return error;
  const other = artist_side.side === 'left' ? 'right' : 'left';
  const text = `If the artist is on the ${other} of " - ", import the file again with --artist-side ${other}. Otherwise continue with {command}.`;
  return error.with({ remedy: { ...remedy, text } });
}

/** Asks about a file that may not be a list of songs; refuses the file if nobody can be asked. */
async function requireList(
  { doubt }: ImportPreview,
  { yes }: ImportOptions,
  talk: Dialogue | null,
): Promise<void> {
  if (doubt === null || yes) return;
  if (talk === null) {
    throw new RelayError('USAGE', doubt, {
      remedy: 'Nothing was searched. To import it anyway, add --yes; --dry-run shows how it is read.',
    });
  }
  await talk.requireYes(`${doubt} Import it anyway?`);
}

/** Returns the playlists of a file that each become a new playlist; undefined if all songs go to one place. */
async function eachOf(
  { lists }: ImportPreview,
  { each = false, list = [], to, saved, new: name }: ImportOptions,
  talk: Dialogue | null,
): Promise<string[] | undefined> {
  const names = lists.map((one) => one.name);
  if (list.length > 1) return Promise.all(list.map((wanted) => listNamed(wanted, lists)));
  if (each) return names.length > 0 ? names : undefined;
  if (names.length === 0 || talk === null || to !== undefined || saved || name !== undefined)
    return undefined;
  if (await talk.confirm(`Create ${names.length} playlists, one for each?`, true)) return names;
  const wanted = await talk.ask('Which one? ');
  if (!wanted) throw new RelayError('INTERRUPTED', 'Nothing was changed.');
  return [await listNamed(wanted, lists)];
}

/** Maximum number of a file's playlists that an error names. */
const NAMED = 10;

/** Returns the name of a list as it is written in the file. Case, accents and punctuation of `wanted` do not matter. */
async function listNamed(wanted: string, lists: ImportPreview['lists']): Promise<string> {
  const { calledLike } = await import('../../music/names.ts');
  const [found] = calledLike(lists, wanted);
  if (found) return found.name;
  const names = lists.map(({ name }) => name);
  const first = names.slice(0, NAMED).map((name) => `"${name}"`);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const has =
    names.length === 0 ? 'The file is one list: leave out --list.' : `It has: ${first.join(', ')}${more}.`;
  throw new RelayError('USAGE', `The file has no playlist "${wanted}".`, {
    remedy: [didYouMean(wanted, names), has].filter(Boolean).join(' '),
  });
}

function newTarget(name: string): ImportTarget {
  return { kind: 'new', name: name.slice(0, 100) };
}

function requireOneTarget({ to, new: name, saved, replace, each, list = [] }: ImportOptions): void {
  const given = [to, name, saved].filter((one) => one !== undefined);
  if (given.length > 1) throw usage('--to, --new and --saved say where the songs go: give one of them.');
  if (given.length > 0 && (each || list.length > 1)) {
    const makes = each ? '--each makes' : 'Several --list make';
    throw usage(`${makes} a new playlist of each: leave out --to, --new and --saved.`);
  }
  if (replace && to === undefined) throw usage('--replace needs --to: there is nothing else to replace.');
}

function usage(message: string): RelayError {
  return new RelayError('USAGE', message, {
    remedy: { text: 'See {command}.', command: ['import', '--help'] },
  });
}

async function findTarget(local: LocalApi, given: string): Promise<PlaylistFacts> {
  const { findPlaylist } = await import('./findPlaylist.ts');
  const found = await findPlaylist(local, given);
  // Without this check, Spotify would refuse the write only after all searches were made.
  if (!found.readable) {
    throw new RelayError('FORBIDDEN', `"${found.name}" belongs to ${found.owner}; you cannot add to it.`, {
      remedy: 'Give a playlist of your own, or make a new one with --new.',
    });
  }
  return found;
}

/** Prints the preview on stdout with `--dry-run`, else as notes on stderr. */
async function showPreview(
  context: Context,
  file: string,
  preview: ImportPreview,
  { dryRun = false }: ImportOptions,
): Promise<void> {
  const { io, json } = context;
  if (json) return dryRun ? printJson(io, { dry_run: true, preview }) : undefined;
  const { previewLines } = await import('./importText.ts');
  const print = dryRun ? printLine : note;
  const lines = previewLines(file, preview, context);
  for (const line of lines.flatMap((one) => hanging(one, io.columns))) print(io, line);
  if (dryRun && preview.doubt !== null) note(io, preview.doubt);
}

function targetOf(
  file: string,
  preview: ImportPreview,
  { new: name, saved, replace = false }: ImportOptions,
  playlist: PlaylistFacts | null,
): ImportTarget {
  if (saved) return { kind: 'saved' };
  if (playlist) return { kind: 'playlist', playlistId: playlist.id, replace };
  if (name !== undefined) return { kind: 'new', name: requireName(name) };
  const { lists } = preview;
  if (lists.length > 0) {
    const names = lists.slice(0, 5).map((one) => `"${one.name}"`);
    const more = lists.length > names.length ? ' …' : '';
    throw new RelayError('USAGE', `The file has ${lists.length} playlists: ${names.join(', ')}${more}.`, {
      remedy:
        'Choose one with --list, import each of them with --each, or put all into one playlist with --new or --to.',
    });
  }
  const found = preview.name ?? (file === '-' ? '' : basename(file, extname(file)));
  if (found.trim() === '') throw usage('Say where the songs go, with --new, --to or --saved.');
  return newTarget(found.trim());
}

function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= 100) return trimmed;
  throw usage('The name of a playlist has 1 to 100 characters.');
}

/** Returns a function that asks whether a playlist may lose its rows. Later calls ask only if it has more rows than before. */
function replaceQuestion(
  { io }: Context,
  local: LocalApi,
  { playlistId }: { playlistId: string },
  { songs }: ImportPreview,
  talk: Dialogue,
): () => Promise<void> {
  let agreed = 0;
  return async () => {
    for (;;) {
      const { name, rows } = await local.getPlaylist({ playlist: playlistId });
      const count = rows ?? Number.POSITIVE_INFINITY;
      // The playlist may have grown while the question was open.
      if (count <= agreed) return;
      const gone = rows === null ? 'All rows' : counted(rows, 'row');
      note(io, `${gone} of "${name}" will be removed; up to ${counted(songs, 'song')} will replace them.`);
      await talk.requireYes('Continue?');
      agreed = count;
    }
  };
}

/** @returns the totals of the jobs, which say how the import ended */
async function report(
  context: Context,
  preview: ImportPreview,
  target: ImportTarget,
  name: string,
  jobs: readonly JobRecord[],
) {
  const { io, json } = context;
  const { totalsOf } = await import('./importText.ts');
  const totals = totalsOf(jobs);
  if (json) {
    const { written, skipped, unresolved } = totals;
    const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
    const playlists = ids.map((id) => ({ id, url: `https://open.spotify.com/playlist/${id}` }));
    printJson(io, { preview, target, written, skipped, unresolved, playlists, jobs });
    return totals;
  }
  const { doneLines, doubtLines } = await import('./importOutcome.ts');
  for (const line of doneLines(target, name, jobs)) printLine(io, line);
  for (const line of doubtLines(context, jobs)) note(io, line);
  return totals;
}
