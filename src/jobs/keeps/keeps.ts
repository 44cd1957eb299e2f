/**
 * Kept playlists as the rest of the program uses them, and the one loop that runs them when they are due. README.md says what
 * happens when.
 */
import { isDeepStrictEqual } from 'node:util';
import { aborted, firstOf } from '../../base/abort.ts';
import { isoOf } from '../../base/clock.ts';
import { createMutex } from '../../base/mutex.ts';
import { loginRequired, RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import {
  EMPTY_PREVIEW,
  INTERVAL_MS,
  type KeepAction,
  type KeepPreview,
  type KeepRecord,
} from '../../domain/keep.ts';
import { type KeepRule, ruleSql, ruleWords } from '../../domain/keepRules.ts';
import type { KeepAnswer, KeepRequest } from '../../domain/localApi.ts';
import type { PlaysRead } from '../../library/library.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import {
  dropKeep,
  getKeep,
  insertKeep,
  type Keep,
  type KeepTimes,
  listKeeps,
  listKeepTimes,
  setKeep,
} from '../../store/tables/keeps.ts';
import { requireKeepable, wantedOf } from './decide.ts';
import { createLookups } from './lookups.ts';
import {
  connectedAccount,
  createRuns,
  type Ending,
  type Outcome,
  putKeep,
  type RunContext,
  WAITS_FOR_REVIEW,
  whyNotConnected,
} from './run.ts';
import { createWrites } from './writes.ts';

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
  /**
   * Lists the kept playlists. One whose last run was undone is in review from then on.
   * @param isNow true for the names in the copy of the library, false for those of the last run, which takes no reading
   */
  list(isNow?: boolean): Promise<KeepRecord[]>;
  /**
   * Carries out an action. `run` and `accept` wait for the run, but only for the rest of a call's time.
   * @param id an ID, or its first characters
   * @throws RelayError `NOT_FOUND`, `INVALID_ARGUMENT` if several IDs begin so, `CONFLICT` if there is nothing to accept, or
   *   `LOGIN_REQUIRED` if it has to run
   */
  act(id: string, action: KeepAction, call: Caller): Promise<KeepAnswer>;
  /** Tells the loop that an account was connected: kept playlists that waited for this continue. */
  loggedIn(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createKeeps(context: RunContext): Keeps {
  const { store, clock, random, library, provider, log } = context;
  const stopping = new AbortController();
  const lookups = createLookups(library, provider, store, stopping.signal);
  const writes = createWrites(context, stopping.signal);
  const { run, bring, noticeUndo } = createRuns(context, lookups, writes, sqlOf, stopping.signal);
  let wake = new AbortController();
  const turns = createMutex();
  let loop: Promise<void> = Promise.resolve();

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    return turns.runExclusive('run', () => {
      stopping.signal.throwIfAborted();
      return work();
    });
  }

  /** The playlist of a kept one. While it is being made, only its first write knows it. */
  function playlistOf(keep: Pick<Keep, 'id' | 'playlistId'>): string | null {
    return keep.playlistId ?? writes.last(keep)?.playlistId ?? null;
  }

  /** The query that a kept playlist follows now. */
  function sqlOf(keep: Pick<Keep, 'id' | 'playlistId' | 'rule' | 'query'>): string {
    if (keep.rule === null) return keep.query ?? '';
    const kept = [...listKeepTimes(store), keep].flatMap((one) => playlistOf(one) ?? []);
    return ruleSql(keep.rule, playlistOf(keep), [...new Set(kept)]);
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

  /** A kept playlist as it is shown. One of another account waits, even if it is not due yet. */
  function recordOf(keep: Keep): KeepRecord {
    const { preview, lastResult, lastChange, rule } = keep;
    const away = keep.status === 'active' ? whyNotConnected(store, keep) : null;
    const status = preview === null ? keep.status : 'review';
    const reason = away ?? keep.reason;
    const nextRunAt = keep.status === 'paused' ? null : (keep.retryAt ?? keep.dueAt);
    return {
      id: keep.id,
      playlist_id: playlistOf(keep),
      name: keep.name,
      sql: sqlOf(keep),
      ...(rule === null ? {} : { rule: ruleWords(rule) }),
      every: keep.every,
      status: away === null ? status : 'waiting',
      last_run_at: isoOf(keep.lastRunAt),
      next_run_at: isoOf(nextRunAt),
      ...(reason === null ? {} : { reason }),
      ...(lastResult === null ? {} : { last_result: lastResult }),
      ...(lastChange === null ? {} : { last_change_id: lastChange }),
      ...(preview === null ? {} : { preview }),
    };
  }

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
    return first === 'late' ? { preview: EMPTY_PREVIEW, note: STILL_RUNNING } : first;
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
    const plays = await library.playsRead(record.sql, call);
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
    const follows = followed(asked);
    const isSame = isDeepStrictEqual({ ...kept, ...follows }, kept) && kept.every === asked.every;
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
    await lookups.withPresentNames(listKeeps(store));
    const requireFree = () =>
      requireUnkept(
        listKeeps(store).find((keep) => keep.account === account && keep.name === name),
        asked,
      );
    requireFree();
    return { name, requireFree };
  }

  async function requireOwn(playlistId: string, asked: KeepRequest, call: Caller): Promise<Target> {
    const requireFree = () =>
      requireUnkept(
        listKeeps(store).find((keep) => playlistOf(keep) === playlistId),
        asked,
      );
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

  /** @throws RelayError `FORBIDDEN` for a union of playlists whose rows Spotify has never let relay read */
  async function requireReadable({ playlists }: KeepRule, unread: readonly { id: string | null }[]) {
    const refused = (await library.listedPlaylists()).filter(
      ({ id, readable }) => !readable && playlists.some((one) => one.id === id),
    );
    // One that could be read before may be readable again: a run without it waits for a review.
    const names = refused
      .filter(({ id }) => unread.every((one) => one.id !== id))
      .map(({ name }) => `"${name}"`);
    if (names.length === 0) return;
    const them = names.length === 1 ? 'it' : 'them';
    throw new RelayError('FORBIDDEN', `Spotify does not let relay read the songs of ${names.join(' or ')}.`, {
      remedy: `Leave ${them} out of the rule, or copy ${them} in Spotify and name the copy.`,
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
      const { playlistId, every, dryRun } = asked;
      const account = connectedAccount(store);
      if (account === null) throw loginRequired();
      const begunAt = clock.monotonic();
      const draft: Keep = {
        seq: 0,
        id: random.uuid(),
        account,
        playlistId,
        name: '',
        ...followed(asked),
        every,
        status: 'active',
        reason: null,
        preview: null,
        accepted: null,
        leftRows: null,
        gone: [],
        lastResult: null,
        lastChange: null,
        failures: 0,
        lastRunAt: null,
        dueAt: inStep(every),
        retryAt: null,
        createdAt: clock.now(),
      };
      const answer = await library.follow(sqlOf(draft), 0, call);
      requireKeepable(answer.columns, answer.rows, wantedOf(answer.rows, []));
      const target = await (playlistId === null
        ? requireNew(asked, account)
        : requireOwn(playlistId, asked, call));
      draft.name = target.name;
      if (draft.rule) await requireReadable(draft.rule, answer.unread);
      if (dryRun) {
        const ending = await bring(draft, answer, true);
        const status = ({ waits: 'waiting', review: 'review', done: 'active', left: 'active' } as const)[
          ending.kind
        ];
        const reason = 'reason' in ending ? ending.reason : null;
        const record = { ...recordOf({ ...draft, status, reason }), id: null, next_run_at: null };
        const plays = await library.playsRead(record.sql, call);
        return { keep: record, preview: ending.preview ?? EMPTY_PREVIEW, ...warningOf(plays) };
      }
      const keep = await store.durable(
        () => {
          // Another call may have kept the playlist while this call looked at it.
          target.requireFree();
          const { seq: _, ...row } = draft;
          return insertKeep(store, row);
        },
        () => void store.run('delete from keeps where id = ?', [draft.id]),
      );
      // The loop is woken first, since the caller may leave during the run.
      wake.abort();
      return runNow(keep, SHARED_MINUTES, call, begunAt);
    },
    async list(isNow = true) {
      for (const keep of listKeeps(store)) await noticeUndo(keep);
      if (isNow) await lookups.withPresentNames(listKeeps(store));
      return listKeeps(store).map(recordOf);
    },
    async act(id, action, call) {
      await noticeUndo(need(id));
      const keep = need(id);
      if (action === 'stop') {
        const { reason: _, preview: __, ...record } = recordOf(keep);
        await store.durable(() => dropKeep(store, keep.id));
        await writes.cancelUnbegun(keep, call.signal);
        const last = writes.last(keep);
        const isWriting = last !== null && last.state !== 'over' && last.state !== 'unbegun';
        return {
          keep: { ...record, status: 'stopped', next_run_at: null },
          ...(isWriting ? { change_id: last.id, note: STILL_WRITING } : { note: STOPPED }),
        };
      }
      if (action === 'pause') {
        // If a run is in review, the next one comes right after the pause, and decides again.
        const afterPause = keep.status === 'paused' ? keep.retryAt : null;
        const retryAt = keep.preview === null ? afterPause : clock.now();
        // A review of a write that failed says nothing about the last run.
        const lastResult = keep.lastResult === WAITS_FOR_REVIEW ? 'nothing written' : keep.lastResult;
        const paused = { status: 'paused', reason: null, preview: null, accepted: null } as const;
        await putKeep(store, keep, { ...paused, retryAt, lastResult });
        await writes.cancelUnbegun(keep, call.signal);
        return { keep: recordOf(now(keep) ?? keep) };
      }
      if (action === 'resume') {
        const next =
          keep.preview === null
            ? ({ status: 'active', reason: null } as const)
            : ({ status: 'review' } as const);
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
        await putKeep(store, keep, { accepted: keep.preview.removed_count });
      } else {
        // A person asks for this run, so rows that were refused before are tried once more.
        setKeep(store, keep.id, { gone: [] });
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

/** What a new kept playlist follows: a ready rule or its own query. */
function followed(asked: KeepRequest): Pick<Keep, 'rule' | 'query'> {
  return 'rule' in asked ? { rule: asked.rule, query: null } : { rule: null, query: asked.sql };
}
