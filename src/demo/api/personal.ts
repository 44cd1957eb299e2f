/** The profile, top items and the listening history. */
import { type Answer, type ApiCall, ok, refuse } from '../http.ts';
import { advancePlayer } from '../player.ts';
import { type Play, TIME_RANGES, type TimeRange, type World } from '../state.ts';
import { pageRequest, paging, wholeNumber } from './paging.ts';
import { artistObject, contextObject, trackObject, userRef } from './shapes.ts';

/** Only this many plays can be read. */
const HISTORY_REACH = 50;

/** `GET /me`, without the fields removed in February 2026. */
export function getMe({ world, account }: ApiCall): Answer {
  const profile = userRef(world, account.id);
  const { accountId: account_id, displayName: display_name } = account;
  return ok({ ...profile, account_id, display_name, images: [] });
}

/** `GET /me/top/tracks`. */
export function getTopTracks(call: ApiCall): Answer {
  return topOf(call, 'tracks', call.world.catalogue.trackByUri, trackObject);
}

/** `GET /me/top/artists`. */
export function getTopArtists(call: ApiCall): Answer {
  return topOf(call, 'artists', call.world.catalogue.artistByUri, artistObject);
}

function topOf<T>(
  call: ApiCall,
  kind: 'tracks' | 'artists',
  byUri: ReadonlyMap<string, T>,
  shape: (world: World, one: T) => unknown,
): Answer {
  const best = call.account.top[kind][timeRange(call)].flatMap((uri) => byUri.get(uri) ?? []);
  const page = pageRequest(call, 20, 50);
  return ok(paging(call, `/me/top/${kind}`, best, page, (one) => shape(call.world, one)));
}

function timeRange(call: ApiCall): TimeRange {
  const value = call.query.get('time_range') ?? 'medium_term';
  const range = TIME_RANGES.find((name) => name === value);
  if (!range) throw refuse(400, 'Invalid time range');
  return range;
}

/**
 * `GET /me/player/recently-played`: newest first, without episodes. The rows have the field `track`, which is `item` only in
 * playlists.
 */
export function getRecentlyPlayed(call: ApiCall): Answer {
  advancePlayer(call.world, call.account, call.now);
  const { limit } = pageRequest(call, 20, 50);
  const before = cursor(call, 'before');
  const after = cursor(call, 'after');
  if (before !== null && after !== null) throw refuse(400, 'Only one of before and after may be given');
  const plays = call.account.history
    .filter(({ uri }) => call.world.catalogue.trackByUri.has(uri))
    .slice(0, HISTORY_REACH)
    .filter(({ playedAt }) => (before === null || playedAt < before) && (after === null || playedAt > after));
  return ok(pageOfPlays(call, plays, limit));
}

function pageOfPlays(call: ApiCall, plays: readonly Play[], limit: number): Record<string, unknown> {
  const base = `${call.world.apiUrl}/me/player/recently-played`;
  const page = plays.slice(0, limit);
  const oldest = page.at(-1)?.playedAt;
  const newest = page[0]?.playedAt;
  const hasMore = plays.length > page.length;
  return {
    href: `${base}?${call.query}`,
    items: page.map((play) => playObject(call, play)),
    limit,
    next: hasMore ? `${base}?${new URLSearchParams({ before: String(oldest), limit: String(limit) })}` : null,
    cursors: page.length === 0 ? null : { after: String(newest), before: String(oldest) },
  };
}

function playObject({ world }: ApiCall, play: Play): Record<string, unknown> {
  const track = world.catalogue.trackByUri.get(play.uri);
  return {
    track: track ? trackObject(world, track) : null,
    played_at: new Date(play.playedAt).toISOString(),
    context: contextObject(world, play.contextUri),
  };
}

function cursor(call: ApiCall, name: 'before' | 'after'): number | null {
  const value = wholeNumber(call.query.get(name));
  if (Number.isNaN(value)) throw refuse(400, `Invalid value for ${name}`);
  return value;
}
