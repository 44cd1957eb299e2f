/** What kept playlists ask of relay's writes. The only file here that knows how writes and their jobs are recorded. */
import type { Changes } from '../../changes/changes.ts';
import { makePlaylist, reviseRows } from '../../changes/kinds.ts';
import type { ChangeContext } from '../../changes/record.ts';
import { rowsAfter } from '../../changes/rowOps.ts';
import { isUntouched, planOf, rowsReached } from '../../changes/run.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import {
  type Change,
  changesSince,
  getChange,
  getChangeBody,
  lastChangeAskedBy,
  openChangesOf,
  undoOf,
} from '../../store/tables/changes.ts';
import { getJobBySeq } from '../../store/tables/jobs.ts';
import type { Keep } from '../../store/tables/keeps.ts';
import type { Jobs } from '../jobService.ts';

/** How long a run waits for its write before a job continues with it. */
const WRITE_MS = 5 * 60_000;
/** How long a playlist counts as new; it may take half a minute to show in the account's list. */
const NEW_MS = 2 * 60_000;

/** The last write that a kept playlist asked for. */
export interface Write {
  id: string;
  /** The playlist that it writes to; null until it is made. */
  playlistId: string | null;
  /** False once it has ended. */
  isOpen: boolean;
  /** Why its job waits for a person; null if it does not. */
  waitsFor: 'failure' | 'edit' | null;
  /** True if it ended without a request. */
  isUnbegun: boolean;
}

/** How a write stands when the run stops waiting for it. */
export type Written =
  | { kind: 'nothing' }
  | { kind: 'continues'; write: Write }
  /** `cause` says why it did not do all; null if it did. */
  | { kind: 'over'; write: Write; cause: RelayError | null };

/** Returns what becomes of the rows that are there; null if nothing has to be written. Throws if nothing may be written. */
export type Revise = Parameters<typeof reviseRows>[3];

export type Writes = ReturnType<typeof createWrites>;

export interface WritesContext extends ChangeContext {
  changes: Changes;
  jobs: Pick<Jobs, 'cancel'>;
}

/** @param stopping aborts when the program ends */
export function createWrites(context: WritesContext, stopping: AbortSignal) {
  const { store, changes, jobs, clock } = context;
  const askedBy = ({ id }: Pick<Keep, 'id'>) => `keep ${id}`;

  function asWrite(change: Change): Write {
    const job = change.job === null ? null : getJobBySeq(store, change.job);
    const isOpen = change.outcome === null;
    return {
      id: change.id,
      playlistId: change.playlistId,
      isOpen,
      waitsFor: isOpen && job?.status === 'failed' ? (job.reviewRequired ? 'edit' : 'failure') : null,
      isUnbegun: change.outcome === 'unchanged',
    };
  }

  return {
    last(keep: Pick<Keep, 'id'>): Write | null {
      const change = lastChangeAskedBy(store, askedBy(keep));
      return change && asWrite(change);
    },

    /** The rows that a write has left, without what others have written since. */
    leftBy({ id }: Write): readonly string[] {
      const change = getChange(store, id);
      if (change === null) return [];
      const body = getChangeBody(store, change.seq);
      if (change.outcome !== 'done') return rowsReached({ change, plan: planOf(body) });
      const refused = new Set(body.refused ?? []);
      return rowsAfter({ rows: body.former.rows ?? [], ops: body.ops }).filter((uri) => !refused.has(uri));
    },

    /** What a write that was undone after `since` had replaced; null if it was not. `isMade`: it had made the playlist. */
    undone(id: string, since: number): { rows: readonly string[]; isMade: boolean } | null {
      const change = getChange(store, id);
      if (change === null) return null;
      const undo = undoOf(store, change.seq);
      if (undo?.outcome !== 'done' || (undo.endedAt ?? 0) < since) return null;
      const { rows = [] } = getChangeBody(store, change.seq).former;
      return { rows, isMade: change.kind === 'create' };
    },

    /** The short ID of a job that waits with a write to this playlist; null if there is none. */
    heldBy(playlistId: string): string | null {
      for (const { job } of openChangesOf(store, playlistId)) {
        const found = job === null ? null : getJobBySeq(store, job);
        if (found?.status === 'waiting') return shortId(found.id);
      }
      return null;
    },

    /** True if relay has just made the playlist or put it back, so that Spotify's list may not show it yet. */
    isNew(playlistId: string): boolean {
      const period = { updatedSince: clock.now() - NEW_MS, begunSince: null };
      for (const { seq } of changesSince(store, playlistId, period)) {
        const ops = new Set(getChangeBody(store, seq).ops.map(({ op }) => op));
        if (ops.has('unfollow')) return false;
        if (ops.has('create') || ops.has('follow')) return true;
      }
      return false;
    },

    /**
     * Cancels the job in which the last write waits, so that nothing is written later. A write of which a part has landed is
     * finished, since the playlist may lack rows until then.
     */
    async cancelUnbegun(keep: Pick<Keep, 'id'>, signal: AbortSignal): Promise<void> {
      const last = lastChangeAskedBy(store, askedBy(keep));
      if (last === null || last.outcome !== null || last.inTransit || !isUntouched({ change: last })) return;
      await jobs.cancel(last.id, signal).catch((thrown) => {
        const { code } = asRelayError(thrown);
        // Without a job, the write is under way now.
        if (code !== 'JOB_NOT_FOUND' && code !== 'JOB_STATE') throw thrown;
      });
    },

    /**
     * Revises the rows of the playlist, or makes it with the rows `uris`.
     * @param isHalted asked before anything is stored: if true, nothing is written
     * @throws RelayError from reading and from `revise`; `CONFLICT` if a job holds the playlist
     */
    async write(
      keep: Keep,
      uris: readonly string[],
      revise: Revise,
      isHalted: () => boolean,
    ): Promise<Written> {
      const request =
        keep.playlistId === null
          ? makePlaylist(context, { name: keep.name, public: false }, uris)
          : reviseRows(context, 'keep', keep.playlistId, revise);
      const prepare: typeof request.prepare = async (reading) => {
        const prepared = await request.prepare(reading);
        return isHalted() ? null : prepared;
      };
      const asked = { ...request, prepare, account: keep.account, askedBy: askedBy(keep) };
      const call = { signal: stopping, progress() {} };
      const result = await changes.run(asked, call, { ms: WRITE_MS, for: 'list' });
      if (result.kind === 'nothing_to_do') return { kind: 'nothing' };
      const write = asWrite(result.change);
      if (result.kind === 'listed') return { kind: 'continues', write };
      const { change, end } = result;
      if (change.outcome === 'done') return { kind: 'over', write, cause: null };
      const cause = end.kind === 'stopped' ? null : end.cause;
      if (cause) return { kind: 'over', write, cause };
      const stopped = new RelayError('SHUTTING_DOWN', 'relay is stopping.');
      const partial = new RelayError('PARTIAL_WRITE', 'The write ended before all of it was done.');
      return { kind: 'over', write, cause: write.isUnbegun ? stopped : partial };
    },
  };
}
