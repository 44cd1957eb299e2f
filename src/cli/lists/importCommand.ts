import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import type { JobRecord } from '../../domain/job.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import {
  type ImportPreview,
  type ImportTarget,
  LIST_FORMATS,
  type ListReading,
} from '../../domain/listImport.ts';
import type { ListContent, LocalApi } from '../../domain/localApi.ts';
import type { Context } from '../context.ts';
import { requireServer } from '../requireServer.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

interface ImportOptions extends ListReading {
  to?: string;
  new?: string;
  saved?: boolean;
  replace?: boolean;
  skipUnresolved?: boolean;
  skipDuplicates?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

const HELP = `
Reads CSV, tables with tabs, JSON, M3U, PLS, XSPF, iTunes XML, Spotify's own
data export, and text with one song a line. Without --to, --new or --saved it
makes a new private playlist with the name in the file, or that of the file.

Nothing is written before every song is found, unless --skip-unresolved is
given.

Examples:
  $ relay import songs.csv --dry-run
  $ relay import songs.txt --new "Road trip"
  $ relay import favourites.json --saved --skip-unresolved
  $ cat jazz.txt folk.txt | relay import - --to "Morning run"`;

export function importCommand(context: Context): Command {
  return new Command('import')
    .helpGroup(HELP_GROUPS.lists)
    .description('Make a playlist of a list of songs in a file')
    .argument('<file>', 'File with the list; - reads it from stdin')
    .option('--to <playlist>', 'Add to this playlist: name, ID or link')
    .option('--new <name>', 'Make a new playlist of this name')
    .option('--saved', 'Save the songs in Liked Songs')
    .option('--replace', 'With --to: the songs replace what the playlist holds')
    .option('--skip-unresolved', 'Write what is found, even if some songs are not')
    .option('--skip-duplicates', 'Leave out what the list names twice, or the playlist holds already')
    .addOption(
      new Option('--format <format>', 'Format of the file; detected by default').choices(LIST_FORMATS),
    )
    .addOption(
      new Option('--artist-side <side>', 'Where the artist is in "A - B"; detected by default').choices([
        'left',
        'right',
      ]),
    )
    .option('--list <name>', 'Only this playlist, from a file that has several')
    .option('--dry-run', 'Only say what would be read; search and write nothing')
    .option('--yes', 'Do not ask before --replace takes something away')
    .addHelpText('after', HELP)
    .action((file: string, options: ImportOptions) => runImport(context, file, options));
}

async function runImport(context: Context, file: string, options: ImportOptions): Promise<void> {
  requireOneTarget(options);
  const { local } = await requireServer(context);
  const { readInput } = await import('./readInput.ts');
  const { saved = false, format, artistSide, list } = options;
  const content: ListContent = {
    content: (await readInput(context, file)).toString('base64'),
    tracksOnly: saved,
    format,
    artistSide,
    list,
  };
  const preview = await interruptible(context.signal, local.previewImport(content));
  const playlist = options.to === undefined ? null : await findTarget(context, local, options.to);
  await showPreview(context, file, preview, options);
  if (options.dryRun) return;
  const target = targetOf(file, preview, options, playlist);
  if (target.kind === 'playlist' && target.replace && playlist) {
    await confirmReplacing(context, playlist, preview, options);
  }
  const { skipUnresolved = false, skipDuplicates = false } = options;
  const request = { ...content, target, strict: !skipUnresolved, skipDuplicates };
  const { jobs } = await interruptible(context.signal, local.startImport(request));
  const done = await carryOut(context, local, jobs, skipUnresolved);
  await report(context, preview, target, playlist?.name ?? '', done);
}

function requireOneTarget({ to, new: name, saved, replace }: ImportOptions): void {
  const given = [to, name, saved].filter((one) => one !== undefined);
  if (given.length > 1) throw usage('--to, --new and --saved say where the songs go: give one of them.');
  if (replace && to === undefined) throw usage('--replace needs --to: there is nothing else to replace.');
}

function usage(message: string): RelayError {
  return new RelayError('USAGE', message, {
    remedy: { text: 'See {command}.', command: ['import', '--help'] },
  });
}

async function findTarget(context: Context, local: LocalApi, given: string): Promise<PlaylistFacts> {
  const { findPlaylist } = await import('./findPlaylist.ts');
  const found = await findPlaylist(context, local, given);
  // Spotify would refuse it only after every song was searched for.
  if (!found.readable) {
    throw new RelayError('FORBIDDEN', `"${found.name}" belongs to ${found.owner}; you cannot add to it.`, {
      remedy: 'Give a playlist of your own, or make a new one with --new.',
    });
  }
  return found;
}

/** What was asked for with `--dry-run`, a note otherwise. */
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
  for (const line of previewLines(file, preview, context)) print(io, line);
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
      remedy: 'Choose one with --list, or put all of them into one with --new or --to.',
    });
  }
  const found = preview.name ?? (file === '-' ? '' : basename(file, extname(file)));
  if (found.trim() === '') throw usage('Say where the songs go, with --new, --to or --saved.');
  return { kind: 'new', name: found.trim().slice(0, 100) };
}

function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= 100) return trimmed;
  throw usage('The name of a playlist has 1 to 100 characters.');
}

async function confirmReplacing(
  { io, signal }: Context,
  { name, rows }: PlaylistFacts,
  { songs }: ImportPreview,
  { yes = false }: ImportOptions,
): Promise<void> {
  if (yes || rows === 0 || !io.terminal.stdin || !io.terminal.stderr) return;
  const gone = rows === null ? 'All rows' : counted(rows, 'row');
  note(io, `${gone} of "${name}" will be removed; up to ${counted(songs, 'song')} will replace them.`);
  const { confirm } = await import('../terminal/prompt.ts');
  if (await confirm(io, 'Go on?', signal)) return;
  throw new RelayError('INTERRUPTED', 'Nothing was changed.');
}

/** The first answers come fast, for short lists. */
const FIRST_POLLS_MS = [100, 200, 300, 500];

/** Finds the songs of all jobs before any of them is written. */
async function carryOut(
  context: Context,
  local: LocalApi,
  started: readonly JobRecord[],
  skipUnresolved: boolean,
): Promise<JobRecord[]> {
  const { bar, followJob, progressLines, silent } = await import('../jobs/followJob.ts');
  const { needsLogin } = await import('../jobs/jobText.ts');
  const { requireFound, requireGoing } = await import('./importOutcome.ts');
  const shown = context.io.terminal.stderr ? bar : progressLines;
  let jobs = [...started];
  const follow = async (id: string) => {
    const display = context.json ? silent : shown(context);
    const job = await followJob(context, () => local.getJob(id), {
      display,
      until: needsLogin,
      firstPollsMs: FIRST_POLLS_MS,
    });
    jobs = jobs.map((one) => (one.job_id === id ? job : one));
    requireGoing(context, job);
    return job;
  };
  try {
    for (const { job_id } of started) await follow(job_id);
    requireFound(context, jobs, skipUnresolved);
    for (const { job_id, resolved } of [...jobs]) {
      // There is nothing to write where no song of ten thousand was found.
      if (resolved === 0) continue;
      await interruptible(context.signal, local.commitJob(job_id));
      await follow(job_id);
    }
    return jobs;
  } catch (error) {
    const { withJobs } = await import('./importOutcome.ts');
    throw withJobs(context, error, jobs);
  }
}

async function report(
  context: Context,
  preview: ImportPreview,
  target: ImportTarget,
  playlistName: string,
  jobs: readonly JobRecord[],
): Promise<void> {
  const { io, json } = context;
  const { totalsOf } = await import('./importText.ts');
  const { written, skipped, unresolved } = totalsOf(jobs);
  const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
  const playlists = ids.map((id) => ({ id, url: `https://open.spotify.com/playlist/${id}` }));
  if (json) return printJson(io, { preview, target, written, skipped, unresolved, playlists, jobs });
  const { doneLines, leftLines } = await import('./importOutcome.ts');
  const name = target.kind === 'new' ? target.name : playlistName;
  for (const line of doneLines(target, name, jobs)) printLine(io, line);
  for (const line of leftLines(context, jobs)) note(io, line);
}
