import { extname } from 'node:path';
import { Command, Option } from 'commander';
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { type ListRow, WRITTEN_FORMATS, type WrittenFormat } from '../../domain/listExport.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printBlock, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

interface ExportOptions {
  saved?: boolean;
  all?: boolean;
  format?: WrittenFormat;
  output?: string;
  force?: boolean;
}

const HELP = `
\`relay import\` reads the file back without searching. Local files, and rows that
Spotify no longer has, are in the file but cannot be restored.

Examples:
  $ relay export "Road trip" > road-trip.csv
  $ relay export "Road trip" -o road-trip.m3u8
  $ relay export --saved --format json -o liked.json
  $ relay export --all -o backup`;

export function exportCommand(context: Context): Command {
  return new Command('export')
    .helpGroup(HELP_GROUPS.lists)
    .description('Export a playlist, Liked Songs or everything')
    .argument('[playlist]', 'Name, ID or link of a playlist')
    .option('--saved', 'Export the saved songs (Liked Songs)')
    .option('--all', 'Export every playlist and the saved songs, each to a file in the directory of -o')
    .addOption(
      new Option(
        '--format <format>',
        "Format of the file; by default the one that the file's name ends in, or csv",
      ).choices(WRITTEN_FORMATS),
    )
    .option('-o, --output <file>', 'File to write, or directory with --all; stdout without it')
    .option('--force', 'Overwrite existing files')
    .addHelpText('after', HELP)
    .action((playlist: string | undefined, options: ExportOptions) => runExport(context, playlist, options));
}

async function runExport(
  context: Context,
  playlist: string | undefined,
  given: ExportOptions,
): Promise<void> {
  // As in other commands, - means stdout.
  const { output: file, ...others } = given;
  const options: ExportOptions = file === '-' ? others : given;
  requireOne(playlist, options);
  const { local } = await context.server();
  if (options.all) {
    const { exportAll } = await import('./exportAll.ts');
    const { output = '', format = 'csv', force = false } = options;
    return exportAll(context, local, { directory: output, format, force });
  }
  const format = formatOf(context, options);
  const { name, rows } = await readRows(local, playlist);
  const { writeList } = await import('../../music/lists/writeList.ts');
  const { lostLines, lostRows } = await import('./exportText.ts');
  const { output, force = false } = options;
  if (output === undefined) {
    if (context.json) return printJson(context.io, { name, tracks: rows });
    printBlock(context.io, writeList(format, rows, name));
  } else {
    const { writeNew } = await import('./writeNew.ts');
    await writeNew(output, writeList(format, rows, name), force);
    const lost = lostRows(rows);
    if (context.json) return printJson(context.io, { file: output, format, name, rows: rows.length, lost });
    printLine(context.io, `Wrote ${counted(rows.length, 'row')} of "${name}" to ${output}.`);
  }
  for (const line of lostLines(rows)) note(context.io, line);
}

function requireOne(playlist: string | undefined, { saved, all, output }: ExportOptions): void {
  const given = [playlist, saved, all].filter((one) => one !== undefined);
  if (given.length !== 1) throw usage('Give the name of a playlist, --saved or --all: one of them.');
  if (all && output === undefined) throw usage('--all needs -o with the directory to write to.');
}

function usage(message: string): RelayError {
  return new RelayError('USAGE', message, {
    remedy: { text: 'See {command}.', command: ['export', '--help'] },
  });
}

function formatOf({ json }: Context, { format, output }: ExportOptions): WrittenFormat {
  if (json && output === undefined) {
    if (format === undefined || format === 'json') return 'json';
    throw usage(`--json prints JSON, not ${format}. Write to a file with -o, or leave --json out.`);
  }
  if (format !== undefined) return format;
  const ending = extname(output ?? '')
    .slice(1)
    .toLowerCase();
  return WRITTEN_FORMATS.find((one) => one === ending) ?? (ending === 'm3u' ? 'm3u8' : 'csv');
}

async function readRows(
  local: LocalApi,
  playlist: string | undefined,
): Promise<{ name: string; rows: ListRow[] }> {
  if (playlist === undefined) {
    const { readSaved } = await import('./exportAll.ts');
    return { name: 'Liked Songs', rows: await readSaved(local) };
  }
  const { findPlaylist } = await import('./findPlaylist.ts');
  const found = await findPlaylist(local, playlist);
  const { rows } = await local.playlistRows({ playlist: found.id });
  return { name: found.name, rows };
}
