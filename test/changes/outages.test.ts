import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJob, jobOf, reach } from '../jobs/jobCalls.ts';
import type { ToolFailure } from '../support/answers.ts';
import { createBrowser } from '../support/browser.ts';
import { assertNone, at, owner } from '../support/entries.ts';
import { assertRows, named, savedUris, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import type { Relay } from '../support/world.ts';
import { change, committed, ended, poll } from './settled.ts';
import { withUnkind, withUnkindPlaylist } from './unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;
const count = ({ provider }: Relay, method: string) =>
  provider.requests.filter((request) => request.method === method).length;

longTest('a job that is answered 401 twice continues by itself', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 150);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, times: 2, kind: 'status', status: 401 }),
    );
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, uris);
  }),
);

longTest(
  'a job continues by itself after the login service has answered with an HTML page instead of a token',
  () =>
    withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
      const uris = tracks(relay, 150);
      const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () => {
        relay.provider.expireAccessTokens();
        relay.provider.faults.add({ path: '/api/token', kind: 'html', effect: false, status: 403 });
      });
      assert.equal((await ended(relay, id)).status, 'completed');
      assertRows(playlist, uris);
    }),
);

longTest('a job whose login has ended waits until the next login, however late that is', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 150);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () => {
      relay.provider.expireAccessTokens();
      relay.provider.revokeRefreshTokens();
    });
    const parked = await reach(relay, id, 'waiting');
    assert.deepEqual([parked.run_after, parked.attempts], [null, 0]);
    const { browserUrl } = await relay.server.local.startLogin({ switchAccount: false });
    await createBrowser().open(browserUrl);
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, uris);
  }),
);

for (const [what, code, stop, proceed, remedy] of [
  [
    'the login ends',
    'LOGIN_REQUIRED',
    ({ provider }: Relay) => {
      provider.expireAccessTokens();
      provider.revokeRefreshTokens();
    },
    async () => {},
    /\/login.* `relay login`/,
  ],
  [
    'another account is connected',
    'LOGIN_REQUIRED',
    async (relay: Relay) => {
      relay.provider.loginAs(1);
      const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
      await createBrowser().open(browserUrl);
    },
    async ({ provider }: Relay) => provider.loginAs(0),
    /^Connect that account with `relay login --switch-account`\.$/,
  ],
  [
    'the account is refused',
    'USER_NOT_REGISTERED',
    ({ provider }: Relay) => {
      owner(provider).registered = false;
    },
    async ({ provider }: Relay) => {
      owner(provider).registered = true;
    },
    /User Management/,
  ],
] as const) {
  longTest(
    `if ${what} in the middle of a rewrite, the answer says what to do, and that the job then writes the rest`,
    () =>
      withUnkindPlaylist('Exactly Two Hundred', async ({ relay, playlist, playlist_id }) => {
        const track_ids = tracks(relay, 150, 3_000);
        relay.provider.faults.add(
          { ...APPEND, kind: 'hook', fn: () => stop(relay) },
          { ...APPEND, kind: 'status', status: 401 },
        );
        const answer = await relay.call('replace_playlist_tracks', { playlist_id, track_ids });
        const error = answer.error as ToolFailure;
        const { job_id: id, written } = error.details ?? {};
        assert.deepEqual([error.code, written], [code, 100]);
        assert.match(
          error.message,
          new RegExp(`^100 of 150 written so far\\. .*\\. Do not send it again: .*job ${id} `),
        );
        assert.match(error.remedy ?? '', remedy);
        assertRows(playlist, track_ids.slice(0, 100));
        assert.equal((await jobOf(relay, String(id))).status, 'waiting');

        await proceed(relay);
        const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
        await createBrowser().open(browserUrl);
        assert.equal((await ended(relay, String(id))).status, 'completed');
        assertRows(playlist, track_ids);
      }),
  );
}

longTest('90 s without a network do not count as an attempt of a job that writes', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 450);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, times: Infinity, kind: 'latency', ms: 500 }),
    );
    await poll(() => (count(relay, 'POST') >= 2 ? true : null));
    await relay.provider.offline(true);
    await clock.sleep(90_000);
    await relay.provider.offline(false);
    const job = await ended(relay, id);
    assert.deepEqual([job.status, job.attempts], ['completed', 0], JSON.stringify(job.error));
    assertRows(playlist, uris);
  }),
);

longTest('90 s without a network do not count as an attempt of a job that searches', () =>
  withUnkind({}, async (relay, clock) => {
    const wanted = uniqueTracks(relay, 12);
    await relay.provider.offline(true);
    const payload = { playlist_id: named(relay, 'Empty Shelf').id };
    const id = await createJob(relay, 'add_to_playlist', wanted.map(asQuery), payload, { max_attempts: 2 });
    await clock.sleep(90_000);
    await relay.provider.offline(false);
    const job = await reach(relay, id, 'ready', 'failed');
    assert.deepEqual([job.status, job.resolved, job.attempts], ['ready', 12, 0]);
  }),
);

longTest('a laptop that sleeps for an hour during a write loses nothing', () =>
  withUnkindPlaylist('Exactly Two Hundred', async ({ relay, clock, playlist, playlist_id, former }) => {
    const uris = tracks(relay, 250, 3_000);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, times: Infinity, kind: 'latency', ms: 1_000 }),
    );
    await poll(() => (count(relay, 'POST') >= 2 ? true : null));
    await relay.provider.offline(true);
    clock.shift(3_600_000);
    await clock.sleep(3_000);
    await relay.provider.offline(false);
    const job = await ended(relay, id);
    assert.deepEqual([job.status, job.attempts], ['completed', 0]);
    assertRows(playlist, [...former, ...uris]);
  }),
);

longTest('after each limit without a Retry-After, relay waits longer before it asks again', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, clock, playlist_id }) => {
    const id = await committed(relay, 'add_to_playlist', tracks(relay, 50), { playlist_id }, () =>
      relay.provider.faults.add({
        ...APPEND,
        times: Infinity,
        kind: 'rate_limit',
        retryAfterSeconds: null,
      }),
    );
    await poll(() => (count(relay, 'POST') >= 1 ? true : null));
    await clock.sleep(600_000);
    const asked = count(relay, 'POST');
    assert.ok(asked <= 12, `${asked} writes in ten minutes`);
    assert.equal((await jobOf(relay, id)).attempts, 0);
  }),
);

longTest('searches that always fail do not hold up the others', () =>
  withUnkind({}, async (relay, clock) => {
    const wanted = uniqueTracks(relay, 38);
    const bad = wanted.slice(0, 8).map(({ name }) => name);
    relay.provider.faults.add({
      path: '/search',
      where: ({ query }) => bad.some((name) => query.get('q')?.includes(name)),
      times: Infinity,
      kind: 'status',
      status: 503,
    });
    const payload = { playlist_id: named(relay, 'Empty Shelf').id };
    const id = await createJob(relay, 'add_to_playlist', wanted.map(asQuery), payload);
    const began = clock.now();
    await poll(async () => {
      const { resolved } = await jobOf(relay, id);
      return resolved === 30 || clock.now() - began > 90_000 ? resolved : null;
    });
    assert.equal((await jobOf(relay, id)).resolved, 30);
  }),
);

longTest('no valid track is marked as failed by 400s that end after a while', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 150);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, times: 16, kind: 'status', status: 400 }),
    );
    let job = await ended(relay, id);
    if (job.status === 'failed') {
      await relay.call('resume_job', { job_id: id });
      job = await ended(relay, id);
    }
    assert.deepEqual([job.status, job.failed], ['completed', 0]);
    assertRows(playlist, uris);
  }),
);

longTest('no valid track is marked as failed if every second write is answered 400', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const uris = tracks(relay, 350);
    const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
      relay.provider.faults.add({ ...APPEND, every: 2, times: 16, kind: 'status', status: 400 }),
    );
    const job = await ended(relay, id);
    assert.deepEqual([job.status, job.failed], ['completed', 0]);
    assertRows(playlist, uris);
  }),
);

for (const status of [400, 404, 451]) {
  longTest(
    `a job waits, and then writes every song once, if a proxy answers ${status} in place of Spotify`,
    () =>
      withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
        const uris = tracks(relay, 150);
        const page = { kind: 'html', effect: false, status } as const;
        const id = await committed(relay, 'add_to_playlist', uris, { playlist_id }, () =>
          relay.provider.faults.add(
            { ...APPEND, ...page, times: 3 },
            { path: /^\/tracks\//, ...page, times: 3 },
          ),
        );
        assert.equal((await reach(relay, id, 'waiting')).reason, 'PROVIDER_INVALID_RESPONSE');
        const job = await ended(relay, id);
        assert.deepEqual([job.status, job.failed], ['completed', 0]);
        assertRows(playlist, uris);
      }),
  );
}

test('a write that took effect before a proxy answered in place of Spotify is found, and not sent again', () =>
  withUnkindPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const track_ids = tracks(relay, 3);
    relay.provider.faults.add({ ...APPEND, kind: 'html', effect: true, status: 400 });
    const { error, written } = await relay.call('add_tracks_to_playlist', { playlist_id, track_ids });
    assert.deepEqual([error, written], [undefined, 3]);
    assertRows(playlist, track_ids);
    assert.equal(count(relay, 'POST'), 1);
  }));

const UNKNOWN = 'spotify:track:0000000000000000000000';

for (const place of [0, 37, 99, 250])
  longTest(
    `a job that replaces a playlist by 500 songs leaves out only the unknown song at position ${place}`,
    () =>
      withUnkind({}, async (relay) => {
        const playlist = named(relay, 'Exactly Two Hundred');
        const songs = tracks(relay, 499, 3_000);
        const uris = songs.toSpliced(place, 0, UNKNOWN);
        const payload = { playlist_id: playlist.id };
        const job = await ended(relay, await committed(relay, 'replace_playlist', uris, payload));
        assert.deepEqual(
          [job.status, job.written, job.failed],
          ['completed', 499, 1],
          JSON.stringify(job.error),
        );
        assertRows(playlist, songs);
        const { items } = await relay.call('get_job_status', { job_id: job.job_id, only: 'unresolved' });
        assert.deepEqual(
          (items as Array<{ position: number }>).map(({ position }) => position),
          [place],
        );
      }),
  );

test('a job ends at once and leaves the playlist as it was if Spotify refuses all of its songs', () =>
  withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const former = urisOf(playlist);
    const uris = [UNKNOWN, `${UNKNOWN.slice(0, -1)}1`];
    const payload = { playlist_id: playlist.id };
    const id = await committed(relay, 'replace_playlist', uris, payload);
    relay.provider.clearRequests();
    const { status, error } = await ended(relay, id);
    assert.deepEqual(
      [status, relay.provider.requests.filter(({ method }) => method === 'PUT').length, error?.message],
      [
        'failed',
        3,
        'Spotify knows none of the songs that were to be written, so the playlist stays as it was.',
      ],
    );
    assertRows(playlist, former);
  }));

for (const [whose, isConnected] of [
  ['the account that it was made for', true],
  ['the first account that is connected after it was made', false],
] as const) {
  longTest(`a job writes to ${whose}, and waits while another account is connected`, () =>
    withUnkind({}, async (relay) => {
      const { provider, server } = relay;
      const connect = async (account: number) => {
        provider.loginAs(account);
        const { browserUrl } = await server.local.startLogin({ switchAccount: true });
        assert.equal((await createBrowser().open(browserUrl)).status, 200);
      };
      const [first, second] = provider.accounts.map(({ saved }) => new Set(saved.map(({ uri }) => uri)));
      const uris = tracks(relay, 1_000).filter((uri) => !first?.has(uri) && !second?.has(uri));
      const slow = { method: 'PUT', path: '/me/library', times: Infinity, kind: 'latency', ms: 400 } as const;
      if (!isConnected) await server.local.logout();
      const id = await committed(relay, 'save_tracks', uris, {}, () => provider.faults.add(slow));
      if (!isConnected) {
        await poll(async () => ((await jobOf(relay, id)).reason === 'LOGIN_REQUIRED' ? true : null));
        await connect(0);
      }
      await poll(() => (count(relay, 'PUT') >= 4 ? true : null));
      await connect(1);
      const waiting = await poll(async () => {
        const job = await jobOf(relay, id);
        return job.status === 'committing' ? null : job;
      });
      assert.deepEqual([waiting?.status, waiting?.reason], ['waiting', 'LOGIN_REQUIRED']);
      assert.deepEqual(new Set(at(provider.accounts, 1).saved.map(({ uri }) => uri)), second);

      // Once the first account is connected again, the job writes the rest there by itself.
      await connect(0);
      assert.equal((await ended(relay, id)).status, 'completed');
      const saved = new Set(savedUris({ provider }));
      assertNone(uris, (uri) => !saved.has(uri));
    }),
  );
}

longTest('a job renames a playlist, or removes it from the account, if the call ran out of time', () =>
  withUnkind({}, async (relay) => {
    const [list, gone] = [named(relay, 'Exactly Two Hundred'), named(relay, 'Empty Shelf')];
    const isWrite = ({ method }: { method: string }) => method !== 'GET';
    const takenOver = async (path: string, tool: string, args: Record<string, unknown>) => {
      relay.provider.faults.add({ path, where: isWrite, times: 2, kind: 'hang', when: 'before' });
      const { error, job } = await change(relay, tool, args);
      assert.deepEqual([error?.code, job?.status], ['DEADLINE_EXCEEDED', 'completed']);
    };
    await Promise.all([
      takenOver(`/playlists/${list.id}`, 'update_playlist_details', { playlist_id: list.id, name: 'Told' }),
      takenOver('/me/library', 'delete_playlist', { playlist_id: gone.id }),
    ]);
    assert.equal(list.name, 'Told');
    assert.ok(!owner(relay.provider).playlists.includes(gone));
  }),
);
