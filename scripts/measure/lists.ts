/** Counts the tokens of lists in answers: a default page of each list, and an average row in the demo account. */
import type { Relay } from '../../test/support/world.ts';
import type { Answer, Model } from './model.ts';
import { tokensOf } from './tokens.ts';

type Args = Record<string, unknown>;
type Pages = Record<string, number>;

/** Maximum number of rows to read of a list. The longest playlist of the demo account has 2,500. */
const MAX_ROWS = 3_000;

/** Counts the tokens of a default page of each tool that lists something from Spotify. */
export async function providerLists(model: Model, relay: Relay): Promise<Pages> {
  const [, , , long] = relay.provider.accounts[0]?.playlists ?? [];
  const artist = relay.provider.catalogue.artists[0];
  const album = relay.provider.catalogue.albums.find(({ tracks }) => tracks.length >= 10);
  return pagesOf(model, {
    search_tracks: { query: 'carousel' },
    search_artists: { query: 'the' },
    search_albums: { query: 'the' },
    get_my_playlists: {},
    find_playlist_by_name: { name: 'Café Noctelle' },
    get_playlist_tracks: { playlist_id: long?.id },
    get_saved_tracks: {},
    get_top_tracks: {},
    get_top_artists: {},
    get_recently_played: {},
    get_devices: {},
    get_queue: {},
    get_album_tracks: { album_id: album?.id },
    get_artist_albums: { artist_id: artist?.id },
  });
}

/**
 * Counts the tokens of a default page of each tool that lists relay's own state. The tasks of `tasks.ts` have to run first, since
 * they create what is listed.
 */
export async function ownLists(model: Model, relay: Relay): Promise<Pages> {
  const { items } = await relay.call('list_jobs');
  const [job] = items as Answer[];
  return pagesOf(model, {
    list_jobs: {},
    get_job_status: { job_id: job?.job_id },
    list_changes: {},
    get_rate_limit_status: {},
    get_recent_api_errors: {},
  });
}

async function pagesOf(model: Model, calls: Record<string, Args>): Promise<Pages> {
  const pages: Pages = {};
  for (const [tool, args] of Object.entries(calls)) {
    const { tokens } = model;
    const answer = await model.call(tool, args);
    if (rowsOf(answer).length === 0) throw new Error(`${tool} lists nothing: ${JSON.stringify(answer)}`);
    pages[tool] = model.tokens - tokens - tokensOf(args);
  }
  return pages;
}

/** Returns the average number of tokens of a row, by kind of list, without the page around it. */
export async function rowCosts(model: Model, relay: Relay): Promise<Record<string, number>> {
  const own = relay.provider.accounts[0]?.playlists ?? [];
  const readable = own.filter(({ rows, ownerName }) => rows.length > 0 && ownerName === 'Demo Listener');
  const ranges = ['short_term', 'medium_term', 'long_term'];
  return {
    track: await average(
      model,
      'get_top_tracks',
      ranges.map((time_range) => ({ time_range })),
    ),
    playlist: await average(model, 'get_my_playlists', [{}]),
    library: await average(model, 'get_saved_tracks', [{}]),
    item: await average(
      model,
      'get_playlist_tracks',
      readable.map(({ id }) => ({ playlist_id: id })),
    ),
  };
}

async function average(model: Model, tool: string, lists: readonly Args[]): Promise<number> {
  let rows: unknown[] = [];
  for (const args of lists) rows = [...rows, ...(await rowsIn(model, tool, args))];
  return tokensOf(rows) / rows.length;
}

async function rowsIn(model: Model, tool: string, args: Args): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let offset: unknown = 0; typeof offset === 'number' && rows.length < MAX_ROWS; ) {
    const answer = await model.call(tool, { ...args, limit: 50, offset });
    rows.push(...rowsOf(answer));
    offset = answer.next_offset;
  }
  return rows;
}

/** Returns the list in an answer. */
function rowsOf(answer: Answer): unknown[] {
  return (Object.values(answer).find((value) => Array.isArray(value) && value.length > 0) as unknown[]) ?? [];
}
