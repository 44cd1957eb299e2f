/** A change in words: what it did, and who asked for it. The terminal and the owner's page say the same. Pure. */
import { type ChangeSummary, kindFacts } from './change.ts';

/**
 * @param name of its playlist, cleaned; null where it is not known
 * @param undone the words of the change that it took back; null where that is not kept any more
 */
export function changeWords(
  { kind, state, requested, written, playlist_id, undoes }: ChangeSummary,
  name: string | null,
  undone: string | null,
): string {
  if (kind === 'undo') {
    if (undone === null) return undoes === undefined ? 'undid an older change' : 'undid a change';
    // An undo of an undo brings the change back.
    return undone.startsWith(UNDID) ? undone.replace(UNDID, REDID) : UNDID + undone.replace(REDID, '');
  }
  const count = state === 'done' ? requested : written;
  const songs = `${count} song${count === 1 ? '' : 's'}`;
  const unnamed = playlist_id === null ? 'a playlist' : `playlist ${playlist_id}`;
  return kindFacts(kind).words({ songs, requested, playlist: name === null ? unnamed : `"${name}"` });
}

const UNDID = 'undid: ';
const REDID = 'redid: ';

/** Stored as who asked for an undo on the owner's page. */
export const ASKED_ON_PAGE = 'owner page';

/** `tool save_tracks`, `job 1f0c2b3a`, `keep 27d5a6c7`, `relay undo`, `you, on the page`. */
export function askerWords(askedBy: string): string {
  if (askedBy === ASKED_ON_PAGE) return 'you, on the page';
  return askedBy.replace(/^((?:job|keep) [\w-]{8})[\w-]*$/, '$1');
}
