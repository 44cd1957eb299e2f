/**
 * Provider requests and time of whole tasks. They are compared with the fewest requests possible, and with the time of the
 * same requests one after another.
 *
 * The fewest are the requests that a safe program must send. It reads a playlist in pages of 50; one request returns the name,
 * the version and the first page. For a playlist that it read less than a minute ago, it only asks for the version. Before a
 * change to such a playlist, it also reads one page of rows, since the version may be half a minute old. A change adds its
 * writes. The undo of a deduplication reads once before its writes (has anyone changed the playlist since?) and once after them
 * (is everything back?). Comments beside their figures say what other undos read.
 *
 * relay sends more where somebody else may be editing at that moment. Before a change it reads a list with repeated rows twice:
 * a row that moves to the next page meanwhile appears on both pages. It looks at the list before it puts rows back.
 */
import { inParallel } from '../../src/base/lists.ts';
import { startVictim, victimEnvironment } from '../../test/changes/crash/victim.ts';
import { withDesk } from '../../test/support/program.ts';
import { type Simulator, startSimulator } from '../../test/support/simulator/simulator.ts';
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
  /** Milliseconds for the same requests, sent one after another. */
  oneByOne: number;
  ratio: number;
  /** Milliseconds for the same requests with plain `fetch`, the first alone, then eight at a time, as relay sends them. */
  plainFetch: number;
}

const LATENCY_MS = 80;
/** Maximum number of rows that one request reads, of a playlist or of the library. */
const PAGE = 50;
/** Maximum number of tracks that one request checks, saves or removes in the library. */
const LIBRARY_TRACKS = 40;
/** Maximum number of playlist rows that one request adds or removes. */
const WRITE = 100;
const ROWS = 2_000;
const TURNS = 3;

type Args = Record<string, unknown>;
type Provider = Pick<Relay, 'provider'>;
type Song = { title: string; artist: string };

/** Counts the requests of each task. */
export async function taskRequests(): Promise<TaskRequests[]> {
  const found: TaskRequests[] = [];
  await withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    // Tasks that write have playlists of their own, since relay waits until a playlist shows what it has just written.
    const [playlist_id, together, apart, filled] = playlistIds(relay) as [string, string, string, string];
    const uris = unsavedUris(relay, ROWS);
    relay.provider.editPlaylist(playlist_id, uris);
    const count = async (task: string, fewest: number, work: () => Promise<Args>): Promise<Args> => {
      relay.provider.clearRequests();
      const answer = requireDone(task, await work());
      const requests = relay.provider.requests.length;
      found.push({ task, requests, fewest, ratio: requests / fewest });
      return answer;
    };
    const ask = (task: string, tool: string, args: Args, fewest: number) =>
      count(task, fewest, () => relay.call(tool, args));
    const undo = (task: string, { change_id }: Args, fewest: number) =>
      ask(task, 'undo_change', { change_id }, fewest);
    await count('list 2,000 rows, 50 at a time', ROWS / PAGE, () => everyRow(relay, playlist_id));
    await ask('statistics of 2,000 rows', 'get_playlist_stats', { playlist_id }, ROWS / PAGE);
    await ask('the same statistics within a minute', 'get_playlist_stats', { playlist_id }, 1);
    const track_ids = uris.slice(0, 400);
    await ask('check 400 tracks', 'check_saved_tracks', { track_ids }, 400 / LIBRARY_TRACKS);
    const saved = await ask('save 400 tracks', 'save_tracks', { track_ids }, 400 / LIBRARY_TRACKS);
    // The undo reads the newest rows of the library to see which of the tracks were new.
    await undo('undo of saving 400 tracks', saved, 400 / PAGE + 400 / LIBRARY_TRACKS);
    await deduplications(relay, [together, apart], uris, ask, undo);
    await additions(relay, filled, ask, undo);
  });
  return found;
}

type Ask = (task: string, tool: string, args: Args, fewest: number) => Promise<Args>;
type Undo = (task: string, answer: Args, fewest: number) => Promise<Args>;

/**
 * Counts the requests of two deduplications and their undos. Spotify can only remove all rows of a track, so relay then puts the
 * first row back. It puts adjacent rows back in one request.
 */
async function deduplications(
  relay: Relay,
  [together, apart]: [string, string],
  uris: readonly string[],
  ask: Ask,
  undo: Undo,
): Promise<void> {
  const rows = 1_000;
  const unique = uris.slice(0, rows - 10);
  const scattered = Array.from({ length: 10 }, (_, index) => unique[index * 90] ?? '');
  relay.provider.editPlaylist(together, [...unique, ...unique.slice(0, 10)]);
  relay.provider.editPlaylist(apart, [...unique, ...scattered]);
  const dedupe = 'deduplicate_playlist';
  const first = { playlist_id: together };
  const done = await ask('remove 10 duplicates from 1,000 rows', dedupe, first, rows / PAGE + 2);
  await undo('undo of removing 10 duplicates', done, 1 + 1 + 1);
  const second = { playlist_id: apart };
  await ask(
    'preview of removing 10 duplicates of scattered rows',
    dedupe,
    { ...second, dry_run: true },
    rows / PAGE,
  );
  const gone = await ask('removal of these 10 within a minute of the preview', dedupe, second, 2 + 1 + 10);
  await undo('undo of removing 10 duplicates of scattered rows', gone, 1 + 1 + 1);
}

/**
 * Counts the requests for adding 500 entries and undoing that. The entries are 100 URIs, 100 songs known to relay, 200 songs to
 * search for, and 100 of those 200 again.
 */
async function additions(relay: Relay, playlist_id: string, ask: Ask, undo: Undo): Promise<void> {
  const rows = 500;
  const [known, fresh] = [songs(relay, 0, 100), songs(relay, 100, 200)];
  const asked = new Set([...known, ...fresh].map(({ title }) => title));
  const others = relay.provider.catalogue.tracks.filter(({ name }) => !asked.has(name)).map(({ uri }) => uri);
  relay.provider.editPlaylist(playlist_id, others.slice(0, rows));
  requireDone(
    'learn',
    await relay.call('add_tracks_by_search', { playlist_id, tracks: known, dry_run: true }),
  );
  const tracks = [...others.slice(rows, rows + 100), ...known, ...fresh, ...fresh.slice(0, 100)];
  const args = { playlist_id, tracks };
  const added = await ask('add 500 mixed entries', 'bulk_add_tracks', args, 200 + 500 / WRITE);
  // The undo first reads the whole playlist, since removing a track also removes its earlier rows.
  await undo('undo of adding 500 entries', added, (rows + 500) / PAGE + 400 / WRITE + 1);
}

async function everyRow(relay: Relay, playlist_id: string): Promise<Args> {
  let answer: Args = {};
  for (let offset: unknown = 0; typeof offset === 'number'; offset = answer.next_offset) {
    answer = requireDone('list', await relay.call('get_playlist_tracks', { playlist_id, offset }));
  }
  return answer;
}

/** Measures the time of each task when every request takes 80 ms, with relay as a process of its own. */
export async function taskTimes(): Promise<TaskTime[]> {
  const found: TaskTime[] = [];
  const provider = await startSimulator();
  try {
    await withDesk(victimEnvironment(provider), async (desk) => {
      const relay = await startVictim(desk);
      const call = async (tool: string, args: Args) =>
        requireDone(tool, (await relay.call(tool, args)) ?? {});
      const [playlist_id = ''] = playlistIds({ provider });
      const uris = unsavedUris({ provider }, ROWS);
      provider.faults.add({ path: /./, times: Number.POSITIVE_INFINITY, kind: 'latency', ms: LATENCY_MS });
      const read = () => {
        // Gives the playlist a new version, so that relay reads it again.
        provider.editPlaylist(playlist_id, uris);
        return call('get_playlist_stats', { playlist_id });
      };
      found.push(await time(provider, 'read 2,000 rows', read));
      let from = 0;
      const resolve = () => {
        const tracks = songs({ provider }, from, 200);
        from += 200;
        return call('add_tracks_by_search', { playlist_id, tracks, dry_run: true });
      };
      found.push(await time(provider, 'resolve 200 searches', resolve));
    });
  } finally {
    await provider.close();
  }
  return found;
}

/**
 * Alternately times the task, the same requests eight at a time, and the same requests one by one. The quickest run of each
 * counts, since other work on the machine can only add time.
 */
async function time(provider: Simulator, task: string, work: () => Promise<Args>): Promise<TaskTime> {
  const took: number[] = [];
  const oneByOne: number[] = [];
  const atOnce: number[] = [];
  let requests = 0;
  // The first turn only warms up. Only the last two turns send the requests one by one, which takes long.
  for (let turn = 0; turn <= TURNS; turn++) {
    provider.clearRequests();
    const begin = performance.now();
    await work();
    if (turn > 0) took.push(performance.now() - begin);
    const sent = [...provider.requests];
    requests = sent.length;
    if (turn > 0) atOnce.push(await sentAgain(provider, sent, 8));
    if (turn > 1) oneByOne.push(await sentAgain(provider, sent, 1));
  }
  const [quickest, inOrder, plainFetch] = [Math.min(...took), Math.min(...oneByOne), Math.min(...atOnce)];
  return { task, requests, took: quickest, oneByOne: inOrder, ratio: quickest / inOrder, plainFetch };
}

async function sentAgain(
  provider: Simulator,
  [first, ...others]: Simulator['requests'],
  width: number,
): Promise<number> {
  const [account] = provider.accounts;
  if (!account) throw new Error('there is no account');
  const { token } = provider.grants.issueAccess(account, 'playlist-read-private');
  const begin = performance.now();
  const send = async ({ method, path, query }: Simulator['requests'][number]) => {
    if (method !== 'GET') throw new Error(`${method} ${path} would write`);
    const url = `${provider.apiUrl}${path}?${new URLSearchParams(query)}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await answer.json();
  };
  if (first) await send(first);
  await inParallel(others, width, send);
  return performance.now() - begin;
}

function requireDone(task: string, answer: Args): Args {
  if (answer.error) throw new Error(`${task}: ${JSON.stringify(answer.error)}`);
  if (answer.status === 'blocked' || answer.status === 'deferred')
    throw new Error(`${task}: ${answer.status}`);
  return answer;
}

/** Returns the IDs of the account's own playlists. */
function playlistIds({ provider }: Provider): string[] {
  const [account] = provider.accounts;
  return (account?.playlists ?? []).filter(({ ownerId }) => ownerId === account?.id).map(({ id }) => id);
}

/** Returns the URIs of tracks that the account has not saved. */
function unsavedUris({ provider }: Provider, count: number): string[] {
  const saved = new Set(provider.accounts[0]?.saved.map(({ uri }) => uri));
  const uris = provider.catalogue.tracks.map(({ uri }) => uri);
  return uris.filter((uri) => !saved.has(uri)).slice(0, count);
}

/** Returns songs with unique titles, so that the first search finds them. */
function songs({ provider }: Provider, from: number, count: number): Song[] {
  const { tracks } = provider.catalogue;
  const titles = new Map<string, number>();
  for (const { name } of tracks) titles.set(name, (titles.get(name) ?? 0) + 1);
  const found = tracks
    .map(({ name, artists }) => ({ title: name, artist: artists[0]?.name ?? '' }))
    .filter(({ title, artist }) => titles.get(title) === 1 && /^[\w ]+$/.test(title + artist))
    .slice(from, from + count);
  if (found.length < count)
    throw new Error(`the catalogue has only ${from + found.length} songs with a plain, unique title`);
  return found;
}
