/** One run of a kept playlist: what it reads, decides and writes. README.md says what happens when. */
import { hashOf } from '../../base/digest.ts';
import { asRelayError, notConnected, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { EMPTY_PREVIEW, type KeepPreview } from '../../domain/keep.ts';
import { renamedRule } from '../../domain/keepRules.ts';
import { uriOf, withNames, without } from '../../domain/rows.ts';
import type { Library } from '../../library/library.ts';
import { getKeep, type Keep, type KeepChange, setKeep } from '../../store/tables/keeps.ts';
import { getBody, lastWriteAskedBy, type Work, writesSince } from '../../store/tables/works.ts';
import { makePlaylist, reviseRows } from '../write/kinds.ts';
import { planOf, rowsReached } from '../write/progress.ts';
import { rowsAfter } from '../write/states.ts';
import { createEndings, NOTHING, type Outcome } from './endings.ts';
import { askedBy, connectedAccount, isHalted, type KeepsContext, NOT_CONNECTED } from './keepsContext.ts';
import type { ListedFacts, Lookups } from './lookups.ts';
import { decide, outgrown, type Wanted, wantedOf } from './plan.ts';
import { type Away, awayFrom, missing, stillGone, unheard } from './sources.ts';

/** How long a run waits for its write before a job continues with it. */
const WRITE_MS = 5 * 60_000;
/** Maximum number of tries to write. Before each further try, the rows that Spotify refuses are found and left out. */
const MAX_TURNS = 3;
/** How long a playlist counts as new; it may take half a minute to show in the account's list. */
const NEW_MS = 2 * 60_000;
const STILL_FAILS =
  'If it still fails when you run it, stop keeping the playlist, and add it again with another query.';
const IS_AWAY =
  'The playlist is not in your library any more. Put it back in Spotify, or stop keeping it and keep a new one.';

type Answer = Awaited<ReturnType<Library['follow']>>;

export interface Runs {
  /**
   * Runs until nothing is left to do, a person has to decide, or the run has to wait. The record then says which.
   * @param maxAgeMinutes how old the copy of the library may be
   */
  run(keep: Keep, maxAgeMinutes: number): Promise<Outcome>;
  /** What the first run would do and how it would end, as far as the copy of the library tells. Sends nothing. */
  rehearse(
    keep: Omit<Keep, 'seq'>,
    answer: Answer,
  ): Promise<Pick<Keep, 'status' | 'reason'> & { preview: KeepPreview }>;
  /** The kept playlist under its present name, by which a ready rule leaves out the rows of the playlist itself. */
  underPresentName(keep: Keep): Promise<Keep>;
  /** What the query lacks now, of the playlists whose rows Spotify refuses (`missed`) and of its other sources. */
  sourcesAway(keep: Pick<Keep, 'playlistId' | 'name' | 'query'>, missed: Answer['missed']): Promise<Away[]>;
}

export function createRun(context: KeepsContext, lookups: Lookups, stopping: AbortSignal): Runs {
  const { store, clock, library, writes } = context;
  const { previewOf, asListed, goneOf } = lookups;
  const endings = createEndings(context, stopping);
  const call = { signal: stopping, progress() {} };

  async function run(given: Keep, maxAgeMinutes: number): Promise<Outcome> {
    const keep = getKeep(store, given.id);
    if (!keep) return NOTHING;
    const waits = () => endings.waits(keep, NOT_CONNECTED, null);
    if (!isConnected(keep)) return waits();
    try {
      const last = lastWriteAskedBy(store, askedBy(keep));
      if (last?.outcome === null) return await endings.waitsForJob(keep, last);
      return await bring(last ? takenOver(keep, last) : keep, maxAgeMinutes);
    } catch (thrown) {
      return isConnected(keep) ? endings.failed(keep, thrown) : waits();
    }
  }

  /** True if the account of the kept playlist is connected; the owner may connect another account at any time. */
  function isConnected({ account }: Keep): boolean {
    return connectedAccount(store) === account;
  }

  /**
   * Records the rows that the last change left, if that was not done yet. A person's `accept` was for that change, so it is
   * used up.
   */
  function takenOver(keep: Keep, last: Work): Keep {
    const isNoted = last.id === keep.lastChange && keep.settled;
    return isNoted ? keep : noted(keep, last, { ...leftBy(last), accepted: null });
  }

  /** Records the last change of a kept playlist. @param left the rows that it left; null while it has not ended */
  function noted(keep: Keep, change: Work, left: KeepChange | null): Keep {
    setKeep(store, keep.id, {
      ...left,
      playlistId: keep.playlistId ?? change.playlistId,
      lastChange: change.id,
      settled: left !== null,
    });
    return reread(keep);
  }

  /** The record of a kept playlist as it is now, but with the status from the start of the run. */
  function reread(keep: Keep): Keep {
    return { ...(getKeep(store, keep.id) ?? keep), status: keep.status };
  }

  /** The rows that a change has left, without what others have written since. */
  function leftBy(change: Work): { leftRows: readonly string[] } {
    const body = getBody(store, change.seq);
    const refused = new Set(body.refused ?? []);
    const goal = rowsAfter({ rows: body.former.rows ?? [], ops: body.ops }).filter(
      (uri) => !refused.has(uri),
    );
    return { leftRows: change.outcome === 'done' ? goal : rowsReached({ work: change, plan: planOf(body) }) };
  }

  /**
   * What the query asks for now.
   * @param isAgain true if the query has taken too long a moment ago
   * @throws RelayError `INVALID_ARGUMENT` for a query that fails or takes too long, or the errors of reading
   */
  async function askedOf(keep: Keep, maxAgeMinutes: number, isAgain = false): Promise<Answer> {
    try {
      return await library.follow(keep.query, maxAgeMinutes, { signal: stopping });
    } catch (thrown) {
      const error = asRelayError(thrown);
      // The computer may have been busy with something else.
      if (error.code === 'DEADLINE_EXCEEDED' && !isAgain) return askedOf(keep, maxAgeMinutes, true);
      if (error.code !== 'INVALID_ARGUMENT' && error.code !== 'DEADLINE_EXCEEDED') throw error;
      throw new RelayError('INVALID_ARGUMENT', `The query fails now: ${error.message}`, {
        remedy: STILL_FAILS,
      });
    }
  }

  async function underPresentName(keep: Keep): Promise<Keep> {
    const facts = keep.playlistId === null ? null : await library.playlistFacts(keep.playlistId);
    if (facts === null || facts.name === keep.name) return keep;
    const { name } = facts;
    const query = renamedRule(keep.query, keep.name, name);
    setKeep(store, keep.id, { name, query });
    return { ...keep, name, query };
  }

  async function sourcesAway(...[keep, missed]: Parameters<Runs['sourcesAway']>): Promise<Away[]> {
    const plays = await library.playsRead(keep.query, call);
    return [...(await awayFrom(library, keep, missed)), ...unheard(keep, plays, clock.now())];
  }

  async function bring(given: Keep, maxAgeMinutes: number): Promise<Outcome> {
    let answer = await askedOf(given, maxAgeMinutes);
    let keep = await underPresentName(given);
    if (keep.query !== given.query) answer = await askedOf(keep, Math.max(1, maxAgeMinutes));
    // The answer may come from the library of another account.
    if (!isConnected(given)) throw notConnected();
    const incomplete = unreadOf(answer);
    if (incomplete !== null) return endings.waits(keep, incomplete);
    const away = await sourcesAway(keep, answer.missed);
    const gone = stillGone(keep, away);
    if (gone.length < keep.gone.length) {
      setKeep(store, keep.id, { gone });
      keep = { ...keep, gone };
    }
    const all = wantedOf(answer.rows, keep.gone);
    const reason = missing(keep, away) ?? outgrown(all);
    if (reason !== null) {
      const present = keep.playlistId === null ? [] : ((await library.playlistRows(keep.playlistId)) ?? []);
      return endings.review(keep, reason, await previewOf(present, all.uris, all.leftOut));
    }
    for (let turn = 1; ; turn++) {
      const wanted = wantedOf(answer.rows, keep.gone);
      const outcome =
        keep.playlistId === null ? await make(keep, wanted) : await follow(keep, keep.playlistId, wanted);
      if (outcome.kind === 'over') return outcome;
      // Spotify may have refused the request because of one of its rows.
      const gone = turn < MAX_TURNS ? await goneOf(outcome.added) : [];
      if (gone.length === 0) return endings.failed(keep, outcome.cause);
      setKeep(store, keep.id, { gone: [...keep.gone, ...gone] });
      keep = reread(keep);
    }
  }

  async function rehearse(keep: Omit<Keep, 'seq'>, answer: Answer): ReturnType<Runs['rehearse']> {
    const { uris, leftOut } = wantedOf(answer.rows, keep.gone);
    const known = keep.playlistId === null ? [] : await library.playlistRows(keep.playlistId);
    const isAway = known === null && keep.playlistId !== null && !isNew(keep, keep.playlistId);
    const shown = known ?? [];
    const facts = { shown, left: null, wanted: uris, accepted: null, written: [], digest: digestOf(uris) };
    const listed = await asListed(facts, shown, null);
    const preview = await previewOf(shown, listed.wanted, leftOut);
    const incomplete = unreadOf(answer);
    if (incomplete !== null) return { status: 'waiting', reason: incomplete, preview };
    const lacking = missing(keep, await sourcesAway(keep, answer.missed));
    if (isAway && lacking === null) return { status: 'review', reason: IS_AWAY, preview: EMPTY_PREVIEW };
    const decision = decide(listed);
    const reason = lacking ?? (decision.kind === 'review' ? decision.reason : null);
    return { status: reason === null ? 'active' : 'review', reason, preview };
  }

  async function make(keep: Keep, wanted: Wanted): Promise<Turn> {
    const request = makePlaylist(context, { name: keep.name, public: false }, wanted.uris);
    const view = { shown: [], wanted: wanted.uris, originals: new Map(), review: null };
    return written(keep, request, wanted, view);
  }

  /** True if relay has just made the playlist or put it back, so that Spotify's list may not show it yet. */
  function isNew({ lastChange }: Pick<Keep, 'lastChange'>, playlistId: string): boolean {
    for (const { id, seq } of writesSince(store, playlistId, clock.now() - NEW_MS)) {
      const ops = new Set(getBody(store, seq).ops.map(({ op }) => op));
      if (ops.has('unfollow')) return false;
      if (id === lastChange || ops.has('create') || ops.has('follow')) return true;
    }
    return false;
  }

  async function follow(keep: Keep, playlistId: string, wanted: Wanted): Promise<Turn> {
    const { uris, leftOut } = wanted;
    const known = await library.playlistRows(playlistId);
    if (known === null && !isNew(keep, playlistId)) {
      return over(await endings.review(keep, IS_AWAY, EMPTY_PREVIEW));
    }
    const facts = {
      left: keep.leftRows,
      wanted: uris,
      accepted: keep.accepted,
      written: keep.written,
      digest: digestOf(uris),
    };
    if (known !== null) {
      const listed = await asListed({ ...facts, shown: known }, known, null);
      if (decide(listed).kind === 'nothing') {
        const left = asWritten(uris, listed.originals);
        return over(await endings.unchanged(keep, left, await previewOf(uris, uris, leftOut)));
      }
    }
    // The copy may lag behind a write, so the present rows are read before anything is written.
    const view: View = { shown: known ?? [], wanted: uris, originals: new Map(), review: null };
    const request = reviseRows(context, 'keep', playlistId, async (items) => {
      // A row may have lost its item at Spotify after the copy was read. So the copy says which item that was. If the copy does
      // not know, `decide` uses the rows that the last run left.
      const shown = withNames(items.map(uriOf), known ?? []);
      const listed = await asListed({ ...facts, shown }, known ?? [], items);
      const { wanted, originals } = listed;
      Object.assign(view, { shown, wanted, originals });
      const decision = decide(listed);
      view.review = decision.kind === 'review' ? decision.reason : null;
      if (decision.kind === 'review') throw new RelayError('CONFLICT', decision.reason);
      return decision.kind === 'write' ? { present: decision.present, wanted, originals } : null;
    });
    try {
      return await written(keep, request, wanted, view);
    } catch (thrown) {
      if (view.review === null) throw thrown;
      const preview = await previewOf(view.shown, view.wanted, leftOut);
      return over(await endings.review(keep, view.review, preview));
    }
  }

  /**
   * Carries out a change, and records its result.
   * @param view filled in while the change is carried out
   */
  async function written(
    keep: Keep,
    request: ReturnType<typeof reviseRows>,
    { uris, leftOut }: Wanted,
    view: View,
  ): Promise<Turn> {
    // Reading takes a while. If a person pauses or stops the playlist meanwhile, its songs must stay as they are.
    const prepare: typeof request.prepare = async (reading) => {
      const prepared = await request.prepare(reading);
      return isHalted(store, keep) ? null : prepared;
    };
    const asked = { ...request, prepare, account: keep.account, askedBy: askedBy(keep) };
    const result = await writes.run(asked, call, { ms: WRITE_MS, for: 'list' });
    if (result.kind === 'nothing_to_do' && isHalted(store, keep)) return over(NOTHING);
    const preview = await previewOf(view.shown, view.wanted, leftOut);
    if (result.kind === 'nothing_to_do') {
      return over(await endings.unchanged(keep, asWritten(uris, view.originals), preview));
    }
    if (result.kind === 'listed') {
      const { work: change } = result;
      await endings.waitsForJob(noted(keep, change, null), change);
      return over({ preview, changeId: change.id });
    }
    const { work: change, end } = result;
    if (change.outcome !== 'unchanged') {
      noted(keep, change, { leftRows: asWritten(leftBy(change).leftRows, view.originals) });
    }
    if (change.outcome === 'done') return over(await endings.wrote(keep, change, digestOf(uris), preview));
    const cause = end.kind === 'stopped' ? null : end.cause;
    if (cause && failureClassOf(cause) === 'item') {
      return { kind: 'refused', added: without(uris, view.shown), cause };
    }
    if (cause) throw cause;
    throw change.outcome === 'unchanged'
      ? new RelayError('SHUTTING_DOWN', 'relay is stopping.')
      : new RelayError('PARTIAL_WRITE', 'The write ended before all of it was done.');
  }

  return { run, rehearse, sourcesAway, underPresentName };
}

/** Says what the library has not read completely, or not now; null if the answer is whole and current. */
function unreadOf({ note, coverage: { saved, playlists } }: Answer): string | null {
  if (note !== undefined) return note;
  const isWhole = saved === 'complete' && playlists.read + playlists.unreadable === playlists.total;
  return isWhole ? null : 'The library has not been read completely yet.';
}

/** The rows of a playlist, and what they should become. */
interface View extends Pick<ListedFacts, 'shown' | 'wanted' | 'originals'> {
  /** Why a person has to decide; null if nobody has to. */
  review: string | null;
}

/** The rows under the IDs that they were written with, by which they are removed later. */
function asWritten(rows: readonly string[], originals: ReadonlyMap<string, string>): string[] {
  return rows.map((uri) => originals.get(uri) ?? uri);
}

type Turn = ({ kind: 'over' } & Outcome) | { kind: 'refused'; added: readonly string[]; cause: RelayError };

function over(outcome: Outcome): Turn {
  return { kind: 'over', ...outcome };
}

function digestOf(uris: readonly string[]): string {
  return hashOf(uris.join('\n')).slice(0, 16);
}
