/** Changing playlists: creating and editing them, adding, removing and moving rows. */
import * as z from 'zod';
import type { DetailValues } from '../../domain/change.ts';
import { Playlist } from '../../domain/shapes.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import { addRows, changeDetails, makePlaylist, moveRows, removeRows } from '../../work/write/kinds.ts';
import { compact, leanPlaylist } from '../answer/lean.ts';
import {
  badArgument,
  Description,
  type GivenRef,
  ItemRef,
  MAX_ENTRIES,
  PlaylistName,
  playlistId,
} from '../arguments.ts';
import { itemUri } from '../givenNames.ts';
import { defineTool, type Services } from '../tool.ts';
import { carryOut, finished, removalMembers, removeEntries, WriteReport, write } from './playlistWriting.ts';

const Public = z
  .boolean()
  .describe('true: shown on the profile. Spotify does not apply this reliably: do not promise privacy');
const Collaborative = z
  .boolean()
  .describe('true: people with the link may edit it. A collaborative playlist cannot be public');

const trackIds = z
  .array(ItemRef)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('Track IDs, or URIs or links of tracks or episodes, 1 to 10,000, in order');

export const createPlaylistTool = defineTool({
  name: 'create_playlist',
  title: 'Create playlist',
  description:
    'Creates a new, empty playlist with a name. To put songs in it at once, use create_playlist_from_tracks.',
  kind: 'write',
  input: z.object({
    name: PlaylistName,
    description: Description.optional(),
    public: Public.default(false),
    collaborative: Collaborative.default(false),
  }),
  output: Playlist.extend({ change_id: z.string().optional() }),
  lean: {
    schema: leanPlaylist.schema.extend({ change_id: z.string().optional() }),
    of: ({ change_id, ...playlist }) => compact({ ...leanPlaylist.of(playlist), change_id }),
  },
  async handle(services, args, call) {
    refusePublicCollaborative(args, args);
    const request = makePlaylist(services, args, []);
    const { report, state } = finished(await carryOut(services, request, call));
    // If the answer was lost, the playlist was found afterwards, and only its ID is known.
    const made = state?.playlist ?? (await getPlaylist(services.provider, report.playlist_id, call));
    return { ...made, change_id: report.change_id };
  },
});

export const updateDetailsTool = defineTool({
  name: 'update_playlist_details',
  title: 'Update playlist details',
  description:
    "Edits a playlist's details: renames it, changes its description, makes it public or private (hidden from the profile), or lets friends add songs (collaborative). Omitted fields stay.",
  kind: 'write',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    name: PlaylistName.optional(),
    description: Description.min(1).optional(),
    public: Public.optional(),
    collaborative: Collaborative.optional(),
  }),
  output: z.object({
    playlist_id: z.string(),
    updated: z.array(z.string()).describe('Names of the changed fields'),
    change_id: z.string().optional(),
  }),
  async handle(services, { playlist_id: { id }, ...details }, call) {
    const updated = Object.entries(details).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (updated.length === 0) {
      const remedy = 'Pass at least one of name, description, public, collaborative.';
      throw badArgument('There is nothing to change.', remedy);
    }
    refusePublicCollaborative(details, details);
    const request = changeDetails(services, id, details, (sharing) =>
      refusePublicCollaborative(sharing, details),
    );
    const { report, state } = finished(await carryOut(services, request, call));
    return { playlist_id: id, updated: state ? updated : [], change_id: report.change_id };
  },
});

type Sharing = Pick<DetailValues, 'public' | 'collaborative'>;

/** @param asked what the caller asked for; the rest is what the playlist has */
function refusePublicCollaborative({ public: isPublic, collaborative }: Sharing, asked: Sharing): void {
  if (collaborative !== true || isPublic !== true) return;
  // Details that do not touch this stay possible, since Spotify reports public unreliably.
  if (asked.public !== true && asked.collaborative !== true) return;
  const remedy = 'Pass public: false with collaborative: true, or collaborative: false with public: true.';
  throw badArgument('A collaborative playlist cannot be public.', remedy);
}

export const addTracksTool = defineTool({
  name: 'add_tracks_to_playlist',
  title: 'Add tracks',
  description:
    'Adds songs to a playlist by track ID or link: appends them to the end of the playlist, in order. Songs already in it are added again. Without IDs, use add_tracks_by_search.',
  kind: 'write',
  input: z.object({ playlist_id: playlistId, track_ids: trackIds }),
  output: WriteReport,
  handle: (services, { playlist_id: { id }, track_ids }, call) =>
    write(services, addRows(services, id, urisOf(services, track_ids)), call),
});

export const removeTracksTool = defineTool({
  name: 'remove_tracks_from_playlist',
  title: 'Remove tracks',
  description:
    'Removes songs from a playlist: takes out or deletes every occurrence of each track. To delete only repeats, use deduplicate_playlist.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({ playlist_id: playlistId, track_ids: trackIds }),
  output: WriteReport.extend(removalMembers),
  rows: { key: 'not_found', hint: 'The others were not there either.' },
  handle(services, { playlist_id: { id }, track_ids }, call) {
    const entries = urisOf(services, track_ids);
    return removeEntries(services, removeRows(services, id, entries), entries, 'the playlist', call);
  },
});

export const reorderTracksTool = defineTool({
  name: 'reorder_playlist_tracks',
  title: 'Move playlist rows',
  description:
    'Changes the order of songs in a playlist: moves, sorts or rearranges a song or a block of songs. Positions count from 0, before the move; to move to the end, pass the number of rows as insert_before.',
  kind: 'write',
  input: z.object({
    playlist_id: playlistId,
    range_start: z.int().min(0).describe('0-based position of the first row to move'),
    insert_before: z
      .int()
      .min(0)
      .describe('0-based position to insert the rows before, counted before the move'),
    range_length: z.int().min(1).default(1).describe('Number of rows to move'),
    snapshot_id: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Playlist version of the positions. Best omitted: with it, Spotify sometimes fails'),
  }),
  output: z.object({
    playlist_id: z.string(),
    snapshot_id: z.string().nullable(),
    change_id: z.string().optional(),
    note: z.string().optional(),
  }),
  async handle(services, { playlist_id: { id }, ...move }, call) {
    const { range_start: start, range_length: length, insert_before: before, snapshot_id: snapshot } = move;
    const request = moveRows(services, id, { start, length, before, snapshot });
    const { report, state } = finished(await carryOut(services, request, call));
    const { snapshot_id, change_id } = report;
    const note = state ? undefined : 'Nothing changed: the rows are in that place already.';
    return { playlist_id: id, snapshot_id, change_id, note };
  },
});

function urisOf({ provider }: Services, refs: readonly GivenRef[]): string[] {
  return refs.map((ref) => itemUri(provider, ref));
}
