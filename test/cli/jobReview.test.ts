import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerState } from '../../src/domain/ownerPage.ts';
import { committed, ended } from '../changes/settled.ts';
import { withUnkind } from '../changes/unkind.ts';
import { createJob, jobOf, reach } from '../jobs/jobCalls.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import type { ToolFailure } from '../support/answers.ts';
import { relay, run } from '../support/cli.ts';
import { linesOf } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { assertRows, fill, named, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { NOTHING } from '../support/songs.ts';
import { type Relay, withRelay } from '../support/world.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;

const jobs = (world: Relay, ...args: string[]) => run(world, ['jobs', ...args]);

/** A job of three appends, under review: another person took rows out while the answer to the second was lost. */
async function withReview(
  work: (
    world: Relay,
    id: string,
    scene: { rows(expected: readonly string[]): void } & Lists,
  ) => Promise<void>,
): Promise<void> {
  await withUnkind({}, async (world) => {
    const { faults } = world.provider;
    const playlist = named(world, 'Exactly Two Hundred');
    const [former, items] = [tracks(world, 200), tracks(world, 250, 3_000)];
    const edited = [...former.slice(5), ...items.slice(0, 150)];
    fill(playlist, former);
    const edit = () => void world.provider.editPlaylist(playlist.id, edited);
    const look = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn: edit } as const;
    const id = await committed(world, 'add_to_playlist', items, { playlist_id: playlist.id }, () =>
      faults.add(
        { ...APPEND, skip: 1, kind: 'hook', fn: () => faults.add(look) },
        { ...APPEND, skip: 1, kind: 'status_after', status: 502 },
      ),
    );
    await ended(world, id);
    await work(world, id, { edited, items, rows: (expected) => assertRows(playlist, expected) });
  });
}

interface Lists {
  edited: readonly string[];
  items: readonly string[];
}

longTest(
  'a job under review shows both ways to continue, and can be completed with the playlist as it is',
  () =>
    withReview(async (world, id, { edited, rows }) => {
      const short = id.slice(0, 8);
      const shown = await jobs(world, 'show', short);
      assert.deepEqual(linesOf(shown.out).slice(-3), [
        `To write what is missing and keep what others changed: relay jobs resume ${short} --review carry-on`,
        `To keep the playlist as it is: relay jobs resume ${short} --review accept`,
        `To compare both lists: relay jobs show ${short} --json`,
      ]);
      assert.match(shown.out, /Someone else/m);
      const { code, out } = await jobs(world, 'resume', short, '--review', 'accept');
      assert.equal(code, 0);
      assert.match(out, /^status +completed$/m);
      rows(edited);
    }),
);

longTest('a job under review can be continued: it writes the rest and keeps what others changed', () =>
  withReview(async (world, id, { edited, items, rows }) => {
    const { code, err } = await jobs(world, 'resume', id, '--review', 'carry-on', '--watch');
    assert.equal(code, 0, err);
    rows([...edited, ...items.slice(150)]);
  }),
);

longTest('a job that was cancelled under review asks for no decision any more', () =>
  withReview(async (world, id, { edited, rows }) => {
    const short = id.slice(0, 8);
    const { code, out } = await jobs(world, 'cancel', short);
    assert.equal(code, 0);
    assert.match(out, /^status +cancelled$/m);
    assert.match(
      (await jobs(world)).out,
      /^add to "Exactly Two Hundred" +\w+ +cancelled +100 of 250 +[\w ]+$/m,
    );
    const { review_required, error } = await jobOf(world, id);
    assert.deepEqual([review_required, error?.code, error?.remedy], [false, 'CONFLICT', undefined]);
    assert.match(error?.message ?? '', /^Someone else changed/);
    rows(edited);
  }),
);

test('an unknown value of --review is wrong usage', async () => {
  const { code, err } = await relay(['jobs', 'resume', '1f0c', '--review', 'ignore']);
  assert.equal(code, 2);
  assert.match(err, /Choose carry-on or accept/);
});

longTest('a job that waits to write has written nothing yet, and what it leaves out needs nobody', () =>
  withRelay(async (world) => {
    const playlist_id = named(world, 'Road Atlas').id;
    const items = [...tracks(world, 2, 3_000), NOTHING];
    const id = await createJob(world, 'add_to_playlist', items, { playlist_id });
    await reach(world, id, 'ready');
    world.provider.faults.add({ ...APPEND, kind: 'rate_limit', retryAfterSeconds: 7_200 });
    await jobs(world, 'commit', id, '--skip-unresolved');
    await reach(world, id, 'waiting');
    const short = id.slice(0, 8);
    assert.match((await jobs(world)).out, /^add to "Road Atlas" +\w+ +waiting +0 of 2 +1 /m);
    const { out } = await jobs(world, 'show', short);
    assert.match(out, /\n\nLeft out:\n {2}3\. No Such Song/);
    const { code, err } = await jobs(world, 'fix', short, '--skip', '3');
    assert.deepEqual(
      [code, err],
      [
        1,
        `relay: The job is waiting, and only a job that has not begun to write can be corrected.\n  It writes what it has found. Add only what it leaves out, with a new job; or run \`relay jobs cancel ${short}\` first.\n`,
      ],
    );
    const headers = { 'x-relay-owner': await signIn(world) };
    const page = JSON.parse((await send(`${world.baseUrl}/owner/state`, { headers })).text) as OwnerState;
    assert.deepEqual(
      page.jobs.map(({ status, phase, written, toWrite }) => ({ status, phase, written, toWrite })),
      [{ status: 'waiting', phase: 'commit', written: 0, toWrite: 2 }],
    );
  }),
);

longTest(
  'what a stopped job has not written, it writes only when it is resumed, as the refusal of a correction says',
  () =>
    withRelay(async (world) => {
      const playlist_id = named(world, 'Road Atlas').id;
      const items = [...tracks(world, 2, 3_000), NOTHING];
      const id = await createJob(world, 'add_to_playlist', items, { playlist_id }, { max_attempts: 1 });
      await reach(world, id, 'ready');
      world.provider.faults.add({ ...APPEND, kind: 'status', status: 403, times: 9 });
      await jobs(world, 'commit', id, '--skip-unresolved');
      const job = await reach(world, id, 'failed', 'completed', 'waiting');
      assert.equal(job.status, 'failed', JSON.stringify(job));
      const short = id.slice(0, 8);
      const { code, err } = await jobs(world, 'fix', short, '--skip', '3');
      assert.deepEqual(
        [code, err],
        [
          1,
          `relay: The job is failed, and only a job that has not begun to write can be corrected.\n  Once \`relay jobs resume ${short}\` continues it, it writes what it has found. Add only what it leaves out, with a new job; or run \`relay jobs cancel ${short}\` first.\n`,
        ],
      );
      const { error } = await world.call('resume_job', { job_id: id, fixes: [{ position: 2, skip: true }] });
      assert.equal(
        (error as ToolFailure).remedy,
        'Once resume_job continues it, it writes what it has found. Add only what it leaves out, with a new job; or call cancel_job first.',
      );
    }),
);
