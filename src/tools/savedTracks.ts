/** Saved tracks: listing, saving, removing and checking them. */
import * as z from 'zod';
import { listOf, Track } from '../domain/shapes.ts';
import { containsUris, getSavedTracks } from '../provider/resources/savedTracks.ts';
import { saveTracks, unsaveTracks } from '../work/write/kinds.ts';
import type { RunReport } from '../work/write/writes.ts';
import { leanList } from './answer/lean.ts';
import { LeanSaved, leanSaved } from './answer/leanShapes.ts';
import { limit, MAX_ENTRIES, Offset, TrackRef } from './arguments.ts';
import { filteredSaved, Note, queryArgument } from './libraryFilter.ts';
import {
  carryOut,
  leftOf,
  type Report,
  removalMembers,
  removalOf,
  write,
} from './playlists/playlistWriting.ts';
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
  lean: leanList(LeanSaved, leanSaved, { links: true }),
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

/** The result of every write to the library. */
export const LibraryReport = z.object({
  ok: z.boolean(),
  requested: z.number(),
  written: z.number().describe('Entries that Spotify accepted'),
  chunks: z
    .object({ total: z.number(), completed: z.number() })
    .describe('Requests of at most 40 entries each'),
  change_id: z.string().optional().describe('For undo'),
  job_id: z.string().optional().describe('Writes the rest by itself'),
  note: z.string().optional(),
});

export function libraryReport({
  playlist_id: _,
  snapshot_id: __,
  ...report
}: Report): z.infer<typeof LibraryReport> {
  return report;
}

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
    return libraryReport(await write(services, saveTracks(services, uris), call));
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
    const told = (state: Pick<RunReport, 'work' | 'body'>) =>
      removalOf(uris, state.body.former.saved ?? [], 'the library', leftOf(state));
    const request = unsaveTracks(services, uris);
    const { report, state } = await carryOut(services, request, call, { told });
    return { ...libraryReport(report), ...(state ? told(state) : removalOf(uris, null, 'the library')) };
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
