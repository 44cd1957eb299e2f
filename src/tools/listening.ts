/** Top items and history. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import { Artist, Context, listOf, Track } from '../domain/shapes.ts';
import { getRecentlyPlayed, getTopArtists, getTopTracks } from '../provider/resources/listening.ts';
import { leanList, linksOf } from './answer/lean.ts';
import { compact, LeanArtist, LeanTrack, leanArtist, leanContext, leanTrack } from './answer/leanShapes.ts';
import { limit, Offset } from './arguments.ts';
import { defineTool } from './tool.ts';

const topInput = z.object({
  time_range: z
    .enum(['short_term', 'medium_term', 'long_term'])
    .default('medium_term')
    .describe('short_term: about 4 weeks, medium_term: about 6 months, long_term: about a year'),
  limit: limit(20),
  offset: Offset,
});

export const getTopTracksTool = defineTool({
  name: 'get_top_tracks',
  title: 'List top tracks',
  description:
    'My top songs, song ranking, track charts: what are my most played, most listened, favorite (favourite) tracks, hits of all time, what did I listen to most, this or last month, week, half year or year.',
  kind: 'read',
  input: topInput,
  output: listOf(Track),
  lean: leanList(LeanTrack, leanTrack, { links: true }),
  rows: { key: 'items' },
  handle: ({ provider }, args, call) => getTopTracks(provider, args.time_range, args, call),
});

export const getTopArtistsTool = defineTool({
  name: 'get_top_artists',
  title: 'List top artists',
  description:
    'My top artists, artist ranking: who are my favorite (favourite), most listened artists, groups, which bands or singers do I listen to or play the most, this or last month, week, half year or year.',
  kind: 'read',
  input: topInput,
  output: listOf(Artist),
  lean: leanList(LeanArtist, leanArtist),
  rows: { key: 'items' },
  handle: ({ provider }, args, call) => getTopArtists(provider, args.time_range, args, call),
});

const Moment = z.int().min(0).max(8_640_000_000_000_000);

export const getRecentlyPlayedTool = defineTool({
  name: 'get_recently_played',
  title: 'List recently played tracks',
  description:
    'Show me what I played: what did I play, listen to or hear before, yesterday, today, last night: earlier, an hour ago, this morning, which song was on, the last songs and tracks I heard: my recent listening history, newest first, about 50 songs, no podcasts.',
  kind: 'read',
  input: z.object({
    limit: limit(20),
    before: Moment.optional().describe(
      'Unix time in milliseconds: only plays before it. From cursors.before',
    ),
    after: Moment.optional().describe('Unix time in milliseconds: only plays after it. From cursors.after'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        played_at: z.string().nullable(),
        track: Track.nullable(),
        context: Context.nullable().describe('Playlist, album or artist it was played from'),
      }),
    ),
    cursors: z
      .object({ after: z.string().nullable(), before: z.string().nullable() })
      .nullable()
      .describe('Unix milliseconds for the next call; null when nothing was played'),
  }),
  lean: {
    schema: z.object({
      items: z.array(LeanTrack.extend({ played_at: z.string().optional(), context: z.string().optional() })),
      cursors: z.object({ after: z.string().optional(), before: z.string().optional() }).optional(),
      links: z.string().optional(),
    }),
    of: ({ items, cursors }) => ({
      items: items.map(({ played_at, track, context }) =>
        compact({ ...(track ? leanTrack(track) : {}), played_at, context: leanContext(context) }),
      ),
      ...(cursors ? { cursors: compact(cursors) } : {}),
      ...linksOf(true, items),
    }),
  },
  rows: { key: 'items', hint: 'Go on with before: the Unix milliseconds of the last played_at.' },
  async handle({ provider }, args, call) {
    if (args.before !== undefined && args.after !== undefined) {
      throw new RelayError('INVALID_ARGUMENT', 'before and after cannot be combined.', {
        remedy: 'Pass only one of them.',
      });
    }
    return getRecentlyPlayed(provider, args, call);
  },
});
