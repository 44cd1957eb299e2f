import type { Command } from 'commander';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { PlaylistVersion, PlaylistVersions, RestoreAnswer } from '../../domain/versions.ts';
import { parseWhen } from '../../domain/when.ts';
import type { LocalApi } from '../../server/calls.ts';
import { groupOf, leaf, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { canAsk, requireYes } from '../terminal/prompt.ts';
import type { Table } from '../terminal/table.ts';
import { timeText } from '../terminal/time.ts';
import { findPlaylist } from './findPlaylist.ts';

interface RestoreOptions {
  at: string;
  dryRun?: boolean;
  new?: string;
  skipUnsupported?: boolean;
  yes?: boolean;
}

const PLAYLIST = 'Name, ID or link of a playlist';
const WHEN = 'Number of a version, a date, a time, or words such as "3 days ago"';

const EXAMPLES = `
relay keeps the versions of each playlist that it reads: all of the last hour,
then one per hour for a day, one per day for a month, and one per week.

Examples:
  $ relay playlists show "Road trip"
  $ relay playlists show "Road trip" --at 2026-11-01
  $ relay playlists restore "Road trip" --at "3 days ago" --dry-run`;

export function playlistsCommand(context: Context): Command {
  const commands = [
    leaf(context, 'list', 'List the playlists of your library', listPlaylists),
    leaf(context, 'show', 'Show the songs of a playlist, now or earlier', showPlaylist)
      .argument('<playlist>', PLAYLIST)
      .option('--at <when>', WHEN),
    leaf(context, 'versions', 'List the earlier versions of a playlist', listVersions).argument(
      '<playlist>',
      PLAYLIST,
    ),
    leaf(context, 'restore', 'Bring back the songs of an earlier version of a playlist', restoreVersion)
      .argument('<playlist>', PLAYLIST)
      .requiredOption('--at <when>', WHEN)
      .option('--dry-run', 'Show what restoring would do, and change nothing')
      .option('--new <name>', 'Create a new playlist with these songs instead')
      .option('--skip-unsupported', 'Leave out songs that cannot be added again')
      .option('--yes', 'Do not ask before removing songs'),
  ];
  const description = 'List playlists, show their songs, bring back earlier ones';
  return groupOf(context, 'playlists', description, listPlaylists, commands, EXAMPLES);
}

async function listPlaylists(context: Context): Promise<Result> {
  const { local } = await context.server();
  const { playlists } = await local.listPlaylists();
  const row = ({ id, name, rows, owner, readable }: PlaylistFacts) => {
    const whose = readable ? owner : `${owner} (only they can read it)`;
    return [visibleText(name, 100), rows ?? '', visibleText(whose, 100), id];
  };
  return {
    value: { items: playlists, total: playlists.length },
    text: [{ heads: ['NAME', 'SONGS', 'OWNER', 'ID'], rows: playlists.map(row) }],
    notes: playlists.length === 0 ? ['There are no playlists.'] : [],
  };
}

interface Song {
  position: number;
  name?: string | null;
  artist?: string | null;
  uri: string | null;
}

function songTable(items: readonly Song[]): Table {
  const rows = items.map(({ position, name, artist, uri }) => [
    position + 1,
    visibleText(name ?? (uri === null ? '(no longer offered)' : uri), 200),
    visibleText(artist ?? '', 200),
  ]);
  return { rows };
}

async function showPlaylist(context: Context, given: string, { at }: { at?: string }): Promise<Result> {
  if (at !== undefined) return showVersion(context, given, at);
  const { local } = await context.server();
  const { id, name } = await findPlaylist(local, given);
  const { rows } = await local.playlistRows({ playlist: id });
  const items = rows.map(({ title, artists, ...row }, position) => {
    return { position, name: title, artist: artists.join(', '), ...row };
  });
  return {
    value: { playlist_id: id, name, items },
    text: [songTable(items)],
    notes: [`${visibleText(name, 100)}: ${counted(items.length, 'song')}.`],
  };
}

async function listVersions(context: Context, playlist: string): Promise<Result> {
  const { local } = await context.server();
  const versions = await local.playlistVersions({ playlist });
  const now = context.clock.now();
  const rows = versions.items.map(({ version, seen_at, total, added, removed }) => {
    return [version, timeText(seen_at, now), total, `+${added}`, `-${removed}`];
  });
  const absent = `"${visibleText(versions.name, 100)}" is not in the library of the connected account.`;
  return {
    value: versions,
    text: [{ heads: ['VERSION', 'SEEN', 'SONGS', 'ADDED', 'REMOVED'], rows }],
    notes: versions.present ? [] : [absent],
  };
}

async function showVersion(context: Context, playlist: string, at: string): Promise<Result> {
  const { local, versions, found } = await versionAt(context, playlist, at);
  const { playlist_id, name } = versions;
  const { version, seen_at } = found;
  const { items } = await local.playlistVersion({ id: playlist_id, version });
  const seen = timeText(seen_at, context.clock.now());
  return {
    value: { playlist_id, name, version, seen_at, items },
    text: [songTable(items)],
    notes: [`Version ${version}, seen ${seen}: ${counted(items.length, 'song')}.`],
  };
}

async function restoreVersion(context: Context, playlist: string, options: RestoreOptions): Promise<Result> {
  const { dryRun = false, yes = false, skipUnsupported = false, new: name = null, at } = options;
  const { local, versions, found } = await versionAt(context, playlist, at, true);
  const { playlist_id: id } = versions;
  const { version } = found;
  const old = `"${visibleText(versions.name, 100)}"`;
  const restore = (isDry: boolean, agreed?: string) =>
    local.restorePlaylist({ id, version, dryRun: isDry, name, skipUnsupported, agreed });
  let agreed: string | undefined;
  if (dryRun || (!yes && canAsk(context))) {
    const { plan, ...answer } = await restore(true);
    const seen = timeText(found.seen_at, context.clock.now());
    const [doing, subject] = name === null ? ['Restoring', old] : ['Creating', `"${visibleText(name, 100)}"`];
    const lines = [
      `${doing} ${subject} ${name === null ? 'to' : 'from'} version ${version}, seen ${seen}: ${countsText(answer)}.`,
      ...answer.unsupported.map(({ position, name: song, uri, reason }) => {
        const why = reason === 'local' ? 'a local file' : 'no longer offered';
        return `Cannot be restored: row ${position + 1}, ${visibleText(song ?? uri ?? 'no name', 100)} (${why}).`;
      }),
    ];
    if (dryRun) return { value: answer, text: lines };
    for (const line of lines) note(context.io, line);
    agreed = plan;
    if (answer.removed_count > 0 && name === null) await requireYes(context.io, 'Restore?', context.signal);
  }
  const { plan: _, ...answer } = await restore(false, agreed);
  const { change_id, unsupported } = answer;
  const left =
    unsupported.length === 0
      ? ''
      : `, without ${counted(unsupported.length, 'song')} that cannot be restored`;
  const done =
    name === null
      ? `Restored ${old} to version ${version}${left}.`
      : `Created "${visibleText(name, 100)}" from version ${version} of ${old}${left}.`;
  return {
    value: answer,
    text: [answer.note ?? done],
    notes: change_id === undefined ? [] : [`To undo it: ${commandLine(context, 'undo', shortId(change_id))}`],
  };
}

function countsText({ added_count, removed_count, moved_count }: RestoreAnswer): string {
  return `${counted(added_count, 'song')} added, ${removed_count} removed, ${moved_count} moved`;
}

/**
 * Returns the version that `at` means: a number, or the latest version at a time.
 * @throws RelayError `USAGE` if `at` cannot be read, `NOT_FOUND` if there is no such version
 */
async function versionAt(
  context: Context,
  playlist: string,
  at: string,
  toRestore = false,
): Promise<{ local: LocalApi; versions: PlaylistVersions; found: PlaylistVersion }> {
  const now = context.clock.now();
  const when = parseWhen(at, now);
  if (when === null) {
    throw new RelayError('USAGE', `"${at}" is not a version or time that relay can read.`, {
      remedy:
        'Give the number of a version, a date (2026-11-01), a time (2026-11-01T14:05), or words such as "3 days ago".',
    });
  }
  const { local } = await context.server();
  const versions = await local.playlistVersions({ playlist, toRestore });
  const found = versions.items.find(({ version, seen_at }) =>
    when.kind === 'version' ? version === when.version : Date.parse(seen_at) <= when.at,
  );
  if (found) return { local, versions, found };
  const oldest = versions.items.at(-1);
  const what =
    when.kind === 'version' ? `no version ${when.version}` : `no version as old as that (${at.trim()})`;
  throw new RelayError('NOT_FOUND', `There is ${what} of "${versions.name}".`, {
    remedy: {
      text: `The oldest is version ${oldest?.version}, seen ${timeText(oldest?.seen_at ?? '', now)}; {command} lists them all.`,
      command: ['playlists', 'versions', versions.playlist_id],
    },
  });
}
