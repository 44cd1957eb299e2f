/** Top items and history. */
import * as z from 'zod';
import { Artist, Context, listOf, Track } from '../domain/shapes.ts';
import { getRecentlyPlayed, getTopArtists, getTopTracks } from '../provider/resources/listening.ts';
import { compact, leanArtist, leanList, leanTrack, linksOf } from './answer/lean.ts';
import { badArgument, limit, Offset } from './arguments.ts';
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
    "Lists the user's top songs: favorite tracks, the songs most played or listened to in the last four weeks, six months or year.",
  kind: 'read',
  input: topInput,
  output: listOf(Track),
  lean: leanList(leanTrack, { links: true }),
  handle: ({ provider }, args, call) => getTopTracks(provider, args.time_range, args, call),
});

export const getTopArtistsTool = defineTool({
  name: 'get_top_artists',
  title: 'List top artists',
  description:
    "Lists the user's top artists: the favorite bands and singers, most listened to in the last four weeks, six months or year.",
  kind: 'read',
  input: topInput,
  output: listOf(Artist),
  lean: leanList(leanArtist),
  handle: ({ provider }, args, call) => getTopArtists(provider, args.time_range, args, call),
});

const NOT_A_MOMENT = 'must be Unix milliseconds or an ISO 8601 time such as 2026-03-01T18:00:00Z';

/** Unix seconds of the years 2001 to 2286. As milliseconds, they would be a date in early 1970. */
const SECONDS = { least: 1e9, most: 1e10 };
/** The last moment that JavaScript can represent, in Unix milliseconds. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** Unix milliseconds, from a number or text as in `cursors`, or an ISO 8601 time as in a row. `SECONDS` count as seconds. */
const Moment = z.union([z.string().max(40), z.int()]).transform((given, { issues }) => {
  const moment = momentOf(String(given).trim());
  if (moment >= 0 && moment <= LAST_MOMENT) return moment;
  issues.push({ code: 'custom', message: NOT_A_MOMENT, input: given });
  return z.NEVER;
});

function momentOf(text: string): number {
  if (/^\d+$/.test(text)) {
    const time = Number(text);
    return time >= SECONDS.least && time < SECONDS.most ? time * 1000 : time;
  }
  const day = /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
  // `Date.parse` takes 30 February for a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8));
  return isDay ? Date.parse(text) : Number.NaN;
}

/** The cursors of a page that was cut short: the next page begins with the first row that was not shown. */
function cursorsAfter(cursors: object | undefined, rows: readonly unknown[]): { before?: string } {
  const shown = (rows as ReadonlyArray<{ played_at?: string | null }>).findLast(({ played_at }) => played_at);
  const last = Date.parse(shown?.played_at ?? '');
  return Number.isNaN(last) ? { ...cursors } : { ...cursors, before: String(last) };
}

/** Without it, an empty page reads as if nothing had been played then. */
const END_OF_LIST =
  "Spotify lists only about the last 50 plays. What was played before is only in Spotify's own export of the listening history, which relay import reads.";

export const getRecentlyPlayedTool = defineTool({
  name: 'get_recently_played',
  title: 'List recently played tracks',
  description:
    'Lists the songs that were last played, newest first: the recent listening or play history, about 50 songs, without podcasts.',
  kind: 'read',
  input: z.object({
    limit: limit(20),
    before: Moment.optional().describe(
      'Only plays before this: cursors.before, Unix milliseconds or an ISO time',
    ),
    after: Moment.optional().describe(
      'Only plays after this: cursors.after, Unix milliseconds or an ISO time',
    ),
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
    note: z.string().optional(),
  }),
  lean: {
    schema: z.object({
      items: z.array(leanTrack.schema.extend({ played_at: z.string(), context: z.string() }).partial()),
      cursors: z.object({ after: z.string(), before: z.string() }).partial().optional(),
      links: z.string().optional(),
      note: z.string().optional(),
    }),
    of: ({ items, cursors, note }) => ({
      items: items.map(({ played_at, track, context }) =>
        compact({ ...(track && leanTrack.of(track)), played_at, context: context?.uri }),
      ),
      ...compact({ cursors: cursors && compact(cursors), note }),
      ...linksOf(true, items),
    }),
  },
  rows: {
    key: 'items',
    hint: 'Continue with before: cursors.before.',
    endOf: ({ cursors }, kept) => ({ cursors: cursorsAfter(cursors as object | undefined, kept) }),
  },
  async handle({ provider }, args, call) {
    if (args.before !== undefined && args.after !== undefined)
      throw badArgument('before and after cannot be combined.', 'Pass only one of them.');
    const page = await getRecentlyPlayed(provider, args, call);
    return args.before !== undefined && page.items.length === 0 ? { ...page, note: END_OF_LIST } : page;
  },
});
