import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracks, urisOf } from '../support/playlists.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { gate, until } from '../support/waiting.ts';
import { withClockedPlaylist } from '../support/withPlaylist.ts';
import type { Relay } from '../support/world.ts';
import { itemsOf, reach } from './jobCalls.ts';

interface Bulk {
  status: string;
  playlist_id: string | null;
  matched: number;
  ambiguous: number;
  unmatched: number;
  added: number;
  report: Array<{ index: number; status: string }>;
  job_id: string;
  note?: string;
  write?: { ok: boolean; written: number; partial: boolean };
  playlist?: { id: string };
}

async function call(relay: Relay, tool: string, args: Record<string, unknown>): Promise<Bulk> {
  const answer = await relay.call(tool, args);
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer as unknown as Bulk;
}

test('writing that takes too long for one call is handed over, and the job begins at once', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, clock, playlist, playlist_id }) => {
    const uris = tracks(relay, 650);
    const slow = [gate(), gate(), gate(), gate()];
    slow.forEach(({ wait }, skip) => {
      relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip, kind: 'hook', fn: wait });
    });
    const answer = call(relay, 'bulk_add_tracks', { playlist_id, tracks: uris });
    for (const held of slow) {
      await until(() => held.waiting === 1);
      clock.advance(11_000);
      held.open();
    }
    const result = await answer;
    // The fourth request was still on its way when the call had to answer.
    assert.deepEqual([result.status, result.added, result.write?.ok], ['deferred', 300, false]);
    assert.match(result.note ?? '', /Do not send it again: job .* writes the rest by itself\./);
    const job = await reach(relay, result.job_id, 'completed');
    assert.deepEqual([job.written, job.attempts], [650, 0]);
    assert.deepEqual(urisOf(playlist), uris);
  }));

/** Restarts the server while a write of this call is held, and returns the ID of the job that it becomes. */
async function cutShort(
  relay: Relay,
  tool: string,
  args: Record<string, unknown>,
  writing: ReturnType<typeof gate>,
): Promise<string> {
  const jobs = () => relay.call('list_jobs');
  const cut = assert.rejects(relay.call(tool, args));
  await until(() => writing.waiting === 1);
  assert.equal((await jobs()).total, 0);
  const restarted = relay.restart();
  writing.open();
  await Promise.all([restarted, cut]);
  const [job] = (await jobs()).items as Array<{ job_id: string }>;
  return job?.job_id ?? '';
}

test('a list that a call looks up is not listed as a job until it has to continue without the call', () =>
  withClockedPlaylist('Empty Shelf', async ({ relay, playlist, playlist_id }) => {
    const [first, second, third] = uniqueTracks(relay, 3);
    assert.ok(first && second && third);
    const list = [asQuery(first), { id: second.id }, asQuery(third)];
    const jobs = async () => (await relay.call('list_jobs')).total;
    const [searching, writing] = [gate(), gate()];
    relay.provider.faults.add({ path: '/search', times: 2, kind: 'hook', fn: searching.wait });
    const args = { playlist_id, tracks: list };
    const answer = call(relay, 'bulk_add_tracks', args);
    await until(() => searching.waiting === 2);
    assert.equal(await jobs(), 0);
    searching.open();
    assert.deepEqual([(await answer).status, await jobs()], ['done', 0]);

    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn: writing.wait });
    const job = await cutShort(relay, 'bulk_add_tracks', args, writing);
    const { written } = await reach(relay, job, 'completed');
    // The job has the list as the caller gave it.
    const inputs = (await itemsOf(relay, job)).map(({ input }) => input);
    assert.deepEqual([written, inputs, await jobs()], [3, list, 1]);
    assert.equal(urisOf(playlist).length, 6);
  }));
