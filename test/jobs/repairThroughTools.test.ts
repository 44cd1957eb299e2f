/** A long list with typos, put right through the tools as a model does it: few calls, and nothing wrong. */
import assert from 'node:assert/strict';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { parseTitle } from '../../src/music/title.ts';
import { WAYS } from '../music/waysOfWriting.ts';
import { named, urisOf } from '../support/playlists.ts';
import { longTest, sized } from '../support/scale.ts';
import { seeded } from '../support/seeded.ts';
import { asQuery } from '../support/songs.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { reach } from './jobCalls.ts';

const LINES = sized(2_000, 150);
/** Every fifth line has a typo, by turns in the title and in the artist. */
const EVERY = 5;
/** The most calls from `create_bulk_job` to the finished playlist, whatever the length of the list. */
const MAX_CALLS = 12;

interface Page {
  items: Array<{ position: number; candidates?: Array<{ track: { id?: string | null; name: string } }> }>;
}

/** Tracks that share neither song nor recording with another, so that the playlist holds a row for each line. */
function distinctSongs(tracks: readonly DemoTrack[]): DemoTrack[] {
  const keysOf = (track: DemoTrack) => [JSON.stringify(asQuery(track)).toLowerCase(), String(track.isrc)];
  const counts = new Map<string, number>();
  for (const key of tracks.flatMap(keysOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return tracks.filter((track) => keysOf(track).every((key) => counts.get(key) === 1));
}

/** Waits longer than other tests do, since two thousand searches take a slow machine that long. */
async function reachLate(relay: Relay, id: string, state: string): Promise<JobRecord> {
  for (let turn = 0; turn < 4; turn += 1) {
    const job = await reach(relay, id, state).catch(() => null);
    if (job) return job;
  }
  return reach(relay, id, state);
}

longTest('a list with typos in every fifth line becomes a right playlist in few calls', async (t) => {
  await withRelay(async (relay) => {
    const next = seeded(7_919);
    const typos = WAYS.filter(({ name }) => /^one typo in the (?:title|artist)$/.test(name));
    const songs = distinctSongs(relay.provider.catalogue.tracks).slice(0, LINES);
    const lines = songs.map((song, index) => {
      const way = index % EVERY === 0 ? typos[(index / EVERY) % typos.length] : undefined;
      return way?.write(asQuery(song), next) ?? asQuery(song);
    });
    let calls = 0;
    let characters = 0;
    const call = async (tool: string, args: Record<string, unknown>) => {
      calls += 1;
      const { content, structuredContent } = await relay.client.callTool({ name: tool, arguments: args });
      characters += JSON.stringify(content).length;
      // The list itself is not counted, since it comes from the user.
      if (tool !== 'create_bulk_job') characters += JSON.stringify(args).length;
      return structuredContent as Record<string, unknown>;
    };

    // Two lines may get the same recording: an original and its remaster come equally near to a misspelled line.
    const payload = { name: 'From a List', skip_duplicates: false };
    const made = await call('create_bulk_job', { type: 'create_playlist', payload, items: lines });
    const id = String(made.job_id);
    const found = await reachLate(relay, id, 'ready');
    const unresolved = async () =>
      (await call('get_job_status', { job_id: id, only: 'unresolved', limit: 100 })) as unknown as Page;
    const leftOut = new Set<number>();
    if ((await unresolved()).items.length > 0) await call('resume_job', { job_id: id, accept_near: 0.36 });
    for (let page = await unresolved(); page.items.length > 0; page = await unresolved()) {
      const fixes = page.items.map(({ position, candidates = [] }) => {
        // The candidate that a user would pick at a glance.
        const right = candidates.find(({ track }) => track.name === songs[position]?.name);
        if (!right) leftOut.add(position);
        return right ? { position, track_id: right.track.id } : { position, skip: true };
      });
      await call('resume_job', { job_id: id, fixes });
    }
    await call('commit_job', { job_id: id });
    await reachLate(relay, id, 'completed');
    await call('get_job_status', { job_id: id, limit: 1 });

    t.diagnostic(
      `${LINES} lines: ${found.total_items - found.resolved} not found at once, ${leftOut.size} not at all; ${calls} calls, ${characters} characters`,
    );
    const byUri = new Map(relay.provider.catalogue.tracks.map((track) => [track.uri, track]));
    const songOf = (track: DemoTrack) => `${parseTitle(track.name).base} | ${track.artists[0]?.name}`;
    assert.deepEqual(
      urisOf(named(relay, 'From a List')).map((uri) => songOf(byUri.get(uri) ?? assert.fail(uri))),
      songs.filter((_, position) => !leftOut.has(position)).map(songOf),
    );
    assert.ok(leftOut.size <= LINES / 100, `${leftOut.size} left out`);
    assert.ok(calls <= MAX_CALLS, `${calls} calls`);
  });
});
