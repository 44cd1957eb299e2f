/** The whole state machine of a change: from each state the states that may follow. */
import { type ChangeState, changeStatesIn } from '../domain/change.ts';

const ENDS = changeStatesIn('ended');

const MOVES: Readonly<Record<ChangeState, readonly ChangeState[]>> = {
  writing: ['outcome_unknown', 'looking', 'rolling_back', 'cancelling', 'waiting', 'review', ...ENDS],
  outcome_unknown: ['looking', 'cancelling', 'waiting', 'review', 'partial'],
  looking: ['writing', 'outcome_unknown', 'rolling_back', 'cancelling', 'waiting', 'review', ...ENDS],
  rolling_back: ['outcome_unknown', 'looking', 'waiting', 'review', 'partial', 'rolled_back'],
  cancelling: ['outcome_unknown', 'looking', 'rolling_back', 'waiting', 'review', ...ENDS],
  waiting: ['writing', 'outcome_unknown', 'looking', 'rolling_back', 'cancelling', 'review', ...ENDS],
  review: ['writing', 'looking', 'rolling_back', 'cancelling', 'done', 'partial'],
  done: [],
  partial: [],
  rolled_back: [],
  unchanged: [],
};

/** True if a change may go from one state to the other. */
export function mayMove(from: ChangeState, to: ChangeState): boolean {
  return MOVES[from].includes(to);
}
