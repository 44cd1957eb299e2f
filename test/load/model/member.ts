/** One client with its model: it calls tools, and judges each answer by what the provider then holds. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { without } from '../../../src/domain/rows.ts';
import type { JobRecord } from '../../../src/jobs/jobRecord.ts';
import type { Chance } from '../../changes/crash/chance.ts';
import type { Answer, Caller } from './callers.ts';
import { LATEST_MS } from './faults.ts';
import type { Stage } from './stage.ts';
import { assertHolds, certain, type Done, type Effect, inAnyOrder, type Target } from './target.ts';

export interface Failure {
  code: string;
  message: string;
  details?: {
    job_id?: string;
    change_id?: string;
    written?: number;
    rollback?: { succeeded: boolean };
    missing_uris?: string[];
    error?: { outcome_unknown: boolean };
    playlist_id?: string;
  };
}

/** Error codes that a provider on a bad day explains. Any other code is the program's own fault. */
const ALLOWED: readonly string[] = [
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_INVALID_RESPONSE',
  'NOT_FOUND',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'PARTIAL_WRITE',
];

/** Number of changes that are kept for undo; older ones are forgotten. */
const KEPT = 4;
/** Milliseconds after which the program certainly knows that a client has left. */
const HEARD_MS = 2_000;
/** Longer than any job here takes, however the provider fares, in milliseconds of real time. */
const PATIENCE_MS = 60_000;
const REMEMBERED_LINES = 40;

interface ChangeRow {
  state: string;
  playlist_id: string | null;
  change_id: string;
}

export interface Member {
  readonly name: string;
  readonly chance: Chance;
  readonly stage: Stage;
  /** The last calls and answers, to find out what went wrong. */
  readonly lines: string[];
  /** Calls a tool. @param allowed error codes that relay may answer besides those of a bad day */
  ask(tool: string, args: Record<string, unknown>, allowed?: readonly string[]): Promise<Answer>;
  /** All rows of a tool that returns a list, read page by page, since one answer with all rows would be too long. */
  allOf<T>(tool: string): Promise<T[]>;
  /** Calls a tool that changes `target` and fails unless the provider then holds what the answer says. */
  write(target: Target, tool: string, args: Record<string, unknown>, effect: Effect): Promise<Answer | null>;
  /** Changes `target` through a job, and fails unless the provider then holds what the job says. */
  job(target: Target, args: Record<string, unknown>, effect: Effect): Promise<void>;
  /** Undoes the last change of `target`. @param mayConflict true if relay may refuse because of later changes */
  undo(
    target: Target,
    effectOf: (done: Done) => Effect,
    mayConflict?: (done: Done) => boolean,
  ): Promise<void>;
  /** From now on, the client waits for the answer to every call, and undoes no undo. */
  calm(): void;
}

/** @param always error codes that any tool may answer besides those of a provider's bad day */
export function memberOf(
  stage: Stage,
  caller: Caller,
  name: string,
  chance: Chance,
  always: readonly string[] = [],
): Member {
  const { clock } = stage;
  const lines: string[] = [];
  let isCalm = false;

  function say(line: string): void {
    lines.push(`${Math.round(clock.monotonic())} ${line}`);
    if (lines.length > REMEMBERED_LINES) lines.shift();
  }

  function count(tool: string, end: string): void {
    const ends = stage.ends[tool] ?? {};
    stage.ends[tool] = { ...ends, [end]: (ends[end] ?? 0) + 1 };
  }

  async function call(
    tool: string,
    args: Record<string, unknown>,
    allowed: readonly string[],
    signal?: AbortSignal,
  ): Promise<Answer> {
    say(`${tool} ${short(args)}`);
    const answer = await caller.call(tool, args, signal);
    const error = failureIn(answer);
    count(tool, error?.code ?? 'ok');
    say(`  ${error ? short(error) : `ok ${short(answer)}`}`);
    if (error && ![...ALLOWED, ...always, ...allowed].includes(error.code))
      assert.fail(`${tool} answered ${JSON.stringify(error)}`);
    return answer;
  }

  /** Calls a tool. In some calls the client leaves before the answer; then this returns null. */
  async function callOrLeave(
    tool: string,
    args: Record<string, unknown>,
    allowed: readonly string[],
  ): Promise<Answer | null> {
    if (isCalm || !caller.canLeave || chance.fraction() >= 0.04) return call(tool, args, allowed);
    const leave = new AbortController();
    const after = chance.whole(0, 6_000);
    void clock.sleep(after).then(() => leave.abort());
    try {
      return await call(tool, args, allowed, leave.signal);
    } catch (error) {
      if (!leave.signal.aborted) throw error;
      say(`  left after ${after} ms`);
      count(tool, 'left');
      return null;
    }
  }

  async function allOf<T>(tool: string): Promise<T[]> {
    const rows: T[] = [];
    for (let offset: unknown = 0; typeof offset === 'number'; ) {
      const page: Answer = await call(tool, { limit: 100, offset }, []);
      rows.push(...(page.items as T[]));
      offset = page.next_offset;
    }
    return rows;
  }

  /** Waits until no call that the client has left can still write. */
  async function afterLeaving(target: Target): Promise<void> {
    await clock.sleep(HEARD_MS);
    await until(async () => {
      const open = (await allOf<ChangeRow>('list_changes')).filter(
        ({ state, playlist_id }) => playlist_id === target.playlistId && !ENDS.includes(state),
      );
      // A change of the shared playlist in review may be another client's; that client carries it on.
      assert.ok(
        target.playlistId === stage.shared.id || !open.some(({ state }) => state === 'review'),
        `a change is in review: ${JSON.stringify(open)}`,
      );
      return open.length === 0;
    }, `the changes of ${target.name} do not end`);
  }

  async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      assert.ok(performance.now() < end, what);
      await clock.sleep(1_500);
    }
  }

  /** Follows a job to its end, committing and resuming it as it asks for. */
  async function follow(target: Target, id: string, cancels = false): Promise<JobRecord> {
    let last = null as JobRecord | null;
    let waits = 0;
    await until(async () => {
      const { job } = (await call('get_job_status', { job_id: id, limit: 1 }, [])) as unknown as {
        job: JobRecord;
      };
      last = job;
      if (job.review_required) {
        const told = `a job asks for a review: ${JSON.stringify(job)}`;
        assert.equal(target.playlistId, stage.shared.id, told);
        await call('resume_job', { job_id: id, review: 'carry_on' }, ['JOB_STATE']);
        return false;
      }
      if (job.status === 'ready') await call('commit_job', { job_id: id }, ['JOB_STATE']);
      if (job.status === 'ready' && job.failed > 0) await call('resume_job', { job_id: id }, ['JOB_STATE']);
      // The job has ended part-way or was rolled back, so it cannot be resumed.
      if (job.status === 'failed' && job.error?.code === 'CONFLICT') return true;
      if (job.status === 'failed') await call('resume_job', { job_id: id }, ['JOB_STATE']);
      // Sometimes resumes a waiting job too early, like an impatient client.
      if (job.status === 'waiting' && ++waits % 4 === 0)
        await call('resume_job', { job_id: id }, ['JOB_STATE']);
      if (cancels && job.status === 'committing') {
        cancels = false;
        await call('cancel_job', { job_id: id }, ['JOB_STATE']);
      }
      return job.status === 'completed' || job.status === 'cancelled';
    }, `a job does not end: ${id}`);
    assert.ok(last);
    return last;
  }

  /**
   * The rows that must be there after a job. If the job ended part-way, this function undoes the job's change, as the job's
   * error says to do.
   */
  async function leftBy(target: Target, { total, at }: Effect, job: JobRecord): Promise<readonly string[]> {
    if (job.status === 'completed') return at(total);
    if (job.status === 'cancelled') return at(job.written);
    if (job.result?.rolled_back === true) return at(0);
    let undoing: JobRecord | null = null;
    await until(
      async () => {
        const answer = await call('undo_change', { change_id: job.result?.change_id }, []);
        const next = failureIn(answer)?.details?.job_id;
        undoing = next === undefined ? null : await follow(target, next);
        return !failureIn(answer) || undoing?.status === 'completed';
      },
      `what is left of a job cannot be taken back: ${JSON.stringify(job)}`,
    );
    return at(0);
  }

  /** The states that are possible after an answer. */
  async function judge(
    target: Target,
    effect: Effect,
    answer: Answer | null,
  ): Promise<ReadonlyArray<readonly string[]>> {
    const { total, size, at, part = (written) => at(Math.min(written, total)) } = effect;
    if (answer === null) {
      await afterLeaving(target);
      if (effect.between) return [at(0), ...effect.between, at(total)];
      const requests = Math.ceil(total / size);
      return Array.from({ length: requests + 1 }, (_, sent) => at(Math.min(total, sent * size)));
    }
    const error = failureIn(answer);
    const jobId = answer.job_id ?? error?.details?.job_id;
    if (typeof jobId === 'string') {
      const job = await follow(target, jobId);
      return [await leftBy(target, effect, job)];
    }
    if (!error) {
      assert.notEqual(answer.status, 'blocked', `songs were not found: ${JSON.stringify(answer)}`);
      return [at(total)];
    }
    if (error.code !== 'PARTIAL_WRITE') return [at(0)];
    const { rollback, missing_uris: missing = [], written = 0, error: cause } = error.details ?? {};
    if (rollback?.succeeded) return [at(0)];
    if (rollback) {
      const present = target.actual();
      assert.deepEqual(missing, without(at(0), present), 'missing_uris is wrong');
      return [present];
    }
    if (!effect.mayStayUnknown || !cause?.outcome_unknown) return [part(written)];
    await clock.sleep(LATEST_MS + 2_000);
    return [part(written), at(Math.min(written + size, total))];
  }

  async function settle(
    target: Target,
    effect: Effect,
    answer: Answer | null,
    told: string,
    isBack = false,
  ): Promise<void> {
    const before = certain(target);
    const possible = await judge(target, effect, answer);
    target.possible = effect.isAnyOrder ? inAnyOrder(effect, possible, target.actual()) : possible;
    assertHolds(target, `${told}\n${JSON.stringify(answer)?.slice(0, 2_000)}`);
    const after = certain(target);
    const changeId = answer?.change_id ?? (answer && failureIn(answer)?.details?.change_id);
    if (typeof changeId === 'string') target.done.push({ changeId, before, after, isBack });
    // Nobody has the ID of this change, so it cannot be undone. Then the changes before it cannot be undone either.
    else if (answer === null || !isDeepStrictEqual(before, after)) target.done.length = 0;
    if (target.done.length > KEPT) target.done.shift();
  }

  return {
    name,
    chance,
    stage,
    lines,
    allOf,
    ask: (tool, args, allowed = []) => call(tool, args, allowed),
    async write(target, tool, args, effect) {
      assertHolds(target, 'nothing');
      const answer = await callOrLeave(tool, args, target.playlistId === stage.shared.id ? ['CONFLICT'] : []);
      await settle(target, effect, answer, tool);
      return answer;
    },
    async job(target, args, effect) {
      assertHolds(target, 'nothing');
      const made = await call('create_bulk_job', args, []);
      if (failureIn(made)) return;
      const cancels = chance.fraction() < 0.2 && args.type === 'add_to_playlist';
      const job = await follow(target, String(made.job_id), cancels);
      target.possible = [await leftBy(target, effect, job)];
      // No answer has the ID of its change, so neither this change nor those before it can be undone.
      target.done.length = 0;
      assertHolds(target, `a job: ${JSON.stringify(job)}`);
    },
    async undo(target, effectOf, mayConflict = () => false) {
      assertHolds(target, 'nothing');
      while (target.done.at(-1)?.isBack && (isCalm || chance.fraction() < 0.5)) target.done.pop();
      const last = target.done.pop();
      if (!last) return;
      assert.deepEqual(last.after, certain(target), 'the model itself is wrong');
      const answer = await callOrLeave(
        'undo_change',
        { change_id: last.changeId },
        mayConflict(last) ? ['CONFLICT'] : [],
      );
      const own = [...target.done];
      await settle(target, effectOf(last), answer, `undo_change of ${last.changeId}`, !last.isBack);
      if (answer === null || !failureIn(answer) || !isDeepStrictEqual(certain(target), last.after)) return;
      // The undo changed nothing. After a conflict, no change before it can be undone either. The same is true if relay has
      // forgotten the change: it keeps only the last 200 of all clients. In other cases the undo can be tried again.
      const { code } = failureIn(answer) ?? {};
      if (code === 'CONFLICT' || code === 'NOT_FOUND') target.done.length = 0;
      else target.done.splice(own.length, 0, last);
    },
    calm() {
      isCalm = true;
    },
  };
}

const ENDS: readonly string[] = ['done', 'partial', 'rolled_back', 'unchanged'];

export function failureIn(answer: Answer): Failure | null {
  return (answer.error as Failure | undefined) ?? null;
}

function short(value: unknown): string {
  const text = JSON.stringify(value, (_key, part) =>
    Array.isArray(part) && part.length > 3 ? [...part.slice(0, 2), `… ${part.length}`] : part,
  );
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
