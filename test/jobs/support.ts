/** Jobs as tests drive them: through the tools, against the simulated provider. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { type Clock, systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createChanges } from '../../src/changes/changes.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import type { ItemRecord, JobRecord } from '../../src/jobs/jobRecord.ts';
import { createJobs, type JobRequest, type Jobs } from '../../src/jobs/jobService.ts';
import { createPlaylistRows } from '../../src/provider/resources/playlistRows.ts';
import type { Resolver } from '../../src/resolve/resolver.ts';
import type { Store } from '../../src/store/file/open.ts';
import type { NewJobItem } from '../../src/store/tables/jobItems.ts';
import { at } from '../support/shapes.ts';
import type { Relay } from '../support/world.ts';

export { failureOf, named, type ToolFailure, tracks, urisOf } from '../support/answers.ts';

/** Real time that a job may take on a slow machine. */
const PATIENCE_MS = 60_000;

/** Asking without a pause would take the processor from the job itself, which runs in the same process. */
export const pause = () => setTimeout(30);

export async function createJob(
  relay: Relay,
  type: string,
  items: readonly unknown[],
  payload: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await relay.call('create_bulk_job', { type, items, payload, ...more });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return String(answer.job_id);
}

export async function jobOf(relay: Relay, id: string): Promise<JobRecord> {
  const answer = await relay.call('get_job_status', { job_id: id, limit: 1 });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.job as JobRecord;
}

export async function itemsOf(relay: Relay, id: string): Promise<ItemRecord[]> {
  return (await relay.call('get_job_status', { job_id: id, limit: 100 })).items as ItemRecord[];
}

/** Waits until the job is in one of the states. */
export async function reach(relay: Relay, id: string, ...states: string[]): Promise<JobRecord> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const job = await jobOf(relay, id);
    if (states.includes(job.status)) return job;
    if (Date.now() > end)
      throw new Error(`the job is ${job.status} (${JSON.stringify(job)}), not ${states.join(' or ')}`);
    await pause();
  }
}

/** Waits until the job is resolved, commits it, and waits for its end. */
export async function runToEnd(relay: Relay, id: string): Promise<JobRecord> {
  await reach(relay, id, 'ready');
  await commit(relay, id);
  return reach(relay, id, 'completed', 'failed');
}

export async function commit(relay: Relay, id: string): Promise<JobRecord> {
  const answer = await relay.call('commit_job', { job_id: id });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.job as JobRecord;
}

/** The first tracks whose title is unique in the catalogue and consists of at least 14 letters and spaces. */
export function uniqueTracks({ provider }: Relay, amount: number): DemoTrack[] {
  const seen = new Map<string, number>();
  for (const { name } of provider.catalogue.tracks) seen.set(name, (seen.get(name) ?? 0) + 1);
  return provider.catalogue.tracks
    .filter(({ name }) => /^[A-Za-z ]{14,}$/.test(name) && seen.get(name) === 1)
    .slice(0, amount);
}

export const asQuery = (track: DemoTrack) => ({ title: track.name, artist: at(track.artists, 0).name });

/** A track as a line of a list. */
export const lineOf = (track: DemoTrack) => `${asQuery(track).artist} - ${track.name}`;

/** The title with two letters added. A typo is one letter at most, so the song is only a near miss. */
export const misspelled = (track: DemoTrack) => ({
  ...asQuery(track),
  title: `${track.name.slice(0, 3)}zq${track.name.slice(3)}`,
});

export const NOTHING = { title: 'No Such Song Anywhere', artist: 'Nobody of That Name' };

export const searches = ({ provider }: Relay) =>
  provider.requests.filter(({ path }) => path === '/search').length;

export const writes = ({ provider }: Relay) =>
  provider.requests.filter(({ method }) => method !== 'GET').length;

const PAYLOAD = { strict: false, dry_run: false, skip_existing: false, skip_duplicates: true };

/** A job service over a store, without a provider: every request fails. Songs are looked up in `resolver` instead. */
export function jobsOver(store: Store, resolver: Partial<Resolver> = {}, clock: Clock = systemClock): Jobs {
  const unexpected = () => Promise.reject(new Error('this test makes no such request'));
  const provider = { send: unexpected, serverTime: () => null };
  const rows = createPlaylistRows(provider, clock);
  const context = { provider, rows, store, clock, random: systemRandom, log: silentLog };
  const changes = createChanges(context);
  return createJobs({
    ...context,
    changes,
    resolver: { resolve: unexpected, keep: () => false, ...resolver },
  });
}

/** A job of songs to search for. */
export function songsRequest(count: number): JobRequest {
  const items = Array.from({ length: count }, (_, index): NewJobItem => {
    const title = `Song number ${index}`;
    return { input: { title, artist: 'Someone' }, key: title, uri: null, status: 'pending' };
  });
  return { type: 'save_tracks', payload: PAYLOAD, items, maxAttempts: 5 };
}
