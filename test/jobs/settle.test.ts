/** Items that searching did not resolve, settled by a person or a model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemRecord, JobRecord } from '../../src/jobs/jobRecord.ts';
import { failureOf } from '../support/answers.ts';
import { at } from '../support/entries.ts';
import { tracks, urisOf } from '../support/playlists.ts';
import { searches, writes } from '../support/requests.ts';
import { longTest } from '../support/scale.ts';
import { trackShape } from '../support/shapes.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import { withClock } from '../support/waiting.ts';
import { withPlaylist } from '../support/withPlaylist.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, itemsOf, jobOf, reach, runToEnd } from './jobCalls.ts';

async function unresolvedOf(relay: Relay, id: string, more: Record<string, unknown> = {}) {
  const answer = await relay.call('get_job_status', { job_id: id, only: 'unresolved', ...more });
  return answer as { job: JobRecord; items: ItemRecord[]; total: number; next_offset: number | null };
}

const outcomes = (items: readonly ItemRecord[]) =>
  items.map(({ position, status, uri }) => [position, status, uri]);

const lookups = ({ provider }: Relay) =>
  provider.requests.filter(({ path }) => path.startsWith('/tracks/')).length;

test('a page that does not show all unresolved items says how to list them, unless it is a page of them', () =>
  withRelay(async (relay) => {
    const [found] = uniqueTracks(relay, 1);
    assert.ok(found);
    const id = await createJob(relay, 'save_tracks', [asQuery(found), NOTHING, NOTHING, NOTHING]);
    await reach(relay, id, 'ready');
    const noteOf = async (more: Record<string, unknown>) => {
      const args = { job_id: id, ...more };
      const { structuredContent } = await relay.client.callTool({ name: 'get_job_status', arguments: args });
      return (structuredContent as { note?: string }).note;
    };
    const lists = `3 items did not resolve: get_job_status with job_id ${id} and only "unresolved" lists them.`;
    assert.equal(await noteOf({ limit: 2 }), lists);
    assert.equal(await noteOf({}), undefined);
    assert.equal(await noteOf({ only: 'unresolved', limit: 1 }), undefined);
    assert.equal(await noteOf({ only: 'unresolved', limit: 1, offset: 9 }), undefined);
  }));

longTest('a strict job is settled item by item and written, and the next list needs no search', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a, b, c, d] = uniqueTracks(relay, 4);
    assert.ok(a && b && c && d);
    const wrong = misspelled(b);
    const list = [asQuery(a), wrong, NOTHING, asQuery(c), wrong];
    const id = await createJob(relay, 'add_to_playlist', list, { playlist_id });
    await reach(relay, id, 'ready');

    const open = await unresolvedOf(relay, id);
    assert.deepEqual([open.total, open.next_offset], [3, null]);
    assert.deepEqual(
      open.items.map(({ position, status, candidates }) => [position, status, candidates?.[0]?.track.uri]),
      [
        [1, 'unmatched', b.uri],
        [2, 'unmatched', undefined],
        [4, 'unmatched', b.uri],
      ],
    );
    const page = await unresolvedOf(relay, id, { limit: 2, offset: 0 });
    assert.deepEqual([page.items.map(({ position }) => position), page.next_offset], [[1, 2], 4]);

    const asked = [searches(relay), lookups(relay)];
    const answer = await relay.call('resume_job', {
      job_id: id,
      fixes: [
        { position: 1, track_id: b.id },
        { position: 2, skip: true },
        { position: 3, track_id: `https://open.spotify.com/track/${d.id}` },
      ],
    });
    const { job, settled, skipped } = answer as { job: JobRecord; settled: number; skipped: number };
    assert.deepEqual([settled, skipped], [3, 1], 'the same line at position 4 is settled with it');
    assert.deepEqual(
      [job.status, job.resolved, job.unmatched, job.skipped, job.pending],
      ['ready', 4, 0, 1, 0],
    );
    assert.deepEqual(
      [searches(relay), lookups(relay)],
      [at(asked, 0), at(asked, 1) + 1],
      'only the track that is no candidate is looked up',
    );
    assert.deepEqual(outcomes(await itemsOf(relay, id)), [
      [0, 'matched', a.uri],
      [1, 'matched', b.uri],
      [2, 'skipped', null],
      [3, 'matched', d.uri],
      [4, 'matched', b.uri],
    ]);
    assert.deepEqual((await itemsOf(relay, id)).at(3)?.track, trackShape(d));

    assert.equal((await runToEnd(relay, id)).status, 'completed');
    assert.deepEqual(urisOf(playlist), [a.uri, b.uri, d.uri]);

    await relay.restart();
    const before = searches(relay);
    const again = await createJob(relay, 'save_tracks', [wrong, asQuery(c)]);
    await reach(relay, again, 'ready');
    assert.deepEqual(outcomes(await itemsOf(relay, again)), [
      [0, 'matched', b.uri],
      [1, 'matched', d.uri],
    ]);
    assert.equal(searches(relay), before);
  }),
);

for (const detail of ['full', 'lean']) {
  longTest(`items that are settled page by page, in ${detail} form, leave out none of the others`, () =>
    withRelay(async (relay) => {
      const list = Array.from({ length: 80 }, (_, song) => ({
        title: `Nothing ${song} ${'of the kind '.repeat(12)}`,
        artist: 'Nobody at all',
      }));
      const id = await createJob(relay, 'save_tracks', list);
      await reach(relay, id, 'ready');
      const seen: number[] = [];
      let pages = 0;
      for (let offset: unknown = 0; typeof offset === 'number'; pages++) {
        const page = await unresolvedOf(relay, id, { offset, limit: 50, detail });
        const positions = page.items.map(({ position }) => position);
        assert.equal(page.total, 80 - seen.length);
        seen.push(...positions);
        await relay.call('resume_job', {
          job_id: id,
          fixes: positions.map((position) => ({ position, skip: true })),
        });
        offset = page.next_offset;
      }
      assert.deepEqual(seen, [...list.keys()]);
      // In lean form, 50 items do not fit into an answer, so the answer ends early.
      assert.equal(pages > 2, detail === 'lean');
    }),
  );
}

test('accept_near takes the first candidate wherever it scores enough, and nothing else', () =>
  withRelay(async (relay) => {
    const all = uniqueTracks(relay, 6);
    const [other] = uniqueTracks(relay, 20).slice(-1);
    assert.ok(other);
    const near = all.map(misspelled);
    const far = { title: asQuery(other).title, artist: 'Somebody Else Entirely' };
    const id = await createJob(relay, 'save_tracks', [...near, far, NOTHING]);
    await reach(relay, id, 'ready');
    const open = (await unresolvedOf(relay, id)).items;
    const scores = open.map(({ candidates }) => candidates?.[0]?.score ?? 0);
    assert.ok(Math.min(...scores.slice(0, 6)) > (scores[6] ?? 0), `${scores}`);
    const least = Math.min(...scores.slice(0, 6));
    const answer = await relay.call('resume_job', {
      job_id: id,
      fixes: [{ position: 5, skip: true }],
      accept_near: least,
    });
    const job = answer.job as JobRecord;
    assert.deepEqual(
      [answer.settled, answer.skipped, job.status, job.resolved, job.unmatched],
      [5, 1, 'ready', 5, 2],
    );
    assert.deepEqual(outcomes(await itemsOf(relay, id)), [
      ...all.slice(0, 5).map(({ uri }, position) => [position, 'matched', uri]),
      [5, 'skipped', null],
      [6, 'unmatched', null],
      [7, 'unmatched', null],
    ]);
    const none = await relay.call('resume_job', { job_id: id, accept_near: 1 });
    assert.deepEqual([none.settled, none.skipped], [0, 0]);
  }));

test('fixes that cannot be made are all named, and none is made', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const id = await createJob(relay, 'save_tracks', [
      NOTHING,
      { ...NOTHING, artist: 'Nobody Else' },
      asQuery(a),
    ]);
    await reach(relay, id, 'ready');
    const before = await jobOf(relay, id);
    const send = async (fixes: unknown) => failureOf(await relay.call('resume_job', { job_id: id, fixes }));

    const outside = await send([
      { position: 0, track_id: a.id },
      { position: 3, skip: true },
      { position: 0, skip: true },
    ]);
    assert.deepEqual(outside, {
      code: 'INVALID_ARGUMENT',
      message: `fixes[1] (position 3): the list has only 3 items. fixes[2] (position 0, "${NOTHING.title}" by ${NOTHING.artist}): it is named twice. Nothing was changed.`,
      remedy: 'Correct these fixes, then send all fixes again.',
      details: {
        problems: [
          { index: 1, position: 3, problem: 'the list has only 3 items' },
          { index: 2, position: 0, problem: 'it is named twice' },
        ],
      },
    });

    const unknown = '0000000000000000000000';
    const missing = await send([
      { position: 0, track_id: a.id },
      { position: 1, track_id: unknown },
    ]);
    assert.deepEqual(missing.details, {
      problems: [{ index: 1, position: 1, problem: `Spotify has no track spotify:track:${unknown}` }],
    });

    relay.provider.faults.add({ path: `/tracks/${unknown}`, kind: 'status', status: 400 });
    const refused = await send([{ position: 1, track_id: unknown }]);
    assert.deepEqual(refused.details, {
      problems: [{ index: 0, position: 1, problem: `Spotify has no track spotify:track:${unknown}` }],
    });

    const album = await send([{ position: 0, track_id: 'spotify:album:0000000000000000000000' }]);
    assert.equal(album.code, 'INVALID_ARGUMENT');
    assert.match(album.message, /is an album, not a track/);
    assert.deepEqual(await jobOf(relay, id), before);
  }));

test('a fix names a track or skips, and says so in whatever way the schema allows', () =>
  withRelay(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const id = await createJob(relay, 'save_tracks', [NOTHING, { ...NOTHING, artist: 'Nobody Else' }]);
    await reach(relay, id, 'ready');
    const send = (fixes: unknown) => relay.call('resume_job', { job_id: id, fixes });
    const message = 'fixes[0]: give either track_id or skip: true.';
    for (const wrong of [{}, { skip: false }, { skip: true, track_id: a.id }]) {
      const refused = failureOf(await send([{ position: 0, ...wrong }]));
      assert.deepEqual([refused.code, refused.message], ['INVALID_ARGUMENT', message], JSON.stringify(wrong));
    }
    const done = await send([
      { position: 0, track_id: a.id, skip: false },
      { position: 1, track_id: null, skip: true },
    ]);
    assert.deepEqual([done.settled, done.skipped], [1, 1]);
  }));

longTest('a review is refused beside fixes, and nothing is settled', () =>
  withClock(async (relay) => {
    const [a] = uniqueTracks(relay, 1);
    assert.ok(a);
    const id = await createJob(relay, 'save_tracks', [NOTHING]);
    await reach(relay, id, 'ready');
    for (const more of [{ fixes: [{ position: 0, track_id: a.id }] }, { accept_near: 0 }]) {
      const refused = failureOf(await relay.call('resume_job', { job_id: id, review: 'accept', ...more }));
      assert.deepEqual(
        [refused.code, refused.message],
        ['INVALID_ARGUMENT', 'review cannot be combined with fixes or accept_near.'],
      );
    }
    assert.equal((await jobOf(relay, id)).unmatched, 1);
  }),
);

longTest('a job that waits for the quota of searches is ready once its last song is settled by hand', () =>
  withClock(async (relay) => {
    const [a, b] = uniqueTracks(relay, 2);
    assert.ok(a && b);
    const quota = { path: '/search', times: 100, kind: 'quota', retryAfterSeconds: 40_000 } as const;
    relay.provider.faults.add(quota);
    const id = await createJob(relay, 'save_tracks', [asQuery(a), asQuery(b)]);
    await reach(relay, id, 'waiting');
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 0, track_id: a.id }] });
    const parked = await jobOf(relay, id);
    assert.deepEqual([parked.status, parked.reason, parked.pending], ['waiting', 'QUOTA_EXCEEDED', 1]);
    const made = searches(relay);
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 1, skip: true }] });
    const job = await reach(relay, id, 'ready');
    assert.deepEqual([job.resolved, job.skipped, job.reason, job.run_after], [1, 1, null, null]);
    assert.equal(searches(relay), made);
    assert.equal((await runToEnd(relay, id)).written, 1);
  }),
);

longTest('skip_unresolved commits a strict job without what did not resolve', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [a, b] = tracks(relay, 2);
    const id = await createJob(relay, 'add_to_playlist', [a, NOTHING, b], { playlist_id });
    await reach(relay, id, 'ready');
    const refused = failureOf(await relay.call('commit_job', { job_id: id }));
    assert.deepEqual(
      [refused.code, refused.message],
      [
        'JOB_STATE',
        'The job is strict and 1 of its 3 items did not resolve (0 ambiguous, 1 unmatched, 0 failed).',
      ],
    );
    for (const call of [
      `get_job_status {"job_id":"${id}","only":"unresolved"}`,
      `resume_job {"job_id":"${id}","fixes":[{"position":1,"track_id":"…"}]}`,
      `resume_job {"job_id":"${id}","accept_near":0.36}`,
      `commit_job {"job_id":"${id}","skip_unresolved":true}`,
    ]) {
      assert.ok(refused.remedy.includes(call), `${refused.remedy} names ${call}`);
    }
    assert.equal(writes(relay), 0);
    await relay.call('commit_job', { job_id: id, skip_unresolved: true });
    const job = await reach(relay, id, 'completed');
    assert.deepEqual([job.written, job.unmatched], [2, 1]);
    assert.deepEqual(urisOf(playlist), [a, b]);

    const late = failureOf(
      await relay.call('resume_job', { job_id: id, fixes: [{ position: 1, skip: true }] }),
    );
    assert.deepEqual(
      [late.code, late.message, late.remedy],
      [
        'JOB_STATE',
        'The job is completed, and only a job that has not begun to write can be corrected.',
        '2 of its items are written. Add what is missing with a new job.',
      ],
    );
  }),
);

longTest('the call that a strict job names settles its first items that did not resolve', () =>
  withPlaylist('Empty Shelf', async ({ relay, playlist_id }) => {
    const [a, b] = tracks(relay, 2);
    const items = [a, NOTHING, b, { ...NOTHING, artist: 'Nobody Else' }, { ...NOTHING, artist: 'No One' }];
    const id = await createJob(relay, 'add_to_playlist', items, { playlist_id });
    await reach(relay, id, 'ready');
    const { remedy } = failureOf(await relay.call('commit_job', { job_id: id }));
    const named = /resume_job (\{"job_id":"[^"]+","fixes":\[.*?\]\})/.exec(remedy)?.[1] ?? '';
    const call = JSON.parse(named.replace('"…"', JSON.stringify(a)));
    const { settled, skipped } = await relay.call('resume_job', call);
    assert.deepEqual(call.fixes, [
      { position: 1, track_id: a },
      { position: 3, skip: true },
    ]);
    assert.deepEqual([settled, skipped], [1, 1]);
  }),
);

test('a job whose items are all left out has nothing to write', () =>
  withRelay(async (relay) => {
    const id = await createJob(relay, 'create_playlist', [NOTHING], { name: 'Of Nothing' });
    await reach(relay, id, 'ready');
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 0, skip: true }] });
    const { code, message } = failureOf(
      await relay.call('commit_job', { job_id: id, skip_unresolved: true }),
    );
    assert.deepEqual([code, message], ['JOB_STATE', 'No item resolved, so there is nothing to write.']);
    const again = failureOf(await relay.call('resume_job', { job_id: id }));
    assert.equal(again.message, 'The job is ready. No item is left to search for.');
    assert.doesNotMatch(String(again.remedy), /commit_job/, 'commit_job has just been refused');
    assert.equal(writes(relay), 0);
  }));

test('a decision that is made while the search for the item is under way stands, and the next list uses it too', () =>
  withRelay(async (relay) => {
    const [a, b] = uniqueTracks(relay, 2);
    assert.ok(a && b);
    let release = () => {};
    const answered = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.provider.faults.add({ path: '/search', times: 1, kind: 'hook', fn: () => answered });
    const id = await createJob(relay, 'save_tracks', [asQuery(a)]);
    await until(() => searches(relay) === 1);
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 0, track_id: b.id }] });
    release();
    await reach(relay, id, 'ready');
    assert.deepEqual(outcomes(await itemsOf(relay, id)), [[0, 'matched', b.uri]]);
    const next = await relay.call('find_track_exact', asQuery(a));
    assert.equal((next.match as { track: { uri: string } }).track.uri, b.uri);
  }));
