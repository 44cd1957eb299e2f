/** Runs `relay playlists versions`, `show` and `restore`, which work with the earlier versions of a playlist. */
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { PlaylistVersion, PlaylistVersions, RestoreAnswer } from '../../domain/versions.ts';
import { parseWhen } from '../../domain/when.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { localMinute } from '../terminal/time.ts';
import { commandLine } from '../usage/commandLine.ts';

export interface RestoreOptions {
  at: string;
  dryRun?: boolean;
  new?: string;
  skipUnsupported?: boolean;
  yes?: boolean;
}

export async function listVersions(context: Context, playlist: string): Promise<void> {
  const { io, json } = context;
  const { local } = await context.server();
  const versions = await local.playlistVersions({ playlist });
  if (json) return printJson(io, versions);
  const heads = ['VERSION', 'SEEN', 'SONGS', 'ADDED', 'REMOVED'];
  const rows = versions.items.map(({ version, seen_at, total, added, removed }) => {
    return [String(version), localMinute(seen_at), String(total), `+${added}`, `-${removed}`];
  });
  printTable(io, { heads, rows, flexible: [] });
  if (!versions.present)
    note(io, `"${visibleText(versions.name, 100)}" is not in the library of the connected account.`);
}

export async function showVersion(context: Context, playlist: string, at: string): Promise<void> {
  const { io, json } = context;
  const { local, versions, found } = await versionAt(context, playlist, at);
  const { items } = await local.playlistVersion({ id: versions.playlist_id, version: found.version });
  if (json) {
    const { playlist_id, name } = versions;
    return printJson(io, { playlist_id, name, version: found.version, seen_at: found.seen_at, items });
  }
  const cells = items.map(({ position, name, artist, uri }) => [
    String(position + 1),
    visibleText(name ?? (uri === null ? '(no longer offered)' : uri), 100),
    visibleText(artist ?? '', 100),
  ]);
  printTable(io, { heads: ['', '', ''], rows: cells, flexible: [1, 2] });
  note(io, `Version ${found.version}, seen ${localMinute(found.seen_at)}: ${counted(items.length, 'song')}.`);
}

export async function restoreVersion(
  context: Context,
  playlist: string,
  options: RestoreOptions,
): Promise<void> {
  const { io, json } = context;
  const { dryRun = false, yes = false, skipUnsupported = false, new: name = null } = options;
  const { local, versions, found } = await versionAt(context, playlist, options.at, { toRestore: true });
  const restore = async (isDry: boolean, agreed?: string) => {
    const { plan, ...answer } = await local.restorePlaylist({
      id: versions.playlist_id,
      version: found.version,
      dryRun: isDry,
      name,
      skipUnsupported,
      agreed,
    });
    return { plan, answer };
  };
  const canAsk = !yes && !json && io.terminal.stdin && io.terminal.stderr;
  let agreed: string | undefined;
  if (dryRun || canAsk) {
    const { plan, answer } = await restore(true);
    if (dryRun && json) return printJson(io, answer);
    const print = dryRun ? printLine : note;
    for (const line of planLines(versions, found, answer, name)) print(io, line);
    if (dryRun) return;
    agreed = plan;
    if (answer.removed_count > 0 && name === null) {
      const { requireYes } = await import('../terminal/prompt.ts');
      await requireYes(io, 'Restore?', context.signal);
    }
  }
  const { answer } = await restore(false, agreed);
  if (json) return printJson(io, answer);
  printLine(io, answer.note ?? doneLine(versions, found, answer, name));
  if (answer.change_id !== undefined) {
    note(io, `To undo it: ${commandLine(context, 'undo', shortId(answer.change_id))}`);
  }
}

function planLines(
  { name }: PlaylistVersions,
  { version, seen_at }: PlaylistVersion,
  { added_count, removed_count, moved_count, unsupported }: RestoreAnswer,
  newName: string | null,
): string[] {
  const what =
    newName === null
      ? `Restoring "${visibleText(name, 100)}" to version ${version} of ${localMinute(seen_at)}`
      : `Creating "${visibleText(newName, 100)}" from version ${version} of ${localMinute(seen_at)}`;
  return [
    `${what}: ${counted(added_count, 'song')} added, ${removed_count} removed, ${moved_count} moved.`,
    ...unsupported.map(
      (row) =>
        `Cannot be restored: row ${row.position + 1}, ${visibleText(row.name ?? row.uri ?? 'no name', 100)} (${
          row.reason === 'local' ? 'a local file' : 'no longer offered'
        }).`,
    ),
  ];
}

function doneLine(
  { name }: PlaylistVersions,
  { version }: PlaylistVersion,
  { unsupported }: RestoreAnswer,
  newName: string | null,
): string {
  const count = counted(unsupported.length, 'song');
  const left = unsupported.length === 0 ? '' : `, without ${count} that cannot be restored`;
  return newName === null
    ? `Restored "${visibleText(name, 100)}" to version ${version}${left}.`
    : `Created "${visibleText(newName, 100)}" from version ${version} of "${visibleText(name, 100)}"${left}.`;
}

/**
 * Returns the version that `at` means: a number, or the latest version at a time.
 * @throws RelayError `USAGE` if `at` cannot be read, `NOT_FOUND` if there is no such version
 */
async function versionAt(
  context: Context,
  playlist: string,
  at: string,
  { toRestore = false } = {},
): Promise<{ local: LocalApi; versions: PlaylistVersions; found: PlaylistVersion }> {
  const when = parseWhen(at, context.clock.now());
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
      text: `The oldest is version ${oldest?.version} of ${localMinute(oldest?.seen_at ?? '')}; {command} lists them all.`,
      command: ['playlists', 'versions', versions.playlist_id],
    },
  });
}
