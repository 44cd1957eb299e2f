/**
 * Ten whole tasks, each played with the fewest calls that a sensible model needs. Preparations are not counted. The tasks run in
 * this order in one relay, so the second list of songs can use tracks that were found for the first.
 */
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import type { Relay } from '../../test/support/world.ts';
import type { Answer, Model } from './model.ts';

interface Task {
  /** The request in a person's words. */
  request: string;
  play(model: Model, relay: Relay): Promise<void>;
}

/** Tokens and calls of one task. */
export interface Cost {
  tokens: number;
  calls: number;
}

/** Plays all tasks, in a relay over a fresh demo account. */
export async function playTasks(model: Model, relay: Relay): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost> = {};
  for (const { request, play } of TASKS) {
    const { tokens, calls } = model;
    await play(model, relay);
    costs[request] = { tokens: model.tokens - tokens, calls: model.calls - calls };
  }
  relay.provider.faults.clear();
  return costs;
}

interface Song {
  title: string;
  artist: string;
}

const LINES = 500;
const MISSING = 12;

const TASKS: readonly Task[] = [
  {
    request: 'what is playing',
    async play(model, relay) {
      await relay.call('play');
      await good(model.call('get_currently_playing'));
    },
  },
  {
    request: 'rename a playlist',
    async play(model) {
      const playlist_id = await playlistNamed(model, 'Running, Badly');
      await good(model.call('update_playlist_details', { playlist_id, name: 'Running, Well' }));
    },
  },
  {
    request: 'make a playlist of these 30 songs',
    async play(model, relay) {
      const tracks = songsOf(relay, 30).map(({ song }) => song);
      const answer = await good(model.call('create_playlist_from_tracks', { name: 'Thirty', tracks }));
      expect(answer.status === 'done', answer);
    },
  },
  {
    request: 'dedupe',
    async play(model, relay) {
      const { id, rows } = ownPlaylist(relay, 'Morning Ferry');
      relay.provider.editPlaylist(
        id,
        [...rows, ...rows.slice(10, 18)].map(({ uri }) => uri),
      );
      const playlist_id = await playlistNamed(model, 'Morning Ferry');
      await good(model.call('deduplicate_playlist', { playlist_id, dry_run: true }));
      await good(model.call('deduplicate_playlist', { playlist_id }));
    },
  },
  {
    request: 'what did I listen to most',
    async play(model) {
      await good(model.call('get_top_tracks'));
    },
  },
  {
    request: 'fix 12 unresolved',
    async play(model, relay) {
      const found = songsOf(relay, LINES);
      const step = Math.floor(LINES / MISSING);
      const isWrong = (index: number) => index % step === 7 && index < step * MISSING;
      const songs = found.map(({ song }, index) => (isWrong(index) ? misspelt(song) : song));
      const { job_id } = await good(
        relay.call('create_bulk_job', { type: 'create_playlist', payload: { name: 'Lines' }, items: songs }),
      );
      await reach(relay, String(job_id), 'ready');
      await settle(model, relay, String(job_id), (position) => found[position]?.track.id ?? '');
      await reach(relay, String(job_id), 'completed');
    },
  },
  {
    request: 'import 500 lines',
    async play(model, relay) {
      const text = songsOf(relay, LINES)
        .map(({ song }) => `${song.artist} - ${song.title}`)
        .join('\n');
      const answer = await good(model.call('import_list', { text, name: 'Lines' }));
      const job_id = String(answer.job_id);
      await reach(relay, job_id, 'ready');
      await good(model.call('get_job_status', { job_id }));
      await good(model.call('commit_job', { job_id }));
      await reach(relay, job_id, 'completed');
      await good(model.call('get_job_status', { job_id }));
    },
  },
  {
    request: 'undo that',
    async play(model, relay) {
      const { id, rows } = ownPlaylist(relay, 'Morning Ferry');
      const track_ids = rows.slice(3, 6).map(({ uri }) => uri);
      const { change_id } = await good(
        relay.call('remove_tracks_from_playlist', { playlist_id: id, track_ids }),
      );
      await good(model.call('undo_change', { change_id }));
    },
  },
  {
    request: 'turn it down on the kitchen speaker',
    async play(model) {
      const { devices } = await good(model.call('get_devices'));
      const speaker = (devices as Answer[]).find(({ name }) => name === 'Kitchen Speaker');
      await good(model.call('set_volume', { volume_percent: 20, device_id: speaker?.id }));
    },
  },
  {
    request: 'why is nothing working',
    async play(model, relay) {
      const { faults } = relay.provider;
      const nothing = '0000000000000000000000';
      faults.add({ path: '/search', times: Infinity, kind: 'quota', retryAfterSeconds: 7200 });
      faults.add({ path: '/me/tracks', times: Infinity, kind: 'status', status: 502 });
      await relay.call('search_tracks', { query: 'carousel' });
      await relay.call('get_saved_tracks');
      await relay.call('get_playlist', { playlist_id: nothing });
      await relay.call('get_track', { track_id: nothing });
      await relay.call('set_volume', { volume_percent: 20, device_id: 'gone' });
      await good(model.call('get_rate_limit_status'));
      await good(model.call('get_recent_api_errors'));
    },
  },
];

async function playlistNamed(model: Model, name: string): Promise<string> {
  const { matches } = await good(model.call('find_playlist_by_name', { name }));
  return String((matches as Answer[])[0]?.id);
}

/** Resolves the missing items of a job, and commits it. */
async function settle(
  model: Model,
  relay: Relay,
  job_id: string,
  trackOf: (position: number) => string,
): Promise<void> {
  const missing = await unresolvedItems(model, job_id);
  expect(
    missing.length === MISSING,
    missing.map(({ input }) => input),
  );
  const fixes = missing.map(({ position }) => ({ position, track_id: trackOf(Number(position)) }));
  const answer = await good(model.call('resume_job', { job_id, fixes }));
  if (statusOf(answer) !== 'ready') {
    await reach(relay, job_id, 'ready');
    await good(model.call('get_job_status', { job_id }));
  }
  await good(model.call('commit_job', { job_id }));
}

async function unresolvedItems(model: Model, job_id: string): Promise<Answer[]> {
  const isMissing = ({ status }: Answer) => status === 'ambiguous' || status === 'unmatched';
  const found: Answer[] = [];
  for (let offset: unknown = 0; typeof offset === 'number'; ) {
    const args = { job_id, only: 'unresolved', ...(offset > 0 && { offset }) };
    const page = await good(model.call('get_job_status', args));
    found.push(...(page.items as Answer[]).filter(isMissing));
    offset = page.next_offset;
  }
  return found;
}

/** Waits until the job has this status. These calls are not counted, since a model asks a few times a minute at most. */
async function reach(relay: Relay, job_id: string, status: string): Promise<void> {
  let now = '';
  const ask = async () => {
    now = statusOf(await good(relay.call('get_job_status', { job_id, limit: 1 })));
  };
  await ask();
  while (now !== status) {
    expect(now !== 'failed' && now !== 'cancelled', now);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await ask();
  }
}

function statusOf(answer: Answer): string {
  return String((answer.job as Answer | undefined)?.status ?? answer.status);
}

export function ownPlaylist({ provider }: Relay, name: string) {
  const found = provider.accounts[0]?.playlists.find((playlist) => playlist.name === name);
  if (!found) throw new Error(`The demo has no playlist ${name}.`);
  return found;
}

/** Returns songs with only one recording, so that title and artist suffice. */
export function songsOf({ provider }: Relay, count: number): Array<{ song: Song; track: DemoTrack }> {
  const { tracks } = provider.catalogue;
  const titles = new Map<string, number>();
  for (const { name } of tracks) titles.set(name, (titles.get(name) ?? 0) + 1);
  return tracks
    .filter(({ name }) => /^[A-Za-z ]{12,}$/.test(name) && titles.get(name) === 1)
    .slice(0, count)
    .map((track) => ({ song: { title: track.name, artist: track.artists[0]?.name ?? '' }, track }));
}

/** Returns the song with more than one typo in its title, which is still recognisable. */
function misspelt({ title, artist }: Song): Song {
  const letters = [...title];
  letters.splice(8, 1, letters[8] === 'e' ? 'a' : 'e');
  letters.splice(2, 1);
  return { title: letters.join(''), artist };
}

/** Throws if the answer is an error, since a failed task would look cheap. */
async function good(called: Promise<Answer>): Promise<Answer> {
  const answer = await called;
  expect(answer?.error === undefined, answer?.error);
  return answer;
}

export function expect(holds: boolean, found: unknown): void {
  if (!holds) throw new Error(`A task did not end as expected: ${JSON.stringify(found)}`);
}
