/** Finding playlists by name and counting what they hold. */
import * as z from 'zod';
import { nearestNames } from '../../base/nearest.ts';
import { modelText } from '../../base/visibleText.ts';
import { Playlist } from '../../domain/shapes.ts';
import { normaliseName } from '../../music/names.ts';
import { getAllMyPlaylists } from '../../provider/resources/playlists.ts';
import { compact, leanPlaylist } from '../answer/lean.ts';
import { playlistId } from '../arguments.ts';
import { wholePlaylist } from '../libraryFilter.ts';
import { defineTool } from '../tool.ts';
import { statsOf } from './playlistStats.ts';

const Matches = z.object({
  name: z.string(),
  matches: z.array(Playlist),
  near: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .optional()
    .describe('Only if nothing matches: playlists with similar names'),
  note: z.string().optional(),
});

export const findPlaylistByNameTool = defineTool({
  name: 'find_playlist_by_name',
  title: 'Find playlist by name',
  description:
    "Finds a playlist by its name among the user's playlists, to open it or get its ID. Case and accents do not matter. Several playlists may share a name; if none matches, the answer lists similar names.",
  kind: 'read',
  input: z.object({ name: z.string().trim().min(1).max(200).describe('Full name of the playlist') }),
  output: Matches,
  lean: {
    schema: Matches.omit({ name: true }).extend({ matches: z.array(leanPlaylist.schema) }),
    of: ({ matches, near, note }) => ({ matches: matches.map(leanPlaylist.of), ...compact({ near, note }) }),
  },
  rows: { key: 'matches', hint: 'get_my_playlists lists the others.' },
  async handle({ provider }, { name }, call) {
    const { items } = await getAllMyPlaylists(provider, Number.MAX_SAFE_INTEGER, call);
    // A model knows names from answers, which leave out hidden characters.
    const nameOf = (text: string) => normaliseName(modelText(text));
    const wanted = nameOf(name);
    const matches = items.filter((playlist) => nameOf(playlist.name) === wanted);
    if (matches.length > 0) return { name, matches };
    const names = namesNear(wanted, [...new Set(items.map((one) => nameOf(one.name)))]);
    const near = items
      .filter((one) => names.includes(nameOf(one.name)))
      .map((one) => ({ id: one.id, name: one.name }));
    return { name, matches, near, ...(NAMES_OF_MIXES.test(wanted) && { note: MIXES }) };
  },
});

/** Words that many people say with the name of any playlist. */
const COMMON_WORDS: ReadonlySet<string> = new Set(['list', 'playlist', 'songs', 'music', 'mix', 'my', 'the']);
const MAX_NEAR = 5;

/** The names that differ least from `wanted`; if none is similar, those that share a word with it. */
function namesNear(wanted: string, names: readonly string[]): string[] {
  const similar = nearestNames(wanted, names);
  if (similar.length > 0) return similar;
  const words = wanted.split(' ').filter((word) => word.length > 2 && !COMMON_WORDS.has(word));
  return names.filter((name) => words.some((word) => name.split(' ').includes(word))).slice(0, MAX_NEAR);
}

const NAMES_OF_MIXES =
  /^(discover weekly|release radar|on repeat|repeat rewind|daylist|your top songs \d{4}|.+ mix( \d+)?)$/;

const MIXES =
  'Spotify does not let programs find or read the mixes that it makes (Discover Weekly, Daily Mix and the like). In the Spotify app, the owner can copy the songs of one into a playlist.';

const Count = z.number();

export const getPlaylistStatsTool = defineTool({
  name: 'get_playlist_stats',
  title: 'Get playlist statistics',
  description:
    'Counts and analyzes what is in a playlist: how many songs, total duration, duplicates, top artists, decades, first and last additions. Costs far less than reading the rows.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId }),
  output: z.object({
    playlist_id: z.string(),
    name: z.string(),
    snapshot_id: z.string().nullable(),
    total_items: Count,
    track_count: Count.describe('Catalog tracks, counting every occurrence'),
    episode_count: Count,
    local_count: Count.describe('Local files'),
    unavailable_count: Count.describe('Rows that Spotify no longer offers'),
    unique_track_count: Count,
    duplicate_count: Count.describe('Rows that repeat an earlier row'),
    duplicates: z
      .array(z.object({ uri: z.string(), name: z.string(), count: Count }))
      .describe('Items that occur more than once, most frequent first, at most 100'),
    explicit_count: Count,
    total_duration_ms: Count,
    total_duration: z.string(),
    average_duration_ms: Count.nullable(),
    unique_artist_count: Count,
    top_artists: z
      .array(z.object({ id: z.string().nullable(), name: z.string(), count: Count }))
      .describe('The ten artists with the most rows'),
    release_years: z
      .record(z.string(), Count)
      .describe('Catalog tracks by decade, such as "1990s", or "unknown"'),
    oldest_added_at: z.string().nullable(),
    newest_added_at: z.string().nullable(),
  }),
  async handle(services, { playlist_id: { id } }, call) {
    const { playlist, items } = await wholePlaylist(services, id, call);
    return { playlist_id: id, name: playlist.name, snapshot_id: playlist.snapshot_id, ...statsOf(items) };
  },
});
