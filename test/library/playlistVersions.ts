/** Versions of one playlist, `List 0` of `resize`, as tests list, restore and change them. */
import { at, owner } from '../support/entries.ts';
import type { Relay } from '../support/world.ts';
import { rowsFrom } from './accounts.ts';

export interface Versions {
  items: Array<{ version: number; seen_at: string; total: number; added: number; removed: number }>;
  present: boolean;
  error?: { code: string };
}

export interface Restored {
  added_count: number;
  removed_count: number;
  moved_count: number;
  unsupported: Array<{ position: number; uri: string | null; reason: string }>;
  change_id?: string;
  playlist_id: string;
  note?: string;
  error?: {
    code: string;
    message: string;
    remedy?: string;
    details?: { unsupported?: unknown[]; change_id?: string };
  };
}

export const WITH_ALL = { env: { RELAY_ACCESS: 'everything' } };
export const ID = `list${'0'.repeat(18)}`;
export const LOCAL = 'spotify:local:Band:Record:Song:200';

export const list = async (relay: Relay) =>
  (await relay.call('list_playlist_versions', { playlist_id: ID })) as unknown as Versions;

export const restore = async (relay: Relay, version: number, args: Record<string, unknown> = {}) =>
  (await relay.call('restore_playlist', { playlist_id: ID, version, ...args })) as unknown as Restored;

export const uris = (relay: Relay, index = 0) =>
  at(owner(relay.provider).playlists, index).rows.map((row) => (row.unavailable ? null : row.uri));

/** Changes the rows of the playlist, as somebody does in Spotify. */
export function edit(
  relay: Relay,
  change: (rows: ReturnType<typeof rowsFrom>) => ReturnType<typeof rowsFrom>,
): void {
  const playlist = at(owner(relay.provider).playlists, 0);
  playlist.rows = change([...playlist.rows]);
  playlist.version += 1;
}

export const rowAt = (relay: Relay, index: number) => at(rowsFrom(relay, index, 1), 0);
