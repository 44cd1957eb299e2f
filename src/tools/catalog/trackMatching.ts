/** Finding one exact track, and remembering which one is meant. */
import * as z from 'zod';
import { isBySpelling } from '../../domain/job.ts';
import { Track } from '../../domain/shapes.ts';
import { getTrack } from '../../provider/resources/catalog.ts';
import { compact, leanTrack } from '../answer/lean.ts';
import { ArtistRefArgument, TrackRef } from '../arguments.ts';
import { defineTool } from '../tool.ts';

export const Title = z.string().trim().min(1).max(200).describe('Include "(Live)" etc.');
/** What a model reads that gives a title without an artist. */
export const NO_ARTIST = 'is missing: a title alone matches nothing. search_tracks finds who sings it';

export const ArtistName = z
  .string({ error: ({ input }) => (input === undefined ? NO_ARTIST : undefined) })
  .trim()
  .min(1)
  .max(200)
  .describe('Join several with "&" or commas');
export const AlbumName = z.string().trim().min(1).max(200).describe('Album to prefer');
export const Year = z.int().min(1900).max(2100).describe('Release year');

export const CONFIRMED = 'true: a remembered match that somebody confirmed although its names differ';

export const FOR_ENTRIES =
  'For entries that did not resolve. For a match with a candidate, a typo was forgiven (reason: spelling)';

export const Candidate = z.object({
  track: Track,
  score: z.number().describe('0 to 1'),
  reasons: z.array(z.string()).describe('What agrees and what differs'),
});

const LeanCandidate = Candidate.extend({ track: leanTrack.schema }).partial({ reasons: true });

/** The candidates of an entry of a list; the schema of find_track_exact describes their tracks. */
export const LeanCandidates = z.array(LeanCandidate.omit({ track: true })).optional();

const MAX_CANDIDATES = 3;

/** The most likely candidates; null if there are none. */
export function leanCandidates(
  candidates: ReadonlyArray<z.infer<typeof Candidate>> | undefined,
  most = MAX_CANDIDATES,
): Array<z.infer<typeof LeanCandidate>> | null {
  if (!candidates || candidates.length === 0 || most === 0) return null;
  return candidates
    .slice(0, most)
    .map(({ track, score, reasons }) =>
      compact({ track: leanTrack.of(track), score, reasons: reasons.length > 0 ? reasons : null }),
    );
}

const Found = z.object({
  status: z.enum(['matched', 'ambiguous', 'unmatched']),
  match: z.object({ track: Track, score: z.number() }).nullable(),
  confirmed: z.literal(true).optional().describe(CONFIRMED),
  candidates: z.array(Candidate).describe('At most 5, best first'),
  source: z.enum(['alias', 'search']).describe('alias: a stored match, no search was made'),
});

export const findTrackExactTool = defineTool({
  name: 'find_track_exact',
  title: 'Find one exact track',
  description:
    "Resolves a song's title and artist to one exact track and its ID: finds the original recording, not a live version, cover or remix. The answer is matched, ambiguous (ask the user, or pass album or year) or unmatched with the nearest songs.",
  kind: 'read',
  input: z.object({ title: Title, artist: ArtistName, album: AlbumName.optional(), year: Year.optional() }),
  output: Found,
  lean: {
    schema: Found.extend({
      match: z.object({ track: leanTrack.schema, score: z.number() }),
      candidates: z.array(LeanCandidate),
    }).partial(),
    of: ({ match, candidates, ...facts }) =>
      compact({
        ...facts,
        match: match && { track: leanTrack.of(match.track), score: match.score },
        // A match needs no candidates. But if a typo was forgiven, the first candidate says so.
        candidates: leanCandidates(match ? candidates.slice(0, 1).filter(isBySpelling) : candidates),
      }),
  },
  handle: ({ resolver }, query, call) => resolver.resolve(query, call),
});

const Remembered = z.object({
  track: Track,
  alias: z.object({ title: z.string(), artist: z.string(), album: z.string().nullable() }),
  replaced: z.boolean().describe('true: an earlier alias for the same query was replaced'),
});

export const rememberTrackTool = defineTool({
  name: 'remember_track',
  title: 'Remember a track',
  description:
    'Remembers the right track for a title and artist: saves an alias, so that later searches prefer that version, and corrects a wrong match. Title and artist must fit the track (ALIAS_MISMATCH), unless confirm says that the user means it.',
  kind: 'read',
  changesMemory: true,
  input: z.object({
    track_id: TrackRef.describe('ID, URI or link of the track to remember'),
    title: Title.optional().describe('Title to remember it by. When omitted, the title of the track'),
    artist: ArtistName.optional().describe(
      'Artist to remember it by. When omitted, the first artist of the track',
    ),
    album: AlbumName.optional().describe('Album to remember it by, only if later queries name it too'),
    confirm: z
      .boolean()
      .default(false)
      .describe('true: the user confirmed the track although title, artist or album differ'),
  }),
  output: Remembered,
  lean: {
    schema: Remembered.extend({ track: leanTrack.schema }),
    of: ({ track, alias, replaced }) => ({ track: leanTrack.of(track), alias: compact(alias), replaced }),
  },
  async handle({ provider, resolver }, { track_id, confirm, ...given }, call) {
    const track = await getTrack(provider, track_id.id, call);
    const { title = track.name, artist = track.artists[0]?.name ?? '', album } = given;
    const query = { title, artist, ...(album !== undefined && { album }) };
    const replaced = await resolver.choose(query, track, call.by ?? null, confirm);
    return { track, alias: { title, artist, album: album ?? null }, replaced };
  },
});

export const getArtistTopTracksTool = defineTool({
  name: 'get_artist_top_tracks',
  title: 'Artist top tracks',
  description:
    "Tells how to find an artist's most popular songs, or greatest hits: the list of top tracks was removed from the API in 2026, so the answer names an alternative.",
  kind: 'read',
  openWorld: false,
  input: z.object({ artist_id: ArtistRefArgument.describe('ID, URI or link of the artist') }),
  output: z.object({
    supported: z.literal(false),
    reason: z.literal('endpoint_removed'),
    message: z.string(),
    alternative: z.object({ tool: z.string(), hint: z.string() }),
  }),
  handle: async () => ({
    supported: false as const,
    reason: 'endpoint_removed' as const,
    message: "Spotify removed the list of an artist's top tracks from its API in February 2026.",
    alternative: {
      tool: 'search_tracks',
      hint: 'Search for artist:"NAME" with detail full, and keep the results whose artists include the ID; they are ordered by relevance, not by plays.',
    },
  }),
});
