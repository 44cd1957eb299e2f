/**
 * What a tool call would remove, as a sentence for the person who is about to make the call. To find out, `removalOf` reads the
 * playlist's name and size, or makes a dry run of the tool.
 */
import { capital, counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { McpConnection, ToolSummary } from './mcpClient.ts';

type Args = Record<string, unknown>;

/** Calls a tool without changing anything. Null if the tool fails or is not offered. */
type Look = (tool: string, args: Args) => Promise<Args | null>;

/** @returns null for a call that removes nothing, or that the server will refuse */
export async function removalOf(
  client: McpConnection,
  tools: readonly ToolSummary[],
  tool: ToolSummary,
  args: Args,
): Promise<string | null> {
  if (tool.annotations?.destructiveHint !== true || args.dry_run === true) return null;
  const look: Look = async (name, given) => {
    if (!tools.some((candidate) => candidate.name === name)) return null;
    const { value, error } = await client.callTool(name, given, () => {});
    return error ? null : (value as Args);
  };
  const describe = REMOVALS[tool.name];
  return describe ? describe(args, look) : `${tool.name} removes something.`;
}

const REMOVALS: Readonly<Record<string, (args: Args, look: Look) => Promise<string | null>>> = {
  async remove_tracks_from_playlist(args, look) {
    const count = lengthOf(args.track_ids);
    if (!count) return null;
    const { name, items } = await playlistOf(args, look);
    const of = items === null ? '' : `, which has ${counted(items, 'row')}`;
    return `Every row of ${counted(count, 'track')} will be removed from ${name}${of}.`;
  },
  async replace_playlist_tracks(args, look) {
    const count = lengthOf(args.track_ids);
    if (count === null) return null;
    const { name, items } = await playlistOf(args, look);
    if (items === 0) return null;
    const rows = items === null ? 'All rows' : counted(items, 'row');
    const instead = count === 0 ? '' : `; ${counted(count, 'track')} will replace them`;
    return `${rows} of ${name} will be removed${instead}.`;
  },
  async deduplicate_playlist(args, look) {
    const { name } = await playlistOf(args, look);
    const plan = await look('deduplicate_playlist', { ...args, dry_run: true });
    const removed = lengthOf(plan?.removed);
    if (removed === 0) return null;
    const rows = removed === null ? 'All rows' : counted(removed, 'row');
    return `${rows} of ${name} that repeat an earlier one will be removed.`;
  },
  async delete_playlist(args, look) {
    const { name, items } = await playlistOf(args, look);
    const rows = items === null ? '' : ` with its ${counted(items, 'row')}`;
    return `${capital(name)}${rows} will be removed from your library.`;
  },
  async remove_saved_tracks(args) {
    const count = lengthOf(args.track_ids);
    return count ? `${counted(count, 'track')} will be removed from Liked Songs.` : null;
  },
  async undo_change(args, look) {
    // Without force, only what relay itself wrote is removed.
    if (args.force !== true) return null;
    const plan = await look('undo_change', { ...args, dry_run: true });
    const removed = typeof plan?.removed === 'number' ? plan.removed : null;
    if (removed === null) return 'Later changes will be lost.';
    return `${counted(removed, 'row')} will be removed from the playlist, including rows added since.`;
  },
};

/** Length of a list; null for any other value. */
function lengthOf(value: unknown): number | null {
  return Array.isArray(value) ? value.length : null;
}

async function playlistOf(
  { playlist_id }: Args,
  look: Look,
): Promise<{ name: string; items: number | null }> {
  const { name, total_items: items } = (await look('get_playlist', { playlist_id })) ?? {};
  return {
    name: typeof name === 'string' ? `"${visibleText(name, 60)}"` : 'the playlist',
    items: typeof items === 'number' ? items : null,
  };
}
