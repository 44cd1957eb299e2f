/**
 * Finding out how a request ended whose answer was lost. A landed write counts as soon as it shows. That it had no effect
 * counts only after the longest time that a request is known to take effect after its answer; another list counts as
 * someone else's change only if it stays.
 */
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { uriOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import { LAG_MS } from '../provider/resources/playlistRows.ts';
import { getPlaylistItems, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { putChangeBody } from '../store/tables/changes.ts';
import { lookAtRows, lookAtStep, lookForMade } from './look.ts';
import { applyOp, isAfter, nextStep, onlyAppends, ROWS_PER_REQUEST, rowsAt, type Step } from './rowOps.ts';
import {
  changedMeanwhile,
  enter,
  entriesBetween,
  type FoundOut,
  landed,
  legOf,
  OLDER_MS,
  progressOf,
  type Run,
  saveMade,
} from './run.ts';
import { beganAt, LATEST_EFFECT_MS } from './times.ts';

/** A list that matches no state of the change may be one between two of the provider's servers. */
const OTHER_MS = 6_000;
const MIN_LOOKS = 4;
const LOOKS_MS = [0, 700, 800, 1_500, 3_000, 4_000, 5_000] as const;

/**
 * Reads the target until it is certain how a request ended, and records what took effect.
 * @param step the request in doubt; null after a crash, when it may be any from the recorded progress on
 */
export async function findOut(run: Run, step: Step | null): Promise<FoundOut> {
  const { context, control } = run;
  const { clock } = context;
  const begunAt = clock.monotonic();
  const asked = step ?? nextStep(run.leg.ops, progressOf(run.change));
  if (run.leg.rows === null && asked?.op.op === 'move') return { kind: 'unknowable', cause: unknowable(run) };
  let otherSince: number | null = null;
  let failures = 0;
  for (let looks = 0; ; looks++) {
    const pauseMs = LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0;
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, run.call.signal);
      if (run.change.state !== 'looking') enter(run, 'looking', {});
      const seen = await look(run, step, looks === 0, begunAt);
      failures = 0;
      const age = clock.monotonic() - begunAt;
      if (seen === 'landed' && (step !== null || isOver(run))) return { kind: 'landed' };
      if (seen === 'landed' || seen === 'absent') otherSince = null;
      if ((seen === 'absent' || seen === 'landed') && age >= LATEST_EFFECT_MS) {
        return { kind: seen };
      }
      if (seen === 'stale') otherSince = null;
      if (seen === 'stale' && age >= LATEST_EFFECT_MS * 2)
        return { kind: 'review', cause: await conflict(run) };
      if (seen === 'other') {
        otherSince ??= clock.monotonic();
        const isSettled = looks + 1 >= MIN_LOOKS && clock.monotonic() - otherSince >= OTHER_MS;
        if (isSettled) return { kind: 'review', cause: await conflict(run) };
      }
    } catch (thrown) {
      if (control.signal.aborted) return { kind: 'stopped' };
      const error = asRelayError(thrown);
      failures += 1;
      const mayPassSoon = failureClassOf(error) === 'connectivity' && failures < 4;
      if (!mayPassSoon) return { kind: 'paused', cause: error };
    }
  }
}

function isOver({ leg, change }: Run): boolean {
  return nextStep(leg.ops, progressOf(change)) === null;
}

type SeenKind = 'landed' | 'absent' | 'stale' | 'other';

async function look(run: Run, step: Step | null, isFirst: boolean, begunAt: number): Promise<SeenKind> {
  const { context, change, call } = run;
  const present = nextStep(run.leg.ops, progressOf(change));
  if (present?.op.op === 'create' && change.playlistId === null) return lookForCreated(run, present);
  if (change.playlistId === null || (present && !('uris' in present.op) && present.op.op !== 'move')) {
    // Nothing that a second request could harm.
    return 'absent';
  }
  if (run.leg.rows === null && run.leg.total === null && onlyAppends(run.leg.ops)) {
    const base = await findBase(run, step);
    if (base !== 'found') return base;
  }
  const known = progressOf(change);
  const next = step ?? (isFirst ? null : present);
  if (next && next.op.op !== 'append' && run.leg.rows !== null) {
    const { rows, ops } = run.leg;
    const before = rowsAt(rows, ops, known);
    const earlier = ops.slice(0, known.op).map((_, op) => rowsAt(rows, ops, { op, at: 0 }));
    const after = applyOp(before, next.op);
    const seen = await lookAtStep(context, change.playlistId, earlier, before, after, call);
    if (seen === 'absent') return 'absent';
    if (seen === 'landed') {
      landed(run, next.to, next.count, null);
      return 'landed';
    }
  }
  const askedAt = context.clock.monotonic();
  const verdict = await lookAtRows(context, change.playlistId, run.leg, known, call);
  if (verdict.kind !== 'landed') return verdict.kind;
  // What the list shows may be what was there before the change, until it must have caught up with what is known.
  const knownAt = step === null ? begunAt : run.lastWriteAt;
  if (verdict.isAmbiguous && askedAt - knownAt <= LAG_MS) return 'stale';
  // A request takes effect as a whole: a part of it is a list that is being brought up to date.
  if (step && isAfter(step.to, verdict.progress)) return 'stale';
  const entries = entriesBetween(run.leg.ops, known, verdict.progress);
  landed(run, verdict.progress, entries, null);
  return step === null || isAfter(progressOf(run.change), step.from) ? 'landed' : 'absent';
}

async function lookForCreated(run: Run, step: Step): Promise<SeenKind> {
  const { context, change, call } = run;
  if (step.op.op !== 'create') return 'absent';
  const made = await lookForMade(context, step.op, change.account, call);
  if (made === null) return 'absent';
  if (made === 'not_empty') return 'other';
  landed(run, step.to, 0, { playlistId: made.id, snapshotId: made.snapshotId });
  await saveMade(run);
  return 'landed';
}

/**
 * For rows added to a list that was not read before: how many rows there were. `other` where the list does not show the rows
 * that were certainly added: it lags, or someone else is at it. `absent` where it shows no more than those: the number of rows
 * may then be that of an older list, and a wrong one would hide ours for ever.
 */
async function findBase(run: Run, step: Step | null): Promise<'found' | 'absent' | 'other'> {
  const { context, change, call } = run;
  const { provider, rows, store } = context;
  const id = change.playlistId ?? '';
  await rows.settle(id, call);
  const [op] = run.leg.ops;
  const uris = op && 'uris' in op ? op.uris : [];
  const known = change.op > 0 ? uris.length : change.at;
  const { total } = await getPlaylistItems(provider, id, { limit: 1, offset: 0 }, call);
  const tail: Item[] = [];
  const reach = step === null ? AFTER_A_CRASH : ROWS_PER_REQUEST;
  const begin = Math.max(0, total - reach);
  for (let offset = begin; offset < total; offset += PLAYLIST_PAGE) {
    const page = await getPlaylistItems(provider, id, { limit: PLAYLIST_PAGE, offset }, call);
    if (page.total !== total) return 'other';
    tail.push(...page.items);
  }
  // The number may be that of an older list, or of a newer one.
  if (begin + tail.length !== total) return 'other';
  const most = step === null ? uris.length : known + step.count;
  const added = addedRows(tail, uris, known, most, beganAt(context, change) - OLDER_MS);
  if (added === null) return 'other';
  if (added === known && known < most) return 'absent';
  const base = Math.max(0, total - added);
  run.body = run.body.leg
    ? { ...run.body, leg: { ...run.body.leg, total: base } }
    : { ...run.body, former: { ...run.body.former, total: base } };
  putChangeBody(store, change.seq, run.body);
  run.leg = legOf(run.body);
  return 'found';
}

/** Rows that are read after a crash, when others may have written since. */
const AFTER_A_CRASH = 300;

/**
 * How many of `uris` the rows end with, from `known` to `most`; null where they do not show that many, or show some of them
 * elsewhere. Rows from before `since` are not the ones that were added.
 */
function addedRows(
  tail: readonly Item[],
  uris: readonly string[],
  known: number,
  most: number,
  since: number,
): number | null {
  const isNew = ({ added_at }: Item) => added_at === null || Date.parse(added_at) >= since;
  for (let count = most; count > known; count--) if (endsWith(tail, uris, count, isNew)) return count;
  if (known > 0) return endsWith(tail, uris, known, isNew) ? known : null;
  const ours = new Set(uris);
  return tail.some((item) => ours.has(uriOf(item)) && isNew(item) && item.added_at !== null) ? null : 0;
}

function endsWith(
  tail: readonly Item[],
  uris: readonly string[],
  count: number,
  isNew: (item: Item) => boolean,
): boolean {
  const size = Math.min(tail.length, count, ROWS_PER_REQUEST);
  if (size === 0) return false;
  const shown = tail.slice(-size);
  return shown.every((item, index) => uriOf(item) === uris[count - size + index] && isNew(item));
}

/** Rows were moved that had not been read before: reading them now does not tell whether they have moved. */
function unknowable({ change }: Run): RelayError {
  return new RelayError(
    'PARTIAL_WRITE',
    `The answer to moving rows of the playlist ${change.playlistId} was lost, and its rows do not tell whether they have moved.`,
    {
      remedy: 'Read the playlist (get_playlist_tracks) and move the rows if they have not moved.',
      details: { playlist_id: change.playlistId, written: 0 },
    },
  );
}

async function conflict(run: Run): Promise<RelayError> {
  const { context, change, call } = run;
  if (change.playlistId === null) {
    return new RelayError(
      'CONFLICT',
      'A playlist of this name appeared while one was being created, and it is not empty.',
      {
        remedy: {
          text: 'Empty, rename or delete it in Spotify and call resume_job, or call cancel_job.',
          terminal: {
            text: 'Empty, rename or delete it in Spotify and run {1}, or stop with {2}.',
            commands: [
              ['jobs', 'resume', 'ID'],
              ['jobs', 'cancel', 'ID'],
            ],
          },
        },
        details: { expected_uris: [], present_uris: [], written: 0 },
      },
    );
  }
  const present = (await context.rows.readFresh(change.playlistId, call)).map(uriOf);
  return changedMeanwhile(run, present);
}
