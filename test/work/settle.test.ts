/** Items that searching did not resolve, settled by a person or a model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemRecord, JobRecord } from '../../src/work/jobRecord.ts';
import { failureOf } from '../support/answers.ts';
import { searches, writes } from '../support/requests.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, itemsOf, jobOf, reach } from './jobCalls.ts';

async function unresolvedOf(relay: Relay, id: string, more: Record<string, unknown> = {}) {
  const answer = await relay.call('get_job_status', { job_id: id, only: 'unresolved', ...more });
  return answer as { job: JobRecord; items: ItemRecord[]; total: number; next_offset: number | null };
}

const outcomes = (items: readonly ItemRecord[]) =>
  items.map(({ position, status, uri }) => [position, status, uri]);

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
