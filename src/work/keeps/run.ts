/** One run of a kept playlist: what it reads, decides and writes, and what is recorded of it. README.md says what happens when. */
import { isDeepStrictEqual } from 'node:util';
import { asRelayError, notConnected, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { shortId } from '../../domain/job.ts';
import { EMPTY_PREVIEW, INTERVAL_MS, type KeepPreview } from '../../domain/keep.ts';
import { pauseAfter } from '../../domain/pause.ts';
import { uriOf, withNames, without } from '../../domain/rows.ts';
import type { Library } from '../../library/library.ts';
import type { Store } from '../../store/store.ts';
import { getAccount } from '../../store/tables/account.ts';
import { getKeep, type Keep, type KeepChange, setKeep } from '../../store/tables/keeps.ts';
import type { Work } from '../../store/tables/works.ts';
import { decide, nextDue, requireKeepable, type Wanted, wantedOf } from './decide.ts';
import type { KeptWrites, KeptWritesContext, Revise } from './keptWrites.ts';
import { type ListedFacts, type Lookups, previewOf } from './lookups.ts';

export type RunContext = KeptWritesContext & { library: Library };
type Answer = Awaited<ReturnType<Library['follow']>>;

/** What a run did or would do. */
export interface Outcome {
  preview: KeepPreview;
  changeId?: string;
}

interface Ending extends Outcome {
  status: 'active' | 'waiting' | 'review';
  reason: string | null;
  /** When to try again, in Unix milliseconds; null if only a login or the next due time ends the wait. */
  retryAt: number | null;
  /** What the run did, in words; null if it was no run, so that the next due time stays as it is. */
  did: string | null;
  /** The rows that are there, if the run has found them as they should be. */
  leftRows?: readonly string[];
}

const LOOK_AT_JOB_MS = 60_000;
/** How long to wait while the library is not completely read, or after a failure without a time. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** Maximum number of tries to write. Before each further try, the rows that Spotify refuses are found and left out. */
const MAX_TURNS = 3;
const DAY_MS = 86_400_000;
const STILL_FAILS =
  'If it still fails when you run it, stop keeping the playlist, and add it again with another query.';
const IS_AWAY =
  'The playlist is not in your library any more. Put it back in Spotify, or stop keeping it and keep a new one.';
const UNDONE = 'Its last run was undone. If you accept, the next run writes what the query finds again.';

/** The ID of the account that requests can be sent for; null if nobody is logged in. */
export function connectedAccount(store: Store): string | null {
  const account = getAccount(store);
  return account === null || account.reauthorizationRequired ? null : account.providerUserId;
}

/** Why a kept playlist waits for a login; null if its account is connected. */
export function whyNotConnected(store: Store, { account }: Pick<Keep, 'account'>): string | null {
  const found = getAccount(store);
  if (found?.providerUserId !== account) return 'The account that it was made for is not connected.';
  return found.reauthorizationRequired ? 'The Spotify login has ended: log in again.' : null;
}

/**
 * Updates the row of a kept playlist, and saves. A playlist that waits often records the same again: then its row is not
 * written.
 * @throws RelayError `STORE_ERROR`
 */
export async function putKeep(store: Store, { id }: Pick<Keep, 'id'>, change: KeepChange): Promise<void> {
  const present = getKeep(store, id);
  if (present && !isDeepStrictEqual(present, { ...present, ...change })) setKeep(store, id, change);
  await store.saveNow();
}

/**
 * @param sqlOf the query that a kept playlist follows now
 * @param stopping aborts when the program ends: errors after that are not recorded as failures
 */
export function createRuns(
  context: RunContext,
  lookups: Lookups,
  writes: KeptWrites,
  sqlOf: (keep: Keep) => string,
  stopping: AbortSignal,
) {
  const { store, clock, random, library, log } = context;
  const { asListed, goneOf } = lookups;

  /**
   * Runs until nothing is left to do, a person has to decide, or the run has to wait. The record then says which.
   * @param maxAgeMinutes how old the copy of the library may be
   */
  async function run({ id }: Keep, maxAgeMinutes: number): Promise<Outcome> {
    const keep = getKeep(store, id);
    const ending = keep && (await endOf(keep, maxAgeMinutes).catch((thrown) => failed(keep, thrown)));
    if (keep === null || ending === null) return { preview: EMPTY_PREVIEW };
    await record(keep, ending);
    return ending;
  }

  /** Runs. Returns null if nothing is to be recorded, since a person has paused or stopped the playlist meanwhile. */
  async function endOf(given: Keep, maxAgeMinutes: number): Promise<Ending | null> {
    const away = whyNotConnected(store, given);
    if (away !== null) return waits(away, null);
    const last = writes.last(given);
    if (last?.outcome === null) return waitsFor(last);
    const isNoted = last === null || last.outcome === 'unchanged' || last.id === given.lastChange;
    // A person's `accept` was for that write, so it is used up.
    const keep = isNoted ? given : noted(given, last, writes.leftBy(last), { accepted: null });
    const job = keep.playlistId === null ? null : writes.heldBy(keep.playlistId);
    if (job !== null) return held(job);
    const answer = await askedOf(keep, maxAgeMinutes);
    // The answer may come from the library of another account.
    if (whyNotConnected(store, keep) !== null) throw notConnected();
    await lookups.withPresentNames([keep]);
    const { isToWrite, ...ending } = await plan(keep, answer);
    return isToWrite ? write(keep, wantedOf(answer.rows, keep.gone)) : ending;
  }

  /** Records what a write has left. */
  function noted(keep: Keep, work: Work, leftRows: readonly string[], more: KeepChange = {}): Keep {
    const playlistId = keep.playlistId ?? work.playlistId;
    setKeep(store, keep.id, { ...more, leftRows, playlistId, lastChange: work.id });
    return reread(keep);
  }

  /** The record of a kept playlist as it is now, but with the status from the start of the run. */
  function reread(keep: Keep): Keep {
    return { ...(getKeep(store, keep.id) ?? keep), status: keep.status };
  }

  /** What the query finds now. @throws RelayError `INVALID_ARGUMENT` if the query fails, or the errors of reading */
  async function askedOf(keep: Keep, maxAgeMinutes: number): Promise<Answer> {
    try {
      const answer = await library.follow(sqlOf(keep), maxAgeMinutes, { signal: stopping });
      requireKeepable(answer, wantedOf(answer.rows, keep.gone));
      return answer;
    } catch (thrown) {
      const { code, message } = asRelayError(thrown);
      // The computer may have been busy or asleep, so a query that takes too long is tried once more.
      const isLate = code === 'DEADLINE_EXCEEDED' && keep.failures > 0;
      if (code !== 'INVALID_ARGUMENT' && !isLate) throw thrown;
      throw new RelayError('INVALID_ARGUMENT', `The query fails now: ${message}`, { remedy: STILL_FAILS });
    }
  }

  /**
   * What the run comes to without a write, or what it would write, as far as the copy of the library tells. A dry run ends here.
   * @property isToWrite true if a run goes on to write
   */
  async function plan(keep: Keep, answer: Answer): Promise<Ending & { isToWrite?: true }> {
    const { playlistId } = keep;
    const { uris, leftOut } = wantedOf(answer.rows, keep.gone);
    const known = playlistId === null ? [] : await library.playlistRows(playlistId);
    const listed = await asListed(factsFor(keep, uris, known ?? []), known ?? [], null);
    const preview = await previewOf(library, listed.shown, listed.wanted, leftOut);
    const incomplete = notReadNow(answer);
    if (incomplete !== null) return waits(incomplete, LOOK_AGAIN_MS, { preview });
    const isAccepted = keep.accepted !== null;
    const unread = isAccepted ? null : notReadWhole(answer);
    if (unread !== null) return review(unread, preview);
    if (playlistId !== null && known === null && !writes.isNew(playlistId))
      return review(IS_AWAY, EMPTY_PREVIEW);
    const decision = decide(listed);
    if (decision.kind === 'nothing' && playlistId !== null && known !== null) {
      return done('nothing to change', preview, { leftRows: asWritten(uris, listed) });
    }
    const unheard = isAccepted ? null : await unheardDays(keep);
    if (unheard !== null) return review(unheard, preview);
    const ending = decision.kind === 'review' ? review(decision.reason, preview) : done('', preview);
    return { ...ending, isToWrite: true };
  }

  function factsFor({ leftRows: left, accepted }: Keep, wanted: readonly string[], shown: readonly string[]) {
    return { shown, left, wanted, accepted };
  }

  /** Why the rule `not-heard` cannot tell what was heard: it lacks the plays of all its days, or of the last of them. */
  async function unheardDays(keep: Keep): Promise<string | null> {
    const { name, value } = keep.rule ?? {};
    if (name !== 'not-heard' || typeof value !== 'number') return null;
    const plays = await library.playsRead(sqlOf(keep), { signal: stopping });
    const until = plays?.until ?? null;
    if (until !== null && clock.now() - Date.parse(until) <= value * DAY_MS) return null;
    const what = until === null ? 'there are none' : `the plays end on ${until.slice(0, 10)}`;
    return `The rule needs the plays of the last ${value} days, and ${what}. If you accept, this run does without them.`;
  }

  /** Writes the difference, and leaves out rows that Spotify refuses. */
  async function write(given: Keep, first: Wanted): Promise<Ending | null> {
    const known = (given.playlistId === null ? null : await library.playlistRows(given.playlistId)) ?? [];
    let [keep, wanted] = [given, first];
    for (let turn = 1; ; turn++) {
      const { uris, leftOut } = wanted;
      let view: View = { ...factsFor(keep, uris, []), originals: new Map(), review: null };
      // The copy may lag behind a write, so the present rows are read and judged before anything is written.
      const revise: Revise = async (items) => {
        // A row may have lost its item at Spotify after the copy was read. So the copy says which item that was. If the copy does
        // not know, `decide` uses the rows that the last run left.
        const shown = withNames(items.map(uriOf), known);
        const listed = await asListed(factsFor(keep, uris, shown), known, items);
        const decision = decide(listed);
        view = { ...listed, review: decision.kind === 'review' ? decision.reason : null };
        if (decision.kind === 'review') throw new RelayError('CONFLICT', decision.reason);
        return decision.kind === 'write' ? { ...listed, present: decision.present } : null;
      };
      const previewNow = () => previewOf(library, view.shown, view.wanted, leftOut);
      const end = await writes
        .write(keep, uris, revise, () => isHalted(keep))
        .catch((error: unknown) => ({ kind: 'refused' as const, error }));
      if (end.kind === 'refused') {
        if (view.review !== null) return review(view.review, await previewNow());
        const job = keep.playlistId === null ? null : writes.heldBy(keep.playlistId);
        if (job !== null && asRelayError(end.error).code === 'CONFLICT') return held(job);
        throw end.error;
      }
      if (end.kind === 'nothing') {
        if (isHalted(keep)) return null;
        return done('nothing to change', await previewNow(), { leftRows: asWritten(uris, view) });
      }
      const { id, playlistId, outcome } = end.work;
      if (end.kind === 'continues') {
        setKeep(store, keep.id, { playlistId: keep.playlistId ?? playlistId });
        return waitsFor(end.work, { preview: await previewNow(), changeId: id });
      }
      if (outcome !== 'unchanged') keep = noted(keep, end.work, asWritten(writes.leftBy(end.work), view));
      if (end.cause === null) return wrote(await previewNow(), id);
      // Spotify may have refused the request because of one of its rows.
      const isRow = failureClassOf(end.cause) === 'item' && turn < MAX_TURNS;
      const gone = isRow ? await goneOf(without(uris, view.shown)) : [];
      if (gone.length === 0) throw end.cause;
      setKeep(store, keep.id, { gone: [...keep.gone, ...gone] });
      keep = reread(keep);
      wanted = { uris: uris.filter((uri) => !gone.includes(uri)), leftOut: 0 };
      wanted.leftOut = leftOut + uris.length - wanted.uris.length;
    }
  }

  /** True if a person has paused the playlist, or stopped keeping it, since the run began. */
  function isHalted({ id, status }: Keep): boolean {
    const now = getKeep(store, id);
    return now === null || (now.status === 'paused' && status !== 'paused');
  }

  // The ways in which a run ends

  /** @param ms how long; null if only a login ends the wait */
  function waits(reason: string, ms: number | null, more: Partial<Outcome> = {}): Ending {
    // An early run does no harm: while a rate limit lasts, relay sends no request that it covers.
    const retryAt = ms === null ? null : clock.now() + ms;
    return { status: 'waiting', reason, retryAt, did: null, preview: EMPTY_PREVIEW, ...more };
  }

  function review(reason: string, preview: KeepPreview, did: string | null = 'nothing written'): Ending {
    return { status: 'review', reason, preview, retryAt: null, did };
  }

  function done(did: string, preview: KeepPreview, more: Pick<Ending, 'leftRows' | 'changeId'> = {}): Ending {
    return { status: 'active', reason: null, preview, retryAt: null, did, ...more };
  }

  function held(job: string): Ending {
    return waits(`Job ${job} writes to this playlist and is not over; the run follows it.`, LOOK_AT_JOB_MS);
  }

  /** The last write still continues as a job, or its job waits for a person. */
  function waitsFor(last: Work, more: Partial<Outcome> = {}): Ending {
    const job = `job ${shortId(last.id)}`;
    if (last.status !== 'failed') return waits(`Its last write continues as ${job}.`, LOOK_AT_JOB_MS, more);
    const what = last.reviewRequired ? 'Somebody changed it during the write' : 'Its last write has failed';
    return review(`${what}: see ${job}.`, EMPTY_PREVIEW, null);
  }

  function wrote(preview: KeepPreview, changeId: string): Ending {
    const { added_count: added, removed_count: removed, total } = preview;
    const did = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])];
    return done(did.join(', ') || (total === 0 ? 'no song matches' : 'reordered'), preview, { changeId });
  }

  function failed(keep: Keep, thrown: unknown): Ending | null {
    const away = whyNotConnected(store, keep);
    if (away !== null) return waits(away, null);
    const error = asRelayError(thrown);
    if (stopping.aborted || error.code === 'SHUTTING_DOWN') return null;
    if (error.code === 'INTERNAL')
      log.error({ err: thrown, keep: keep.id }, 'a kept playlist could not be run');
    if (NEEDS_REVIEW.has(error.code)) {
      return review(`${error.message} ${error.remedy ?? ''}`.trim(), EMPTY_PREVIEW);
    }
    const failures = (getKeep(store, keep.id)?.failures ?? 0) + 1;
    const now = clock.now();
    const { until } = pauseAfter(error, { failures, now, fraction: random.fraction() });
    setKeep(store, keep.id, { failures });
    return waits(`${error.code}: ${error.message}`, until === null ? LOOK_AGAIN_MS : until - now);
  }

  async function record(keep: Keep, ending: Ending): Promise<void> {
    const { status, reason, preview, retryAt, did, leftRows } = ending;
    // If the playlist was paused during the run, it stays due, and the review follows once the playlist is resumed.
    if (status === 'review' && isHalted(keep)) return;
    const [now, interval] = [clock.now(), INTERVAL_MS[keep.every]];
    const ran = { lastRunAt: now, dueAt: nextDue(keep.dueAt, interval, now), failures: 0, accepted: null };
    await putKeep(store, keep, {
      // A person may have a paused playlist run once.
      status: getKeep(store, keep.id)?.status === 'paused' ? 'paused' : status,
      reason,
      preview: status === 'review' ? preview : null,
      retryAt: retryAt === null ? null : Math.min(retryAt, now + interval),
      ...(did === null ? {} : { ...ran, lastResult: did }),
      ...(leftRows === undefined ? {} : { leftRows }),
    });
  }

  /** Puts a kept playlist up for review if its last run was undone since, without waiting for the next run. */
  async function noticeUndo(keep: Keep): Promise<void> {
    const { lastChange, leftRows, status } = keep;
    if (lastChange === null || leftRows === null || status === 'paused' || status === 'review') return;
    const undone = writes.undone(lastChange, keep.lastRunAt ?? 0);
    if (undone === null) return;
    const reason = undone.isMade ? IS_AWAY : UNDONE;
    const preview = undone.isMade ? EMPTY_PREVIEW : await previewOf(library, undone.rows, leftRows, 0);
    await record(keep, review(reason, preview, null));
  }

  return { run, plan, noticeUndo };
}

/** Says what the library has not read completely yet, or not now; null if the answer is current. */
export function notReadNow({ note, unread, coverage: { saved, playlists } }: Answer): string | null {
  if (note !== undefined) return note;
  const short = unread.filter(({ id, why }) => id !== null && why === 'short').length;
  const isRead = saved === 'complete' && playlists.read + playlists.unreadable + short === playlists.total;
  return isRead ? null : 'The library has not been read completely yet.';
}

/** Says which lists could not be read whole although they could before; null if there are none. */
export function notReadWhole({ unread }: Answer): string | null {
  const of = (why: 'refused' | 'short') =>
    unread.flatMap((one) => (one.why === why ? [`"${one.name}"`] : [])).join(', ');
  const [refused, short] = [of('refused'), of('short')];
  if (refused === '' && short === '') return null;
  return [
    ...(refused === '' ? [] : [`Spotify does not give the rows of ${refused} now.`]),
    ...(short === '' ? [] : [`Spotify gives only a part of the rows of ${short} now.`]),
    'The query may read them. If you accept, this run does without what is missing.',
  ].join(' ');
}

/** The rows that were there when a write was decided, and why a person has to decide; null if nobody has to. */
type View = ListedFacts & { review: string | null };

/** The rows under the IDs that they were written with, by which they are removed later. */
function asWritten(rows: readonly string[], { originals }: Pick<ListedFacts, 'originals'>): string[] {
  return rows.map((uri) => originals.get(uri) ?? uri);
}

/** Codes of failures that do not pass by themselves, so that a person reviews them. */
const NEEDS_REVIEW: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'FORBIDDEN',
  'UNSUPPORTED_ITEMS',
  'INTERNAL',
]);
