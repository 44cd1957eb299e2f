/** Decides what a run of a kept playlist does, from the result of its query and the rows that are there. Pure. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import type { LibraryAnswer, LibraryCell } from '../../domain/library.ts';
import { MAX_ROWS, mayBeRows, sameRows, withNames, without } from '../../domain/rows.ts';

const WRITABLE = /^spotify:(?:track|episode):[0-9A-Za-z]+$/;

export interface Wanted {
  uris: string[];
  /** Number of rows of the result that are local, gone, or neither tracks nor episodes. */
  leftOut: number;
}

/** The rows that a query's result asks for. @param gone URIs that Spotify refuses */
export function wantedOf(rows: ReadonlyArray<readonly LibraryCell[]>, gone: readonly string[]): Wanted {
  const refused = new Set(gone);
  const uris = rows.flatMap(([first]) =>
    typeof first === 'string' && WRITABLE.test(first) && !refused.has(first) ? [first] : [],
  );
  return { uris, leftOut: rows.length - uris.length };
}

/**
 * Checks that a playlist can follow a query.
 * @throws RelayError `INVALID_ARGUMENT`
 */
export function requireKeepable(
  { columns, rows }: Pick<LibraryAnswer, 'columns' | 'rows'>,
  { uris }: Wanted,
): void {
  const [column = ''] = columns;
  const isUri = rows.some(([first]) => typeof first === 'string' && first.startsWith('spotify:'));
  if (!isUri && (rows.length > 0 || !/uri/i.test(column))) {
    const value = rows.length === 0 ? column : (rows.find(([first]) => first !== null)?.[0] ?? 'NULL');
    throw new RelayError(
      'INVALID_ARGUMENT',
      `The first column of the query must be a URI, such as spotify:track:…, not "${value}".`,
      {
        remedy:
          'Begin with SELECT uri, and sort the rows in the order that the playlist is to have. Plays have no URI if they come from the account data instead of the extended history.',
      },
    );
  }
  if (uris.length <= MAX_ROWS) return;
  const what = `The query has ${uris.length} rows; a playlist holds at most 10,000.`;
  throw new RelayError('INVALID_ARGUMENT', what, {
    remedy: `Add LIMIT ${MAX_ROWS}, or make the rule narrower.`,
  });
}

/** What a decision depends on. */
export interface Facts {
  /** URIs of the rows that are there; an empty string stands for a row without an item. */
  shown: readonly string[];
  /** URIs of the rows that the last run left; null before the first run. */
  left: readonly string[] | null;
  wanted: readonly string[];
  /** Number of rows that a person has allowed this run to take out; null if nobody was asked. */
  accepted: number | null;
}

export type Decision =
  | { kind: 'nothing' }
  | { kind: 'write'; present: string[] }
  | { kind: 'review'; reason: string };

/**
 * A playlist that would shrink by more than this share of its rows, and by more than this number of rows, is up for review. So is
 * one to which as many would be added a further time: a query that reads its own playlist adds all its rows at each run.
 */
const LOSS = { share: 0.3, rows: 5 };

export function decide({ shown, left, wanted, accepted }: Facts): Decision {
  // Before the first run it is not known which song a row without an item was.
  const present = withNames(shown, left ?? []);
  if (sameRows(present, wanted)) return { kind: 'nothing' };
  const reason = reasonFor(present, left, wanted);
  // The loss may have grown a little since a person agreed to it. If every row would go, nothing beyond that is allowed.
  const agreed = accepted === null || wanted.length === 0 ? accepted : accepted + LOSS.rows;
  const isAgreed = agreed !== null && without(present, wanted).length <= agreed;
  return reason === null || isAgreed ? { kind: 'write', present } : { kind: 'review', reason };
}

/** True for so many rows of a list that a person is asked. */
export const isMuch = (rows: number, of: number) => rows > LOSS.rows && rows > LOSS.share * of;

function reasonFor(
  present: readonly string[],
  left: readonly string[] | null,
  wanted: readonly string[],
): string | null {
  const [had, have] = [present.length, wanted.length];
  if (left !== null && !mayBeRows(left, present)) {
    return 'Somebody changed this playlist since the last run. If you accept, this run overwrites these edits.';
  }
  if (had > 0 && have === 0)
    return `The query finds nothing now, and the playlist has ${counted(had, 'row')}.`;
  if (isMuch(had - have, had)) return `The playlist would shrink from ${had} rows to ${have}.`;
  const going = without(present, wanted).length;
  if (left === null && going > 0)
    return `${counted(going, 'row')} of those that the playlist has now would go.`;
  const held = new Set(present);
  const again = without(wanted, present).filter((uri) => held.has(uri)).length;
  if (isMuch(again, had)) {
    return `The query may read this playlist itself: ${again} of its songs would be added again. If so, stop keeping it, and add it again with a query that leaves its rows out.`;
  }
  return null;
}

/** The first time after `now` that is a whole number of intervals after `due`, so that one run makes up for all missed ones. */
export function nextDue(due: number, intervalMs: number, now: number): number {
  // A clock that was set back must not make a playlist wait longer than its interval.
  if (due > now + intervalMs) return now + intervalMs;
  return due > now ? due : due + Math.ceil((now - due + 1) / intervalMs) * intervalMs;
}
