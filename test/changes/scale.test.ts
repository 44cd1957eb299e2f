/** A commit of ten thousand tracks: what the program writes to disk, and how long it holds up everything else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { owner } from '../support/entries.ts';
import { withDesk } from '../support/program.ts';
import { longTest, sized } from '../support/scale.ts';
import { startSimulator } from '../support/simulator/simulator.ts';
import { until } from '../support/until.ts';
import { startVictim, victimEnvironment } from './crash/victim.ts';

const TRACKS = sized(10_000, 2_000);
const MAX_BYTES = 40 * 1024 * 1024;
const LOOP_DELAY = fileURLToPath(new URL('../support/loopDelay.cjs', import.meta.url));

/** Bytes that a process has written, sockets included. */
const writtenBy = (pid: number) => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

/** A process that does nothing, and measures how long the machine makes it wait. */
function idleProcess(file: string) {
  const args = ['--require', LOOP_DELAY, '-e', 'setInterval(() => {}, 1000)'];
  return spawn(process.execPath, args, { env: { LOOP_DELAY_FILE: file }, stdio: 'ignore' });
}

longTest(`a commit of ${TRACKS} tracks writes little to disk and holds nothing up`, async (t) => {
  const provider = await startSimulator();
  try {
    await withDesk(victimEnvironment(provider), async (desk) => {
      const file = join(desk.home, '..', 'loop-delay');
      const victim = await startVictim(desk, {
        LOOP_DELAY_FILE: file,
        NODE_OPTIONS: `--require ${LOOP_DELAY}`,
      });
      const playlist = owner(provider).playlists.find(({ name }) => name === 'Empty Shelf') ?? assert.fail();
      provider.faults.add({
        method: 'POST',
        path: /\/items$/,
        times: Number.POSITIVE_INFINITY,
        kind: 'latency',
        ms: 80,
      });
      const { tracks } = provider.catalogue;
      const items = Array.from({ length: TRACKS }, (_, index) => tracks[index % tracks.length]?.uri);
      const payload = { playlist_id: playlist.id, skip_duplicates: false };
      const made = await victim.call('create_bulk_job', { type: 'add_to_playlist', payload, items });
      const job_id = String(made?.job_id);
      const job = async () => (await victim.call('get_job_status', { job_id, limit: 1 }))?.job as JobRecord;
      const reached = (status: string) =>
        until(async () => {
          await setTimeout(50);
          return (await job()).status === status;
        }, 5 * 60_000);
      await reached('ready');
      // Gives relay time to save the rest of the new job.
      await setTimeout(1_500);
      const before = writtenBy(victim.pid);
      const idle = idleProcess(`${file}-idle`);
      process.kill(victim.pid, 'SIGUSR2');
      await victim.call('commit_job', { job_id });
      await reached('completed');
      const bytes = writtenBy(victim.pid) - before;
      await setTimeout(600);
      idle.kill('SIGKILL');
      const [pauseMs, idleMs] = [file, `${file}-idle`].map((path) => Number(readFileSync(path, 'utf8'))) as [
        number,
        number,
      ];
      t.diagnostic(
        `${(bytes / 1e6).toFixed(1)} MB written, longest pause ${pauseMs.toFixed(0)} ms (of an idle process: ${idleMs.toFixed(0)} ms)`,
      );
      assert.equal(playlist.rows.length, TRACKS);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
      // A slow machine needs longer for the same work. On a busy machine even an idle process has pauses.
      const limitMs = 50 + 2 * idleMs;
      const isQuiet = idleMs < 25;
      assert.ok(
        !isQuiet || pauseMs <= limitMs,
        `a pause of ${pauseMs} ms, limit ${limitMs} ms, of an idle process ${idleMs} ms`,
      );
      await victim.stop();
    });
  } finally {
    await provider.close();
  }
});
