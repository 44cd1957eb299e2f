/** Changes as the rest of the program uses them: carry out a change, continue or cancel it, or accept it under review. */
import { aborted, firstOf, NEVER } from '../base/abort.ts';
import { isoOf } from '../base/clock.ts';
import { createMutex } from '../base/mutex.ts';
import type { ChangeKind, ChangeOp, Former } from '../domain/change.ts';
import { asRelayError, notConnected, otherAccount, RelayError } from '../domain/errors.ts';
import { JOB_ATTEMPTS, shortId } from '../domain/job.ts';
import { uriOf } from '../domain/rows.ts';
import type { Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import {
  type Change,
  type ChangeBody,
  dropChange,
  endPartly,
  getChangeBody,
  getChangeBySeq,
  insertChange,
  openChangesOf,
  packBody,
  pruneChanges,
  putChangeBody,
  reopenChange,
  setChange,
} from '../store/tables/changes.ts';
import { dropJob, getJobBySeq, insertJob, type Job } from '../store/tables/jobs.ts';
import { drive } from './drive.ts';
import { ownJob } from './ownJob.ts';
import { type ChangeContext, reread } from './record.ts';
import { requestCount, requestsOf } from './rowOps.ts';
import { type Control, type DriveEnd, type Failures, isRewriting, isUntouched, type Waiter } from './run.ts';
import { withinLast } from './times.ts';

/** How many ended changes are kept for undo, how large they may be in all (compressed), and for how long. */
const KEPT = { count: 200, bytes: 8 * 1024 * 1024 };
const KEPT_MS = 30 * 86_400_000;

/** A change that somebody asks for, before it is stored. */
export interface ChangeRequest {
  /** ID of the new change, if it has to be the ID of its job. */
  id?: string;
  kind: ChangeKind;
  /** ID of the playlist to write to; null for the library, and for a playlist that is to be made. */
  playlistId: string | null;
  /** Who asked, as `relay history` shows it: `tool NAME`, `job ID` or `relay undo`. */
  askedBy: string;
  /** Number of entries that the caller asked for. */
  requested: number;
  /**
   * Key of the job that the change belongs to. Without one, the change gets its own job, which is not listed while the
   * caller waits.
   */
  job?: number;
  /** ID of the account that the change is for; by default the account that is connected when the change begins. */
  account?: string;
  /** Key of the earlier change, if this one undoes it. */
  undoes?: number;
  /**
   * Reads what is there and returns what to do; null if there is nothing to do. Called when the earlier writes to the playlist
   * have ended.
   */
  prepare(call: Call): Promise<PreparedChange | null>;
}

/** What there is and what to do: all that is needed to store a change. */
export interface PreparedChange {
  /** Number of entries, if it is known only after reading; replaces `requested` of the request. */
  requested?: number;
  former: Former;
  ops: readonly ChangeOp[];
  notes?: Readonly<Record<string, unknown>>;
}

/** How far a change got when its run ended. */
export interface ChangeReport {
  change: Change;
  body: ChangeBody;
  end: DriveEnd;
  /** The playlist that the change made; null if it made none. */
  playlist: Playlist | null;
  /**
   * Number of requests for the original operations, and number of requests that this run has completed. If requests had to be
   * halved, as many of the original ones as are completed.
   */
  requests: { total: number; completed: number };
}

/** How a change stands when its caller stops waiting. */
export type ChangeResult =
  | ({ kind: 'ended' } & ChangeReport)
  /**
   * The change continues as a listed job: by itself, or once a person has decided if it is `inReview`. `cause` says why it could
   * not end; null if the caller's time was up.
   */
  | ({ kind: 'listed'; cause: RelayError | null; inReview: boolean } & Omit<ChangeReport, 'end'>)
  | { kind: 'nothing_to_do' };

/** The one way to write to playlists and the library. */
export interface Changes {
  /**
   * Carries out a change for a caller who waits for a limited time. If the caller leaves, the change stops before its next
   * request; if the time is up, it continues.
   * @throws RelayError from `prepare`, or `STORE_ERROR`. If nothing was begun: `DEADLINE_EXCEEDED`, or the reason of
   * `call.signal`. If the server stops: `SHUTTING_DOWN`, which names the job that continues the change after the next start
   */
  run(request: ChangeRequest, call: Call, wait: { ms: number; for?: Waiter }): Promise<ChangeResult>;
  /**
   * Carries out a change for which nobody waits. Returns null if nothing had to be changed.
   * @throws RelayError from `prepare`, or `STORE_ERROR`; nothing was sent then
   */
  begin(request: ChangeRequest, options: WorkOptions): Promise<ChangeReport | null>;
  /** Continues a change, or joins the run that works on it. */
  resume(seq: number, options: WorkOptions): Promise<ChangeReport>;
  /**
   * Makes a change stop before its next request. Resolves when no run works on the change, or when `signal` aborts.
   * @param decided no request is sent until it settles; if it rejects, the change continues and `cancel` rejects too
   */
  cancel(seq: number, signal: AbortSignal, decided: Promise<void>): Promise<void>;
  /**
   * Reads the playlist of a change under review, which a person keeps as it is. Returns what ends the change as `done`, and what
   * brings back the review if that cannot be saved; call each in a transaction.
   * @throws RelayError from reading
   */
  accept(seq: number): Promise<{ end(): void; reopen(): void }>;
  /** Sets the function that lists the job of a change that continues without its caller. */
  listWith(list: ListChange): void;
  /** Sends nothing new; resolves when every run has ended. */
  stop(): Promise<void>;
}

/**
 * Lists the job of a change.
 * @param end how the change's last run ended; null while the change is being written, and after a crash
 * @param isStopped true if the caller has left: relay finds out how far the change got, and sends nothing more
 */
type ListChange = (change: Change, end: DriveEnd | null, isStopped: boolean) => Promise<void>;

interface WorkOptions {
  /** Ends the run when it aborts, for example when the server stops. */
  signal: AbortSignal;
  maxAttempts: number;
  /** How the runs before this one failed. */
  before: Failures;
  /** True to find out how the last request ended, and send nothing more. */
  cancelled?: boolean;
}

/** A change that is being worked on, or will be once it has its turn. */
interface Active extends Control {
  /** Key of the change; null until the change is stored. */
  seq: number | null;
  /** Makes the run stop before its next request, and drops a request that still waits for a limit. */
  cancel(): void;
  /** True if the caller was told that nothing was begun. */
  abandoned: boolean;
  /** Number of requests that the change takes. */
  total: number;
  /** Ends the turn of the playlist that the change has made, so that other changes may write to it. */
  giveBack(): void;
  done: Promise<ChangeReport | null>;
}

/** How long to wait before checking again whether another change still writes to the target. */
const ASK_AGAIN_MS = 400;

/** The options of the first run, for a caller who waits. */
const FIRST = { maxAttempts: JOB_ATTEMPTS, before: { count: 0, code: null }, signal: NEVER };

/** The engine. One per process, since it makes writes to one target take turns. */
export function createChanges(context: ChangeContext): Changes {
  const { store, clock, random, rows } = context;
  const stopping = new AbortController();
  const active = new Set<Active>();
  /** Spotify does not keep the order of writes that come at the same time. */
  const turns = createMutex();
  let list: ListChange = async () => {};

  const of = (seq: number) => [...active].find((entry) => entry.seq === seq);

  function fresh(waiter: Waiter | null, options: WorkOptions, call?: Call): Active {
    const { maxAttempts, before, signal, cancelled = false } = options;
    const unsent = new AbortController();
    const entry: Active = {
      waiter,
      maxAttempts,
      before,
      cancelled,
      untilSent: unsent.signal,
      cancel() {
        entry.cancelled = true;
        unsent.abort(new RelayError('CANCELLED', 'It was cancelled.'));
      },
      signal: AbortSignal.any([stopping.signal, signal]),
      decided: Promise.resolve(),
      isNew: call !== undefined,
      seq: null,
      abandoned: false,
      total: 0,
      completed: 0,
      playlist: null,
      giveBack() {},
      done: Promise.resolve(null),
      onProgress() {
        const { completed, total } = entry;
        if (total > 1) call?.progress(Math.min(completed, total), total);
      },
      async takeTurn(playlistId) {
        entry.giveBack = await turns.acquire(playlistId);
      },
    };
    return entry;
  }

  async function insert(
    request: ChangeRequest,
    { requested = request.requested, ops }: PreparedChange,
    body: Uint8Array,
    account: string,
    entry: Active,
  ): Promise<Change> {
    const { id = random.uuid(), kind, playlistId, askedBy, undoes } = request;
    const now = clock.now();
    const row = {
      id,
      kind,
      playlistId,
      askedBy,
      requested,
      account,
      inTransit: true,
      serverTime: context.provider.serverTime(),
      ...(undoes === undefined ? {} : { undoes }),
    };
    entry.total = requestCount(ops);
    let { job } = request;
    return store.durable(
      () => {
        pruneChanges(store, { ...KEPT, kept: withinLast(context, KEPT_MS) });
        job ??= insertJob(store, ownJob(row, ops), 0, now);
        const change = insertChange(store, { ...row, job }, body, now);
        // A cancel that arrives while the change is being saved must find it.
        entry.seq = change.seq;
        return change;
      },
      () => {
        entry.seq = null;
        store.run('delete from changes where id = ?', [id]);
        if (request.job === undefined && job !== undefined) dropJob(store, job);
      },
    );
  }

  function stateOf(seq: number, { playlist, completed }: Active): Omit<ChangeReport, 'end'> {
    const change = reread(store, seq);
    const body = getChangeBody(store, seq);
    const total = requestCount(body.ops);
    return { change, body, playlist, requests: { total, completed: Math.min(completed, total) } };
  }

  function report(seq: number, end: DriveEnd, entry: Active): ChangeReport {
    const result = { ...stateOf(seq, entry), end };
    const { change } = result;
    const job = change.job === null ? null : getJobBySeq(store, change.job);
    if (change.outcome !== null && job?.listed === false) {
      // A change without effect cannot be undone.
      if (change.outcome === 'unchanged') dropChange(store, seq);
      // A job with items belongs to a call with a list. That call drops the job itself.
      if (job.totalItems === 0) dropJob(store, job.seq);
    }
    return result;
  }

  /** @param turn waits until the change may begin, and returns the function that ends its turn */
  function launch<T extends ChangeReport | null>(
    entry: Active,
    turn: () => Promise<() => void>,
    work: () => Promise<T>,
  ): Promise<T> {
    active.add(entry);
    const inTurn = async () => {
      const release = await turn();
      return work().finally(release);
    };
    const done = inTurn().finally(() => {
      active.delete(entry);
      entry.giveBack();
    });
    entry.done = done;
    return done;
  }

  /** Runs a change. Rows that were read before or during the run are not reused. */
  async function driven({ seq, playlistId }: Change, entry: Active): Promise<DriveEnd> {
    if (playlistId !== null) rows.forget(playlistId);
    try {
      const end = await drive(context, seq, entry);
      // The end is saved before anybody is told. Otherwise the next start after a crash might carry out what has failed, or put
      // back what a person has taken out since. If the disk is full, nothing can be done about that.
      if (end.kind === 'ended') await store.saveNow().catch(() => {});
      return end;
    } finally {
      const written = getChangeBySeq(store, seq)?.playlistId ?? playlistId;
      if (written !== null) rows.forget(written);
    }
  }

  /** The account that a request reads and writes with, even if another one is connected meanwhile. */
  function accountOf({ account }: ChangeRequest): string {
    const connected = getAccount(store)?.providerUserId;
    if (connected === undefined) throw notConnected();
    if (account === undefined || account === connected) return connected;
    throw otherAccount('This job', { next: ' and resume the job, or cancel the job.' });
  }

  function start(request: ChangeRequest, entry: Active, call: Call, waits?: AbortSignal) {
    const { playlistId } = request;
    const key = turnOf(request, random.uuid());
    async function turn(): Promise<() => void> {
      for (;;) {
        const release = await turns.acquire(key, waits);
        const other = playlistId === null ? null : unfinishedOn(store, playlistId);
        if (!other) return release;
        release();
        // A lane is about to take it up.
        if (other.status === 'committing') await clock.sleep(ASK_AGAIN_MS, call.signal);
        else throw entry.waiter === null ? interrupted(other) : underWay(other);
      }
    }
    return launch(entry, turn, async () => {
      const account = accountOf(request);
      const prepared = await request.prepare({ ...call, account });
      if (!prepared) return null;
      const { former, ops, notes } = prepared;
      const body = await packBody({ former, ops: requestsOf(ops), ...(notes ? { notes } : {}) });
      call.signal.throwIfAborted();
      stopping.signal.throwIfAborted();
      if (entry.abandoned) return null;
      const change = await insert(request, prepared, body, account, entry);
      return report(change.seq, await driven(change, entry), entry);
    });
  }

  /** Lists the job of the change, for which nobody waits from here on. */
  async function listed(entry: Active, end: OpenEnd | null, isStopped = false): Promise<ChangeResult> {
    entry.waiter = null;
    const state = stateOf(entry.seq ?? 0, entry);
    await list(state.change, end, isStopped);
    return { kind: 'listed', ...state, cause: end?.cause ?? null, inReview: end?.kind === 'review' };
  }

  return {
    async run(request, call, { ms, for: waiter = 'call' }) {
      const entry = fresh(waiter, FIRST, call);
      const done = start(request, entry, call, call.signal);
      const outcome = await firstOf(clock, done, call.signal, ms);
      if (outcome === 'late' && entry.seq === null) {
        entry.abandoned = true;
        throw notBegun();
      }
      if (outcome === 'left') {
        entry.abandoned = entry.seq === null;
        if (entry.seq === null) throw call.signal.reason;
        const reason = asRelayError(call.signal.reason);
        if (reason.code === 'SHUTTING_DOWN') {
          throw reason.with({
            message: `${reason.message} The write continues after the next start.`,
            details: continuation(reread(store, entry.seq)),
          });
        }
        if (reason.code === 'DEADLINE_EXCEEDED') return listed(entry, null);
        entry.cancel();
        const last = await done;
        if (!last) return { kind: 'nothing_to_do' };
        // A change that cannot end now must not wait for the next start. A rewrite is never left half done.
        const isStopped = !last.change.goingBack && !isRewriting(last);
        return isOpen(last.end) ? listed(entry, last.end, isStopped) : { kind: 'ended', ...last };
      }
      if (outcome === 'late') return listed(entry, null);
      if (outcome === null) return { kind: 'nothing_to_do' };
      return isOpen(outcome.end) ? listed(entry, outcome.end) : { kind: 'ended', ...outcome };
    },
    async begin(request, options) {
      const call: Call = { signal: AbortSignal.any([stopping.signal, options.signal]), progress() {} };
      return start(request, fresh(null, options, call), call);
    },
    async resume(seq, options) {
      const running = of(seq);
      if (running) {
        running.waiter = null;
        if (options.cancelled) running.cancel();
        const result = await running.done;
        if (result) return result;
      }
      const entry = fresh(null, options);
      entry.seq = seq;
      const change = reread(store, seq);
      const turn = () => turns.acquire(turnOf(change, change.id));
      return launch(entry, turn, async () => {
        const present = reread(store, seq);
        const end = present.outcome === null ? await driven(present, entry) : endOf(present);
        return report(seq, end, entry);
      });
    },
    async cancel(seq, signal, decided) {
      const sending = of(seq);
      if (sending) sending.decided = decided.catch(() => {});
      await decided;
      const running = of(seq);
      if (!running) {
        const change = getChangeBySeq(store, seq);
        if (change?.outcome === null && !change.inTransit) {
          const now = clock.now();
          if (isWithoutEffect(change)) setChange(store, seq, { outcome: 'unchanged', endedAt: now }, now);
          else endPartly(store, seq, now);
        }
        return;
      }
      running.cancel();
      await Promise.race([running.done.catch(() => {}), aborted(signal)]);
    },
    async accept(seq) {
      const { playlistId } = reread(store, seq);
      const call = { signal: stopping.signal, progress() {} };
      const present = playlistId === null ? null : (await rows.readFresh(playlistId, call)).map(uriOf);
      let reopen = () => {};
      const end = () => {
        const body = getChangeBody(store, seq);
        const change = reread(store, seq);
        if (present)
          putChangeBody(store, seq, {
            ...body,
            plan: { rows: present, ops: [] },
            notes: { ...body.notes, mixed: true },
          });
        const now = clock.now();
        // Nothing more is asked for than was written, so the history does not count what the person gave up. But a change that
        // asks for nothing empties the playlist.
        const requested = change.written || change.requested;
        setChange(store, seq, { outcome: 'done', requested, op: 0, endedAt: now, error: null }, now);
        reopen = () => {
          putChangeBody(store, seq, body);
          reopenChange(store, change);
        };
      };
      return { end, reopen: () => reopen() };
    },
    listWith(next) {
      list = next;
    },
    async stop() {
      stopping.abort(new RelayError('SHUTTING_DOWN', 'The server is stopping.'));
      await Promise.all([...active].map(({ done }) => done.catch(() => {})));
    },
  };
}

/** The job of a write to the playlist that is not finished, and continues by itself; null if there is none. */
function unfinishedOn(store: ChangeContext['store'], playlistId: string): Job | null {
  const jobs = openChangesOf(store, playlistId).map(({ job }) =>
    job === null ? null : getJobBySeq(store, job),
  );
  return jobs.find((job) => job?.status === 'waiting' || job?.status === 'committing') ?? null;
}

/** What makes a job try again later, without spending an attempt. */
function interrupted(job: Job): RelayError {
  return new RelayError('INTERRUPTED', underWay(job).message);
}

/** The error for a write to a playlist while an earlier one waits. */
function underWay({ id, runAfter }: Job): RelayError {
  const until = runAfter === null ? '' : ` until ${isoOf(runAfter)}`;
  const short = shortId(id);
  return new RelayError(
    'CONFLICT',
    `Another write to this playlist is not finished: job ${id} waits${until}.`,
    {
      remedy: {
        text: `Nothing was begun. Try again when the job has ended (get_job_status), or end it with cancel_job.`,
        terminal: {
          text: 'Nothing was begun. Try again when the job has ended ({1}), or end it with {2}.',
          commands: [
            ['jobs', 'show', short],
            ['jobs', 'cancel', short],
          ],
        },
      },
      details: { job_id: id, status: 'waiting' },
    },
  );
}

function notBegun(): RelayError {
  const words = 'shows what is being written.';
  return new RelayError(
    'DEADLINE_EXCEEDED',
    'Nothing was begun: reading the playlist or library took too long, or another write to it is under way.',
    {
      remedy: {
        text: `Try again in a minute; list_jobs ${words}`,
        terminal: { text: `Try again in a minute; {1} ${words}`, commands: [['jobs']] },
      },
    },
  );
}

/** The IDs by which to find a change that continues after the next start; its job has the same ID. */
export function continuation({ id }: Change): { change_id: string; job_id: string } {
  return { change_id: id, job_id: id };
}

/** Writes to one playlist take turns, and so do writes to the library. A playlist that is not made yet has its own turn. */
function turnOf({ playlistId, kind }: Pick<Change, 'playlistId' | 'kind'>, own: string): string {
  return playlistId ?? (kind === 'create' ? own : 'library');
}

/** True if it is certain that no request of an open change took effect, and that none is under way. */
function isWithoutEffect(change: Change): boolean {
  const { inTransit, uncertain, goingBack } = change;
  return isUntouched({ change }) && !inTransit && !uncertain && !goingBack;
}

function endOf(change: Change): DriveEnd {
  return {
    kind: 'ended',
    cause: change.error ? new RelayError('PARTIAL_WRITE', change.error.message) : null,
  };
}

type OpenEnd = Extract<DriveEnd, { kind: 'paused' | 'review' | 'failed' }>;

/** True if the change waits for something. */
function isOpen(end: DriveEnd): end is OpenEnd {
  return end.kind === 'paused' || end.kind === 'review' || end.kind === 'failed';
}
