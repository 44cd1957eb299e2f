/** Nothing that relay does holds everything else up, however much it knows and however long the list. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { startVictim, type Victim, victimEnvironment } from '../changes/crash/victim.ts';
import { fillHome, knownSong } from '../support/homes.ts';
import { processorMs } from '../support/processorTime.ts';
import { withDesk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';
import { type Simulator, startSimulator } from '../support/simulator/simulator.ts';
import { until } from '../support/waiting.ts';

const PRELOAD = fileURLToPath(new URL('../support/longestTurn.cjs', import.meta.url));
const SONGS = 10_000;
const PAST = { tracks: SONGS, jobs: 1_000, days: 90 };

/**
 * Does work that takes 15 ms of processor time on a quiet machine, and returns how many it took. A slow or busy machine slows
 * down this work and relay by the same factor.
 */
function fifteen(): number {
  const rows = Array.from({ length: 400 }, (_, index) => ({
    uri: `row ${index}`,
    artists: [{ name: `${index}` }],
  }));
  const begin = process.cpuUsage();
  for (let turn = 0; turn < 45; turn++) JSON.parse(JSON.stringify(rows));
  return processorMs(begin);
}

/** Calls a tool, which must work. */
async function ask(victim: Victim, tool: string, args: Record<string, unknown>) {
  const answer = await victim.call(tool, args);
  assert.ok(answer && answer.error === undefined, JSON.stringify(answer));
  return answer;
}

/** Follows a job as a page does, until it is in the wanted state. */
async function reach(victim: Victim, job_id: unknown, wanted: string, meanwhile: () => void): Promise<void> {
  await until(async () => {
    const { job } = await ask(victim, 'get_job_status', { job_id, limit: 25 });
    if ((job as JobRecord).status === wanted) return true;
    await ask(victim, 'list_jobs', { limit: 100 });
    await ask(victim, 'get_state_diagnostics', {});
    meanwhile();
    await setTimeout(100);
    return false;
  }, 5 * 60_000);
}

/** Runs two jobs: one looks up `count` known songs, the other writes `count` rows. */
async function twoJobs(victim: Victim, provider: Simulator, count: number, meanwhile: () => void) {
  const songs = Array.from({ length: count }, (_, index) => knownSong(index));
  const search = { type: 'save_tracks', payload: { dry_run: true }, items: songs };
  await reach(victim, (await ask(victim, 'create_bulk_job', search)).job_id, 'completed', meanwhile);

  const { tracks } = provider.catalogue;
  const rows = Array.from({ length: count }, (_, index) => tracks[index % tracks.length]?.uri);
  const { id: playlist_id } = await ask(victim, 'create_playlist', { name: 'Long' });
  const write = { type: 'add_to_playlist', payload: { playlist_id }, items: rows };
  const { job_id } = await ask(victim, 'create_bulk_job', write);
  await reach(victim, job_id, 'ready', meanwhile);
  await ask(victim, 'commit_job', { job_id });
  await reach(victim, job_id, 'completed', meanwhile);
  await ask(victim, 'list_changes', { limit: 50 });
}

longTest('with 10,000 known tracks no turn of the event loop lasts longer than 30 ms', async (t) => {
  const provider = await startSimulator();
  try {
    await withDesk(victimEnvironment(provider), async (desk) => {
      await fillHome(desk.home, PAST);
      const file = join(desk.home, '..', `longest-turn-${process.pid}`);
      const victim = await startVictim(desk, {
        TURN_FILE: file,
        RELAY_TOOLSETS: 'all',
        NODE_OPTIONS: `--require ${PRELOAD}`,
      });
      const longest = () =>
        JSON.parse(readFileSync(file, 'utf8')) as { cpu: number; wall: number; restarts: number };
      // The first two jobs are not measured: the program has just started, so they are slower.
      await twoJobs(victim, provider, 1_000, () => {});
      // Only one of three tries has to stay below the limit, since other programs on the machine may slow down any try.
      for (let left = 3; ; left--) {
        const { restarts } = longest();
        process.kill(victim.pid, 'SIGUSR2');
        await until(() => longest().restarts > restarts);
        const references: number[] = [];
        await twoJobs(victim, provider, SONGS, () => references.push(fifteen()));
        await setTimeout(600);
        const { cpu, wall } = longest();
        const limit = Math.max(...references) * 2;
        t.diagnostic(
          `longest turn ${cpu.toFixed(1)} ms of processor time, ${wall.toFixed(0)} ms on the clock; 30 ms of work took up to ${limit.toFixed(1)} ms, at least ${Math.min(...references).toFixed(1)} ms`,
        );
        if (cpu <= limit) break;
        assert.ok(left > 1, `a turn of ${cpu} ms, limit ${limit} ms, three times`);
      }
      await victim.stop();
    });
  } finally {
    await provider.close();
  }
});
