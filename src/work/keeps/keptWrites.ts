/** What kept playlists ask of relay's writes: their own last one, and those that hold their playlist. */
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { Keep } from '../../store/tables/keeps.ts';
import {
  getBody,
  getWork,
  lastWriteAskedBy,
  openWrites,
  undoOf,
  type Work,
  writesSince,
} from '../../store/tables/works.ts';
import type { WorkContext } from '../moves.ts';
import type { Works } from '../works.ts';
import { makePlaylist, reviseRows } from '../write/kinds.ts';
import { isUntouched, planOf, rowsReached } from '../write/progress.ts';
import { rowsAfter } from '../write/states.ts';
import type { Writes } from '../write/writes.ts';

/** How long a run waits for its write before a job continues with it. */
const WRITE_MS = 5 * 60_000;
/** How long a playlist counts as new; it may take half a minute to show in the account's list. */
const NEW_MS = 2 * 60_000;

/** How a write stands when the run stops waiting for it. */
export type Written =
  | { kind: 'nothing' }
  | { kind: 'continues'; work: Work }
  /** `cause` says why it did not do all; null if it did. */
  | { kind: 'over'; work: Work; cause: RelayError | null };

/** Returns what becomes of the rows that are there; null if nothing has to be written. Throws if nothing may be written. */
export type Revise = Parameters<typeof reviseRows>[3];

export type KeptWrites = ReturnType<typeof createKeptWrites>;

export interface KeptWritesContext extends WorkContext {
  writes: Writes;
  works: Pick<Works, 'cancel' | 'addLane' | 'wake'>;
}

/** @param stopping aborts when the program ends */
export function createKeptWrites(context: KeptWritesContext, stopping: AbortSignal) {
  const { store, writes, works, clock } = context;
  const askedBy = ({ id }: Pick<Keep, 'id'>) => `keep ${id}`;
  const last = (keep: Pick<Keep, 'id'>) => lastWriteAskedBy(store, askedBy(keep));

  return {
    /** The last write that the kept playlist asked for. */
    last,

    /** The rows that a write has left, without what others have written since. */
    leftBy(work: Work): readonly string[] {
      const body = getBody(store, work.seq);
      if (work.outcome !== 'done') return rowsReached({ work, plan: planOf(body) });
      const refused = new Set(body.refused ?? []);
      return rowsAfter({ rows: body.former.rows ?? [], ops: body.ops }).filter((uri) => !refused.has(uri));
    },

    /** What a write that was undone after `since` had replaced; null if it was not. `isMade`: it had made the playlist. */
    undone(id: string, since: number): { rows: readonly string[]; isMade: boolean } | null {
      const work = getWork(store, id);
      const undo = work && undoOf(store, work);
      if (!work || undo?.outcome !== 'done' || (undo.completedAt ?? 0) < since) return null;
      const { rows = [] } = getBody(store, work.seq).former;
      return { rows, isMade: work.kind === 'create' };
    },

    /** The short ID of a job that waits with a write to this playlist; null if there is none. */
    heldBy(playlistId: string): string | null {
      const work = openWrites(store, playlistId).find(({ status }) => status === 'waiting');
      return work ? shortId(work.id) : null;
    },

    /** True if relay has just made the playlist or put it back, so that Spotify's list may not show it yet. */
    isNew(playlistId: string): boolean {
      for (const { seq } of writesSince(store, playlistId, clock.now() - NEW_MS)) {
        const ops = new Set(getBody(store, seq).ops.map(({ op }) => op));
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
      const work = last(keep);
      if (work === null || work.outcome !== null || work.sending || !isUntouched({ work })) return;
      await works.cancel(work.id, signal).catch((thrown) => {
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
      const result = await writes.run(asked, call, { ms: WRITE_MS, for: 'list' });
      if (result.kind === 'nothing_to_do') return { kind: 'nothing' };
      const { work } = result;
      if (result.kind === 'listed') return { kind: 'continues', work };
      const { end } = result;
      if (work.outcome === 'done') return { kind: 'over', work, cause: null };
      const cause = end.kind === 'stopped' ? null : end.cause;
      if (cause) return { kind: 'over', work, cause };
      const stopped = new RelayError('SHUTTING_DOWN', 'relay is stopping.');
      const partial = new RelayError('PARTIAL_WRITE', 'The write ended before all of it was done.');
      return { kind: 'over', work, cause: work.outcome === 'unchanged' ? stopped : partial };
    },
  };
}
