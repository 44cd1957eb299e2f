/** The only list of kinds of jobs. */
import type { JobType } from '../../domain/job.ts';
import { addToPlaylist } from './addToPlaylist.ts';
import { createPlaylist } from './createPlaylist.ts';
import type { JobKind } from './kind.ts';
import { removeSavedTracks, saveTracks } from './library.ts';
import { replacePlaylist } from './replacePlaylist.ts';

export const KINDS: Readonly<Record<JobType, JobKind>> = {
  add_to_playlist: addToPlaylist,
  create_playlist: createPlaylist,
  replace_playlist: replacePlaylist,
  save_tracks: saveTracks,
  remove_saved_tracks: removeSavedTracks,
};
