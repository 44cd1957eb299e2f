import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutChange } from '../support/answers.ts';
import { at, pluck } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { trackShape, unwrittenShape, writtenShape } from '../support/shapes.ts';
import { asQuery, NOTHING, uniqueTracks } from '../support/songs.ts';
import { gate, until } from '../support/waiting.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, runToEnd } from '../work/jobCalls.ts';

interface Row {
  index: number;
  input: unknown;
  status: string;
  uri?: string;
  track?: { id: string };
  candidates?: Array<{ track?: { id: string }; reasons?: string[] }>;
}
interface Bulk {
  status: string;
  playlist_id: string | null;
  matched: number;
  ambiguous: number;
  unmatched: number;
  skipped_existing: number;
  added: number;
  report: Row[];
  write?: { written: number; chunks: object };
  playlist?: { id: string; name: string; total_items: number };
}

/** The counts as text, without those that are 0. */
const counts = ({ matched, ambiguous, unmatched, skipped_existing, added }: Bulk) =>
  Object.entries({ matched, ambiguous, unmatched, skipped_existing, added })
    .flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]))
    .join(', ');
async function call(relay: Relay, tool: string, args: Record<string, unknown>): Promise<Bulk> {
  const answer = await relay.call(tool, args);
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer as unknown as Bulk;
}

test('add_tracks_by_search resolves everything, then writes in order', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const tracks = uniqueTracks(relay, 12);
    const inputs = tracks.map(asQuery);
    const result = await call(relay, 'add_tracks_by_search', { playlist_id, tracks: inputs });
    assert.deepEqual(
      { ...withoutChange(result), write: withoutChange(result.write) },
      {
        status: 'done',
        playlist_id,
        matched: 12,
        ambiguous: 0,
        unmatched: 0,
        skipped_existing: 0,
        added: 12,
        report: tracks.map((track, index) => ({
          index,
          input: inputs[index],
          status: 'matched',
          uri: track.uri,
          track: trackShape(track),
        })),
        write: writtenShape(playlist, 12, 1),
      },
    );
    assert.deepEqual(pluck(playlist.rows, 'uri'), pluck(tracks, 'uri'));
    assert.deepEqual([searches(relay), relay.provider.requests.at(-1)?.method], [12, 'POST']);
  }));

test('eight songs are searched for at a time, and none after the caller has left', () =>
  withRelay(async (relay) => {
    const { provider, client } = relay;
    const hold = gate();
    provider.faults.add({ path: '/search', times: Number.POSITIVE_INFINITY, kind: 'hook', fn: hold.wait });
    const leave = new AbortController();
    const args = {
      playlist_id: named(relay, 'Empty Shelf').id,
      tracks: uniqueTracks(relay, 40).map(asQuery),
    };
    const calling = client.callTool(
      { name: 'add_tracks_by_search', arguments: args },
      { signal: leave.signal },
    );
    const left = assert.rejects(calling);
    await until(() => hold.waiting === 8);
    // By the end of this other call, a ninth search would have arrived.
    await relay.call('get_devices');
    assert.equal(searches(relay), 8);
    leave.abort('the caller leaves');
    await left;
    await relay.call('get_devices');
    hold.open();
    await relay.call('get_devices');
    assert.deepEqual([searches(relay), writes(relay)], [8, 0]);
  }));

test('strict: one entry that is not found blocks everything, and nothing is written', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [track] = uniqueTracks(relay, 1);
    assert.ok(track);
    const args = { playlist_id, tracks: [asQuery(track), NOTHING] };
    const blocked = await call(relay, 'add_tracks_by_search', args);
    assert.deepEqual(
      [blocked.status, counts(blocked), blocked.report.map(({ status }) => status)],
      ['blocked', 'matched 1, unmatched 1', ['matched', 'unmatched']],
    );
    assert.deepEqual([playlist.rows, writes(relay)], [[], 0]);
    const lenient = await call(relay, 'add_tracks_by_search', { ...args, strict: false });
    assert.deepEqual([lenient.status, lenient.added], ['done', 1]);
    assert.deepEqual(pluck(playlist.rows, 'uri'), [track.uri]);
  }));

test('a report and a job name the songs that were found by forgiving a typo, remembered ones too', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    const [right, track] = uniqueTracks(relay, 2);
    assert.ok(right && track);
    const title = track.name.replace(/([A-Za-z]{2})[A-Za-z](?=[A-Za-z]{2})/, '$1');
    const tracks = [asQuery(right), { ...asQuery(track), title }];
    for (const strict of [true, false]) {
      const args = { playlist_id, tracks, strict, detail: 'lean', dry_run: true };
      const { report } = await call(relay, 'bulk_add_tracks', args);
      assert.deepEqual(
        report.map(({ index, status, candidates }) => [
          index,
          status,
          candidates?.map(({ track, reasons }) => [track?.id, reasons]),
        ]),
        [[1, 'matched', [[track.id, ['artist', 'spelling']]]]],
      );
    }
    const job_id = await createJob(relay, 'save_tracks', tracks);
    await runToEnd(relay, job_id);
    const status = async (detail: string) =>
      (await relay.call('get_job_status', { job_id, detail })) as unknown as {
        job: { spelling?: number };
        items: Row[];
      };
    const { items } = await status('lean');
    assert.deepEqual(
      items.map(({ candidates }) => candidates?.map(({ reasons }) => reasons)),
      [undefined, [['artist', 'spelling']]],
    );
    assert.equal((await status('full')).job.spelling, 1);
  }));

test('dry_run reports and writes nothing', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    const tracks = [...uniqueTracks(relay, 2).map(asQuery), NOTHING];
    const result = await call(relay, 'add_tracks_by_search', {
      playlist_id,
      tracks,
      dry_run: true,
    });
    assert.deepEqual(
      [result.status, counts(result), result.write],
      ['dry_run', 'matched 2, unmatched 1', undefined],
    );
    assert.equal(writes(relay), 0);
  }));

test('skip_existing skips what the playlist already holds', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [held, fresh] = uniqueTracks(relay, 2);
    assert.ok(held && fresh);
    playlist.rows.push({ uri: held.uri, addedAt: null, addedBy: null });
    const args = { playlist_id, tracks: [held.id, fresh.uri], skip_existing: true };
    const result = await call(relay, 'bulk_add_tracks', args);
    assert.equal(counts(result), 'matched 2, skipped_existing 1, added 1');
    assert.deepEqual(pluck(playlist.rows, 'uri'), [held.uri, fresh.uri]);
    const again = await call(relay, 'bulk_add_tracks', args);
    assert.deepEqual(
      [again.status, again.added, again.skipped_existing, again.write],
      ['done', 0, 2, undefined],
    );
  }));

test('skip_existing also skips a song that the playlist shows under another ID', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [added, shown] = uniqueTracks(relay, 2);
    assert.ok(added && shown);
    relay.provider.lag.relink(added.uri, shown.uri, 'named');
    playlist.rows.push({ uri: added.uri, addedAt: null, addedBy: null });
    const args = { playlist_id, tracks: [added.id, shown.id], skip_existing: true };
    const result = await call(relay, 'bulk_add_tracks', args);
    assert.deepEqual([result.added, result.skipped_existing], [0, 2]);
    const payload = { playlist_id, skip_existing: true };
    const id = await createJob(relay, 'add_to_playlist', [added.uri, shown.uri], payload);
    const job = await runToEnd(relay, id);
    assert.deepEqual([job.written, job.skipped_existing], [0, 2]);
    assert.deepEqual(pluck(playlist.rows, 'uri'), [added.uri]);
  }));

test('bulk_add_tracks accepts every form of entry, in order, and searches only for entries without an ID', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a, b, c, d, e] = uniqueTracks(relay, 5);
    assert.ok(a && b && c && d && e);
    const episode = at(relay.provider.catalogue.episodes, 0);
    const inputs = [
      // A report has to name the song, also if its ID is refused.
      { ...asQuery(a), id: a.id },
      { uri: episode.uri },
      { url: `https://open.spotify.com/track/${b.id}?si=x` },
      c.uri,
      asQuery(d),
      e.id,
    ];
    const result = await call(relay, 'bulk_add_tracks', { playlist_id, tracks: inputs });
    const uris = [a.uri, episode.uri, b.uri, c.uri, d.uri, e.uri];
    assert.deepEqual(pluck(playlist.rows, 'uri'), uris);
    assert.deepEqual(
      result.report.map(({ input, uri }) => [input, uri]),
      inputs.map((input, index) => [input, uris[index]]),
    );
    assert.equal(searches(relay), 1);
  }));

test('create_playlist_from_tracks creates and fills a playlist, each track once', () =>
  withRelay(async (relay) => {
    const [a, b] = uniqueTracks(relay, 2);
    assert.ok(a && b);
    const tracks = [asQuery(a), b.uri, a.id];
    const result = await call(relay, 'create_playlist_from_tracks', { name: 'Made of Songs', tracks });
    const playlist = named(relay, 'Made of Songs');
    assert.deepEqual(pluck(playlist.rows, 'uri'), [a.uri, b.uri]);
    assert.deepEqual(
      [result.status, result.playlist_id, counts(result), result.playlist?.total_items],
      ['done', playlist.id, 'matched 3, skipped_existing 1, added 2', 2],
    );
    const twice = { name: 'Twice', tracks, skip_duplicates: false };
    assert.equal((await call(relay, 'create_playlist_from_tracks', twice)).added, 3);
  }));

test('create_playlist_from_tracks in strict mode creates nothing unless all resolve', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const args = { name: 'Half of It', tracks: [asQuery(a), NOTHING] };
    const blocked = await call(relay, 'create_playlist_from_tracks', args);
    assert.deepEqual(
      [blocked.status, blocked.playlist_id, blocked.playlist, writes(relay)],
      ['blocked', null, undefined, 0],
    );
    const lenient = await call(relay, 'create_playlist_from_tracks', { ...args, strict: false });
    assert.deepEqual([lenient.status, lenient.added], ['done', 1]);
  }));

/** IDs that no track has. */
const UNKNOWN = ['spotify:track:0000000000000000000000', 'spotify:track:0000000000000000000001'] as const;

test('not strict: if Spotify knows none of the IDs, nothing was changed, and there is nothing to undo', () =>
  withPlaylist(
    'Empty Shelf',
    { env: { RELAY_ACCESS: 'everything' } },
    async ({ relay, playlist, playlist_id }) => {
      const args = { playlist_id, tracks: UNKNOWN, strict: false };
      assert.deepEqual(await relay.call('bulk_add_tracks', args), {
        status: 'done',
        playlist_id,
        matched: 0,
        ambiguous: 0,
        unmatched: 2,
        skipped_existing: 0,
        added: 0,
        report: UNKNOWN.map((uri, index) => ({ index, input: uri, status: 'unmatched', uri })),
        write: unwrittenShape(playlist_id, 0),
      });
      assert.deepEqual(playlist.rows, []);
      assert.equal((await relay.call('list_changes')).total, 0);
      assert.deepEqual((await relay.call('list_jobs', {})).items, []);
    },
  ));

test('a playlist that was created but not filled is named in the failure', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'status', status: 403 });
    const { error } = (await relay.call('create_playlist_from_tracks', {
      name: 'Left Empty',
      tracks: [a.uri],
    })) as { error: { code: string; message: string; details: { playlist_id: string } } };
    const playlist = named(relay, 'Left Empty');
    assert.deepEqual([error.code, error.details.playlist_id], ['PARTIAL_WRITE', playlist.id]);
  }));
