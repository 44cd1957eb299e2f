/**
 * Kept playlists as the rest of the program uses them, and the one loop that runs them when they are due. README.md says what
 * happens when.
 */
import { firstOf } from '../../base/abort.ts';
import { isoOf } from '../../base/clock.ts';
import { createMutex } from '../../base/mutex.ts';
import { loginRequired, RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import { EMPTY_PREVIEW, INTERVAL_MS, type KeepAction, type KeepRecord } from '../../domain/keep.ts';
import { ruleSql, ruleWords } from '../../domain/keepRules.ts';
import type { KeepAnswer, KeepRequest } from '../../domain/localApi.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import * as table from '../../store/tables/keeps.ts';
import { type Keep, type KeepTimes, listKeeps } from '../../store/tables/keeps.ts';
import { requireKeepable, wantedOf } from './decide.ts';
import { createKeptWrites } from './keptWrites.ts';
import { createLookups } from './lookups.ts';
import { connectedAccount, createRuns, putKeep, type RunContext, whyNotConnected } from './run.ts';

/** How often to look at the wall clock: it may be set, and timers stop while the computer sleeps. */
const LOOK_MS = 60_000;
/** Maximum age of a check of the library that runs share, if they are due at about the same time. */
const SHARED_MINUTES = 1;
/** How long a call may wait for a run; after that the run continues without the caller. */
const CALLER_MS = 36_000;
const STILL_RUNNING =
  'The run has not ended yet and continues by itself. Call list_kept_playlists in a minute to see what it did.';
const STOPPED = 'It is no longer kept: no run follows, and its songs stay.';
const STILL_WRITING =
  'It is no longer kept: no run follows. Its last write has begun and is not over yet; list_changes shows how it ends.';

type Caller = { signal: AbortSignal };
export type Keeps = ReturnType<typeof createKeeps>;

export function createKeeps(context: RunContext) {
  const { store, clock, random, library, provider, works, log } = context;
  const stopping = new AbortController();
  const lookups = createLookups(library, provider, store, stopping.signal);
  const writes = createKeptWrites(context, stopping.signal);
  const { run, plan, noticeUndo } = createRuns(context, lookups, writes, sqlOf, stopping.signal);
  const turns = createMutex();

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

  function sqlOf(keep: Keep): string {
    if (keep.rule === null) return keep.query ?? '';
    const kept = [...table.listKeepTimes(store), keep].flatMap((one) => playlistOf(one) ?? []);
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
      remedy: '{list_kept_playlists|relay keep} lists them.',
    });
  }

  /** A kept playlist as it is shown. One of another account waits, even if it is not due yet. */
  function recordOf(keep: Keep): KeepRecord {
    const { preview, lastResult, lastChange, rule } = keep;
    const isRunning = keep.status === 'active' || keep.status === 'waiting';
    const away = isRunning ? whyNotConnected(store, keep) : null;
    const status = preview === null ? keep.status : 'review';
    const reason = away ?? keep.reason;
    return {
      id: keep.id,
      playlist_id: playlistOf(keep),
      name: keep.name,
      sql: sqlOf(keep),
      ...(rule === null ? {} : { rule: ruleWords(rule) }),
      every: keep.every,
      status: away === null ? status : 'waiting',
      last_run_at: isoOf(keep.lastRunAt),
      next_run_at: isoOf(keep.status === 'paused' ? null : (keep.retryAt ?? keep.dueAt)),
      ...(reason === null ? {} : { reason }),
      ...(lastResult === null ? {} : { last_result: lastResult }),
      ...(lastChange === null ? {} : { last_change_id: lastChange }),
      ...(preview === null ? {} : { preview }),
    };
  }

  /** The present record of a kept playlist, or of the given row if it is not kept any more. */
  const present = (keep: Keep) => recordOf(table.getKeep(store, keep.id) ?? keep);

  /** Says how far the plays reach that a query reads, if it reads any. */
  async function warningFor({ sql }: KeepRecord, call: Caller): Promise<{ warning?: string }> {
    const plays = await library.playsRead(sql, call);
    return plays === null ? {} : { warning: plays.note };
  }

  /**
   * Runs a kept playlist at once, for a caller who waits for the rest of a call's time; the run continues after that.
   * @param begunAt when the call began, in monotonic milliseconds
   */
  async function runNow(keep: Keep, maxAgeMinutes: number, call: Caller, begunAt = clock.monotonic()) {
    const leftMs = Math.max(0, begunAt + CALLER_MS - clock.monotonic());
    const work = exclusively(() => run(keep, maxAgeMinutes));
    const end = await firstOf(clock, work, call.signal, leftMs);
    if (end === 'left') throw call.signal.reason;
    const { preview, changeId } = end === 'late' ? { preview: EMPTY_PREVIEW } : end;
    const record = present(keep);
    return {
      keep: record,
      preview: record.preview ?? preview,
      ...(changeId === undefined ? {} : { change_id: changeId }),
      ...(end === 'late' ? { note: STILL_RUNNING } : {}),
      ...(await warningFor(record, call)),
    };
  }

  /**
   * Checks that a playlist is not kept yet. A new one counts as kept if a kept one has its name: if a call is sent again, the
   * playlist of the first may not be in Spotify's list yet, or may still have to be made.
   * @throws RelayError `CONFLICT`
   */
  function requireFree({ playlistId, name }: KeepRequest, account: string): void {
    const kept = listKeeps(store).find((keep) =>
      playlistId === null ? keep.account === account && keep.name === name : playlistOf(keep) === playlistId,
    );
    if (!kept) return;
    const [short, own] = [shortId(kept.id), playlistOf(kept)];
    // A tool makes a second playlist if it gets the name again.
    const then = own === null ? '' : `{, then keep it with playlist_id ${own}|}`;
    const stop = `{update_kept_playlist with keep_id ${short}|relay keep stop ${short}}`;
    throw new RelayError('CONFLICT', `The playlist "${kept.name}" is kept already.`, {
      remedy: `{list_kept_playlists|relay keep show ${short}} shows what it follows. For another rule, stop it first with ${stop}${then}.`,
    });
  }

  /** The name of the playlist that is to be kept. @throws RelayError `FORBIDDEN` for somebody else's playlist */
  async function nameOf({ playlistId, name }: KeepRequest, { signal }: Caller): Promise<string> {
    if (playlistId === null) return name ?? '';
    const known = await library.playlistFacts(playlistId);
    if (known?.mine) return known.name;
    const found = await getPlaylist(provider, playlistId, { signal, progress() {} });
    if (found.owner.id === connectedAccount(store)) return found.name;
    throw new RelayError('FORBIDDEN', `The playlist "${found.name}" belongs to somebody else.`, {
      remedy: 'Keep a playlist of your own, or give a name for a new one.',
    });
  }

  /** @throws RelayError `FORBIDDEN` if a rule names a playlist whose rows Spotify has never let relay read */
  async function requireReadable(
    { rule }: Keep,
    unread: ReadonlyArray<{ id: string | null }>,
  ): Promise<void> {
    const named = new Set(rule?.playlists.map(({ id }) => id));
    // A playlist that could be read before may be readable again: a run without it waits for a review.
    for (const { id } of unread) named.delete(id ?? '');
    const refused = (await library.listedPlaylists()).find(({ id, readable }) => !readable && named.has(id));
    if (!refused) return;
    throw new RelayError('FORBIDDEN', `Spotify does not let relay read the songs of "${refused.name}".`, {
      remedy: 'Leave it out of the rule, or copy it in Spotify and name the copy.',
    });
  }

  /**
   * The first due time of a new kept playlist: in step with the existing ones, so that runs share their check of the
   * library. A step is at most a day, so that the second run of a weekly playlist is about a week after the first.
   */
  function inStep(every: Keep['every']): number {
    const [first] = table.listKeepTimes(store);
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

  /** Runs the kept playlists that are due. Wall clocks are set, and timers stop while the computer sleeps: it looks each minute. */
  async function runDue(): Promise<number | null> {
    const all = table.listKeepTimes(store);
    for (const { id } of all.filter(isDue)) {
      await exclusively(async () => {
        // Earlier runs take time. Meanwhile a person may have paused this kept playlist or had it run.
        const keep = table.getKeep(store, id);
        if (keep && isDue(keep)) await run(keep, SHARED_MINUTES);
      }).catch(failedToRun);
    }
    return all.length === 0 ? null : clock.now() + LOOK_MS;
  }

  function failedToRun(error: unknown): void {
    if (!stopping.signal.aborted) log.error({ err: error }, 'kept playlists could not be run');
  }

  async function stopKeeping(keep: Keep, call: Caller): Promise<KeepAnswer> {
    const { reason: _, preview: __, ...record } = recordOf(keep);
    await store.durable(() => table.dropKeep(store, keep.id));
    await writes.cancelUnbegun(keep, call.signal);
    const last = writes.last(keep);
    return {
      keep: { ...record, status: 'stopped', next_run_at: null },
      ...(last?.outcome === null ? { change_id: last.id, note: STILL_WRITING } : { note: STOPPED }),
    };
  }

  return {
    /**
     * Keeps a playlist, and runs it once. With `dryRun`, only says what the run would do.
     * @throws RelayError `INVALID_ARGUMENT` for a query that cannot be kept. `FORBIDDEN` for somebody else's playlist, or for a
     *   rule with a playlist which relay cannot read. `CONFLICT` if it is kept already. Also `LOGIN_REQUIRED`, and the errors of
     *   reading
     */
    async add(asked: KeepRequest, call: Caller) {
      const { playlistId, every, dryRun } = asked;
      const account = connectedAccount(store);
      if (account === null) throw loginRequired();
      const begunAt = clock.monotonic();
      const follows = 'rule' in asked ? { rule: asked.rule, query: null } : { rule: null, query: asked.sql };
      const facts = { ...follows, account, playlistId, every, dueAt: inStep(every) };
      const draft = table.newKeep({ id: random.uuid(), name: '', createdAt: clock.now(), ...facts });
      const answer = await library.follow(sqlOf(draft), 0, call);
      requireKeepable(answer, wantedOf(answer.rows, []));
      await lookups.withPresentNames(listKeeps(store));
      requireFree(asked, account);
      draft.name = await nameOf(asked, call);
      await requireReadable(draft, answer.unread);
      if (dryRun) {
        const { status, reason, preview } = await plan(draft, answer);
        const record = { ...recordOf({ ...draft, status, reason }), id: null, next_run_at: null };
        return { keep: record, preview, ...(await warningFor(record, call)) };
      }
      const keep = await store.durable(
        () => {
          // Another call may have kept the playlist while this call looked at it.
          requireFree(asked, account);
          return table.insertKeep(store, draft);
        },
        () => table.dropKeep(store, draft.id),
      );
      // The loop is woken first, since the caller may leave during the run.
      works.wake();
      return runNow(keep, SHARED_MINUTES, call, begunAt);
    },

    /**
     * Lists the kept playlists. One whose last run was undone is in review from then on.
     * @param isNow true for the names in the copy of the library, false for those of the last run, which takes no reading
     */
    async list(isNow = true): Promise<KeepRecord[]> {
      for (const keep of listKeeps(store)) await noticeUndo(keep);
      if (isNow) await lookups.withPresentNames(listKeeps(store));
      return listKeeps(store).map(recordOf);
    },

    /**
     * Carries out an action. `run` and `accept` wait for the run, but only for the rest of a call's time.
     * @param id an ID, or its first characters
     * @throws RelayError `NOT_FOUND`, `INVALID_ARGUMENT` if several IDs begin so, `CONFLICT` if there is nothing to accept, or
     *   `LOGIN_REQUIRED` if it has to run
     */
    async act(id: string, action: KeepAction, call: Caller): Promise<KeepAnswer> {
      await noticeUndo(need(id));
      const keep = need(id);
      const isHeld = keep.preview !== null;
      if (action === 'stop') return stopKeeping(keep, call);
      if (action === 'pause') {
        if (keep.status !== 'paused' || isHeld) {
          // If a run is in review, the next one comes right after the pause, and decides again.
          const retryAt = isHeld ? clock.now() : null;
          const paused = { status: 'paused', reason: null, preview: null, accepted: null } as const;
          await putKeep(store, keep, { ...paused, retryAt });
        }
        await writes.cancelUnbegun(keep, call.signal);
        return { keep: present(keep) };
      }
      if (action === 'resume') {
        if (keep.status === 'paused') {
          const status = isHeld ? 'review' : 'active';
          await putKeep(store, keep, { status, reason: isHeld ? keep.reason : null });
        }
        works.wake();
        return { keep: present(keep) };
      }
      if (connectedAccount(store) === null) throw loginRequired();
      if (action === 'run') {
        // A person asks for this run, so rows that were refused before are tried once more.
        table.setKeep(store, keep.id, { gone: [] });
      } else if (keep.preview) await putKeep(store, keep, { accepted: keep.preview.removed_count });
      else {
        throw new RelayError('CONFLICT', `The kept playlist "${keep.name}" is not in review.`, {
          remedy: '{list_kept_playlists|relay keep} shows what waits for review.',
        });
      }
      return runNow(keep, 0, call);
    },

    /** Tells the loop that an account was connected: kept playlists that waited for this continue. */
    loggedIn(): void {
      const account = connectedAccount(store);
      for (const keep of listKeeps(store)) {
        if (keep.account === account && keep.status === 'waiting')
          table.setKeep(store, keep.id, { retryAt: clock.now() });
      }
      works.wake();
    },
    start(): void {
      works.addLane(runDue);
    },
    async stop(): Promise<void> {
      stopping.abort(new RelayError('SHUTTING_DOWN', 'relay is stopping.'));
      await turns.runExclusive('run', async () => {});
    },
  };
}
