/**
 * Kills the real program during every kind of change, at chosen and at random moments. Then starts it again, and checks what the
 * simulated provider holds in the end. One seed decides everything except the time that the machine takes for each step. Time runs
 * faster than real time, for the program too. Faults of the provider and other people's edits are `test/simulate`.
 */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ItemRecord, JobRecord } from '../../../src/work/jobRecord.ts';
import { owner } from '../../support/entries.ts';
import { type SharedFastClock, sharedFastClock } from '../../support/fastClock.ts';
import { withDesk } from '../../support/program.ts';
import { type Simulator, startSimulator } from '../../support/simulator/simulator.ts';
import { type Chance, chanceOf } from './chance.ts';
import { KINDS, type Scene, sceneOf } from './scenes.ts';
import { startVictim, type Victim, victimEnvironment } from './victim.ts';

/** How many changes were made, how they ended, and how many kills they met. */
export interface CrashReport {
  /** Changes that were asked for. */
  runs: number;
  kills: number;
  wanted: number;
  former: number;
  /** For each kind, how many changes were under way when the program was killed: their call or job had not ended. */
  met: Record<string, number>;
}

/** How many changes and kills to make. */
export interface CrashOptions {
  /** At least this many changes are asked for. */
  runs: number;
  /** The program is killed at least this many times. A kill meets several changes, since they run at the same time. */
  kills?: number;
  seed: number;
  /** How many programs run at the same time, each with a provider and a home of its own. */
  width: number;
  /** Gets one line for each event. */
  log?: (line: string) => void;
}

/** How many changes are under way at the same time in one program. */
const AT_ONCE = 6;
/** Batches of one program before the next one gets a home of its own. */
const BATCHES = 25;
/** Longer than any change here takes, kills and waits included; milliseconds of the program's time. */
const PATIENCE_MS = 20 * 60_000;
/** Asking without a pause would take the machine's time from the program. */
const PAUSE_MS = 40;

interface Stage {
  victim: Victim;
  provider: Simulator;
  clock: SharedFastClock;
  report: CrashReport;
  log(line: string): void;
  /** Tracks that a scene of the library uses or has used. */
  taken: Set<string>;
  /** Jobs that belong to a scene. */
  known: Set<string>;
}

interface Run {
  scene: Scene;
  /** True once the program has said that the change was made. Until then, the target may also be as before. */
  isDone: boolean;
  over: boolean;
  told: () => string;
}

/**
 * Makes changes and kills the program until there were enough of both.
 * @throws Error at the first change that did not end as it should
 */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const { runs, kills = 0, seed, width, log = () => {} } = options;
  // A kind that no kill meets counts as well.
  const met = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  const report: CrashReport = { runs: 0, kills: 0, wanted: 0, former: 0, met };
  let next = 0;
  let failed = false;
  const isOver = () => failed || (report.runs >= runs && report.kills >= kills);
  const lane = async () => {
    while (!isOver()) {
      // Slow enough for a busy machine: the time limits are in this time.
      const clock = sharedFastClock(12);
      const provider = await startSimulator({ clock });
      const env = { RELAY_ACCESS: 'everything', ...victimEnvironment(provider), ...clock.env };
      try {
        await withDesk(env, async (desk) => {
          const victim = await startVictim(desk);
          provider.lag.set({ lists: 600, totals: 600 });
          const sets = { taken: new Set<string>(), known: new Set<string>() };
          const stage: Stage = { victim, provider, clock, report, log, ...sets };
          for (let count = 0; count < BATCHES && !isOver(); count++) {
            const serial = next++;
            await runBatch(stage, chanceOf(seed + serial * 7_919), serial);
          }
        });
      } catch (error) {
        failed = true;
        throw error;
      } finally {
        await provider.close();
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return report;
}

async function runBatch(stage: Stage, chance: Chance, batch: number): Promise<void> {
  const { victim, provider, report, log, taken } = stage;
  // Every kind comes up in turn.
  const scenes = Array.from({ length: AT_ONCE }, (_, index) => {
    const serial = batch * AT_ONCE + index;
    return sceneOf({ provider, chance, serial, taken }, KINDS[serial % KINDS.length] ?? 'add');
  });
  await victim.revive();
  const said: string[] = [`batch ${batch}`];
  const runs = scenes.map((scene) => runOf(stage, scene, said));
  for (const { scene } of runs) await makeUndone(stage, scene, said);
  const killer = createKiller(stage, chance, runs, said);
  provider.clearRequests();
  log(`${batch}: ${scenes.map(({ kind }) => kind).join(', ')}`);
  killer.arm();
  await Promise.all(runs.map((run) => ('tool' in run.scene.asked ? runTool : runJob)(stage, run)));
  killer.disarm();
  provider.faults.clear();
  await settle(stage, runs);
  for (const run of runs) {
    const { scene } = run;
    report.runs += 1;
    assert.ok(isGood(run), `${scene.kind}: ${scene.outcome()}\n${run.told()}`);
    report[scene.outcome() === 'wanted' ? 'wanted' : 'former'] += 1;
  }
  forget(stage, runs);
}

function runOf(stage: Stage, scene: Scene, said: readonly string[]): Run {
  return { scene, isDone: false, over: false, told: () => tell(stage, scene, said) };
}

/** If a scene undoes a change, makes that change first, while nothing is killed. */
async function makeUndone(stage: Stage, { undoes, asked }: Scene, said: readonly string[]): Promise<void> {
  if (!undoes || !('tool' in undoes.asked) || !('tool' in asked)) return;
  const answer = await stage.victim.call(undoes.asked.tool, undoes.asked.args);
  const { change_id, job_id } = toldIn(answer);
  assert.equal(typeof change_id, 'string', JSON.stringify(answer));
  if (job_id) await awaitJob(stage, runOf(stage, undoes, said), job_id);
  asked.args = { change_id };
}

/** The IDs that an answer names. If a call runs out of time on a busy machine, its error names them. */
function toldIn(answer: Record<string, unknown> | null): { job_id?: string; change_id?: string } {
  const error = answer?.error as { code: string; details?: object } | undefined;
  return error?.code === 'DEADLINE_EXCEEDED' ? (error.details ?? {}) : (answer ?? {});
}

async function runTool(stage: Stage, run: Run): Promise<void> {
  const { asked } = run.scene;
  if (!('tool' in asked)) return;
  const answer = await stage.victim.call(asked.tool, asked.args);
  const { job_id } = toldIn(answer);
  if (job_id) await awaitJob(stage, run, job_id);
  else if (answer && !answer.error) run.isDone = true;
  run.over = true;
}

async function runJob(stage: Stage, run: Run): Promise<void> {
  const { victim, clock } = stage;
  const { asked } = run.scene;
  for (const end = clock.monotonic() + PATIENCE_MS; clock.monotonic() < end; await setTimeout(PAUSE_MS)) {
    await victim.revive();
    const id =
      (await found(stage, run.scene)) ?? (await victim.call('create_bulk_job', { ...asked }))?.job_id;
    if (typeof id !== 'string') continue;
    await awaitJob(stage, run, id);
    run.over = true;
    return;
  }
  assert.fail(`the job could not be made: ${run.told()}`);
}

/** The job of a scene, found in the list because the program died before it answered with the job's ID. */
async function found({ victim, known }: Stage, { asked }: Scene): Promise<string | null> {
  if (!('type' in asked)) return null;
  const answer = await victim.call('list_jobs', { limit: 20 });
  const jobs = (answer?.items ?? []) as JobRecord[];
  for (const { job_id, type, total_items } of jobs) {
    if (known.has(job_id) || type !== asked.type || total_items !== asked.items.length) continue;
    // A tool's write that was cut short continues as a job, and that job may look the same.
    const answer = await victim.call('get_job_status', { job_id, limit: 100 });
    const items = answer?.items as ItemRecord[] | undefined;
    if (items?.every(({ input }, index) => isDeepStrictEqual(input, asked.items[index]))) return job_id;
  }
  return null;
}

async function awaitJob({ victim, clock, known }: Stage, run: Run, id: string): Promise<void> {
  known.add(id);
  let last: JobRecord | null = null;
  const told = () => `${JSON.stringify({ ...last, result: undefined, payload: undefined })}\n${run.told()}`;
  for (const end = clock.monotonic() + PATIENCE_MS; clock.monotonic() < end; await setTimeout(PAUSE_MS)) {
    await victim.revive();
    const answer = await victim.call('get_job_status', { job_id: id, limit: 1 });
    if (!answer) continue;
    // Once the creation of a job was answered, the job is there after every crash.
    assert.equal(answer.error, undefined, `${JSON.stringify(answer.error)} ${run.told()}`);
    last = answer.job as JobRecord;
    if (last.status === 'ready') await victim.call('commit_job', { job_id: id });
    if (last.status === 'completed') run.isDone = true;
    // A rewrite that loses an answer while its caller waits is rolled back, and its job says that it failed.
    const isBack = 'tool' in run.scene.asked && run.scene.outcome() === 'former';
    if (run.isDone || (last.status === 'failed' && isBack)) return;
    assert.notEqual(last.status, 'failed', `a job failed: ${told()}`);
  }
  assert.fail(`a job did not end: ${told()}`);
}

const ACTIVE: readonly string[] = ['pending', 'resolving', 'waiting', 'committing'];
/** How long a change that a kill cut short may take to continue and end, in milliseconds of the program's time. */
const SETTLE_MS = 5 * 60_000;
/** How many checks in a row, with pauses between them, have to find everything settled. */
const QUIET_TURNS = 6;

/** Waits until no job is active and every target is as asked for or as before. */
async function settle({ victim, clock }: Stage, runs: readonly Run[]): Promise<void> {
  const end = clock.monotonic() + SETTLE_MS;
  for (let quiet = 0; clock.monotonic() < end && quiet < QUIET_TURNS; await setTimeout(PAUSE_MS)) {
    await victim.revive();
    const answer = await victim.call('list_jobs', { limit: 50 });
    const jobs = (answer?.items ?? []) as JobRecord[];
    const isActive = !answer || jobs.some(({ status }) => ACTIVE.includes(status));
    quiet = !isActive && runs.every(isGood) ? quiet + 1 : 0;
  }
}

function isGood({ scene, isDone }: Run): boolean {
  const outcome = scene.outcome();
  return outcome === 'wanted' || (!isDone && outcome === 'former');
}

/** What happened to a change, for the person who has to find out why. */
function tell({ provider }: Stage, { kind, playlist }: Scene, said: readonly string[]): string {
  const mine = provider.requests.filter(
    ({ method, path }) => method !== 'GET' && (!playlist || path.includes(playlist.id)),
  );
  const sent = mine.map(({ method, path, status, body, query }) => {
    const uris = (body as { uris?: unknown[] } | null)?.uris ?? query.uris?.split(',');
    return `  ${method} ${path} ${status}${uris ? `, ${uris.length} URIs` : ''}`;
  });
  return [kind, ...said, ...sent].join('\n');
}

/** Removes what the scenes left, so that lists stay short. */
function forget({ provider }: Stage, runs: readonly Run[]): void {
  const account = owner(provider);
  for (const { scene } of runs) {
    const { playlist, asked } = scene;
    const { name } = 'tool' in asked ? asked.args : asked.payload;
    account.playlists = account.playlists.filter((one) => (playlist ? one !== playlist : one.name !== name));
  }
}

/** How long a kill waits for its write, in real milliseconds. */
const NO_WRITE_MS = 1_500;

/** Kills once or twice: at a write, just before or after its effect, or at any time. */
function createKiller(stage: Stage, chance: Chance, runs: readonly Run[], said: string[]) {
  const { victim, provider, report, log } = stage;
  const deaths = Array.from({ length: chance.whole(1, 2) }, () => ({
    ms: chance.whole(0, 400),
    skip: chance.fraction() < 0.75 ? chance.whole(0, 8) : null,
    before: chance.fraction() < 0.5,
  }));
  let isOn = true;

  async function kill(death: (typeof deaths)[number]): Promise<void> {
    if (!isOn || !victim.isAlive || !deaths.includes(death)) return;
    deaths.splice(deaths.indexOf(death), 1);
    victim.kill();
    report.kills += 1;
    for (const { scene, over } of runs) {
      if (!over) report.met[scene.kind] = (report.met[scene.kind] ?? 0) + 1;
    }
    said.push(`kill ${JSON.stringify(death)}`);
    log(`  kill ${report.kills}`);
    await victim.revive();
    arm();
  }

  function arm(): void {
    const [death] = deaths;
    if (!isOn || !death) return;
    if (death.skip !== null) {
      const writes = { path: /\/items$|^\/me\/(playlists|library)$|^\/playlists\/[^/]+$/, skip: death.skip };
      const where = ({ method }: { method: string }) => method !== 'GET';
      provider.faults.add({ ...writes, where, kind: 'hook', fn: () => void kill(death).catch(() => {}) });
      if (death.before) provider.faults.add({ ...writes, where, kind: 'drop', when: 'before' });
    }
    // Kills after some time even if no further write comes.
    void setTimeout(death.skip === null ? death.ms : NO_WRITE_MS).then(() => kill(death).catch(() => {}));
  }

  return {
    arm,
    disarm() {
      isOn = false;
    },
  };
}
