import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { at } from '../support/entries.ts';
import { type Desk, withDesk } from '../support/program.ts';

type Json = Record<string, unknown>;

/** What a call needs from the answers to earlier calls. */
interface Facts {
  playlist: string;
  device: string;
  job: string;
}

const { tracks, artists } = sharedCatalogue();
const ids = (from: number, count: number) => tracks.slice(from, from + count).map(({ id }) => id);
const [song] = tracks.slice(2, 3);
const search = { title: song?.name, artist: song?.artists[0]?.name };

const NOWHERE = { title: 'No Such Song Anywhere', artist: 'Nobody of That Name' };

/** All tools with arguments, in an order in which a person might use them. */
const session: Array<[tool: string, args: (facts: Facts) => Json]> = [
  ['search_tracks', () => ({ query: 'carousel', limit: 2 })],
  ['search_artists', () => ({ query: 'the', limit: 2 })],
  ['search_albums', () => ({ query: 'the', limit: 2 })],
  ['get_track', () => ({ track_id: at(tracks, 0).uri })],
  ['get_artist', () => ({ artist_id: at(artists, 0).id })],
  ['get_artist_top_tracks', () => ({ artist_id: at(artists, 0).id })],
  ['find_track_exact', () => search],
  ['remember_track', () => ({ track_id: song?.id, ...search })],
  ['get_my_playlists', () => ({ all: true })],
  ['find_playlist_by_name', () => ({ name: 'morning ferry' })],
  ['create_playlist', () => ({ name: 'From a Terminal' })],
  ['get_playlist', ({ playlist }) => ({ playlist_id: playlist })],
  [
    'add_tracks_to_playlist',
    ({ playlist }) => ({ playlist_id: playlist, track_ids: [...ids(0, 3), ...ids(0, 1)] }),
  ],
  ['deduplicate_playlist', ({ playlist }) => ({ playlist_id: playlist })],
  [
    'reorder_playlist_tracks',
    ({ playlist }) => ({ playlist_id: playlist, range_start: 0, insert_before: 3 }),
  ],
  ['get_playlist_tracks', ({ playlist }) => ({ playlist_id: playlist })],
  ['get_playlist_stats', ({ playlist }) => ({ playlist_id: playlist })],
  ['remove_tracks_from_playlist', ({ playlist }) => ({ playlist_id: playlist, track_ids: ids(0, 1) })],
  ['replace_playlist_tracks', ({ playlist }) => ({ playlist_id: playlist, track_ids: ids(5, 2) })],
  ['update_playlist_details', ({ playlist }) => ({ playlist_id: playlist, name: 'Renamed' })],
  ['add_tracks_by_search', ({ playlist }) => ({ playlist_id: playlist, tracks: [search] })],
  ['bulk_add_tracks', ({ playlist }) => ({ playlist_id: playlist, tracks: [{ id: ids(9, 1)[0] }] })],
  ['create_playlist_from_tracks', () => ({ name: 'Made of a List', tracks: [search, ids(9, 1)[0]] })],
  ['create_bulk_job', () => ({ type: 'save_tracks', payload: {}, items: [...ids(20, 2), NOWHERE] })],
  ['get_job_status', ({ job }) => ({ job_id: job })],
  ['resume_job', ({ job }) => ({ job_id: job })],
  ['cancel_job', ({ job }) => ({ job_id: job })],
  ['create_bulk_job', () => ({ type: 'save_tracks', payload: {}, items: ids(20, 2) })],
  ['commit_job', ({ job }) => ({ job_id: job })],
  ['list_jobs', () => ({})],
  ['get_saved_tracks', () => ({})],
  ['save_tracks', () => ({ track_ids: ids(0, 2) })],
  ['check_saved_tracks', () => ({ track_ids: ids(0, 2) })],
  ['remove_saved_tracks', () => ({ track_ids: ids(0, 2) })],
  ['get_top_tracks', () => ({})],
  ['get_top_artists', () => ({ time_range: 'short_term' })],
  ['get_recently_played', () => ({})],
  ['get_devices', () => ({})],
  ['transfer_playback', ({ device }) => ({ device_id: device })],
  ['play', () => ({ uris: ids(0, 3) })],
  ['get_currently_playing', () => ({})],
  ['get_playback_state', () => ({})],
  ['next_track', () => ({})],
  ['previous_track', () => ({})],
  ['seek', () => ({ position_ms: 1_000 })],
  ['set_volume', () => ({ volume_percent: 30 })],
  ['pause', () => ({})],
  [
    'create_bulk_job',
    () => ({
      type: 'add_to_playlist',
      // The playlist does not exist, so the job fails after the commit, and can still be cancelled.
      payload: { playlist_id: '0'.repeat(22), strict: false },
      items: [ids(20, 1)[0], { title: 'No Such Song Anywhere', artist: 'Nobody' }],
    }),
  ],
  ['get_job_status', ({ job }) => ({ job_id: job })],
  ['resume_job', ({ job }) => ({ job_id: job })],
  ['list_jobs', () => ({})],
  ['commit_job', ({ job }) => ({ job_id: job })],
  ['cancel_job', ({ job }) => ({ job_id: job })],
  ['get_state_diagnostics', () => ({})],
  ['get_rate_limit_status', () => ({})],
  ['get_recent_api_errors', () => ({})],
];

test('relay call can call every tool', () =>
  withDesk({}, async (desk) => {
    await desk.serve(['--demo']);
    const facts: Facts = { playlist: '', device: '', job: '' };
    const failed: string[] = [];
    for (const [tool, args] of session) {
      const answer = await call(desk, tool, args(facts));
      if (answer.error !== undefined) failed.push(`${tool}: ${JSON.stringify(answer.error)}`);
      if (tool === 'create_playlist') facts.playlist = String(answer.id);
      if (tool === 'create_bulk_job') facts.job = await readyJob(desk, String(answer.job_id));
      if (tool === 'create_bulk_job') facts.job = String(answer.job_id);
      if (tool === 'get_devices') facts.device = deviceOf(answer);
    }
    assert.deepEqual(failed, []);
  }));

test('the session above uses every tool', () => {
  const used = new Set(session.map(([tool]) => tool));
  assert.deepEqual([...used].sort(), TOOLS.map(({ name }) => name).sort());
});

async function call(desk: Desk, tool: string, args: Json): Promise<Json> {
  const ended = await desk.relay(['call', tool, '--args', JSON.stringify(args), '--json']);
  assert.ok([0, 1].includes(ended.code ?? -1), `${tool}: ${ended.err}`);
  return JSON.parse(ended.code === 0 ? ended.out : ended.err) as Json;
}

/** Waits until the job has searched for its items, and returns its ID. */
async function readyJob(desk: Desk, job_id: string): Promise<string> {
  for (let look = 0; look < 50; look++) {
    const { job } = (await call(desk, 'get_job_status', { job_id })) as { job: { status: string } };
    if (job.status === 'ready') return job_id;
  }
  return assert.fail('the job never became ready');
}

function deviceOf(answer: Json): string {
  const devices = answer.devices as Array<{ id: string; is_restricted: boolean; supports_volume: boolean }>;
  return devices.find((device) => !device.is_restricted && device.supports_volume)?.id ?? '';
}
