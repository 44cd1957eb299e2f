import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { Context } from '../context.ts';
import { requireServer } from '../requireServer.ts';
import { fitColumns, note, printJson, printLine } from '../terminal/output.ts';
import { commandWithOthers, HELP_GROUPS } from '../usage/commandGroups.ts';

export function playlistsCommand(context: Context): Command {
  const list = () => runList(context);
  return commandWithOthers('playlists', 'List the playlists of your library', list)
    .helpGroup(HELP_GROUPS.lists)
    .addCommand(new Command('list').description('List them by name').action(list))
    .addHelpText('after', '\nExamples:\n  $ relay playlists\n  $ relay playlists --json');
}

async function runList(context: Context): Promise<void> {
  const { io, json, signal } = context;
  const { local } = await requireServer(context);
  const { playlists } = await interruptible(signal, local.listPlaylists());
  if (json) return printJson(io, { items: playlists, total: playlists.length });
  if (playlists.length === 0) return note(io, 'There are no playlists.');
  for (const line of fitColumns(
    [['NAME', 'SONGS', 'OWNER', 'ID'], ...playlists.map(rowOf)],
    io.columns,
    [0, 2],
  )) {
    printLine(io, line);
  }
}

function rowOf({ id, name, rows, owner, readable }: PlaylistFacts): string[] {
  const whose = readable ? owner : `${owner} (only they can read it)`;
  return [visibleText(name, 100), rows === null ? '' : String(rows), visibleText(whose, 100), id];
}
