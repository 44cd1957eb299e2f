import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { Context } from '../context.ts';
import { note, printJson, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import type { RestoreOptions } from './playlistVersions.ts';

const PLAYLIST = 'Name, ID or link of a playlist';
const WHEN = 'Number of a version, a date (the end of that day), a time, or words such as "3 days ago"';

const EXAMPLES = `
Whenever relay reads a playlist that has changed, it keeps that version: all of
the last hour, then one per hour for a day, one per day for a month, and one per
week after that.

Examples:
  $ relay playlists
  $ relay playlists versions "Road trip"
  $ relay playlists show "Road trip" --at 2026-11-01
  $ relay playlists restore "Road trip" --at "3 days ago" --dry-run
  $ relay undo`;

const versions = () => import('./playlistVersions.ts');

export function playlistsCommand(context: Context): Command {
  const list = () => runList(context);
  return parentCommand('playlists', 'List the playlists of your library', list)
    .helpGroup(HELP_GROUPS.lists)
    .addCommand(new Command('list').description('List the playlists of your library').action(list))
    .addCommand(
      new Command('versions')
        .description('List the earlier versions of a playlist')
        .argument('<playlist>', PLAYLIST)
        .action(async (playlist: string) => (await versions()).listVersions(context, playlist)),
    )
    .addCommand(
      new Command('show')
        .description('Show the songs of an earlier version of a playlist')
        .argument('<playlist>', PLAYLIST)
        .requiredOption('--at <when>', WHEN)
        .action(async (playlist: string, { at }: { at: string }) =>
          (await versions()).showVersion(context, playlist, at),
        ),
    )
    .addCommand(
      new Command('restore')
        .description('Bring back the songs of an earlier version of a playlist')
        .argument('<playlist>', PLAYLIST)
        .requiredOption('--at <when>', WHEN)
        .option('--dry-run', 'Show what restoring would do, and change nothing')
        .option('--new <name>', 'Create a new playlist with these songs instead')
        .option('--skip-unsupported', 'Leave out songs that cannot be added again')
        .option('--yes', 'Do not ask before removing songs')
        .action(async (playlist: string, options: RestoreOptions) =>
          (await versions()).restoreVersion(context, playlist, options),
        ),
    )
    .addHelpText('after', EXAMPLES);
}

async function runList(context: Context): Promise<void> {
  const { io, json } = context;
  const { local } = await context.server();
  const { playlists } = await local.listPlaylists();
  if (json) return printJson(io, { items: playlists, total: playlists.length });
  if (playlists.length === 0) return note(io, 'There are no playlists.');
  printTable(io, {
    heads: ['NAME', 'SONGS', 'OWNER', 'ID'],
    rows: playlists.map(rowOf),
    flexible: [0, 2],
  });
}

function rowOf({ id, name, rows, owner, readable }: PlaylistFacts): string[] {
  const whose = readable ? owner : `${owner} (only they can read it)`;
  return [visibleText(name, 100), rows === null ? '' : String(rows), visibleText(whose, 100), id];
}
