/** Reading the stored record of a change, and the context that every part of the engine works with. */
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RelayError } from '../domain/errors.ts';
import { hasOwnWords } from '../domain/remedy.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { PlaylistRows } from '../provider/resources/playlistRows.ts';
import type { Store } from '../store/file/open.ts';
import { type Change, getChangeBySeq } from '../store/tables/changes.ts';
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

/** The part of the context that planning a change needs. */
export type Planning = Pick<ChangeContext, 'provider' | 'rows' | 'store' | 'clock'>;
/** The part that waiting for earlier writes needs. */
export type Waiting = Omit<Planning, 'rows'>;
/** The part that tells the time by relay's clock and by Spotify's. */
export type Clocks = Pick<Planning, 'provider' | 'store'>;

/** The current row of a change. @throws RelayError `CANCELLED` if it was erased meanwhile */
export function reread(store: Store, seq: number): Change {
  const found = getChangeBySeq(store, seq);
  if (!found) throw erased();
  return found;
}

/** The error for a change whose record was erased while it was carried out, with everything else about the account. */
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

/** An error as it is stored with a change or a job. */
export function errorFacts({ code, message, remedy, remedyValue }: RelayError): JobError {
  const stored = remedyValue && hasOwnWords(remedyValue) ? remedyValue : remedy;
  return { code, message, ...(stored === undefined ? {} : { remedy: stored }) };
}
