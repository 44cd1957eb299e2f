/**
 * Kept playlists as the rest of the program uses them, and the one loop that runs them when they are due. README.md says what
 * happens when.
 */
import { aborted, firstOf } from '../../base/abort.ts';
import { isoOf } from '../../base/clock.ts';
import { createMutex } from '../../base/mutex.ts';
import { asRelayError, loginRequired, RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import { INTERVAL_MS, type KeepAction, type KeepPreview, type KeepRecord } from '../../domain/keep.ts';
import type { KeepAnswer, KeepRequest } from '../../domain/localApi.ts';
import type { PlaysRead } from '../../library/library.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import {
  dropKeep,
  getKeep,
  insertKeep,
  type Keep,
  type KeepChange,
  type KeepTimes,
  keepOfPlaylist,
  listKeeps,
  listKeepTimes,
  setKeep,
} from '../../store/tables/keeps.ts';
import { lastWriteAskedBy } from '../../store/tables/works.ts';
import { isUntouched } from '../write/progress.ts';
import { NOTHING, type Outcome, WAITS_FOR_REVIEW } from './endings.ts';
import { askedBy, connectedAccount, type KeepsContext, NOT_CONNECTED, putKeep } from './keepsContext.ts';
import { createLookups } from './lookups.ts';
import { requireKeepable, wantedOf } from './plan.ts';
import { createRun } from './run.ts';
import { isSource, requireSources, unheard } from './sources.ts';

/** How often to look at the wall clock: it may be set, and timers stop while the computer sleeps. */
const LOOK_MS = 60_000;
/** Maximum age of a check of the library that runs share, if they are due at about the same time. */
const SHARED_MINUTES = 1;
/** The same maximum if earlier runs took long. A question to the library allows the same age by default. */
const MAX_SHARED_MINUTES = 10;
/** How long a call may wait for a run; after that the run continues without the caller. */
const CALLER_MS = 36_000;
const STILL_RUNNING =
  'The run has not ended yet and continues by itself. Call list_kept_playlists in a minute to see what it did.';

const STOPPED = 'It is no longer kept: no run follows, and its songs stay.';
const STILL_WRITING =
  'It is no longer kept: no run follows. Its last write has begun and is not over yet; list_changes shows how it ends.';

type Caller = { signal: AbortSignal };
type ShownRun = KeepAnswer & { preview: KeepPreview };

/** The playlist that is to be kept. */
interface Target {
  name: string;
  /** @throws RelayError `CONFLICT` if it is kept by now */
  requireFree(): void;
}

export interface Keeps {
  /**
   * Keeps a playlist, and runs it once. With `dryRun`, only says what the run would do.
   * @throws RelayError `INVALID_ARGUMENT` for a query that cannot be kept. `FORBIDDEN` for somebody else's playlist, or for a
   *   query that names a playlist which relay cannot read. `CONFLICT` if it is kept already. Also `LOGIN_REQUIRED`, and the
   *   errors of reading
   */
  add(asked: KeepRequest, call: Caller): Promise<ShownRun>;
  /** Lists the kept playlists under the names that they had at their last run or `listNow`. Reads no file. */
  list(): KeepRecord[];
  /** Lists the kept playlists under the names that the copy of the library has. */
  listNow(): Promise<KeepRecord[]>;
  /** @param id an ID, or its first characters. @throws RelayError `NOT_FOUND`, or `INVALID_ARGUMENT` if several begin so */
  get(id: string): KeepRecord;
  /**
   * Carries out an action. `run` and `accept` wait for the run, but only for the rest of a call's time.
   * @param id as for `get`
   * @throws RelayError as `get` does; `CONFLICT` if there is nothing to accept; `LOGIN_REQUIRED` if it has to run
   */
  act(id: string, action: KeepAction, call: Caller): Promise<KeepAnswer>;
  /** Tells the loop that an account was connected: kept playlists that waited for this continue. */
  loggedIn(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createKeeps(context: KeepsContext): Keeps {
  const { store, clock, random, library, provider, works, log } = context;
  const stopping = new AbortController();
  const lookups = createLookups(context, stopping.signal);
  const { run, rehearse, sourcesAway, underPresentName } = createRun(context, lookups, stopping.signal);
  let wake = new AbortController();
  const turns = createMutex();
  let loop: Promise<void> = Promise.resolve();

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    return turns.runExclusive('run', () => {
      stopping.signal.throwIfAborted();
      return work();
    });
  }

  function need(id: string): Keep {
    const found = id === '' ? [] : listKeeps(store).filter((keep) => keep.id.startsWith(id));
    const [first, other] = found;
    if (first && (!other || first.id === id)) return first;
    const what = first
      ? `Several kept playlists have an ID that begins with "${id}".`
      : `No playlist is kept as ${id}.`;
    throw new RelayError(first ? 'INVALID_ARGUMENT' : 'NOT_FOUND', what, {
      remedy: { text: 'list_kept_playlists or {command} lists them.', command: ['keep'] },
    });
  }

  const recordOf = (keep: Keep) => recordFor(connectedAccount(store), keep);

  /** The present row of a kept playlist; null if it is not kept any more. */
  const now = (keep: Keep) => getKeep(store, keep.id);

  /**
   * Waits for a run for the rest of a call's time; the run continues after that.
   * @param begunAt when the call began, in monotonic milliseconds
   */
  async function inTime(
    work: Promise<Outcome>,
    { signal }: Caller,
    begunAt: number,
  ): Promise<Outcome & { note?: string }> {
    const leftMs = Math.max(0, begunAt + CALLER_MS - clock.monotonic());
    const first = await firstOf(clock, work, signal, leftMs);
    if (first === 'left') throw signal.reason;
    return first === 'late' ? { ...NOTHING, note: STILL_RUNNING } : first;
  }

  /** Runs a kept playlist at once, for a caller who waits. */
  async function runNow(
    keep: Keep,
    maxAgeMinutes: number,
    call: Caller,
    begunAt = clock.monotonic(),
  ): Promise<ShownRun> {
    const { preview, changeId, note } = await inTime(
      exclusively(() => run(keep, maxAgeMinutes)),
      call,
      begunAt,
    );
    const record = recordOf(now(keep) ?? keep);
    const plays = await library.playsRead(keep.query, call);
    return {
      keep: record,
      preview: record.preview ?? preview,
      ...(changeId ? { change_id: changeId } : {}),
      ...(note ? { note } : {}),
      ...warningOf(plays),
    };
  }

  /** @param kept the playlist as it is kept, if it is. @throws RelayError `CONFLICT` */
  function requireUnkept(kept: Keep | null | undefined, asked: KeepRequest): void {
    if (!kept) return;
    const isSame = kept.query === asked.sql && kept.every === asked.every;
    throw new RelayError('CONFLICT', `The playlist "${kept.name}" is kept already.`, {
      remedy: isSame ? nothingToAdd(kept) : stopFirst(kept, asked),
    });
  }

  /**
   * A new playlist that is to be kept. A kept one of the same name counts as the same: if a call is sent again, the playlist of
   * the first may not be in Spotify's list yet, or may still have to be made.
   */
  async function requireNew(asked: KeepRequest, account: string): Promise<Target> {
    const name = asked.name ?? '';
    const named = () => listKeeps(store).filter((keep) => keep.account === account && keep.name === name);
    const renamed = new Set<string>();
    for (const { id, playlistId } of named()) {
      const facts = playlistId === null ? null : await library.playlistFacts(playlistId);
      if (facts !== null && facts.name !== name) renamed.add(id);
    }
    const requireFree = () =>
      requireUnkept(
        named().find(({ id }) => !renamed.has(id)),
        asked,
      );
    requireFree();
    return { name, requireFree };
  }

  /** A kept playlist that is being made: until its first write has ended, only that write knows the playlist's ID. */
  function keepThatMakes(playlistId: string): Keep | undefined {
    return listKeeps(store).find(
      (keep) => keep.playlistId === null && lastWriteAskedBy(store, askedBy(keep))?.playlistId === playlistId,
    );
  }

  async function requireOwn(playlistId: string, asked: KeepRequest, call: Caller): Promise<Target> {
    const requireFree = () =>
      requireUnkept(keepOfPlaylist(store, playlistId) ?? keepThatMakes(playlistId), asked);
    requireFree();
    const { name } = await ownedFacts(playlistId, call);
    return { name, requireFree };
  }

  /** @throws RelayError `FORBIDDEN` for somebody else's playlist, or the errors of reading */
  async function ownedFacts(playlistId: string, call: Caller): Promise<{ name: string }> {
    const known = await library.playlistFacts(playlistId);
    if (known?.mine) return known;
    const found = await getPlaylist(provider, playlistId, { signal: call.signal, progress() {} });
    if (found.owner.id === connectedAccount(store)) return found;
    throw new RelayError('FORBIDDEN', `The playlist "${found.name}" belongs to somebody else.`, {
      remedy: 'Keep a playlist of your own, or give a name for a new one.',
    });
  }

  /**
   * The first due time of a new kept playlist: in step with the existing ones, so that runs share their check of the
   * library. A step is at most a day, so that the second run of a weekly playlist is about a week after the first.
   */
  function inStep(every: KeepRecord['every']): number {
    const [first] = listKeeps(store);
    const at = clock.now();
    if (!first) return at;
    const step = Math.min(INTERVAL_MS[every], INTERVAL_MS[first.every], INTERVAL_MS.day);
    return at - ((((at - first.dueAt) % step) + step) % step);
  }

  function isDue({ status, dueAt, retryAt, every }: KeepTimes): boolean {
    if (status === 'paused') return false;
    const at = retryAt ?? dueAt;
    // A clock that was set back must not delay a run by more than one interval.
    return at <= clock.now() || at - clock.now() > INTERVAL_MS[every];
  }

  /**
   * Cancels the job in which the last write waits, so that nothing is written later. A write of which a part has landed is
   * finished, since the playlist may lack rows until then.
   */
  async function cancelUnbegun(keep: Keep, { signal }: Caller): Promise<void> {
    const last = lastWriteAskedBy(store, askedBy(keep));
    if (last === null || last.outcome !== null) return;
    if (!isUntouched({ work: last }) || last.sending) return;
    await works.cancel(last.id, signal).catch((thrown) => {
      const { code } = asRelayError(thrown);
      // Without a job, the write is under way now.
      if (code !== 'JOB_NOT_FOUND' && code !== 'JOB_STATE') throw thrown;
    });
  }

  async function runLoop(): Promise<void> {
    for (;;) {
      const all = listKeepTimes(store);
      const beganAt = clock.monotonic();
      for (const { id } of all.filter(isDue)) {
        if (stopping.signal.aborted) return;
        await exclusively(async () => {
          // Earlier runs take time. Meanwhile a person may have paused this kept playlist or had it run.
          const present = getKeep(store, id);
          if (!present || !isDue(present)) return;
          const minutes = SHARED_MINUTES + (clock.monotonic() - beganAt) / 60_000;
          await run(present, Math.min(minutes, MAX_SHARED_MINUTES));
        }).catch(failedToRun);
      }
      if (stopping.signal.aborted) return;
      wake = new AbortController();
      // While no playlist is kept, nothing can become due.
      if (all.length === 0) await aborted(wake.signal);
      else await clock.sleep(LOOK_MS, wake.signal).catch(() => {});
    }
  }

  function failedToRun(error: unknown): void {
    if (!stopping.signal.aborted) log.error({ err: error }, 'kept playlists could not be run');
  }

  return {
    async add(asked, call) {
      const { playlistId, sql, every, dryRun } = asked;
      const account = connectedAccount(store);
      if (account === null) throw loginRequired();
      const begunAt = clock.monotonic();
      const answer = await library.follow(sql, 0, call);
      requireKeepable(answer.columns, answer.rows, wantedOf(answer.rows, []));
      const target = await (playlistId === null
        ? requireNew(asked, account)
        : requireOwn(playlistId, asked, call));
      await requireSources(library, { name: target.name, query: sql });
      const plays = await library.playsRead(sql, call);
      const draft: Omit<Keep, 'seq'> = {
        id: random.uuid(),
        account,
        playlistId,
        name: target.name,
        query: sql,
        every,
        status: 'active',
        reason: null,
        preview: null,
        accepted: null,
        leftRows: null,
        // The answer warns a person about missing plays, so the runs do without them until there are some.
        gone: unheard({ name: target.name, query: sql }, plays, clock.now()).map(({ key }) => key),
        written: [],
        lastResult: null,
        lastChange: null,
        settled: false,
        failures: 0,
        lastRunAt: null,
        dueAt: inStep(every),
        retryAt: null,
        createdAt: clock.now(),
      };
      if (dryRun) {
        const { preview, ...end } = await rehearse(draft, answer);
        const record = { ...recordOf({ ...draft, ...end, seq: 0 }), id: null, next_run_at: null };
        return { keep: record, preview, ...warningOf(plays) };
      }
      const keep = await store.durable(
        () => {
          // Another call may have kept the playlist while this call looked at it.
          target.requireFree();
          return insertKeep(store, draft);
        },
        () => void store.run('delete from keeps where id = ?', [draft.id]),
      );
      // The loop is woken first, since the caller may leave during the run.
      wake.abort();
      return runNow(keep, SHARED_MINUTES, call, begunAt);
    },
    list: () => listKeeps(store).map(recordOf),
    listNow: () => Promise.all(listKeeps(store).map(async (keep) => recordOf(await underPresentName(keep)))),
    get: (id) => recordOf(need(id)),
    async act(id, action, call) {
      const keep = need(id);
      if (action === 'stop') {
        await store.durable(() => dropKeep(store, keep.id));
        await cancelUnbegun(keep, call);
        const last = lastWriteAskedBy(store, askedBy(keep));
        const { reason: _, preview: __, ...record } = recordOf(keep);
        return {
          keep: { ...record, status: 'stopped', next_run_at: null },
          ...(last?.outcome === null ? { change_id: last.id, note: STILL_WRITING } : { note: STOPPED }),
        };
      }
      if (action === 'pause') {
        // If a run is in review, the next one comes right after the pause, and decides again.
        const afterPause = keep.status === 'paused' ? keep.retryAt : null;
        const retryAt = keep.preview === null ? afterPause : clock.now();
        // A review of a write that failed says nothing about the last run.
        const lastResult = keep.lastResult === WAITS_FOR_REVIEW ? 'nothing written' : keep.lastResult;
        await putKeep(store, keep, { status: 'paused', reason: null, preview: null, retryAt, lastResult });
        await cancelUnbegun(keep, call);
        return { keep: recordOf(now(keep) ?? keep) };
      }
      if (action === 'resume') {
        const next: KeepChange =
          keep.preview === null ? { status: 'active', reason: null } : { status: 'review' };
        if (keep.status === 'paused') await putKeep(store, keep, next);
        wake.abort();
        return { keep: recordOf(now(keep) ?? keep) };
      }
      if (connectedAccount(store) === null) throw loginRequired();
      if (action === 'accept') {
        if (keep.preview === null) {
          throw new RelayError('CONFLICT', `The kept playlist "${keep.name}" is not in review.`, {
            remedy: {
              text: 'list_kept_playlists or {command} shows what waits for review.',
              command: ['keep'],
            },
          });
        }
        const away = await sourcesAway(keep, await library.missedPlaylists());
        const gone = [...new Set([...keep.gone, ...away.map(({ key }) => key)])];
        await putKeep(store, keep, { accepted: keep.preview.removed_count, written: [], gone });
      } else {
        // A person asks for this run, so rows that were refused before are tried once more.
        setKeep(store, keep.id, { gone: keep.gone.filter(isSource) });
      }
      return runNow(keep, 0, call);
    },
    loggedIn() {
      const account = connectedAccount(store);
      for (const keep of listKeeps(store)) {
        if (keep.account === account && keep.status === 'waiting')
          setKeep(store, keep.id, { retryAt: clock.now() });
      }
      wake.abort();
    },
    start() {
      loop = runLoop().catch(failedToRun);
    },
    async stop() {
      stopping.abort(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
      wake.abort();
      await loop;
      await turns.runExclusive('run', async () => {});
    },
  };
}

function warningOf(plays: PlaysRead | null): { warning?: string } {
  return plays === null ? {} : { warning: plays.note };
}

/** The remedy for a call that was sent again. */
function nothingToAdd({ id }: Keep) {
  const command = ['keep', 'show', shortId(id)];
  const same = 'It follows this query, so nothing is left to add.';
  return {
    text: `${same} list_kept_playlists or {command} shows it.`,
    command,
    terminal: { text: `${same} {1} shows it.`, commands: [command] },
  };
}

function stopFirst({ id, playlistId }: Keep, asked: KeepRequest) {
  const command = ['keep', 'stop', shortId(id)];
  // A tool makes a second playlist if it gets the name again.
  const then =
    asked.name === null || playlistId === null
      ? ''
      : ` Then keep it with playlist_id ${playlistId} instead of its name.`;
  return {
    text: `Stop that one first: update_kept_playlist with keep_id ${shortId(id)} and action stop, or {command}.${then}`,
    command,
    terminal: { text: 'Stop that one first: {1}.', commands: [command] },
  };
}

/** @param account the connected account: a kept playlist of another one waits, even if it is not due yet */
function recordFor(account: string | null, keep: Keep): KeepRecord {
  const { preview, lastResult, lastChange } = keep;
  const isAway = keep.status === 'active' && keep.account !== account;
  const { status, reason } = isAway
    ? ({ status: 'waiting', reason: NOT_CONNECTED } as const)
    : { ...keep, status: preview === null ? keep.status : 'review' };
  const nextRunAt = keep.status === 'paused' ? null : (keep.retryAt ?? keep.dueAt);
  return {
    id: keep.id,
    playlist_id: keep.playlistId,
    name: keep.name,
    sql: keep.query,
    every: keep.every,
    status,
    last_run_at: isoOf(keep.lastRunAt),
    next_run_at: isoOf(nextRunAt),
    ...(reason === null ? {} : { reason }),
    ...(lastResult === null ? {} : { last_result: lastResult }),
    ...(lastChange === null ? {} : { last_change_id: lastChange }),
    ...(preview === null ? {} : { preview }),
  };
}
