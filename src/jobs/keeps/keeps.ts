/**
 * Kept playlists as the rest of the program uses them, and the one loop that runs them when they are due. README.md says what
 * happens when.
 */
import { aborted } from '../../base/abort.ts';
import { type Clock, isoOf, type Random } from '../../base/clock.ts';
import { hashOf } from '../../base/digest.ts';
import { inParallel } from '../../base/lists.ts';
import type { Log } from '../../base/log.ts';
import type { Changes } from '../../changes/changes.ts';
import { shownState } from '../../changes/history.ts';
import { makePlaylist, reviseRows } from '../../changes/kinds.ts';
import { rowsAfter, rowsAt } from '../../changes/rowOps.ts';
import { planOf, progressOf } from '../../changes/run.ts';
import { isChangeEnded } from '../../domain/change.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import {
  EMPTY_PREVIEW,
  INTERVAL_MS,
  type KeepAction,
  type KeepPreview,
  type KeepRecord,
} from '../../domain/keep.ts';
import type { KeepAnswer, KeepRequest } from '../../domain/localApi.ts';
import { withNames } from '../../domain/mergeRows.ts';
import { pauseAfter } from '../../domain/pause.ts';
import { asShown, originalsOf, recordingOfTrack, recordingsIn, unmatched } from '../../domain/recordings.ts';
import { uriOf, without } from '../../domain/rows.ts';
import type { Item, Track } from '../../domain/shapes.ts';
import type { Library } from '../../library/library.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { getTrack } from '../../provider/resources/catalog.ts';
import type { PlaylistRows } from '../../provider/resources/playlistRows.ts';
import { getPlaylist } from '../../provider/resources/playlists.ts';
import type { Store } from '../../store/file/open.ts';
import { getAccount } from '../../store/tables/account.ts';
import { type Change, getChange, getChangeBody, lastChangeAskedBy } from '../../store/tables/changes.ts';
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
import {
  type Decision,
  decide,
  type Facts,
  nextDue,
  REMEMBERED_RUNS,
  requireKeepable,
  type Wanted,
  wantedOf,
} from './plan.ts';

/** The clock on the wall is looked at so often: it may be set, and timers stop while the computer sleeps. */
const LOOK_MS = 60_000;
/** Rules that are due at about the same time share one check of the library. */
const SHARED_MINUTES = 1;
/** The same where those before took their time: as old as the library may be where a question does not say otherwise. */
const MAX_SHARED_MINUTES = 10;
/** How long a caller waits for a run, which continues without it. */
const CALLER_MS = 36_000;
/** How long a run waits for its write before a job continues with it. */
const WRITE_MS = 5 * 60_000;
/** While a library is read for the first time, or a write continues. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** Rows of each list that a preview names. */
const NAMED = 10;
/** Turns in which rows that Spotify does not take are found and left out. */
const MAX_TURNS = 3;
/** Rows that have gone grey since a list was read, of one refused request. */
const MAX_DOUBTED = 200;
/** Rows whose recording nothing tells. */
const MAX_LOOKED_UP = 5;
/** Requests at once, for these. */
const AT_ONCE = 4;
/** A list of playlists shows a new one after half a minute at most. */
const NEW_MS = 2 * 60_000;

export interface KeepsContext {
  provider: ProviderApi;
  rows: PlaylistRows;
  changes: Changes;
  library: Library;
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
}

type Caller = { signal: AbortSignal };

export interface Keeps {
  /**
   * Keeps a playlist, and runs it once.
   * @throws RelayError `INVALID_ARGUMENT` for a query that cannot be kept, `FORBIDDEN`, `CONFLICT` where it is kept already, or
   *   of reading
   */
  add(asked: KeepRequest, call: Caller): Promise<KeepAnswer & { preview: KeepPreview }>;
  list(): KeepRecord[];
  /** @param id an ID, or its first characters. @throws RelayError `NOT_FOUND` */
  get(id: string): KeepRecord;
  /** @throws RelayError `NOT_FOUND`, `CONFLICT` where there is nothing to accept */
  act(id: string, action: KeepAction, call: Caller): Promise<KeepAnswer>;
  /** An account was connected: what waits for it continues. */
  loggedIn(): void;
  start(): void;
  stop(): Promise<void>;
}

/** How a run ended: what it did or would do. */
interface Outcome {
  preview: KeepPreview;
  changeId?: string;
}

export function createKeeps(context: KeepsContext): Keeps {
  const { store, clock, random, library, changes, provider, log } = context;
  const stopping = new AbortController();
  let wake = new AbortController();
  let lane: Promise<unknown> = Promise.resolve();
  let loop: Promise<void> = Promise.resolve();

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = lane.then(() => {
      stopping.signal.throwIfAborted();
      return work();
    });
    lane = mine.catch(() => {});
    return mine;
  }

  const accountId = () => {
    const account = getAccount(store);
    return account === null || account.reauthorizationRequired ? null : account.providerUserId;
  };

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

  /** As it is in the state now; null: it is not kept any more. */
  const now = (keep: Keep) => getKeep(store, keep.id);

  async function put(keep: Keep, change: KeepChange): Promise<void> {
    setKeep(store, keep.seq, change);
    await store.saveNow();
  }

  /** One that a person has paused stays so, whatever a run of it finds. */
  const restingStatus = (keep: Keep) => (now(keep)?.status === 'paused' ? 'paused' : 'active');

  async function waits(keep: Keep, reason: string, retryAt: number | null): Promise<void> {
    await put(keep, { status: 'waiting', reason, preview: null, retryAt });
  }

  async function review(keep: Keep, reason: string, preview: KeepPreview): Promise<Outcome> {
    await put(keep, {
      ...ran(keep),
      status: 'review',
      reason,
      preview,
      accepted: null,
      lastResult: 'nothing written: it is to be reviewed',
    });
    return { preview };
  }

  /** What every run that came to an end notes. */
  function ran({ dueAt, every }: Keep): KeepChange {
    return {
      lastRunAt: clock.now(),
      dueAt: nextDue(dueAt, INTERVAL_MS[every], clock.now()),
      retryAt: null,
      failures: 0,
      reason: null,
      preview: null,
    };
  }

  async function failed(keep: Keep, thrown: unknown): Promise<Outcome> {
    const error = asRelayError(thrown);
    if (stopping.signal.aborted || error.code === 'SHUTTING_DOWN') return { preview: EMPTY_PREVIEW };
    if (error.code === 'INTERNAL')
      log.error({ err: thrown, keep: keep.id }, 'a kept playlist could not be run');
    if (ENDED.has(error.code)) {
      return review(keep, `${error.message} ${error.remedy ?? ''}`.trim(), EMPTY_PREVIEW);
    }
    const failures = (now(keep)?.failures ?? 0) + 1;
    const { until } = pauseAfter(error, { failures, now: clock.now(), fraction: random.fraction() });
    setKeep(store, keep.seq, { failures });
    await waits(keep, `${error.code}: ${error.message}`, until ?? clock.now() + LOOK_AGAIN_MS);
    return { preview: EMPTY_PREVIEW };
  }

  /** One run: until nothing is to be done, a person is to decide, or it has to wait. */
  async function run(given: Keep, maxAgeMinutes: number): Promise<Outcome> {
    const keep = now(given);
    if (!keep) return { preview: EMPTY_PREVIEW };
    if (accountId() !== keep.account) {
      await waits(keep, 'The account that it was made for is not connected.', null);
      return { preview: EMPTY_PREVIEW };
    }
    try {
      const settled = await settle(keep);
      if (settled === null) return { preview: EMPTY_PREVIEW };
      return await bring(settled, maxAgeMinutes);
    } catch (thrown) {
      return failed(now(keep) ?? keep, thrown);
    }
  }

  /** Takes over what the last change left. @returns null: it is still being written */
  async function settle(keep: Keep): Promise<Keep | null> {
    const last = lastChangeAskedBy(store, askedBy(keep));
    if (!last || (last.id === keep.lastChange && keep.settled)) return keep;
    if (!isChangeEnded(last.state)) {
      const job = `job ${last.id.slice(0, 8)}`;
      if (shownState(store, last) === 'review') {
        await put(keep, {
          status: 'review',
          reason: `Somebody changed it during the write: see ${job}.`,
          preview: EMPTY_PREVIEW,
          retryAt: null,
        });
      } else await waits(keep, `Its last write continues as ${job}.`, clock.now() + LOOK_MS);
      return null;
    }
    const playlistId = keep.playlistId ?? last.playlistId;
    setKeep(store, keep.seq, { ...leftBy(last), playlistId, lastChange: last.id, settled: true });
    return now(keep);
  }

  /** The rows that a change has left, as far as they are its own. */
  function leftBy(change: Change): KeepChange {
    const body = getChangeBody(store, change.seq);
    const { rows, ops } = planOf(body);
    const refused = new Set(body.refused ?? []);
    const goal = rowsAfter(body.former.rows ?? [], body.ops).filter((uri) => !refused.has(uri));
    return { leftRows: change.state === 'done' ? goal : rowsAt(rows, ops, progressOf(change)) };
  }

  /** @throws RelayError `INVALID_ARGUMENT` for a query that fails or takes too long, or of reading */
  async function askedOf(
    { query: sql }: Keep,
    maxAgeMinutes: number,
  ): Promise<Awaited<ReturnType<Library['follow']>>> {
    try {
      return await library.follow(sql, maxAgeMinutes, { signal: stopping.signal });
    } catch (thrown) {
      const error = asRelayError(thrown);
      throw error.code === 'DEADLINE_EXCEEDED' ? error.with({ code: 'INVALID_ARGUMENT' }) : error;
    }
  }

  async function bring(given: Keep, maxAgeMinutes: number): Promise<Outcome> {
    let keep = given;
    const answer = await askedOf(keep, maxAgeMinutes);
    const { saved, playlists } = answer.coverage;
    const isWhole = saved === 'complete' && playlists.read + playlists.unreadable === playlists.total;
    if (answer.note !== undefined || !isWhole) {
      await waits(keep, answer.note ?? 'The library is not read yet.', clock.now() + LOOK_AGAIN_MS);
      return { preview: EMPTY_PREVIEW };
    }
    const missed = answer.missed.filter(
      ({ id }) => id !== keep.playlistId && !keep.gone.includes(playlistUri(id)),
    );
    if (missed.length > 0) {
      const names = missed.map(({ name }) => `"${name}"`).join(', ');
      const reason = `Spotify does not give the rows of ${names} now, which the query may read. Accept lets it run without them.`;
      const wanted = wantedOf(answer.rows, keep.gone);
      const present = keep.playlistId === null ? [] : ((await library.playlistRows(keep.playlistId)) ?? []);
      return review(keep, reason, await previewOf(present, wanted.uris, wanted.leftOut));
    }
    for (let turn = 1; ; turn++) {
      const wanted = wantedOf(answer.rows, keep.gone);
      const outcome =
        keep.playlistId === null ? await make(keep, wanted) : await follow(keep, keep.playlistId, wanted);
      if (outcome.kind === 'over') return outcome;
      // Spotify has refused the request for one of the rows in it.
      const gone = turn < MAX_TURNS ? await goneOf(outcome.added) : [];
      if (gone.length === 0) return failed(keep, outcome.cause);
      setKeep(store, keep.seq, { gone: [...keep.gone, ...gone] });
      keep = now(keep) ?? keep;
    }
  }

  type Listed = Facts & { originals: ReadonlyMap<string, string> };

  type Turn = ({ kind: 'over' } & Outcome) | { kind: 'refused'; added: readonly string[]; cause: RelayError };

  const over = (outcome: Outcome): Turn => ({ kind: 'over', ...outcome });

  async function make(keep: Keep, { uris, leftOut }: Wanted): Promise<Turn> {
    const preview = await previewOf([], uris, leftOut);
    const request = makePlaylist(context, { name: keep.name, public: false }, uris);
    return written(
      keep,
      request,
      uris,
      () => [],
      () => Promise.resolve(preview),
    );
  }

  async function follow(keep: Keep, playlistId: string, { uris, leftOut }: Wanted): Promise<Turn> {
    const known = await library.playlistRows(playlistId);
    const made = keep.lastChange === null ? null : getChange(store, keep.lastChange);
    const isNew = made !== null && Math.abs(clock.now() - made.createdAt) < NEW_MS;
    if (known === null && !isNew) {
      const preview = await previewOf([], uris, leftOut);
      return over(
        await review(
          keep,
          'The playlist is not in your library any more. Stop keeping it, or add it again.',
          preview,
        ),
      );
    }
    const facts = {
      left: keep.leftRows,
      wanted: uris,
      accepted: keep.accepted,
      written: keep.written,
      digest: digestOf(uris),
    };
    const name = (await library.playlistFacts(playlistId))?.name ?? keep.name;
    if (name !== keep.name) setKeep(store, keep.seq, { name });
    if (
      known !== null &&
      decide(await asListed({ facts, shown: known, known, items: null })).kind === 'nothing'
    ) {
      return over(await unchanged(keep, uris, await previewOf(uris, uris, leftOut)));
    }
    // The copy may lag behind a write: what is there is read before anything is decided.
    let decision: Decision = { kind: 'nothing' };
    let shown: readonly string[] = known ?? [];
    let wanted: readonly string[] = uris;
    const request = reviseRows(context, 'keep', playlistId, async (items) => {
      // The copy may have read a row before it lost its item: what the last run left is further back.
      const rows = withNames(items.map(uriOf), known ?? []);
      const listed = await asListed({ facts, shown: rows, known: known ?? [], items });
      ({ shown, wanted } = listed);
      decision = decide(listed);
      if (decision.kind === 'review') throw new RelayError('CONFLICT', decision.reason);
      const { originals } = listed;
      return decision.kind === 'write' ? { present: decision.present, wanted, originals } : null;
    });
    try {
      return await written(
        keep,
        request,
        uris,
        () => shown,
        () => previewOf(shown, wanted, leftOut),
      );
    } catch (thrown) {
      const { kind, reason } = decision as { kind: string; reason: string };
      if (kind !== 'review') throw thrown;
      return over(await review(keep, reason, await previewOf(shown, wanted, leftOut)));
    }
  }

  /**
   * What a decision needs, with rows under the ID that the list shows them under: a song whose ID has changed was not changed by
   * anybody, and stays.
   */
  async function asListed({
    facts,
    shown,
    known,
    items,
  }: {
    facts: Omit<Facts, 'shown'>;
    shown: readonly string[];
    /** Rows of the playlist as the copy has them. */
    known: readonly string[];
    /** `shown` as it was read now; null: it is what the copy has, and nothing is looked up. */
    items: readonly Item[] | null;
  }): Promise<Listed> {
    const { left, wanted } = facts;
    const all = [wanted, left ?? [], known];
    const open = all.map((rows) => unmatched(rows, shown));
    if (open.every((one) => one.rows.length === 0 || one.shown.length === 0))
      return { ...facts, shown, originals: new Map() };
    const recordings = await library.recordings(open.flatMap((one) => [...one.rows, ...one.shown]));
    for (const [uri, recording] of recordingsIn(items ?? [])) recordings.set(uri, recording);
    const unknown = [...new Set(open.flatMap(({ rows }) => rows))].filter((uri) => !recordings.has(uri));
    if (items !== null && unknown.length <= MAX_LOOKED_UP) {
      await inParallel(unknown, AT_ONCE, async (uri) => {
        const track = await lookedUp(uri);
        if (track !== null) recordings.set(uri, recordingOfTrack(track));
      });
    }
    const named = (rows: readonly string[]) => asShown(rows, shown, recordings);
    const lists = all.map((rows) => ({ rows, named: named(rows) }));
    const originals = new Map(lists.flatMap(({ rows, named }) => originalsOf(rows, named)));
    return {
      ...facts,
      shown,
      wanted: lists[0]?.named ?? wanted,
      left: left && (lists[1]?.named ?? left),
      originals,
    };
  }

  /** null: Spotify does not know it. */
  async function lookedUp(uri: string): Promise<Track | null> {
    const call = { signal: stopping.signal, progress() {} };
    try {
      return await getTrack(provider, uri.slice('spotify:track:'.length), call);
    } catch (thrown) {
      const error = asRelayError(thrown);
      if (error.code !== 'NOT_FOUND' && error.code !== 'INVALID_ARGUMENT') throw error;
      return null;
    }
  }

  /** Has a change carried out, and notes what came of it. */
  async function written(
    keep: Keep,
    request: ReturnType<typeof reviseRows>,
    uris: readonly string[],
    present: () => readonly string[],
    preview: () => Promise<KeepPreview>,
  ): Promise<Turn> {
    const call = { signal: stopping.signal, progress() {} };
    const result = await changes.run({ ...request, askedBy: askedBy(keep) }, call, {
      ms: WRITE_MS,
      for: 'list',
    });
    const shown = await preview();
    if (result.kind === 'nothing_to_do') return over(await unchanged(keep, uris, shown));
    if (result.kind === 'listed') return over(await continued(keep, result.change, shown));
    const { change, end } = result;
    const cause = end.kind === 'stopped' ? null : end.cause;
    if (change.state === 'unchanged') {
      if (cause && failureClassOf(cause) === 'item')
        return { kind: 'refused', added: without(uris, present()), cause };
      throw cause ?? new RelayError('SHUTTING_DOWN', 'relay is stopping.');
    }
    setKeep(store, keep.seq, {
      ...leftBy(change),
      playlistId: keep.playlistId ?? change.playlistId,
      lastChange: change.id,
      settled: true,
    });
    if (change.state !== 'done') {
      if (cause && failureClassOf(cause) === 'item')
        return { kind: 'refused', added: without(uris, present()), cause };
      throw cause ?? new RelayError('PARTIAL_WRITE', 'The write ended before all of it was done.');
    }
    const did = [
      ...(shown.added_count > 0 ? [`${shown.added_count} added`] : []),
      ...(shown.removed_count > 0 ? [`${shown.removed_count} removed`] : []),
    ];
    await put(keep, {
      ...ran(keep),
      status: restingStatus(keep),
      accepted: null,
      written: [...keep.written, digestOf(uris)].slice(-REMEMBERED_RUNS),
      lastResult: did.join(', ') || (shown.total === 0 ? 'no song matches' : 'reordered'),
    });
    return over({ preview: shown, changeId: change.id });
  }

  async function unchanged(keep: Keep, uris: readonly string[], preview: KeepPreview): Promise<Outcome> {
    await put(keep, {
      ...ran(keep),
      status: restingStatus(keep),
      accepted: null,
      leftRows: uris,
      lastResult: 'nothing to change',
    });
    return { preview };
  }

  async function continued(keep: Keep, change: Change, preview: KeepPreview): Promise<Outcome> {
    setKeep(store, keep.seq, {
      playlistId: keep.playlistId ?? change.playlistId,
      lastChange: change.id,
      settled: false,
    });
    await waits(keep, `Its write continues as job ${change.id.slice(0, 8)}.`, clock.now() + LOOK_MS);
    return { preview, changeId: change.id };
  }

  /** Those that Spotify does not know. What a list of the copy has is asked for only where nothing else explains the refusal. */
  async function goneOf(uris: readonly string[]): Promise<string[]> {
    const tracks = [...new Set(uris)].filter((uri) => uri.startsWith('spotify:track:'));
    const known = new Set(await library.knownTracks(tracks));
    const gone: string[] = [];
    const look = (some: readonly string[]) =>
      inParallel(some, AT_ONCE, async (uri) => {
        if ((await lookedUp(uri)) === null) gone.push(uri);
      });
    await look(tracks.filter((uri) => !known.has(uri)));
    if (gone.length === 0) await look([...known].slice(0, MAX_DOUBTED));
    return gone;
  }

  async function previewOf(
    present: readonly string[],
    wanted: readonly string[],
    leftOut: number,
  ): Promise<KeepPreview> {
    const added = without(wanted, present);
    const removed = without(present, wanted);
    const names = await library.trackNames([...added.slice(0, NAMED), ...removed.slice(0, NAMED)]);
    const named = (uri: string) => ({ uri, ...names.get(uri) });
    return {
      total: wanted.length,
      added: added.slice(0, NAMED).map(named),
      removed: removed.slice(0, NAMED).map(named),
      added_count: added.length,
      removed_count: removed.length,
      left_out: leftOut,
    };
  }

  /** Waits for a run, which continues where that takes too long. */
  async function inTime(work: Promise<Outcome>, { signal }: Caller): Promise<Outcome> {
    const timer = new AbortController();
    const late = clock.sleep(CALLER_MS, timer.signal).then(
      () => ({ preview: EMPTY_PREVIEW }),
      () => new Promise<never>(() => {}),
    );
    try {
      return await Promise.race([
        work,
        late,
        aborted(signal).then(() => {
          throw signal.reason;
        }),
      ]);
    } finally {
      timer.abort();
    }
  }

  async function requireOwn(playlistId: string, call: Caller): Promise<{ name: string }> {
    const kept = keepOfPlaylist(store, playlistId);
    if (kept) {
      throw new RelayError('CONFLICT', `The playlist "${kept.name}" is kept already.`, {
        remedy: { text: 'Stop that one first: {command}.', command: ['keep', 'stop', kept.id.slice(0, 8)] },
      });
    }
    const known = await library.playlistFacts(playlistId);
    if (known?.mine) return known;
    const found = await getPlaylist(provider, playlistId, { signal: call.signal, progress() {} });
    if (found.owner.id === accountId()) return found;
    throw new RelayError('FORBIDDEN', `The playlist "${found.name}" belongs to somebody else.`, {
      remedy: 'Keep a playlist of your own, or give a name for a new one.',
    });
  }

  /** In step with those that are kept already, so that runs share their check of the library. */
  function inStep(every: KeepRecord['every']): number {
    const [first] = listKeeps(store);
    const interval = INTERVAL_MS[every];
    const at = clock.now();
    return first ? at - ((((at - first.dueAt) % interval) + interval) % interval) : at;
  }

  function isDue({ status, dueAt, retryAt, every }: KeepTimes): boolean {
    if (status === 'paused') return false;
    const at = retryAt ?? dueAt;
    return at <= clock.now() || at - clock.now() > Math.max(INTERVAL_MS[every], MAX_RETRY_MS);
  }

  async function runLoop(): Promise<void> {
    for (;;) {
      const all = listKeepTimes(store);
      const beganAt = clock.monotonic();
      for (const { id } of all.filter(isDue)) {
        if (stopping.signal.aborted) return;
        await exclusively(async () => {
          // Runs before it take time, in which a person may have paused it or had it run.
          const present = getKeep(store, id);
          if (!present || !isDue(present)) return;
          const minutes = SHARED_MINUTES + (clock.monotonic() - beganAt) / 60_000;
          await run(present, Math.min(minutes, MAX_SHARED_MINUTES));
        }).catch(failedToRun);
      }
      if (stopping.signal.aborted) return;
      wake = new AbortController();
      // Without one, nothing is to be looked at.
      if (all.length === 0) await aborted(wake.signal);
      else await clock.sleep(LOOK_MS, wake.signal).catch(() => {});
    }
  }

  function failedToRun(error: unknown): void {
    if (!stopping.signal.aborted) log.error({ err: error }, 'kept playlists could not be run');
  }

  return {
    async add({ playlistId, name, sql, every, dryRun }, call) {
      const account = accountId();
      if (account === null) {
        throw new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected, or its login has ended.', {
          remedy: { text: 'Connect it with {command}.', command: ['login'] },
        });
      }
      const answer = await library.ask({ sql, limit: null, maxAgeMinutes: 0 }, call);
      const wanted = wantedOf(answer.rows, []);
      requireKeepable(answer.columns, answer.rows, wanted);
      const playlist = playlistId === null ? { name: name ?? '' } : await requireOwn(playlistId, call);
      const draft: Omit<Keep, 'seq'> = {
        id: random.uuid(),
        account,
        playlistId,
        name: playlist.name,
        query: sql,
        every,
        status: 'active',
        reason: null,
        preview: null,
        accepted: null,
        leftRows: null,
        gone: [],
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
        const present = playlistId === null ? [] : ((await library.playlistRows(playlistId)) ?? []);
        const preview = await previewOf(present, wanted.uris, wanted.leftOut);
        const decision = decide({
          shown: present,
          left: null,
          wanted: wanted.uris,
          accepted: null,
          written: [],
          digest: '',
        });
        const record = { ...recordOf({ ...draft, seq: 0 }), id: null, next_run_at: null };
        if (decision.kind !== 'review') return { keep: record, preview };
        return { keep: { ...record, status: 'review', reason: decision.reason }, preview };
      }
      const keep = await store.durable(
        () => insertKeep(store, draft),
        () => void store.run('delete from keeps where id = ?', [draft.id]),
      );
      const { preview, changeId } = await inTime(
        exclusively(() => run(keep, SHARED_MINUTES)),
        call,
      );
      wake.abort();
      const record = recordOf(now(keep) ?? keep);
      return {
        keep: record,
        preview: record.preview ?? preview,
        ...(changeId ? { change_id: changeId } : {}),
      };
    },
    list: () => listKeeps(store).map(recordOf),
    get: (id) => recordOf(need(id)),
    async act(id, action, call) {
      const keep = need(id);
      if (action === 'stop') {
        await store.durable(() => dropKeep(store, keep.seq));
        return { keep: { ...recordOf(keep), next_run_at: null } };
      }
      if (action === 'pause') {
        await put(keep, { status: 'paused', reason: null, preview: null, retryAt: null });
        return { keep: recordOf(now(keep) ?? keep) };
      }
      if (action === 'resume') {
        if (keep.status === 'paused') await put(keep, { status: 'active' });
        wake.abort();
        return { keep: recordOf(now(keep) ?? keep) };
      }
      if (action === 'accept') {
        if (keep.status !== 'review' || keep.preview === null) {
          throw new RelayError('CONFLICT', `The kept playlist "${keep.name}" is not in review.`, {
            remedy: 'There is nothing to accept.',
          });
        }
        const missed = (await library.missedPlaylists()).map(({ id }) => playlistUri(id));
        const gone = [...new Set([...keep.gone, ...missed])];
        await put(keep, { accepted: keep.preview.removed_count, written: [], gone });
      } else {
        // A person asks: what was refused before is tried once more.
        setKeep(store, keep.seq, { gone: [] });
      }
      const { preview, changeId } = await inTime(
        exclusively(() => run(keep, 0)),
        call,
      );
      const record = recordOf(now(keep) ?? keep);
      return {
        keep: record,
        preview: record.preview ?? preview,
        ...(changeId ? { change_id: changeId } : {}),
      };
    },
    loggedIn() {
      const account = accountId();
      for (const keep of listKeeps(store)) {
        if (keep.account === account && keep.status === 'waiting')
          setKeep(store, keep.seq, { retryAt: clock.now() });
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
      await lane;
    },
  };
}

/** A retry is never further away. */
const MAX_RETRY_MS = 8 * 86_400_000;

/** What does not pass by itself: a person looks at it. */
const ENDED: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'FORBIDDEN',
  'UNSUPPORTED_ITEMS',
  'INTERNAL',
]);

function playlistUri(id: string): string {
  return `spotify:playlist:${id}`;
}

function askedBy({ id }: Keep): string {
  return `keep ${id}`;
}

function digestOf(uris: readonly string[]): string {
  return hashOf(uris.join('\n')).slice(0, 16);
}

function recordOf(keep: Keep): KeepRecord {
  const { status, reason, preview, lastResult, lastChange } = keep;
  const nextRunAt = status === 'paused' ? null : (keep.retryAt ?? keep.dueAt);
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
    ...(status === 'review' && preview !== null ? { preview } : {}),
  };
}
