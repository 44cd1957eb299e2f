/**
 * Provider requests and time of whole tasks, beside the fewest requests that they could take and the time that the same
 * requests take one after another.
 */
import { type Relay, withRelay } from '../../test/support/world.ts';

export interface TaskRequests {
  task: string;
  requests: number;
  fewest: number;
  ratio: number;
}

export interface TaskTime {
  task: string;
  requests: number;
  /** Milliseconds. */
  took: number;
  oneByOne: number;
  ratio: number;
}

const LATENCY_MS = 80;
/** Most rows of a playlist that one request reads, and most entries of the library that one request takes. */
const PAGE = 50;
const LIBRARY = 40;
/** Most rows that one request adds or removes. */
const WRITE = 100;
const ROWS = 2_000;

type Step = [task: string, tool: string, args: Record<string, unknown>, fewest: number];

/** Requests per task. One more than the pages tells the name and the snapshot of a playlist. */
export async function taskRequests(): Promise<TaskRequests[]> {
  const found: TaskRequests[] = [];
  await withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    const { playlist_id, uris } = fill(relay);
    const ids = uris.slice(0, 400);
    const steps: Step[] = [
      ['numbers of a playlist of 2,000 rows', 'get_playlist_stats', { playlist_id }, ROWS / PAGE + 1],
      ['the same again within a minute', 'get_playlist_stats', { playlist_id }, 1],
      ['check 400 tracks', 'check_saved_tracks', { track_ids: ids }, ids.length / LIBRARY],
      ['save 400 tracks', 'save_tracks', { track_ids: ids }, ids.length / LIBRARY],
    ];
    for (const step of steps) found.push(await count(relay, step));
    relay.provider.editPlaylist(playlist_id, [...uris.slice(0, 990), ...uris.slice(0, 10)]);
    // Its snapshot, its rows, and the request that removes the ten.
    const dedupe = 1_000 / PAGE + 1 + Math.ceil(10 / WRITE);
    found.push(
      await count(relay, [
        'take out 10 duplicates of 1,000 rows',
        'deduplicate_playlist',
        { playlist_id },
        dedupe,
      ]),
    );
  });
  return found;
}

/** Time per task at 80 ms a request. */
export async function taskTimes(): Promise<TaskTime[]> {
  const found: TaskTime[] = [];
  await withRelay(async (relay) => {
    const { playlist_id } = fill(relay);
    relay.provider.faults.add({
      path: /./,
      times: Number.POSITIVE_INFINITY,
      kind: 'latency',
      ms: LATENCY_MS,
    });
    found.push(await time(relay, 'read 2,000 rows', () => relay.call('get_playlist_stats', { playlist_id })));
    const tracks = songs(relay, 100);
    const resolve = () => relay.call('add_tracks_by_search', { playlist_id, tracks, dry_run: true });
    found.push(await time(relay, 'resolve 100 searches', resolve));
  });
  return found;
}

async function count(relay: Relay, [task, tool, args, fewest]: Step): Promise<TaskRequests> {
  relay.provider.clearRequests();
  const answer = await relay.call(tool, args);
  if (answer.error) throw new Error(`${task}: ${JSON.stringify(answer.error)}`);
  const requests = relay.provider.requests.length;
  return { task, requests, fewest, ratio: requests / fewest };
}

async function time(
  relay: Relay,
  task: string,
  work: () => Promise<Record<string, unknown>>,
): Promise<TaskTime> {
  relay.provider.clearRequests();
  const begin = performance.now();
  const answer = await work();
  const took = performance.now() - begin;
  if (answer.error) throw new Error(`${task}: ${JSON.stringify(answer.error)}`);
  const requests = relay.provider.requests.length;
  const oneByOne = requests * LATENCY_MS;
  return { task, requests, took, oneByOne, ratio: took / oneByOne };
}

/** Gives a playlist of the account 2,000 rows without a track twice. */
function fill({ provider }: Relay): { playlist_id: string; uris: string[] } {
  const [account] = provider.accounts;
  const playlist = account?.playlists.find(({ rows }) => rows.length === 2_500);
  if (!playlist) throw new Error('the account has no long playlist');
  const uris = provider.catalogue.tracks.slice(0, ROWS).map(({ uri }) => uri);
  provider.editPlaylist(playlist.id, uris);
  return { playlist_id: playlist.id, uris };
}

/** Songs whose titles occur once. */
function songs({ provider }: Relay, count: number): Array<{ title: string; artist: string }> {
  const { tracks } = provider.catalogue;
  const titles = new Map<string, number>();
  for (const { name } of tracks) titles.set(name, (titles.get(name) ?? 0) + 1);
  return tracks
    .filter(({ name }) => titles.get(name) === 1)
    .slice(0, count)
    .map(({ name, artists }) => ({ title: name, artist: artists[0]?.name ?? '' }));
}
