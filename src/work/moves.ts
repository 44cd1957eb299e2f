/** The statuses of a work, the functions that move it from one to the next, and what every part of `work` needs. */
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RelayError } from '../domain/errors.ts';
import type { JobPhase, JobStatus } from '../domain/job.ts';
import { hasOwnWords } from '../domain/remedy.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { PlaylistRows } from '../provider/resources/playlistRows.ts';
import type { Store } from '../store/store.ts';
import { getWorkBySeq, moveWork, type Work, type WorkError, type WorkFacts } from '../store/tables/works.ts';

export interface WorkContext {
  provider: ProviderApi;
  rows: PlaylistRows;
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
}

export type Planning = Pick<WorkContext, 'provider' | 'rows' | 'store' | 'clock'>;
export type Waiting = Omit<Planning, 'rows'>;
export type Clocks = Pick<Planning, 'provider' | 'store'>;

/** The current row of a work. @throws RelayError `CANCELLED` if it was erased meanwhile */
export function reread(store: Store, { seq }: Pick<Work, 'seq'>): Work {
  const found = getWorkBySeq(store, seq);
  if (!found) throw erased();
  return found;
}

/** The error for a work whose record was erased while it was carried out, with everything else about the account. */
function erased(): RelayError {
  return new RelayError(
    'CANCELLED',
    'The write was stopped, because everything that relay knew about the account was erased.',
    {
      remedy:
        'What was already written stays, and relay has no record of it. Check in Spotify what is there, and correct it there.',
    },
  );
}

export function errorFacts({ code, message, remedy, remedyValue }: RelayError): WorkError {
  const stored = remedyValue && hasOwnWords(remedyValue) ? remedyValue : remedy;
  return { code, message, ...(stored === undefined ? {} : { remedy: stored }) };
}

/** The statuses that may follow each status of a work. All other code asks here. */
const MOVES: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['resolving', 'cancelled'],
  /** The job's items are being searched for. A dry run ends here. */
  resolving: ['waiting', 'ready', 'completed', 'failed', 'cancelled'],
  /** The job waits for a time or a login, and continues with the phase that it was in. */
  waiting: ['resolving', 'committing', 'failed', 'cancelled'],
  /** All items are resolved or given up; `commit_job` writes, `resume_job` searches again for unresolved items. */
  ready: ['resolving', 'committing', 'cancelled'],
  committing: ['waiting', 'completed', 'failed', 'cancelled'],
  completed: [],
  /** The job was stopped by an error; `resume_job` continues with the phase that it was in. */
  failed: ['resolving', 'committing', 'cancelled'],
  cancelled: [],
};

export function mayMove(from: JobStatus, to: JobStatus): boolean {
  return MOVES[from].includes(to);
}

export function workingStatus(phase: JobPhase): JobStatus {
  return phase === 'resolve' ? 'resolving' : 'committing';
}

type Moving = Pick<WorkContext, 'store' | 'clock' | 'log'>;

/**
 * Moves a work in memory; false if it has left `work.status` in the meantime, for example because it was cancelled.
 */
export function moveNow(
  { store, clock, log }: Moving,
  work: Work,
  to: JobStatus,
  facts: WorkFacts = {},
): boolean {
  const from = work.status;
  if (!mayMove(from, to)) throw new Error(`A work may not go from ${from} to ${to}.`);
  const moved = moveWork(store, work.seq, { from, to }, facts, clock.now());
  if (moved) log.info({ work: work.id, from, to, reason: facts.reason ?? undefined }, 'work changed status');
  return moved;
}

/**
 * Moves a work like `moveNow`, and waits until that is on disk.
 * @param isUndone true to put the work back if the move cannot be saved, for a caller who gets the error
 * @throws RelayError `STORE_ERROR`
 */
export function move(
  context: Moving,
  work: Work,
  to: JobStatus,
  facts: WorkFacts = {},
  { isUndone = false, also = () => {} }: { isUndone?: boolean; also?: () => void } = {},
): Promise<boolean> {
  const forward = () => {
    const moved = moveNow(context, work, to, facts);
    if (moved) also();
    return moved;
  };
  return context.store.durable(forward, isUndone ? () => moveBack(context, work, to, facts) : undefined);
}

/** Undoes a move, unless the work has gone on meanwhile. What it has counted since stays. */
function moveBack({ store, clock }: Moving, work: Work, to: JobStatus, facts: WorkFacts): void {
  moveWork(store, work.seq, { from: to, to: work.status }, formerFacts(work, facts), clock.now());
}

/** What `facts` replace in a work. */
export function formerFacts(work: Work, facts: WorkFacts): WorkFacts {
  return Object.fromEntries(Object.entries(work).filter(([key]) => key in facts));
}
