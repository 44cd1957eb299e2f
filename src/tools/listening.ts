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
    "Lists the user's top songs: favorite tracks, the songs most played or listened to in the last four weeks, six months or year.",
  kind: 'read',
  input: topInput,
  output: listOf(Track),
  lean: leanList(LeanTrack, leanTrack, { links: true }),
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
  lean: leanList(LeanArtist, leanArtist),
  handle: ({ provider }, args, call) => getTopArtists(provider, args.time_range, args, call),
});

/** The last moment that JavaScript can represent, in Unix milliseconds. */
const LAST_MOMENT = 8_640_000_000_000_000;
const NOT_A_MOMENT = 'must be Unix milliseconds or an ISO 8601 time such as 2026-03-01T18:00:00Z';

/** Unix seconds of the years 2001 to 2286. As milliseconds, they would be a date in early 1970. */
const SECONDS = { least: 1e9, most: 1e10 };

/**
 * Unix milliseconds, from text as in `cursors`, a number, or an ISO 8601 time as in a row. A number in the range `SECONDS`
 * counts as Unix seconds.
 */
const Moment = z.union([
  z
    .string()
    .max(40)
    .transform((text, { issues }) => {
      const moment = momentOf(text.trim());
      if (moment === null) issues.push({ code: 'custom', message: NOT_A_MOMENT, input: text });
      return moment ?? 0;
    }),
  z.int().min(0).max(LAST_MOMENT).transform(inMilliseconds),
]);

function inMilliseconds(time: number): number {
  return time >= SECONDS.least && time < SECONDS.most ? time * 1000 : time;
}

function momentOf(text: string): number | null {
  const day = /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
  // `Date.parse` takes 30 February for a day in March.
  if (day !== undefined && !isDay(day)) return null;
  const moment =
    day !== undefined ? Date.parse(text) : /^\d+$/.test(text) ? inMilliseconds(Number(text)) : Number.NaN;
  return moment >= 0 && moment <= LAST_MOMENT ? moment : null;
}

/** True for a date of the form `2026-03-01` that exists. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(text);
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
      items: z.array(LeanTrack.extend({ played_at: z.string().optional(), context: z.string().optional() })),
      cursors: z.object({ after: z.string().optional(), before: z.string().optional() }).optional(),
      links: z.string().optional(),
      note: z.string().optional(),
    }),
    of: ({ items, cursors, note }) => ({
      items: items.map(({ played_at, track, context }) =>
        compact({ ...(track ? leanTrack(track) : {}), played_at, context: leanContext(context) }),
      ),
      ...(cursors ? { cursors: compact(cursors) } : {}),
      ...linksOf(true, items),
      ...(note === undefined ? {} : { note }),
    }),
  },
  rows: {
    key: 'items',
    hint: 'Continue with before: cursors.before.',
    endOf: ({ cursors }, kept) => ({ cursors: cursorsAfter(cursors as object | undefined, kept) }),
  },
  async handle({ provider }, args, call) {
    if (args.before !== undefined && args.after !== undefined) {
      throw new RelayError('INVALID_ARGUMENT', 'before and after cannot be combined.', {
        remedy: 'Pass only one of them.',
      });
    }
    const page = await getRecentlyPlayed(provider, args, call);
    return args.before !== undefined && page.items.length === 0 ? { ...page, note: END_OF_LIST } : page;
  },
});
