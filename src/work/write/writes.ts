/** The one way to write to playlists and the library: carry out a write, continue it, cancel it. */
import { aborted, firstOf, NEVER } from '../../base/abort.ts';
import { isoOf } from '../../base/clock.ts';
import { createMutex } from '../../base/mutex.ts';
import type { ChangeKind, ChangeOp, DetailValues, Former } from '../../domain/change.ts';
import { asRelayError, notConnected, otherAccount, RelayError } from '../../domain/errors.ts';
import { JOB_ATTEMPTS, type JobPayload, shortId } from '../../domain/job.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { getAccount } from '../../store/tables/account.ts';
import {
  type Body,
  dropWork,
  getBody,
  getWorkBySeq,
  hasBody,
  insertWork,
  type Notes,
  openWrites,
  pruneBodies,
  putBody,
  setWork,
  type Work,
} from '../../store/tables/works.ts';
import { formerFacts, reread, type WorkContext } from '../moves.ts';
import { drive } from './drive.ts';
import {
  type Control,
  type DriveEnd,
  type Failures,
  isRewriting,
  isUntouched,
  type Waiter,
} from './progress.ts';
import { requestCount, requestsOf } from './states.ts';
import { settleTarget, soberNow } from './times.ts';

/** How many ended writes can be undone, how large they may be in all (compressed), and for how long. */
const KEPT = { count: 200, bytes: 8 * 1024 * 1024 };
const KEPT_MS = 30 * 86_400_000;

/** A write that somebody asks for, before it is stored. */
export interface WriteRequest {
  kind: ChangeKind;
  /** null for the library, and for a playlist that is to be made. */
  playlistId: string | null;
  askedBy: string;
  requested: number;
  /** Key of the work with the list to write, if that is stored already. */
  work?: number;
  /** ID of the account that the write is for; by default the account that is connected when it begins. */
  account?: string;
  undoes?: number;
  /** Set if this one undoes all works of an import. */
  batch?: string;
  /**
   * Reads what is there and returns what to do; null if there is nothing to do. Called when the earlier writes to the playlist
   * have ended.
   */
  prepare(call: Call): Promise<Prepared | null>;
}

export interface Prepared {
  /** Number of entries, if it is known only after reading; replaces `requested` of the request. */
  requested?: number;
  former: Former;
  ops: readonly ChangeOp[];
  notes?: Notes;
}

/** How far a write got when its run ended. */
export interface RunReport {
  work: Work;
  body: Body;
  end: DriveEnd;
  /** The playlist that the write made; null if it made none. */
  playlist: Playlist | null;
  /** Requests that the write takes, and those that this run has completed. Of halved ones, as many originals as are completed. */
  requests: { total: number; completed: number };
}

/** How a write stands when its caller stops waiting. */
export type WriteResult =
  | ({ kind: 'ended' } & RunReport)
  /**
   * It continues as a job: by itself, or once a person has decided if it is `inReview`. `cause` says why it could not end; null if
   * the caller's time was up.
   */
  | ({ kind: 'listed'; cause: RelayError | null; inReview: boolean } & Omit<RunReport, 'end'>)
  | { kind: 'nothing_to_do' };

export type Writes = ReturnType<typeof createWrites>;

/**
 * Lists a work as a job.
 * @param end how its last run ended; null while it is being written, and after a crash
 * @param isStopped true if the caller has left: relay finds out how far the write got, and sends nothing more
 */
type ListWork = (work: Work, end: DriveEnd | null, isStopped: boolean) => Promise<void>;

interface RunOptions {
  /** Ends the run when it aborts, for example when the server stops. */
  signal: AbortSignal;
  maxAttempts: number;
  before: Failures;
  /** True to find out how the last request ended, and send nothing more. */
  cancelled?: boolean;
}

/** A write that is being worked on, or will be once it has its turn. */
interface Active extends Control {
  /** Key of the work; null until its write is stored. */
  seq: number | null;
  /** Makes the run stop before its next request, and drops a request that still waits for a limit. */
  cancel(): void;
  /** True if the caller was told that nothing was begun. */
  abandoned: boolean;
  total: number;
  done: Promise<RunReport | null>;
}

/** Pause before checking again whether another work still writes to the target. */
const ASK_AGAIN_MS = 400;

/** The options of the first run, for a caller who waits. */
const FIRST = { maxAttempts: JOB_ATTEMPTS, before: { count: 0, code: null }, signal: NEVER };

/** One per process, since it makes writes to one target take turns. */
export function createWrites(context: WorkContext) {
  const { store, clock, random, rows } = context;
  const stopping = new AbortController();
  const active = new Set<Active>();
  /** Spotify does not keep the order of writes that come at the same time. */
  const turns = createMutex();
  let list: ListWork = async () => {};

  const of = (seq: number) => [...active].find((entry) => entry.seq === seq);

  function fresh(waiter: Waiter | null, options: RunOptions, call?: Call): Active {
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
      done: Promise.resolve(null),
      onProgress() {
        const { completed, total } = entry;
        if (total > 1) call?.progress(Math.min(completed, total), total);
      },
    };
    return entry;
  }

  /** Stores a write before its first request: as a row of its own, or in the row of the list that it writes. */
  async function insert(
    request: WriteRequest,
    { requested = request.requested, ops }: Prepared,
    body: Body,
    account: string,
    entry: Active,
  ): Promise<Work> {
    const { kind, playlistId, askedBy, undoes = null, batch = null, work: seq } = request;
    const now = clock.now();
    const before = seq === undefined ? null : reread(store, { seq });
    // A listed job may have been cancelled since.
    const state = before?.listed ? {} : WRITING;
    const write = { kind, playlistId, account, requested, ...NOT_BEGUN, ...state };
    const id = before?.id ?? random.uuid();
    entry.total = requestCount(ops);
    return store.durable(
      () => {
        pruneBodies(store, { ...KEPT, since: soberNow(context) - KEPT_MS });
        const work = before
          ? setWork(store, before.seq, write, now)
          : insertWork(
              store,
              { ...ownWork(id, playlistId, ops), ...write, ...WRITING, askedBy, undoes, batch },
              body,
              now,
            );
        if (before) putBody(store, work.seq, body);
        // A cancel that arrives while the work is being saved must find it.
        entry.seq = work.seq;
        return work;
      },
      () => {
        entry.seq = null;
        if (!before) return store.run('delete from works where id = ?', [id]);
        setWork(store, before.seq, formerFacts(before, write), clock.now());
        if (before.outcome === null) putBody(store, before.seq, null);
      },
    );
  }

  function stateOf(seq: number, { playlist, completed }: Active): Omit<RunReport, 'end'> {
    const work = reread(store, { seq });
    const body = getBody(store, seq);
    const total = requestCount(body.ops);
    return { work, body, playlist, requests: { total, completed: Math.min(completed, total) } };
  }

  function report(seq: number, end: DriveEnd, entry: Active): RunReport {
    const result = { ...stateOf(seq, entry), end };
    const { listed, outcome, totalItems } = result.work;
    if (listed || outcome === null) return result;
    // A call with a list drops its work itself. Without effect there is nothing to undo.
    if (outcome === 'unchanged' && totalItems === 0) dropWork(store, seq);
    return result;
  }

  /** @param turn waits until the write may begin, and returns the function that ends its turn */
  function launch<T extends RunReport | null>(
    entry: Active,
    turn: () => Promise<() => void>,
    work: () => Promise<T>,
  ): Promise<T> {
    active.add(entry);
    const inTurn = async () => {
      const release = await turn();
      return work().finally(release);
    };
    const done = inTurn().finally(() => active.delete(entry));
    entry.done = done;
    return done;
  }

  /** Runs a write. Rows that were read before or during the run are not reused. */
  async function driven({ seq, playlistId }: Work, entry: Active): Promise<DriveEnd> {
    if (playlistId !== null) rows.forget(playlistId);
    try {
      const end = await drive(context, { seq }, entry);
      // The end is saved before anybody is told. Otherwise the next start after a crash might carry out what has failed, or put
      // back what a person has taken out since. If the disk is full, nothing can be done about that.
      if (end.kind === 'ended') await store.saveNow().catch(() => {});
      return end;
    } finally {
      const written = getWorkBySeq(store, seq)?.playlistId ?? playlistId;
      if (written !== null) rows.forget(written);
    }
  }

  /** The account that a request reads and writes with, even if another one is connected meanwhile. */
  function accountOf({ account }: WriteRequest): string {
    const connected = getAccount(store)?.providerUserId;
    if (connected === undefined) throw notConnected();
    if (account === undefined || account === connected) return connected;
    throw otherAccount('This job', { next: ' and resume the job, or cancel the job.' });
  }

  function start(request: WriteRequest, entry: Active, call: Call, waits?: AbortSignal) {
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
        else throw underWay(other, entry.waiter === null ? 'INTERRUPTED' : 'CONFLICT');
      }
    }
    return launch(entry, turn, async () => {
      const account = accountOf(request);
      if (playlistId !== null) await settleTarget(context, playlistId, call);
      const prepared = await request.prepare({ ...call, account });
      if (!prepared) return null;
      const { former, ops, notes } = prepared;
      const body = { former, ops: requestsOf(ops), ...(notes ? { notes } : {}) };
      call.signal.throwIfAborted();
      stopping.signal.throwIfAborted();
      if (entry.abandoned) return null;
      const work = await insert(request, prepared, body, account, entry);
      return report(work.seq, await driven(work, entry), entry);
    });
  }

  /** Lists the work as a job, since nobody waits for it from here on. */
  async function listed(entry: Active, end: OpenEnd | null, isStopped = false): Promise<WriteResult> {
    entry.waiter = null;
    const state = stateOf(entry.seq ?? 0, entry);
    await list(state.work, end, isStopped);
    return { kind: 'listed', ...state, cause: end?.cause ?? null, inReview: end?.kind === 'review' };
  }

  return {
    /**
     * Carries out a write for a caller who waits for a limited time. If the caller leaves, the write stops before its next request;
     * if the time is up, it continues.
     * @throws RelayError from `prepare`, or `STORE_ERROR`. If nothing was begun: `DEADLINE_EXCEEDED`, or the reason of
     * `call.signal`. If the server stops: `SHUTTING_DOWN`, which names the job that continues after the next start
     */
    async run(
      request: WriteRequest,
      call: Call,
      { ms, for: waiter = 'call' }: { ms: number; for?: Waiter },
    ): Promise<WriteResult> {
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
            details: namesOf(reread(store, { seq: entry.seq as number })),
          });
        }
        if (reason.code === 'DEADLINE_EXCEEDED') return listed(entry, null);
        entry.cancel();
        const last = await done;
        if (!last) return { kind: 'nothing_to_do' };
        // A write that cannot end now must not wait for the next start. A rewrite is never left half done.
        const isStopped = !last.work.goingBack && !isRewriting(last);
        return isOpen(last.end) ? listed(entry, last.end, isStopped) : { kind: 'ended', ...last };
      }
      if (outcome === 'late') return listed(entry, null);
      if (outcome === null) return { kind: 'nothing_to_do' };
      return isOpen(outcome.end) ? listed(entry, outcome.end) : { kind: 'ended', ...outcome };
    },
    /**
     * Carries out a write for which nobody waits. Returns null if nothing had to be changed.
     * @throws RelayError from `prepare`, or `STORE_ERROR`; nothing was sent then
     */
    async begin(request: WriteRequest, options: RunOptions): Promise<RunReport | null> {
      const call: Call = { signal: AbortSignal.any([stopping.signal, options.signal]), progress() {} };
      return start(request, fresh(null, options, call), call);
    },
    /** Continues a write, or joins the run that works on it. */
    async resume(work: Work, options: RunOptions): Promise<RunReport> {
      const { seq } = work;
      const running = of(seq);
      if (running) {
        running.waiter = null;
        if (options.cancelled) running.cancel();
        const result = await running.done;
        if (result) return result;
      }
      const entry = fresh(null, options);
      entry.seq = seq;
      const turn = () => turns.acquire(turnOf(work, work.id));
      return launch(entry, turn, async () => {
        const present = reread(store, work);
        const end = present.outcome === null ? await driven(present, entry) : endOf(present);
        return report(seq, end, entry);
      });
    },
    /**
     * Makes a write stop before its next request. Resolves when no run works on it, or when `signal` aborts.
     * @param decided no request is sent until it settles; if it rejects, the write continues and `cancel` rejects too
     */
    async cancel(seq: number, signal: AbortSignal, decided: Promise<void>): Promise<void> {
      const sending = of(seq);
      if (sending) sending.decided = decided.catch(() => {});
      await decided;
      const running = of(seq);
      if (running) {
        running.cancel();
        await Promise.race([running.done.catch(() => {}), aborted(signal)]);
        return;
      }
      const work = getWorkBySeq(store, seq);
      if (!work || work.outcome !== null || work.sending || !hasBody(store, seq)) return;
      const outcome = isWithoutEffect(work) ? 'unchanged' : 'partial';
      setWork(store, seq, { outcome }, clock.now());
    },
    /** Sets the function that lists as a job what continues without its caller. */
    listWith(next: ListWork): void {
      list = next;
    },
    /** Sends nothing new; resolves when every run has ended. */
    async stop(): Promise<void> {
      stopping.abort(new RelayError('SHUTTING_DOWN', 'The server is stopping.'));
      await Promise.all([...active].map(({ done }) => done.catch(() => {})));
    },
  };
}

/** What a work that begins to write, or begins again, knows of how far it is. */
const NOT_BEGUN = {
  outcome: null,
  step: 0,
  sending: true,
  goingBack: false,
  uncertain: false,
  written: 0,
  snapshotId: null,
  error: null,
  completedAt: null,
} as const;

const WRITING = { status: 'committing', phase: 'commit' } as const;

/** The work of a write that no list asked for. Its items are stored only if it continues without its caller. */
function ownWork(id: string, playlistId: string | null, ops: readonly ChangeOp[]) {
  const made: DetailValues = ops.find((op) => op.op === 'create')?.details ?? {};
  const payload: JobPayload = {
    playlist_id: playlistId ?? undefined,
    name: made.name,
    description: made.description,
    public: made.public,
    strict: false,
    dry_run: false,
    skip_existing: false,
    skip_duplicates: false,
  };
  return { id, payload, maxAttempts: JOB_ATTEMPTS };
}

/** The write to the playlist that is not finished, and continues by itself; null if there is none. */
function unfinishedOn(store: WorkContext['store'], playlistId: string): Work | null {
  const isGoing = ({ status }: Work) => status === 'waiting' || status === 'committing';
  return openWrites(store, playlistId).find(isGoing) ?? null;
}

/** The error for a write to a playlist while an earlier one waits. @param code `INTERRUPTED` makes a job try again later */
function underWay({ id, runAfter }: Work, code: 'CONFLICT' | 'INTERRUPTED'): RelayError {
  const until = runAfter === null ? '' : ` until ${isoOf(runAfter)}`;
  const short = shortId(id);
  return new RelayError(code, `Another write to this playlist is not finished: job ${id} waits${until}.`, {
    remedy: `Nothing was begun. Try again when the job has ended ({get_job_status|relay jobs show ${short}}), or end it with {cancel_job|relay jobs cancel ${short}}.`,
    details: { job_id: id, status: 'waiting' },
  });
}

function notBegun(): RelayError {
  return new RelayError(
    'DEADLINE_EXCEEDED',
    'Nothing was begun: reading the playlist or library took too long, or another write to it is under way.',
    { remedy: 'Try again in a minute; {list_jobs|relay jobs} shows what is being written.' },
  );
}

/** A write that goes on without its caller is found as a change and as a job. */
export function namesOf({ id }: Work): { change_id: string; job_id: string } {
  return { change_id: id, job_id: id };
}

/** Writes to one playlist take turns, and so do writes to the library. A playlist that is not made yet has its own turn. */
function turnOf({ playlistId, kind }: Pick<Work, 'playlistId' | 'kind'>, own: string): string {
  return playlistId ?? (kind === 'create' ? own : 'library');
}

/** True if it is certain that no request of an open write took effect, and that none is under way. */
function isWithoutEffect(work: Work): boolean {
  return isUntouched({ work }) && !work.uncertain && !work.goingBack;
}

function endOf({ error }: Work): DriveEnd {
  return { kind: 'ended', cause: error ? new RelayError('PARTIAL_WRITE', error.message) : null };
}

type OpenEnd = Extract<DriveEnd, { kind: 'paused' | 'review' | 'failed' }>;

function isOpen(end: DriveEnd): end is OpenEnd {
  return end.kind === 'paused' || end.kind === 'review' || end.kind === 'failed';
}
