/**
 * What a job's commit needs to find its way after a crash: what its playlist held before (the plan, once), and what was
 * about to be done (the intent, before each write to the provider).
 */
import type { Store } from '../types.ts';

export interface JobPlan {
  /** Position of the first item that this commit writes. */
  first: number;
  /** URIs that the playlist held before the first write; empty for the library. */
  base: string[];
}

export type JobIntent =
  /** A playlist is to be made; `known` are the IDs of those that had its name before. */
  | { kind: 'create'; known: string[] }
  /** The matched items between two positions, both included, are to be written. */
  | { kind: 'write'; first: number; last: number };

export function putPlan(store: Store, job: number, { first, base }: JobPlan): void {
  store.run('insert or replace into job_plans (job, first_position, base) values (?, ?, ?)', [
    job,
    first,
    JSON.stringify(base),
  ]);
}

export function getPlan(store: Store, job: number): JobPlan | null {
  const row = store.get<{ first_position: number; base: string }>(
    'select first_position, base from job_plans where job = ?',
    [job],
  );
  return row ? { first: row.first_position, base: JSON.parse(row.base) } : null;
}

export function putIntent(store: Store, job: number, intent: JobIntent, now: number): void {
  store.run('insert or replace into job_intents (job, intent, created_at) values (?, ?, ?)', [
    job,
    JSON.stringify(intent),
    now,
  ]);
}

export function getIntent(store: Store, job: number): JobIntent | null {
  const row = store.get<{ intent: string }>('select intent from job_intents where job = ?', [job]);
  return row ? JSON.parse(row.intent) : null;
}

/** The write has ended, one way or the other. */
export function dropIntent(store: Store, job: number): void {
  store.run('delete from job_intents where job = ?', [job]);
}

/** The commit has ended. */
export function dropPlan(store: Store, job: number): void {
  dropIntent(store, job);
  store.run('delete from job_plans where job = ?', [job]);
}
