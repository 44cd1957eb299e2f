/** For tests of kept playlists: they use tools as clients do, and look at the rows and requests that come of it. */
import { resize } from '../library/support.ts';
import { at, owner } from '../support/shapes.ts';
import { type Relay, type RelayOptions, withRelay } from '../support/world.ts';

interface Preview {
  total: number;
  added: Array<{ uri: string; name?: string }>;
  removed: Array<{ uri: string }>;
  added_count: number;
  removed_count: number;
  left_out: number;
}

export interface Keep {
  id: string;
  playlist_id: string;
  name: string;
  sql: string;
  every: string;
  status: string;
  last_run_at: string | null;
  next_run_at: string | null;
  reason?: string;
  last_result?: string;
  last_change_id?: string;
  preview?: Preview;
}

export interface Answer {
  keep: Keep;
  preview: Preview;
  change_id?: string;
  error?: { code: string; message: string };
}

export const WITH_ALL = { env: { RELAY_TOOLSETS: 'all' } };

/** A relay with all tools, over an account with `saved` tracks and `playlists` of 30 rows each. */
export function withAccount(
  { saved, playlists = 1, ...options }: RelayOptions & { saved: number; playlists?: number },
  work: (relay: Relay) => Promise<void>,
): Promise<void> {
  return withRelay({ ...WITH_ALL, ...options }, async (relay) => {
    resize(relay, saved, playlists);
    relay.provider.clearRequests();
    await work(relay);
  });
}

/** A query that finds the saved tracks, in their order. */
export const SAVED = 'SELECT uri FROM saved ORDER BY position';

export const LIST_0 = `list${'0'.repeat(18)}`;

export async function keep(relay: Relay, args: Record<string, unknown>): Promise<Answer> {
  return (await relay.call('keep_playlist', { sql: SAVED, ...args })) as unknown as Answer;
}

export async function act(relay: Relay, id: string, action: string): Promise<Answer> {
  return (await relay.call('update_kept_playlist', { keep_id: id, action })) as unknown as Answer;
}

export async function kept(relay: Relay): Promise<Keep[]> {
  const { items } = (await relay.call('list_kept_playlists')) as unknown as { items: Keep[] };
  return items;
}

export function savedUris(relay: Relay): string[] {
  return owner(relay.provider).saved.map(({ uri }) => uri);
}

/** Rows of a playlist at Spotify. */
export function rowsOf(relay: Relay, id: string): string[] {
  const playlist = owner(relay.provider).playlists.find((one) => one.id === id);
  if (!playlist) throw new Error(`There is no playlist ${id}.`);
  return playlist.rows.map(({ uri }) => uri);
}

/** Somebody changes a playlist in Spotify. */
export function edit(relay: Relay, id: string, change: (uris: string[]) => string[]): void {
  const playlist = owner(relay.provider).playlists.find((one) => one.id === id);
  if (!playlist) throw new Error(`There is no playlist ${id}.`);
  playlist.rows = change(playlist.rows.map(({ uri }) => uri)).map((uri) => ({
    uri,
    addedAt: '2026-10-01T00:00:00Z',
    addedBy: null,
  }));
  playlist.version += 1;
}

/** Tracks of the catalogue that are in no playlist and not saved. */
export function spare(relay: Relay, first: number, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => at(relay.provider.catalogue.tracks, 2_000 + first + index).uri,
  );
}

export function save(relay: Relay, uris: readonly string[]): void {
  const account = owner(relay.provider);
  account.saved = [...uris.map((uri) => ({ uri, addedAt: '2026-11-01T00:00:00Z' })), ...account.saved];
}

export function unsave(relay: Relay, count: number): void {
  const account = owner(relay.provider);
  account.saved = account.saved.slice(count);
}

/** Requests to the Web API, without those that renew the token. */
export function asked(relay: Relay): Array<{ method: string; path: string }> {
  return relay.provider.requests.filter(({ path }) => path !== '/api/token');
}

/** Requests that change something. */
export function writes(relay: Relay): string[] {
  return asked(relay)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
}
