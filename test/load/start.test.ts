import assert from 'node:assert/strict';
import { createJob, jobOf, reach, runToEnd } from '../jobs/jobCalls.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { named, tracks, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { withRelay } from '../support/world.ts';

longTest(
  'a server that starts while Spotify is down works, says so, and continues once Spotify is back',
  () =>
    withRelay({ clock: jumpingClock() }, async (relay) => {
      const playlist = named(relay, 'Empty Shelf');
      const items = tracks(relay, 150);
      const id = await createJob(relay, 'add_to_playlist', items, { playlist_id: playlist.id });
      await reach(relay, id, 'ready');
      await relay.provider.offline(true);
      await relay.restart();
      const get = async (path: string) => {
        const answer = await fetch(`${relay.baseUrl}${path}`, { redirect: 'manual' });
        return { status: answer.status, text: await answer.text() };
      };
      assert.equal((await get('/health')).status, 200);
      const { providerConnected, reauthorizationRequired } = JSON.parse((await get('/auth/status')).text);
      assert.deepEqual([providerConnected, reauthorizationRequired], [true, false]);
      assert.equal((await get('/auth/provider/login')).status, 302);
      const { error } = await relay.call('get_playlist', { playlist_id: playlist.id });
      assert.equal((error as { code: string }).code, 'PROVIDER_UNAVAILABLE');
      await relay.call('commit_job', { job_id: id });
      await reach(relay, id, 'waiting');
      assert.deepEqual(urisOf(playlist), []);
      await relay.provider.offline(false);
      const job = await reach(relay, id, 'completed', 'failed');
      assert.deepEqual([job.status, job.written], ['completed', 150]);
      assert.deepEqual(urisOf(playlist), items);
      assert.equal((await jobOf(relay, id)).attempts, 0);
      assert.equal(
        (await runToEnd(relay, await createJob(relay, 'save_tracks', items.slice(0, 3)))).status,
        'completed',
      );
    }),
);
