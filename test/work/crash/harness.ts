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
import { KINDS, type Kind, type Scene, sceneOf } from './scenes.ts';
import { startVictim, type Victim, victimEnvironment } from './victim.ts';

/** How many changes were made, how they ended, and how many kills they met. */
export interface CrashReport {
  /** Changes that were asked for. */
  runs: number;
  kills: number;
  wanted: number;
  former: number;
  /** One message per change that did not end as it should. Empty without `keepGoing`: the first such change ends all runs. */
  bad: string[];
  /** For each kind, how many changes were under way when the program was killed: their call or job had not ended. */
  met: Record<string, number>;
}

/** How many changes and kills to make, and of which kinds. */
export interface CrashOptions {
  /** At least this many changes are asked for. */
  runs: number;
  /** The program is killed at least this many times. A kill meets several changes, since they run at the same time. */
  kills?: number;
  seed: number;
  /** How many programs run at the same time, each with a provider and a home of its own. */
  width: number;
  /** True to continue after a change that did not end as it should, and to report it. */
  keepGoing?: boolean;
  /** The kinds of change to make; all by default. */
  kinds?: readonly string[];
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
/** The limits on reading the library are not tested here. */
const LIBRARY = { RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000', RELAY_LIBRARY_REQUESTS_PER_DAY: '100000' };

interface Stage {
  victim: Victim;
  provider: Simulator;
  clock: SharedFastClock;
  report: CrashReport;
  keepGoing: boolean;
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
  isBad: boolean;
  told: () => string;
}

/**
 * Makes changes and kills the program until there were enough of both. Throws at the first change that did not end as it
 * should.
 */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const { runs, kills = 0, seed, width, keepGoing = false, kinds = KINDS, log = () => {} } = options;
  // A kind that no kill meets counts as well.
  const met = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  const report: CrashReport = { runs: 0, kills: 0, wanted: 0, former: 0, bad: [], met };
  const drawn = KINDS.filter((kind) => kinds.includes(kind));
  let next = 0;
  let failed = false;
  const isOver = () => failed || (report.runs >= runs && report.kills >= kills);
  const lane = async () => {
    while (!isOver()) {
      // Slow enough for a busy machine: the time limits are in this time.
      const clock = sharedFastClock(12);
      const provider = await startSimulator({ clock });
      const env = { RELAY_ACCESS: 'everything', ...LIBRARY, ...victimEnvironment(provider), ...clock.env };
      try {
        await withDesk(env, async (desk) => {
          const victim = await startVictim(desk);
          provider.lag.set({ lists: 600, totals: 600 });
          const sets = { taken: new Set<string>(), known: new Set<string>() };
          const stage: Stage = { victim, provider, clock, report, keepGoing, log, ...sets };
          for (let count = 0; count < BATCHES && !isOver(); count++) {
            const serial = next++;
            await runBatch(stage, drawn, chanceOf(seed + serial * 7_919), serial);
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

async function runBatch(stage: Stage, kinds: readonly Kind[], chance: Chance, serial: number): Promise<void> {
  const { victim, provider, report, log, taken } = stage;
  // Every kind comes up in turn.
  const scenes = Array.from({ length: AT_ONCE }, (_, index) => {
    const kind = kinds[(serial * AT_ONCE + index) % kinds.length] as Kind;
    return sceneOf(provider, kind, chance, serial * AT_ONCE + index, taken);
  });
  await victim.revive();
  for (const scene of scenes) await prepare(stage, scene);
  const said: string[] = [`batch ${serial}`];
  const runs = scenes.map((scene): Run => {
    return { scene, isDone: false, over: false, isBad: false, told: () => tell(stage, scene, said) };
  });
  const killer = createKiller(stage, chance, runs, said);
  provider.clearRequests();
  log(`${serial}: ${scenes.map(({ kind }) => kind).join(', ')}`);
  killer.arm();
  await Promise.all(
    runs.map((run) => judged(stage, run, () => ('tool' in run.scene.asked ? runTool : runJob)(stage, run))),
  );
  killer.disarm();
  provider.faults.clear();
  await settle(stage, runs);
  if (!runs.every((run) => run.isBad || isGood(run))) said.push(...(await leftOver(stage)));
  for (const run of runs) {
    const { scene } = run;
    report.runs += 1;
    await judged(stage, run, async () =>
      assert.ok(isGood(run), `${scene.kind}: ${scene.outcome()}\n${run.told()}`),
    );
    await scene.clear?.(victim.call);
    if (!run.isBad) report[scene.outcome() === 'wanted' ? 'wanted' : 'former'] += 1;
  }
  forget(stage, runs);
}

/** The newest jobs and changes, for the person who has to find out why a batch ended badly. */
async function leftOver({ victim }: Stage): Promise<string[]> {
  const jobs = await victim.call('list_jobs', { limit: 12 });
  const changes = await victim.call('list_changes', { limit: 12 });
  return [...((jobs?.items as object[]) ?? []), ...((changes?.items as object[]) ?? [])].map((item) =>
    JSON.stringify({ ...item, payload: undefined, result: undefined }),
  );
}

/** Does `work`. A failure ends all runs; with `keepGoing`, only the first failure of each run is noted. */
async function judged({ keepGoing, report }: Stage, run: Run, work: () => Promise<void>): Promise<void> {
  if (run.isBad) return;
  try {
    await work();
  } catch (error) {
    if (!keepGoing) throw error;
    run.isBad = true;
    run.over = true;
    report.bad.push(String((error as Error).message));
  }
}

/** Prepares a scene while nothing is killed. If the scene undoes a change, makes that change first. */
async function prepare(stage: Stage, scene: Scene): Promise<void> {
  const { undoes, asked } = scene;
  await scene.prepare?.(stage.victim.call);
  if (!undoes || !('tool' in undoes.asked) || !('tool' in asked)) return;
  const answer = await stage.victim.call(undoes.asked.tool, undoes.asked.args);
  const told = toldIn(answer);
  assert.equal(typeof told.change_id, 'string', JSON.stringify(answer));
  if (told.job_id) {
    stage.known.add(told.job_id);
    const run = {
      scene: undoes,
      isDone: false,
      over: false,
      isBad: false,
      told: () => 'what is undone later',
    };
    await awaitJob(stage, run, told.job_id);
  }
  asked.args = { change_id: told.change_id };
}

/** The IDs that an answer names. If a call runs out of time on a busy machine, its error names them. */
function toldIn(answer: Record<string, unknown> | null): { job_id?: string; change_id?: string } {
  const error = answer?.error as { code: string; details?: object } | undefined;
  return error?.code === 'DEADLINE_EXCEEDED' ? (error.details ?? {}) : (answer ?? {});
}

async function runTool(stage: Stage, run: Run): Promise<void> {
  const { victim, known } = stage;
  const { asked, isAskedAgain, told } = run.scene;
  if (!('tool' in asked)) return;
  if (told) return awaitTold(stage, run);
  let answer = await victim.call(asked.tool, asked.args);
  // No batch has more than two kills.
  for (let again = 0; answer === null && isAskedAgain && again < 2; again++) {
    await victim.revive();
    answer = await victim.call(asked.tool, asked.args);
  }
  const { job_id } = toldIn(answer);
  if (job_id) {
    known.add(job_id);
    await awaitJob(stage, run, job_id);
  } else if (answer && !answer.error) run.isDone = true;
  run.over = true;
}

/** Waits until the program says how a change ended. If the program does not know the change, asks for it again. */
async function awaitTold({ victim, clock }: Stage, run: Run): Promise<void> {
  const { asked, told } = run.scene;
  let last: unknown = null;
  for (const end = clock.monotonic() + PATIENCE_MS; clock.monotonic() < end; await setTimeout(PAUSE_MS)) {
    await victim.revive();
    last = await told?.(victim.call);
    if (last === 'none' && 'tool' in asked) await victim.call(asked.tool, asked.args);
    if (last !== 'kept') continue;
    run.isDone = true;
    run.over = true;
    return;
  }
  assert.fail(`it did not end, its state is ${JSON.stringify(last)}: ${run.told()}`);
}

async function runJob(stage: Stage, run: Run): Promise<void> {
  const { victim, clock } = stage;
  const { asked } = run.scene;
  for (const end = clock.monotonic() + PATIENCE_MS; clock.monotonic() < end; await setTimeout(PAUSE_MS)) {
    await victim.revive();
    const id =
      (await found(stage, run.scene)) ?? (await victim.call('create_bulk_job', { ...asked }))?.job_id;
    if (typeof id !== 'string') continue;
    stage.known.add(id);
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

async function awaitJob({ victim, clock }: Stage, run: Run, id: string): Promise<void> {
  let last: JobRecord | null = null;
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
    const told = () => JSON.stringify({ ...last, result: undefined, payload: undefined });
    assert.notEqual(last.status, 'failed', `a job failed: ${told()}\n${run.told()}`);
  }
  assert.fail(`a job did not end: ${JSON.stringify({ ...last, result: undefined })}\n${run.told()}`);
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
    quiet = !isActive && runs.every((run) => run.isBad || isGood(run)) ? quiet + 1 : 0;
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
