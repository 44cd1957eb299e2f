/** The stored record of a change: reading it again, and the one way to move it to another state. */
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type ChangeState, isChangeEnded } from '../domain/change.ts';
import type { RelayError } from '../domain/errors.ts';
import { hasOwnWords } from '../domain/remedy.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { PlaylistRows } from '../provider/resources/playlistRows.ts';
import type { Store } from '../store/file/open.ts';
import { type Change, type ChangeChange, getChangeBySeq, setChange } from '../store/tables/changes.ts';
import type { JobError } from '../store/tables/jobs.ts';

/** What every part of the engine works with. */
export interface ChangeContext {
  provider: ProviderApi;
  rows: PlaylistRows;
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
}

/** As much of it as reading takes. */
export type Reading = Pick<ChangeContext, 'provider' | 'rows' | 'store'>;

/**
 * Moves a change to `state` in memory; the caller saves.
 * @throws Error where it has ended: a bug
 */
export function moveTo(
  { store, clock, log }: Pick<ChangeContext, 'store' | 'clock' | 'log'>,
  change: Change,
  state: ChangeState,
  facts: ChangeChange = {},
): Change {
  const { state: from } = reread(store, change.seq);
  if (isChangeEnded(from)) throw new Error(`A change may not go from ${from} to ${state}.`);
  if (from !== state) log.info({ change: change.id, from, to: state }, 'change changed state');
  setChange(store, change.seq, { ...facts, state }, clock.now());
  return reread(store, change.seq);
}

/** The current row of a change, which must exist. */
export function reread(store: Store, seq: number): Change {
  const found = getChangeBySeq(store, seq);
  if (!found) throw new Error(`The change ${seq} is gone.`);
  return found;
}

/** An error as it is stored with a change or a job. */
export function errorFacts({ code, message, remedy, remedyValue }: RelayError): JobError {
  const stored = remedyValue && hasOwnWords(remedyValue) ? remedyValue : remedy;
  return { code, message, ...(stored === undefined ? {} : { remedy: stored }) };
}
