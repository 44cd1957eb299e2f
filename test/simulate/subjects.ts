/** The subjects of histories, and how a history of each subject is planned, run and made shorter. */
import { type History, runHistory } from './history.ts';
import { runKeepHistory } from './keeps/history.ts';
import { type KeepPlan, keepPlanOf } from './keeps/plan.ts';
import { shrinkKeeps } from './keeps/shrink.ts';
import { planOf } from './more.ts';
import { KINDS, type Plan } from './plan.ts';
import { shrink } from './shrink.ts';

/**
 * `keeps` are days in which playlists are kept and restored. The other subjects are minutes of writing; if no subject is named,
 * one of those others is drawn.
 */
export const SUBJECTS = [...KINDS, 'keeps'] as const;
export type Subject = (typeof SUBJECTS)[number];
export type AnyPlan = Plan | KeepPlan;

export function planFor(seed: number, only: Subject | undefined): AnyPlan {
  return only === 'keeps' ? keepPlanOf(seed) : planOf(seed, only);
}

/** @param keepsLines true to return all lines, not only their hash */
export function runPlan(plan: AnyPlan, keepsLines = false): Promise<History> {
  return plan.kind === 'keeps' ? runKeepHistory(plan, keepsLines) : runHistory(plan, keepsLines);
}

/** The shortest plan found that still shows a finding of this rule. */
export function shortened(plan: AnyPlan, rule: string): Promise<AnyPlan> {
  return plan.kind === 'keeps' ? shrinkKeeps(plan, rule) : shrink(plan, rule);
}
