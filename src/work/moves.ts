/** The whole state machine of a job: for each state, the states that may follow. All other code asks here. */
import type { JobPhase, JobStatus } from '../domain/job.ts';

/** @internal */
export const MOVES: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  /** The job was created. */
  pending: ['resolving', 'cancelled'],
  /** The job's items are being searched for. A dry run ends here. */
  resolving: ['waiting', 'ready', 'completed', 'failed', 'cancelled'],
  /** The job waits for a time or a login, and continues with the phase that it was in. */
  waiting: ['resolving', 'committing', 'failed', 'cancelled'],
  /** All items are resolved or given up; `commit_job` writes, `resume_job` searches again for unresolved items. */
  ready: ['resolving', 'committing', 'cancelled'],
  /** The job's items are being written. */
  committing: ['waiting', 'completed', 'failed', 'cancelled'],
  completed: [],
  /** The job was stopped by an error; `resume_job` continues with the phase that it was in. */
  failed: ['resolving', 'committing', 'cancelled'],
  cancelled: [],
};

export function mayMove(from: JobStatus, to: JobStatus): boolean {
  return MOVES[from].includes(to);
}

/** The state in which a phase runs. */
export function workingState(phase: JobPhase): JobStatus {
  return phase === 'resolve' ? 'resolving' : 'committing';
}
