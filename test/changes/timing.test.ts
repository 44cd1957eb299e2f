import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { jobOf, reach } from '../jobs/jobCalls.ts';
import { HOUR } from '../support/clock.ts';
import { owner, pluck } from '../support/entries.ts';
import { assertRows, assertSame, named, tracks, urisOf } from '../support/playlists.ts';
import { withDesk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';
import { startSimulator } from '../support/simulator/simulator.ts';
import { connectAccount, mcpClient, type Relay } from '../support/world.ts';
import { victimEnvironment } from './crash/victim.ts';
import { assertDone, change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const posts = ({ provider }: Relay) => provider.requests.filter(({ method }) => method === 'POST').length;

longTest('skip_existing knows what this program has just written', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, former }) => {
    const uris = tracks(relay, 50, 3_000);
    relay.provider.lag.set({ lists: 600, totals: 600, snapshots: 600 });
    const playlist_id = playlist.id;
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: uris }));
    assertDone(await change(relay, 'bulk_add_tracks', { playlist_id, tracks: uris, skip_existing: true }));
    assertRows(playlist, [...former, ...uris]);
  }),
);

longTest('skip_existing of a job knows what this program has just written', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, uris] = [urisOf(playlist), tracks(relay, 50, 3_000)];
    const playlist_id = playlist.id;
    relay.provider.lag.set({ lists: 5_000, totals: 5_000, snapshots: 5_000 });
    assertDone(await change(relay, 'add_tracks_to_playlist', { playlist_id, track_ids: uris }));
    const payload = { playlist_id, skip_existing: true };
    assert.equal(
      (await ended(relay, await committed(relay, 'add_to_playlist', uris, payload))).status,
      'completed',
    );
    assertRows(playlist, [...former, ...uris]);
  }),
);

const made = ({ provider }: Relay, name: string) =>
  owner(provider).playlists.filter((playlist) => playlist.name === name);

longTest('a playlist that is unknown for a moment after it was made is filled all the same', () =>
  withUnkind({}, async (relay) => {
    relay.provider.lag.set({ created: 2_000, lists: 600, totals: 600 });
    const uris = tracks(relay, 130);
    const id = await committed(relay, 'create_playlist', uris, { name: 'By a Job' });
    assert.equal((await ended(relay, id)).status, 'completed');
    assertDone(await change(relay, 'create_playlist_from_tracks', { name: 'By a Tool', tracks: uris }));
    for (const name of ['By a Job', 'By a Tool']) assertSame(made(relay, name).flatMap(urisOf), uris);
  }),
);

for (const [what, ms] of [
  ['an hour', HOUR],
  ['a day', 24 * HOUR],
] as const) {
  longTest(`a clock set back ${what} does not stop a wait`, () =>
    withUnkindPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
      const uris = tracks(relay, 150);
      const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
        relay.provider.faults.add({ ...APPEND, skip: 1, kind: 'rate_limit', retryAfterSeconds: 30 }),
      );
      await reach(relay, id, 'waiting');
      clock.shift(-ms);
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, uris);
    }),
  );

  longTest(`a clock set back ${what} does not stop a look`, () =>
    withUnkindPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
      const uris = tracks(relay, 150);
      const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () => {
        relay.provider.faults.add({ ...APPEND, skip: 1, kind: 'drop', when: 'before' });
      });
      await poll(() => (posts(relay) >= 2 ? true : null));
      clock.shift(-ms);
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, uris);
    }),
  );
}

for (const [what, between] of [
  ['in time', async () => {}],
  ['in time, also after a restart', (relay: Relay) => relay.restart()],
] as const) {
  longTest(`after the clock was set back a year, an earlier limit ends ${what}`, () =>
    withUnkind({ connect: false }, async (relay, clock) => {
      const year = 365 * 24 * HOUR;
      const search = () => relay.call('search_tracks', { query: 'love' });
      clock.shift(year);
      await connectAccount(relay.baseUrl);
      relay.provider.faults.add({ path: '/search', kind: 'rate_limit', retryAfterSeconds: 40 });
      assert.equal(((await search()).error as { code?: string })?.code, 'RATE_LIMITED');
      clock.shift(-year);
      await between(relay);
      await clock.sleep(60_000);
      assert.equal((await search()).error, undefined);
    }),
  );
}

longTest('a job that is cancelled while a write is on its way says how far it got', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 300);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, skip: 1, kind: 'late', ms: 14_000, answer: 'hang' }),
    );
    await poll(() => (posts(relay) >= 2 ? true : null));
    await relay.call('cancel_job', { job_id: id });
    await clock.sleep(20_000);
    const rows = () => urisOf(playlist).length;
    await poll(async () => ((await jobOf(relay, id)).written === rows() ? true : null));
    const job = await jobOf(relay, id);
    assert.deepEqual([job.status, job.written], ['cancelled', rows()]);
    assertRows(playlist, uris.slice(0, rows()));
  }),
);

longTest('a job that is cancelled while its playlist is being made names that playlist', () =>
  withUnkind({}, async (relay, clock) => {
    const id = await committed(relay, 'create_playlist', tracks(relay, 150), { name: 'Half Made' }, () =>
      relay.provider.faults.add({
        method: 'POST',
        path: '/me/playlists',
        kind: 'late',
        ms: 14_000,
        answer: 'hang',
      }),
    );
    await poll(() => (posts(relay) >= 1 ? true : null));
    await relay.call('cancel_job', { job_id: id });
    await clock.sleep(20_000);
    const ids = () => made(relay, 'Half Made').map((playlist) => playlist.id);
    const told = async () => {
      const { result } = await jobOf(relay, id);
      return result?.playlist_id === undefined ? [] : [result.playlist_id];
    };
    await poll(async () => ((await told()).length === ids().length ? true : null));
    assert.deepEqual(await told(), ids());
  }),
);

longTest('if two servers own one home, the first does not overwrite what the second has saved', async () => {
  const provider = await startSimulator();
  try {
    await withDesk(victimEnvironment(provider), async (desk) => {
      const first = await desk.serve();
      await connectAccount(first.ready.baseUrl);
      const create = async (mcpUrl: string) => {
        const client = await mcpClient(mcpUrl);
        const uri = provider.catalogue.tracks[0]?.uri;
        const args = { type: 'save_tracks', items: [uri] };
        const { structuredContent } = await client.callTool({ name: 'create_bulk_job', arguments: args });
        await client.close();
        return structuredContent as { job_id?: string; error?: { code: string } };
      };
      // To a process in another PID namespace the lock looks like one whose holder has ended, so it takes the home.
      await rm(join(desk.home, 'relay.lock'));
      const second = await desk.serve();
      const kept = await create(second.ready.mcpUrl);
      const refused = await create(first.ready.mcpUrl);
      assert.equal(refused.error?.code, 'STORE_ERROR');
      await first.server.stop();
      await second.server.stop('SIGKILL');
      await rm(join(desk.home, 'relay.lock'), { force: true });
      const third = await desk.serve();
      const client = await mcpClient(third.ready.mcpUrl);
      const { structuredContent } = await client.callTool({ name: 'list_jobs', arguments: {} });
      await client.close();
      const { items } = structuredContent as { items: Array<{ job_id: string }> };
      assert.deepEqual(pluck(items, 'job_id'), [kept.job_id]);
    });
  } finally {
    await provider.close();
  }
});
