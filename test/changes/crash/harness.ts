/**
 * Kills the real program at chosen and at random moments of the life of jobs, starts it again, and looks at what the
 * simulated provider holds in the end. Everything is drawn from one seed, except how long the machine takes for things.
 */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { JOB_TYPES, type JobType } from '../../../src/domain/job.ts';
import type { JobRecord } from '../../../src/jobs/jobRecord.ts';
import { withDesk } from '../../support/program.ts';
import type { FaultAction } from '../../support/simulator/faults.ts';
import { type Simulator, startSimulator } from '../../support/simulator/simulator.ts';
import { type Chance, chanceOf } from './chance.ts';
import { type Goal, goalOf } from './goals.ts';
import { startVictim, type Victim, victimEnvironment } from './victim.ts';

export interface CrashReport {
  kills: number;
  jobs: number;
  /** Jobs that stopped because the harness had changed their playlist. */
  reviews: number;
  /** Kills by type of job, and by the state that the job was last seen in. */
  byType: Record<string, number>;
  byState: Record<string, number>;
}

export interface CrashOptions {
  kills: number;
  seed: number;
  /** Programs at the same time, each with a provider and a home of its own. */
  width: number;
  /** Hears what happens, one line each. */
  log?: (line: string) => void;
}

/** Runs until at least `kills` kills have happened. Throws at the first job that did not end as it should. */
export async function crash({ kills, seed, width, log = () => {} }: CrashOptions): Promise<CrashReport> {
  const report: CrashReport = { kills: 0, jobs: 0, reviews: 0, byType: {}, byState: {} };
  let failed = false;
  const lane = async (index: number) => {
    const chance = chanceOf(seed + index * 7_919);
    const provider = await startSimulator();
    try {
      await withDesk(victimEnvironment(provider), async (desk) => {
        const victim = await startVictim(desk);
        for (let serial = index; report.kills < kills && !failed; serial += width) {
          const type = JOB_TYPES[serial % JOB_TYPES.length] as JobType;
          log(`${serial} ${type}`);
          await oneJob({ victim, provider, chance, report, log }, goalOf(provider, type, chance, serial));
          provider.faults.clear();
        }
      });
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await provider.close();
    }
  };
  await Promise.all(Array.from({ length: width }, (_, index) => lane(index)));
  return report;
}

interface Scene {
  victim: Victim;
  provider: Simulator;
  chance: Chance;
  report: CrashReport;
  log(line: string): void;
}

/** Longer than any job here takes, kills and waits included. */
const PATIENCE_MS = 60_000;

async function oneJob(scene: Scene, goal: Goal): Promise<void> {
  const { victim, chance, report } = scene;
  const killer = createKiller(scene, goal, chance.whole(2, 5));
  if (chance.fraction() < 0.25)
    scene.provider.faults.add({ ...WRITES, skip: chance.whole(0, 3), ...chance.pick(FAULTS) });
  report.jobs += 1;
  const known = await jobCount(scene);
  let id: string | null = null;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    await victim.revive();
    killer.arm();
    id ??= await create(victim, goal, known);
    const job = id === null ? null : await look(victim, id);
    if (job) killer.seen = job.status;
    if (job?.status === 'ready') await victim.call('commit_job', { job_id: job.job_id });
    if (job?.status === 'completed' || job?.status === 'failed') {
      killer.disarm();
      return judge(scene, goal, job, killer.edited);
    }
    // Asking without a pause would take the machine's time from the program.
    await setTimeout(20);
  }
  throw new Error(`a job of type ${goal.type} did not end`);
}

function judge({ report }: Scene, goal: Goal, job: JobRecord, edited: boolean): void {
  const told = JSON.stringify({ ...job, result: undefined });
  if (job.status === 'completed' && edited) return;
  if (job.status === 'failed') {
    assert.ok(edited && job.review_required, `a job failed: ${told}`);
    report.reviews += 1;
    return;
  }
  assert.equal(job.written, job.total_items, told);
  goal.verify();
}

async function jobCount({ victim }: Scene): Promise<number> {
  for (;;) {
    await victim.revive();
    const answer = await victim.call('list_jobs', { limit: 1 });
    if (answer) return Number(answer.total);
  }
}

/** Makes the job; after a death it is looked up, since only an answered call is known to have made one. */
async function create(victim: Victim, goal: Goal, known: number): Promise<string | null> {
  const listed = await victim.call('list_jobs', { limit: 1 });
  if (!listed) return null;
  const [newest] = listed.items as Array<{ job_id: string }>;
  if (Number(listed.total) > known) return newest?.job_id ?? null;
  const { type, payload, items } = goal;
  const made = await victim.call('create_bulk_job', { type, payload, items });
  if (!made) return null;
  assert.equal(made.error, undefined, JSON.stringify(made.error));
  return String(made.job_id);
}

async function look(victim: Victim, id: string): Promise<JobRecord | null> {
  const answer = await victim.call('get_job_status', { job_id: id, limit: 1 });
  if (!answer) return null;
  // A job whose creation was answered is there after every crash.
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.job as JobRecord;
}

const WRITES = { path: /\/items$|^\/me\/(playlists|library)$/, method: 'POST' } as const;

/** What may happen around a write beside a death. */
const FAULTS: readonly FaultAction[] = [
  { kind: 'drop', when: 'after' },
  { kind: 'drop', when: 'before' },
  { kind: 'status_after', status: 502 },
  { kind: 'status_after', status: 500 },
  { kind: 'status', status: 503 },
];

interface Killer {
  /** Chooses the moment of the next death, unless one is chosen already or all have happened. */
  arm(): void;
  disarm(): void;
  /** The state that the job was last seen in. */
  seen: string;
  /** The harness has changed the playlist. */
  readonly edited: boolean;
}

function createKiller({ victim, provider, chance, report, log }: Scene, goal: Goal, deaths: number): Killer {
  const editAt = goal.edit && chance.fraction() < 0.15 ? chance.whole(1, deaths) : 0;
  let left = deaths;
  let round = 0;
  let armed = false;
  const killer = { seen: 'none', edited: false, arm, disarm };

  function kill(mine: number): void {
    if (mine !== round || !armed || !victim.isAlive) return;
    armed = false;
    left -= 1;
    victim.kill();
    report.kills += 1;
    report.byType[goal.type] = (report.byType[goal.type] ?? 0) + 1;
    report.byState[killer.seen] = (report.byState[killer.seen] ?? 0) + 1;
    log(`  kill ${report.kills} of ${goal.type}, ${killer.seen}`);
    if (deaths - left === editAt) {
      goal.edit?.();
      killer.edited = true;
    }
  }

  function arm(): void {
    if (armed || left === 0) return;
    armed = true;
    round += 1;
    const mine = round;
    const dice = chance.fraction();
    if (dice < 0.3) {
      void setTimeout(chance.whole(0, 300)).then(() => kill(mine));
      return;
    }
    const match = dice < 0.8 ? writesOf(goal, chance) : { skip: chance.whole(0, 12) };
    provider.faults.add({ ...match, kind: 'hook', fn: () => kill(mine) });
    // Half of them die before the request takes effect, half after it.
    if (chance.fraction() < 0.5) provider.faults.add({ ...match, kind: 'drop', when: 'before' });
  }

  function disarm(): void {
    armed = false;
  }

  return killer;
}

function writesOf({ type }: Goal, chance: Chance) {
  const skip = chance.whole(0, 2);
  if (type === 'save_tracks') return { method: 'PUT', path: '/me/library', skip };
  if (type === 'remove_saved_tracks') return { method: 'DELETE', path: '/me/library', skip };
  if (type === 'create_playlist' && chance.fraction() < 0.4) return { method: 'POST', path: '/me/playlists' };
  if (type === 'replace_playlist' && chance.fraction() < 0.4) return { method: 'PUT', path: /\/items$/ };
  return { method: 'POST', path: /\/items$/, skip };
}
