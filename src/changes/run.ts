/** One run of a change: what it knows in addition to the row of the change, and what it records there. */
import { type ChangeOp, type ChangeOutcome, kindFacts, type Progress } from '../domain/change.ts';
import { type ErrorCode, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { commonRows, mergeRows, withNames } from '../domain/mergeRows.ts';
import { sameRows } from '../domain/rows.ts';
import type { Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import {
  type Change,
  type ChangeBody,
  type ChangeUpdate,
  type Plan,
  putChangeBody,
  setChange,
} from '../store/tables/changes.ts';
import { byDistance, presentState } from './compare.ts';
import type { Waiter } from './decide.ts';
import { markItems } from './ownJob.ts';
import { type ChangeContext, errorFacts } from './record.ts';
import {
  entriesOf,
  entryCount,
  isAfter,
  nextStep,
  onlyAppends,
  ROWS_PER_REQUEST,
  replacesAfterRemoval,
  rowsAfter,
  rowsAt,
  START,
  type Step,
  stepsFrom,
  type Work,
  writesRows,
} from './rowOps.ts';

/** How others control a run, even while it is under way, and what the run tells them. */
export interface Control {
  /** Who waits for the change; null for a job, and once the caller no longer waits. */
  waiter: Waiter | null;
  /** Maximum number of tries, while nobody waits, of a request whose refusal may be temporary. */
  maxAttempts: number;
  /** How the runs before this one failed. */
  before: Failures;
  /** Aborts when the server is stopping; nothing new is sent after that. */
  signal: AbortSignal;
  /** True if the run is to stop before its next request. */
  cancelled: boolean;
  /** Aborts when `cancelled` becomes true: a request that still waits for a limit is then not sent. */
  untilSent: AbortSignal;
  /** Pending while a cancellation is being stored; no request is sent meanwhile. */
  decided: Promise<void>;
  /** True if nothing of the change was ever sent. */
  isNew: boolean;
  /** Time when the change was stored, in monotonic milliseconds; null if that was in an earlier process. */
  begunAt: number | null;
  /** True if a person has seen what others changed in the playlist, and still wants relay to write what is missing. */
  carryOn: boolean;
  /** Number of requests that this run has completed. */
  completed: number;
  /** The playlist that a `create` of this run made; null if none did. */
  playlist: Playlist | null;
  /** Called when `completed` has grown. */
  onProgress(): void;
  /** Keeps other writes from the playlist that the run has made, until the run ends. */
  takeTurn(playlistId: string): Promise<void>;
}

/** Failures of one class, without a success in between. */
export interface Failures {
  count: number;
  /** Error code of the last failure; null if there was none. */
  code: ErrorCode | null;
}

/** How a run of a change ended. */
export type DriveEnd =
  /** The change has ended; if not as wanted, `cause` says why. */
  | { kind: 'ended'; cause: RelayError | null }
  /**
   * The change continues after a pause, whose length follows from `cause` and from the number of failures of that class so far.
   */
  | { kind: 'paused'; cause: RelayError; failures: number }
  /** The requests were refused too often; the change can be resumed. */
  | { kind: 'failed'; cause: RelayError }
  /** The change is under review: a person decides how it continues. */
  | { kind: 'review'; cause: RelayError }
  /** The server is stopping; the next start continues the change. */
  | { kind: 'stopped' };

/** What one run of a change knows in addition to the row of the change. */
export interface Run {
  context: ChangeContext;
  control: Control;
  change: Change;
  body: ChangeBody;
  plan: Plan;
  call: Call;
  /** Maximum number of entries of the next request. A refusal of an entry halves it, and each success doubles it. */
  size: number;
  /** Number of times that the run has made its caller wait. */
  waits: number;
  failures: Failures;
  /** Error of an earlier try of the present request, which may have taken effect; null if there was none. */
  lost: RelayError | null;
  /** True if the last look at the list also showed what others wrote. */
  showsOthers: boolean;
  /** Why the change is being rolled back; null if it is not. */
  cause: RelayError | null;
  /** Time of the last write that is known to have taken effect; monotonic milliseconds. */
  lastWriteAt: number;
  /** Time when the progress was last certain to be on disk; monotonic milliseconds. */
  savedAt: number;
  /**
   * False if the change is not new, has a new plan, or an answer was lost. Then `snapshotId` may not be the version that the
   * change left.
   */
  answered: boolean;
}

/** The plan that a change carries out now. */
export function planOf({ plan, former, ops }: ChangeBody): Plan {
  const rows = former.rows ?? [];
  if (!plan) return { rows, ops, former: rows };
  return { ...plan, former: plan.former ?? mergeRows(rowsAfter({ rows, ops }), rows, plan.rows, true) };
}

/**
 * What was there before a change, merged with what others have done meanwhile.
 * @param isDoubtful true if it is not known whether `present` shows the next request
 */
export function formerBeside(
  { change, plan }: Pick<Run, 'change' | 'plan'>,
  present: readonly string[],
  isDoubtful = false,
): string[] {
  const { rows, ops, former } = plan;
  const known = progressOf(change);
  const states = isDoubtful ? byDistance(plan, known, present) : [];
  // If several are equally near, the latest counts. The rows that it lacks were removed by relay, which brings them back, and not
  // by others.
  const nearest = states.findLast(({ far }) => far === states[0]?.far);
  const { to, left } = nearest ?? presentState(plan, known, present);
  const made = rowsAt(plan, to, left);
  if (!sameRows(rows, former)) return mergeRows(made, former, present, isDoubtful);
  // A moved row without a name could be mistaken for its neighbour, so each gets a label.
  const labels = rows.map((uri, at) => uri || `${UNNAMED}${at}`);
  const moved = rowsAt({ rows: labels, ops }, to, left);
  const shown = [...present];
  const names = new Map<string, string>();
  for (const [at, place] of commonRows(made, present)) {
    if (made[at] !== '') continue;
    const label = moved[at] ?? '';
    if (present[place]) names.set(label, present[place]);
    else shown[place] = label;
  }
  const nameOf = (label: string) => names.get(label) ?? label;
  const merged = mergeRows(moved.map(nameOf), labels.map(nameOf), shown, isDoubtful);
  return merged.map((uri) => (uri.startsWith(UNNAMED) ? '' : uri));
}

const UNNAMED = 'unnamed:';

/** True if the change also removes rows, so that some may be missing until it is finished. */
export function isRewriting({ change, body }: Pick<Run, 'change' | 'body'>): boolean {
  return (
    !change.goingBack &&
    body.former.rows !== undefined &&
    kindFacts(change.kind).isRewriting === true &&
    !onlyAppends(body.ops)
  );
}

/**
 * Number of entries of the request in doubt, unless the operation has fewer left; null if that number is not known.
 * @param step the request; null if any request after the recorded progress may be in doubt
 */
export function sizeInDoubt({ body }: Run, step: Step | null): number | null {
  return step?.count ?? (landingsOf(body) ? null : ROWS_PER_REQUEST);
}

/** True if no request of the change is known to have taken effect. */
export function isUntouched({ change }: Pick<Run, 'change'>): boolean {
  // The count does not include the playlist that was made, and a new plan begins at 0.
  const hasMade = change.kind === 'create' && change.playlistId !== null;
  return change.op === 0 && change.at === 0 && change.written === 0 && !hasMade;
}

/** How far the present plan certainly got. */
export function progressOf({ op, at }: Change): Progress {
  return { op, at };
}

/** The rows as far as the present plan certainly got. */
export function rowsReached({ change, plan }: Pick<Run, 'change' | 'plan'>): readonly string[] {
  return rowsAt(plan, progressOf(change));
}

/**
 * Records that the operations took effect up to `to`.
 * @param isRefused true if Spotify refused the operation, so that it counts as done but wrote nothing
 */
export function landed(run: Run, to: Progress, facts: ChangeUpdate | null, isRefused = false): void {
  const { context, control, change } = run;
  const entries = entriesBetween(run.plan, progressOf(change), to);
  const { store, clock } = context;
  const isForward = !change.goingBack;
  // Rows that are replaced after a removal, or removed because they were there twice, do not count again: once the
  // change is carried out, every entry counts (`done` in `finish.ts`).
  const isAgain = replacesAfterRemoval(run.plan.ops) || run.body.notes?.doubledRemoved === true;
  const isCounted = isForward && !isRefused && !isAgain;
  // A new plan may write an entry again, or remove rows first, so the count has a limit. Any count above zero says that a part
  // of the change landed.
  const most = Math.max(change.written, change.requested, 1);
  const counted = countedBetween(run, progressOf(change), to) ?? entries;
  const written = isCounted ? Math.min(change.written + counted, most) : change.written;
  // If another person has written too, rows may have to be removed before the new ones are added. The removal writes none of
  // the caller's items.
  const isOnlyBefore = change.kind !== 'remove' && run.plan.ops[change.op]?.op === 'remove';
  control.completed += 1;
  run.failures = { ...run.failures, count: 0 };
  run.lastWriteAt = clock.monotonic();
  // Only the states of a playlist's rows are asked for later.
  const landings = run.plan.ops.some(writesRows) ? landingsOf(run.body) : null;
  if (landings) run.body = { ...run.body, notes: { ...run.body.notes, landings: [...landings, to] } };
  store.transaction(() => {
    if (landings) putChangeBody(store, change.seq, run.body);
    run.change = setChange(
      store,
      change.seq,
      { op: to.op, at: to.at, written, ...(isForward ? { error: null } : {}), ...facts },
      clock.now(),
    );
    if (isCounted && entries > 0 && !isOnlyBefore) markItems(context, run.change, entries);
  });
  store.saveSoon();
  control.onProgress();
}

/**
 * Number of tracks that a removal takes out between two states; null for any other plan. The job of a removal also sends tracks
 * that were not saved, or sends a track twice.
 */
function countedBetween({ plan, body }: Run, from: Progress, to: Progress): number | null {
  const [op] = plan.ops;
  if (op?.op !== 'unsave' || !body.former.saved) return null;
  const saved = new Set(body.former.saved);
  const until = (progress: Progress) => op.uris.slice(0, progress.op > 0 ? undefined : progress.at);
  const count = (progress: Progress) => new Set(until(progress).filter((uri) => saved.has(uri))).size;
  return count(to) - count(from);
}

/** Number of entries between two states of a plan. */
function entriesBetween({ rows, ops }: Work, from: Progress, to: Progress): number {
  let count = 0;
  for (let index = from.op; index <= Math.min(to.op, ops.length - 1); index++) {
    const op = ops[index] as ChangeOp;
    const entries = entriesOf(op, rows);
    // A new playlist is no entry: its rows are.
    const length = entries?.length ?? (index < to.op && op.op !== 'create' ? entryCount(op) : 0);
    const begin = index === from.op ? from.at : 0;
    const end = index === to.op ? to.at : length;
    count += Math.max(0, end - begin);
  }
  return count;
}

/**
 * Saves which playlist was made. Once the playlist has rows, only this record tells it from others of the same name after a
 * crash.
 * @throws RelayError `STORE_ERROR`
 */
export async function saveMade({ context, plan, change }: Run): Promise<void> {
  if (nextStep(plan.ops, progressOf(change))) await context.store.saveNow();
}

/** Records facts about the change, to be saved soon. */
export function record(run: Run, facts: ChangeUpdate): void {
  const { store, clock } = run.context;
  run.change = setChange(store, run.change.seq, facts, clock.now());
  store.saveSoon();
}

/** How finding out about a lost answer ended. */
export type FoundOut =
  | { kind: 'landed' }
  /** The request had no effect: nothing shows after the longest time that a request may take. */
  | { kind: 'absent' }
  | { kind: 'review'; cause: RelayError }
  | { kind: 'paused'; cause: RelayError }
  | { kind: 'stopped' };

/** Number of failures of the same class as `error` that came just before it. */
export function failuresBefore({ count, code }: Failures, error: RelayError): number {
  return code !== null && failureClassOf({ code }) === failureClassOf(error) ? count : 0;
}

/** Leaves the change as it is, for another run to continue. */
export function leave(run: Run): void {
  record(run, { inTransit: run.change.looking });
  // The next run may begin before the list shows what this one has written.
  tellWritten(run);
}

/** Pauses the change for as long as its failure asks for. */
export function pause(run: Run, cause: RelayError): DriveEnd {
  leave(run);
  return { kind: 'paused', cause, failures: failuresBefore(run.failures, cause) + 1 };
}

/** Maximum number of rows of each list in a conflict. A short answer leaves out more rows at the end. */
const MAX_SHOWN = 1_000;
/** Maximum number of rows of a list that is given from its start. Longer lists begin shortly before their first difference. */
const MAX_WHOLE = 40;
/** Number of rows that a longer list has before the first difference. */
const SHOWN_BEFORE = 10;

const DECIDE =
  'Compare result.expected_uris with result.present_uris; both begin at position result.shown_from. Then call resume_job with review "carry_on" (writes what is missing and keeps what others changed) or "accept" (keeps the playlist as it is), or cancel_job.';

/** The error for a playlist that matches no state of a change. */
export function changedMeanwhile(run: Run, present: readonly string[]): RelayError {
  const { change } = run;
  const expected = withNames(rowsReached(run), present);
  return rowsConflict(change.playlistId ?? '', expected, present, change.written);
}

/** The error for a playlist whose rows are known and are not what they should be. */
export function rowsConflict(
  playlistId: string,
  expected: readonly string[],
  present: readonly string[],
  written: number,
): RelayError {
  const first = expected.findIndex((uri, index) => uri !== present[index]);
  const at = first < 0 ? expected.length : first;
  const isShort = Math.max(expected.length, present.length) <= MAX_WHOLE;
  const from = isShort ? 0 : Math.max(0, at - SHOWN_BEFORE);
  return new RelayError(
    'CONFLICT',
    `Someone else changed the playlist ${playlistId} while relay was writing to it. It should have ${expected.length} rows but has ${present.length}; the first difference is at position ${at}.`,
    {
      remedy: DECIDE,
      details: {
        playlist_id: playlistId,
        written,
        expected_count: expected.length,
        present_count: present.length,
        shown_from: from,
        expected_uris: expected.slice(from, from + MAX_SHOWN),
        present_uris: present.slice(from, from + MAX_SHOWN),
      },
    },
  );
}

/** Ends the change, to be saved soon. `cause` says why, if it did not end as it should. */
export function ended(
  run: Run,
  outcome: ChangeOutcome,
  cause: RelayError | null,
  facts: ChangeUpdate = {},
): DriveEnd {
  const { clock, log } = run.context;
  log.info({ change: run.change.id, outcome }, 'change ended');
  record(run, {
    outcome,
    inTransit: false,
    looking: false,
    endedAt: clock.now(),
    ...(cause ? { error: errorFacts(cause) } : {}),
    ...facts,
  });
  tellWritten(run);
  return { kind: 'ended', cause };
}

/**
 * From here on the change carries out `plan`, which is on disk before its first request is sent.
 * @throws RelayError `STORE_ERROR`
 */
export async function takePlan(run: Run, plan: Plan, facts: ChangeUpdate = {}): Promise<void> {
  const { context, change } = run;
  const { notes } = run.body;
  run.body = { ...run.body, plan, ...(notes?.landings ? { notes: { ...notes, landings: [] } } : {}) };
  run.plan = plan;
  run.answered = false;
  run.size = Number.POSITIVE_INFINITY;
  // The plan counts even if it cannot be saved yet: a full disk must not decide how a change ends.
  context.store.transaction(() => {
    putChangeBody(context.store, change.seq, run.body);
    const begun = { ...START, inTransit: true, ...facts };
    run.change = setChange(context.store, change.seq, begun, context.clock.now());
  });
  await context.store.saveNow();
}

/**
 * Records the states that the playlist went through, so that readers notice when the list still shows one of them. What was
 * written before the plan was made again led from the former rows to the rows that the plan starts from. After a restart, only
 * those two are known of it.
 */
export function tellRows(
  { context, change, body, plan }: Pick<Run, 'context' | 'change' | 'body' | 'plan'>,
  ageMs = 0,
): void {
  if (change.playlistId === null || !plan.ops.some(writesRows)) return;
  const reached = progressOf(change);
  const first = body.plan && body.former.rows ? [body.former.rows] : [];
  if (!isAfter(reached, START) && first.length === 0) return;
  const halved = landingsOf(body) ?? [];
  context.rows.wrote(change.playlistId, () => [...first, ...statesUntil(plan, reached, halved)], ageMs);
}

/**
 * Does `tellRows` if this run has written. What an earlier run wrote was told then. Told once more, it would count as the latest
 * write, although other changes may have written to the playlist since.
 */
export function tellWritten(run: Run): void {
  if (run.lastWriteAt > Number.NEGATIVE_INFINITY) tellRows(run);
}

/**
 * How far the plan had got after each request of rows since requests were first halved; null if none was halved. From then on,
 * a request in doubt may have any size.
 */
export function landingsOf({ notes }: Pick<ChangeBody, 'notes'>): readonly Progress[] | null {
  return (notes?.landings as readonly Progress[] | undefined) ?? null;
}

/**
 * Every state of the rows from before the first request to `reached`.
 * @param halved how far the plan had got after each request of an unusual size
 */
function statesUntil(plan: Work, reached: Progress, halved: readonly Progress[]) {
  const [firstHalved] = halved;
  const whole = stepsFrom(plan.ops, START)
    .map(({ to }) => to)
    .filter((to) => firstHalved === undefined || isAfter(firstHalved, to));
  const states = [plan.rows];
  for (const to of [...whole, ...halved]) {
    if (isAfter(to, reached)) break;
    states.push(rowsAt(plan, to));
  }
  const last = rowsAt(plan, reached);
  return states.at(-1)?.length === last.length && reached.at === 0 ? states : [...states, last];
}
