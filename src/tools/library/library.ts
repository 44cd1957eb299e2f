/** Saved tracks. */
import * as z from 'zod';
import { listOf, Track } from '../../domain/shapes.ts';
import { getSavedTracks } from '../../provider/resources/personal.ts';
import { limit, Offset } from '../arguments.ts';
import { defineTool } from '../tool.ts';

export const getSavedTracksTool = defineTool({
  name: 'get_saved_tracks',
  title: 'List saved tracks',
  description:
    'Lists the tracks saved in the library (Liked Songs), newest first. One page holds at most 50: go on with next_offset. Spotify allows only a few full reads of a large library a day.',
  kind: 'read',
  input: z.object({ limit: limit(20), offset: Offset }),
  output: listOf(z.object({ added_at: z.string().nullable(), track: Track.nullable() })),
  handle: ({ provider }, args, call) => getSavedTracks(provider, args, call),
});
