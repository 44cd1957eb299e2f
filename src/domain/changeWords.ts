/** Changes and jobs in words: what they do, and who asked. The terminal and the owner's page say the same. Pure. */
import { counted } from '../base/lists.ts';
import { type ChangeSummary, kindFacts } from './change.ts';
import type { JobType } from './job.ts';

/**
 * Says what a change did: `added 12 songs to "Evening"`.
 * @param name of the playlist, cleaned; null if not known
 * @param undone the words of the change that was undone; null if that change is no longer stored
 */
export function changeWords(
  { kind, state, requested, written, playlist_id, undoes }: ChangeSummary,
  name: string | null,
  undone: string | null,
): string {
  if (kind === 'undo') {
    if (undone === null) return undoes === undefined ? 'undid an older change' : 'undid a change';
    // An undo of an undo redoes the change.
    return undone.startsWith(UNDID) ? undone.replace(UNDID, REDID) : UNDID + undone.replace(REDID, '');
  }
  // A person may have kept a playlist as it was before anything was written.
  const count = state === 'done' && written > 0 ? requested : written;
  const songs = counted(count, kindFacts(kind).entry ?? 'song');
  const unnamed = playlist_id === null ? 'a playlist' : `playlist ${playlist_id}`;
  return kindFacts(kind).words({
    songs,
    count,
    requested,
    playlist: name === null ? unnamed : `"${name}"`,
  });
}

const UNDID = 'undid: ';
const REDID = 'redid: ';

/** Says who asked for a change: `Claude`, `API key`, `relay keep`, `you, in the terminal`, `you, on the page`. */
export function askerWords(askedBy: string): string {
  if (askedBy === 'owner page') return 'you, on the page';
  if (askedBy === 'command line') return 'you, in the terminal';
  // Leaves out the ID of the kept playlist, since the words of the change name it.
  return askedBy.replace(/^keep [\w-]+$/, 'relay keep');
}

const JOB_WORDS: Readonly<Record<JobType, string>> = {
  add_to_playlist: 'add to',
  create_playlist: 'create',
  replace_playlist: 'replace',
  save_tracks: 'save to Liked Songs',
  remove_saved_tracks: 'remove from Liked Songs',
  save_albums: 'save albums',
  remove_saved_albums: 'remove saved albums',
  remove_from_playlist: 'remove from',
  reorder_playlist: 'reorder',
  deduplicate_playlist: 'remove duplicates from',
  update_playlist_details: 'change details of',
  delete_playlist: 'delete',
  undo: 'undo a change',
};

const WITHOUT_PLAYLIST: ReadonlySet<JobType> = new Set([
  'save_tracks',
  'remove_saved_tracks',
  'save_albums',
  'remove_saved_albums',
  'undo',
]);

/**
 * Says what a job does: `add to "Evening"`.
 * @param playlist its name, with quotation marks
 */
export function jobWords(type: JobType, playlist: string): string {
  return WITHOUT_PLAYLIST.has(type) ? JOB_WORDS[type] : `${JOB_WORDS[type]} ${playlist}`;
}
