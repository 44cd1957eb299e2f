/** What the account listens to: top tracks and artists, and the listening history. */
import type { Artist, Context, Page, Track } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, requestFor } from '../api.ts';
import { objectBody, type PageRequest, readPage } from './paging.ts';
import { asArray, asObject, numberOf, parseArtist, parseContext, parseTrack, textOf } from './parse.ts';

type TimeRange = 'short_term' | 'medium_term' | 'long_term';

function top<T>(kind: 'tracks' | 'artists', parse: (row: unknown) => T | null) {
  return (api: ProviderApi, range: TimeRange, window: PageRequest, call: Call): Promise<Page<T>> => {
    const request = requestFor('GET', `/me/top/${kind}`, 'top', { query: { time_range: range } });
    return readPage(api, request, window, parse, call);
  };
}

export const getTopTracks = top<Track>('tracks', parseTrack);
export const getTopArtists = top<Artist>('artists', parseArtist);

/** One song in the listening history. Spotify may leave out each part, which is then null. */
interface Play {
  /** ISO 8601. */
  played_at: string | null;
  track: Track | null;
  context: Context | null;
}

export interface History {
  items: Play[];
  /** Unix milliseconds as text, for `after` and `before` of another request; null if the answer has none. */
  cursors: { after: string | null; before: string | null } | null;
}

/** @param query `before` and `after` are Unix milliseconds; give at most one of them */
export async function getRecentlyPlayed(
  api: ProviderApi,
  query: { limit: number; before?: number | undefined; after?: number | undefined },
  call: Call,
): Promise<History> {
  const request = requestFor('GET', '/me/player/recently-played', 'recently_played', {
    query: { limit: query.limit, before: query.before, after: query.after },
  });
  const body = objectBody(request, await api.send(request, call));
  const cursors = asObject(body.cursors);
  return {
    items: asArray(body.items).flatMap((row) => {
      const raw = asObject(row);
      if (!raw) return [];
      const track = parseTrack(raw.track ?? raw.item);
      return [{ played_at: textOf(raw.played_at), track, context: parseContext(raw.context) }];
    }),
    cursors: cursors ? { after: cursorOf(cursors.after), before: cursorOf(cursors.before) } : null,
  };
}

/** Reads a cursor as text or as a number, since Spotify does not document its type; null if it is neither. */
function cursorOf(value: unknown): string | null {
  return textOf(value) ?? numberOf(value)?.toString() ?? null;
}
