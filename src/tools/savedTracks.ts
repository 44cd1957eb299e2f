/** Saved tracks: listing, saving, removing and checking them. */
import * as z from 'zod';
import { listOf, Track } from '../domain/shapes.ts';
import { containsUris, getSavedTracks } from '../provider/resources/savedTracks.ts';
import { saveTracks, unsaveTracks } from '../work/write/kinds.ts';
import { leanList, leanSaved } from './answer/lean.ts';
import { limit, MAX_ENTRIES, Offset, TrackRef } from './arguments.ts';
import { filteredSaved, Note, queryArgument } from './libraryFilter.ts';
import { removalMembers, removeEntries, WriteReport, write } from './playlists/playlistWriting.ts';
import { defineTool } from './tool.ts';

export const getSavedTracksTool = defineTool({
  name: 'get_saved_tracks',
  title: 'List saved tracks',
  description:
    "Lists the user's Liked Songs: liked songs, favorite songs and other saved tracks in the library, newest first. Continue with next_offset. Do not read a large library whole several times a day.",
  kind: 'read',
  input: z.object({ limit: limit(20), offset: Offset, query: queryArgument('title, artists or album') }),
  output: listOf(z.object({ added_at: z.string().nullable(), track: Track.nullable() })).extend({
    note: Note,
  }),
  lean: leanList(leanSaved, { links: true }),
  handle: (services, { query, ...window }, call) =>
    query === undefined
      ? getSavedTracks(services.provider, window, call)
      : filteredSaved(services, query, window, call),
});

const trackIds = z
  .array(TrackRef)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('IDs, URIs or links of tracks, 1 to 10,000');

/** The result of every write to the library, which has no playlist ID and no version. */
export const LibraryReport = WriteReport.omit({ playlist_id: true, snapshot_id: true, partial: true });

export const saveTracksTool = defineTool({
  name: 'save_tracks',
  title: 'Save tracks',
  description: 'Saves tracks to the library: likes songs, which adds them to Liked Songs, the favorites.',
  kind: 'write',
  idempotent: true,
  input: z.object({ track_ids: trackIds }),
  output: LibraryReport,
  async handle(services, { track_ids }, call) {
    const uris = track_ids.map(({ uri }) => uri);
    return write(services, saveTracks(services, uris), call);
  },
});

export const removeSavedTracksTool = defineTool({
  name: 'remove_saved_tracks',
  title: 'Remove saved tracks',
  description:
    'Removes tracks from the library: unlikes or unsaves songs, which deletes them from Liked Songs.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({ track_ids: trackIds }),
  output: LibraryReport.extend(removalMembers),
  rows: { key: 'not_found', hint: 'The others were not saved either.' },
  async handle(services, { track_ids }, call) {
    const uris = track_ids.map(({ uri }) => uri);
    return removeEntries(services, unsaveTracks(services, uris), uris, 'the library', call);
  },
});

export const checkSavedTracksTool = defineTool({
  name: 'check_saved_tracks',
  title: 'Check saved tracks',
  description:
    'Checks whether a song is liked, or which of several tracks are already saved in the library. Answers in the order given.',
  kind: 'read',
  input: z.object({
    track_ids: z.array(TrackRef).min(1).max(1_000).describe('IDs, URIs or links of tracks, 1 to 1,000'),
  }),
  output: z.object({
    items: z.array(z.object({ input: z.string().describe('As given'), uri: z.string(), saved: z.boolean() })),
  }),
  lean: {
    schema: z.object({ items: z.array(z.object({ input: z.string(), saved: z.boolean() })) }),
    of: ({ items }) => ({ items: items.map(({ input, saved }) => ({ input, saved })) }),
  },
  rows: { key: 'items', hint: 'Call again with the track_ids after the first {next}.', byEntry: true },
  async handle({ provider }, { track_ids }, call) {
    const saved = await containsUris(
      provider,
      track_ids.map((ref) => ref.uri),
      call,
    );
    const items = track_ids.map(({ input, uri }, index) => ({ input, uri, saved: saved[index] === true }));
    return { items };
  },
});
