/** Playlists that follow a query, as clients keep them through the tools. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resize } from '../../library/accounts.ts';
import { zipped } from '../../library/plays/exports.ts';
import { run } from '../../support/cli.ts';
import { type Relay, type RelayOptions, withRelay } from '../../support/world.ts';

interface Preview {
  total: number;
  added: Array<{ uri: string; name?: string }>;
  removed: Array<{ uri: string }>;
  added_count: number;
  removed_count: number;
  moved_count?: number;
  left_out: number;
}

export interface Keep {
  id: string;
  playlist_id: string;
  name: string;
  sql: string;
  rule?: string;
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
  note?: string;
  warning?: string;
  error?: { code: string; message: string; remedy?: string };
}

export const WITH_ALL = { env: { RELAY_ACCESS: 'everything' } };

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

export async function keep(relay: Relay, args: Record<string, unknown>): Promise<Answer> {
  return (await relay.call('keep_playlist', { sql: SAVED, ...args })) as unknown as Answer;
}

/** Keeps a new playlist by a ready rule, as `relay keep add NAME --like RULE`. */
export async function keepLike(relay: Relay, name: string, rule: string): Promise<Answer> {
  const { out, err } = await run(relay, ['keep', 'add', name, '--like', rule, '--json']);
  return JSON.parse(out || err) as Answer;
}

export async function act(relay: Relay, id: string, action: string): Promise<Answer> {
  return (await relay.call('update_kept_playlist', { keep_id: id, action })) as unknown as Answer;
}

export async function kept(relay: Relay): Promise<Keep[]> {
  const { items } = (await relay.call('list_kept_playlists')) as unknown as { items: Keep[] };
  return items;
}

/** Imports rows of the extended history. */
export async function importPlays(relay: Relay, rows: ReadonlyArray<Record<string, unknown>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-history-'));
  try {
    const path = join(folder, 'my_spotify_data.zip');
    await writeFile(path, zipped({ 'Streaming_History_Audio_2026_0.json': rows }));
    const { code, err } = await run(relay, ['import', path]);
    assert.equal(code, 0, err);
  } finally {
    await rm(folder, { recursive: true });
  }
}
