/** Reads the target of a work to find out how far the work got. Nothing is guessed: the list shows a state, or it does not. */
import type { ChangeOp } from '../../domain/change.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { differingRows, uriOf } from '../../domain/rows.ts';
import type { Item, Playlist } from '../../domain/shapes.ts';
import { getTrack } from '../../provider/resources/catalog.ts';
import { asList, LAG_MS, LONG_LAG_MS, USUAL_LAG_MS } from '../../provider/resources/playlistRows.ts';
import { getAllMyPlaylists, PLAYLIST_PAGE } from '../../provider/resources/playlists.ts';
import { getBody, isMadeByOther, openWrites, type Plan, putBody } from '../../store/tables/works.ts';
import { type DriveEnd, landed, pause, type Run, review, reviewOf } from './progress.ts';
import { onlyAppends, placesOf, statesUntil, writesRows, writtenUris } from './states.ts';
import { ageOf, LATEST_EFFECT_MS } from './times.ts';

type Shown =
  /** The list is as after the first `op` operations. */
  | { kind: 'state'; op: number; isMixed?: true }
  /** The list shows an earlier state of this work: it lags. */
  | { kind: 'older' }
  | { kind: 'other'; present: readonly string[] };

/** Number of rows to read before the first changed row. */
const BESIDE = 5;

/**
 * Compares the list with the states of a work from its present one to that after `last` operations.
 * @param whole true to read all rows
 */
async function lookAtRows(run: Run, last: number, whole = false): Promise<Shown> {
  const { plan, work, call, context } = run;
  const id = work.playlistId ?? '';
  const states = statesUntil(plan, last);
  const known = states[work.step] ?? [];
  const isTail = !whole && onlyAppends(plan.ops.slice(work.step, last)) && known.length > PLAYLIST_PAGE;
  const from = isTail ? known.length - BESIDE : 0;
  const seen = isTail ? await context.rows.readEnd(id, from, call) : null;
  const items = seen ? seen.items : await context.rows.readFresh(id, call);
  const shown = seen ? asList(seen) : items.map(uriOf);
  for (let op = last; op >= work.step; op--)
    if (await asExpected(context, plan, states[op] ?? [], shown, call)) return { kind: 'state', op };
  if (isTail) return lookAtRows(run, last, true);
  for (const state of states.slice(0, work.step)) if (differs(state, shown) === 0) return { kind: 'older' };
  const next = plan.ops[work.step];
  if (last === work.step + 1 && next?.op === 'append') {
    // Others have written too. Rows that were added stand in one block, or they are not there.
    const added = placesOf(next.uris, shown).length - placesOf(next.uris, known).length;
    const isRead = !known.includes('') || next.uris.length > 1;
    const isAway = next.uris.every((uri) => !shown.includes(uri));
    if ((isRead && added === 1) || isAway)
      return { kind: 'state', op: isAway ? work.step : last, isMixed: true };
  }
  return { kind: 'other', present: shown };
}

function differs(rows: readonly string[], shown: readonly string[]): number {
  return rows.length === shown.length ? differingRows(rows, shown).length : Number.POSITIVE_INFINITY;
}

/**
 * The list under the URIs that relay expects, or null if it shows other rows. Spotify may show a song that the plan wrote under
 * another ID (relinking): if most of its rows are right, the others count as the same songs; otherwise one of them is looked up.
 */
export async function asExpected(
  context: Pick<Run['context'], 'provider'>,
  plan: Plan,
  expected: readonly string[],
  shown: readonly string[],
  call: Run['call'],
): Promise<readonly string[] | null> {
  if (expected.length !== shown.length) return null;
  const places = new Set(differingRows(expected, shown));
  if (places.size === 0) return shown;
  const own = writtenUris(plan.ops);
  const held = new Set(plan.rows);
  const isStrange = (at: number) =>
    own.has(expected[at] ?? '') && !own.has(shown[at] ?? '') && !held.has(shown[at] ?? '');
  if (![...places].every(isStrange)) return null;
  const isMost = places.size * 2 < expected.filter((uri) => own.has(uri)).length;
  const [at = 0] = places;
  if (!isMost && !(await isSameSong(context, expected[at] ?? '', shown[at] ?? '', call))) return null;
  return shown.map((uri, index) => (places.has(index) ? (expected[index] ?? uri) : uri));
}

/** True if Spotify shows the track `sent` under the URI `shown`, or both are one recording. */
async function isSameSong(
  { provider }: Pick<Run['context'], 'provider'>,
  sent: string,
  shown: string,
  call: Run['call'],
): Promise<boolean> {
  if (!sent.startsWith(TRACK) || !shown.startsWith(TRACK)) return false;
  const [one, other] = await Promise.all(
    [sent, shown].map((uri) => getTrack(provider, uri.slice(TRACK.length), call).catch(() => null)),
  );
  return (
    one != null && other != null && (one.uri === other.uri || (one.isrc !== null && one.isrc === other.isrc))
  );
}

const TRACK = 'spotify:track:';

/** The waits before the looks; the last one repeats. */
const LOOKS_MS = [0, 700, 800, 1_500, 3_000, 4_000, 5_000] as const;
/** If a work was last at work this long ago, none of its requests can still be under way. */
const OVER_MS = 60_000;

/** How the last request ended: it took effect, or certainly had none. Otherwise the run ends. */
export type FoundOut = 'landed' | 'absent' | DriveEnd;

/**
 * Reads the target until it is certain how a request ended, and records what took effect.
 * @param last the work may have got as far as `last` operations
 */
export async function findOut(run: Run, last: number): Promise<FoundOut> {
  const { context, control } = run;
  const { clock } = context;
  const known = run.work.step;
  const isOld = last > known + 1 && ageOf(context, run.work) >= OVER_MS;
  const doubtSince = clock.monotonic() - (isOld ? LATEST_EFFECT_MS - USUAL_LAG_MS : 0);
  let failures = 0;
  const certain = (how: 'landed' | 'absent'): FoundOut => {
    run.isInDoubt = false;
    return how;
  };
  run.isInDoubt = true;
  for (let looks = 0; ; looks++) {
    const pauseMs = LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0;
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, run.call.signal);
      const waited = clock.monotonic() - doubtSince;
      const next = run.plan.ops[known];
      if (next?.op === 'create' && run.work.playlistId === null) {
        const made = await lookForMade(run, next);
        if (made === 'made') return certain('landed');
        if (waited < LATEST_EFFECT_MS) continue;
        if (made === 'none') return certain('absent');
        return review(run, unclearWhich());
      }
      // Any request that does not write rows of a playlist may be sent twice without harm.
      if (run.work.playlistId === null || (next && !writesRows(next))) return certain('absent');
      const seen = await lookAtRows(run, last);
      failures = 0;
      if (seen.kind === 'state' && seen.isMixed && waited >= LATEST_EFFECT_MS) noteMixed(run);
      if (seen.kind === 'state' && seen.op === last && (!seen.isMixed || waited >= LATEST_EFFECT_MS)) {
        landed(run, last);
        return certain('landed');
      }
      if (waited < LATEST_EFFECT_MS) continue;
      if (seen.kind === 'state') {
        const isFurther = seen.op > known;
        if (isFurther) landed(run, seen.op);
        return certain(isFurther ? 'landed' : 'absent');
      }
      if (seen.kind === 'older' && waited < LATEST_EFFECT_MS * 2) continue;
      const present = seen.kind === 'other' ? seen.present : (await readRows(run)).map(uriOf);
      return reviewOf(run, present);
    } catch (thrown) {
      if (control.signal.aborted) return { kind: 'stopped' };
      const error = asRelayError(thrown);
      failures += 1;
      if (failureClassOf(error) !== 'connectivity' || failures >= 4) return pause(run, error);
    }
  }
}

/** Records that others have written too, so that the list shows no state of the work as a whole. */
function noteMixed(run: Run): void {
  run.body = { ...run.body, notes: { ...run.body.notes, mixed: true } };
  putBody(run.context.store, run.work.seq, run.body);
}

export function readRows({ context, work, call }: Run): Promise<Item[]> {
  return context.rows.readFresh(work.playlistId ?? '', call);
}

const LOOK_AGAIN_MS = 500;

/**
 * Waits until the list shows the state that the work has reached. An earlier state counts as lag for 40 s, anything else for
 * 6 s.
 * @returns null if the list shows it, otherwise the rows that it shows
 */
export async function waitForState(run: Run): Promise<readonly string[] | null> {
  const { clock } = run.context;
  const begun = clock.monotonic();
  for (let waitMs = LOOK_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, 4_000)) {
    const waited = clock.monotonic() - begun;
    const seen = await lookAtRows(run, run.work.step, true);
    if (seen.kind === 'state') return null;
    if (seen.kind === 'other' && waited > LAG_MS) return seen.present;
    if (waited > LONG_LAG_MS) return seen.kind === 'other' ? seen.present : (await readRows(run)).map(uriOf);
    await clock.sleep(waitMs, run.call.signal);
  }
}

/** Maximum number of playlists to read; an account can have about 11,000. */
const ALL_PLAYLISTS = 12_000;

/** Looks for the playlist that a `create` with a lost answer made: the account's own, of that name, empty, and nobody else's. */
async function lookForMade(
  run: Run,
  { details, known }: Extract<ChangeOp, { op: 'create' }>,
): Promise<'made' | 'none' | 'unclear'> {
  const { context, work, call } = run;
  const before = new Set(known ?? []);
  const named = await playlistsNamed(context, details.name, work.account, call);
  const isNew = ({ id }: Playlist) => !before.has(id) && !isMadeByOther(context.store, id, work.seq);
  const [made, second] = named.filter(isNew);
  if (!made) return 'none';
  const isAsAsked = (made.description ?? '') === (details.description ?? '').trim();
  if (
    second ||
    hasRival(context.store, work.seq, details.name) ||
    !isAsAsked ||
    (await context.rows.readFresh(made.id, call)).length > 0
  )
    return 'unclear';
  landed(run, run.work.step + 1, { playlistId: made.id, snapshotId: made.snapshot_id });
  await context.store.saveNow();
  return 'made';
}

/** True if another work is making a playlist of this name, too. */
function hasRival(store: Run['context']['store'], own: number, name: string): boolean {
  return openWrites(store).some(
    ({ seq, kind, playlistId }) =>
      kind === 'create' &&
      playlistId === null &&
      seq !== own &&
      getBody(store, seq).ops.some((op) => op.op === 'create' && op.details.name.trim() === name.trim()),
  );
}

export async function playlistsNamed(
  { provider }: Pick<Run['context'], 'provider'>,
  name: string,
  account: string | null,
  call: Run['call'],
): Promise<Playlist[]> {
  const { items } = await getAllMyPlaylists(provider, ALL_PLAYLISTS, call);
  return items.filter((playlist) => playlist.name.trim() === name.trim() && playlist.owner.id === account);
}

function unclearWhich(): RelayError {
  return new RelayError(
    'CONFLICT',
    'Several empty playlists have this name, and relay cannot tell which of them it has just created.',
    {
      remedy:
        'Rename or delete the playlists in Spotify, then use {resume_job with review "continue"|relay jobs resume ID --review continue}. To use them as they are, stop with {cancel_job|relay jobs cancel ID} instead.',
    },
  );
}
