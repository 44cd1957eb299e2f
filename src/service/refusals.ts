/** Errors that every way to start at login can meet. */
import { RelayError } from '../domain/errors.ts';
import type { Ran } from './types.ts';

/** Nothing that somebody else wrote is replaced or removed. */
export function writtenByOther(file: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${file} was not written by relay.`, {
    remedy: 'Nothing was changed. Move it away if it is not needed, then run this again.',
  });
}

/** The system's own words are kept, since only they say what to mend. */
export function refused(what: string, { err }: Ran, remedy: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${what}: ${err.replace(/[\s.]+$/, '') || 'no reason given'}.`, {
    remedy,
  });
}
