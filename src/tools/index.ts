/** The only list of tools. To add one: define it in the file of its subject, add it here, run `npm run gen`. */
import { addTracksBySearchTool, bulkAddTracksTool, createPlaylistFromTracksTool } from './bulk.ts';
import {
  getArtistTool,
  getTrackTool,
  searchAlbumsTool,
  searchArtistsTool,
  searchTracksTool,
} from './catalog.ts';
import { getRateLimitStatusTool, getRecentApiErrorsTool, getStateDiagnosticsTool } from './diagnostics.ts';
import {
  cancelJobTool,
  commitJobTool,
  createBulkJobTool,
  getJobStatusTool,
  listJobsTool,
  resumeJobTool,
} from './jobs.ts';
import { getSavedTracksTool } from './library.ts';
import { checkSavedTracksTool, removeSavedTracksTool, saveTracksTool } from './libraryEditing.ts';
import { getRecentlyPlayedTool, getTopArtistsTool, getTopTracksTool } from './listening.ts';
import { findTrackExactTool, getArtistTopTracksTool, rememberTrackTool } from './matching.ts';
import { getCurrentlyPlayingTool, getDevicesTool, getPlaybackStateTool } from './playback.ts';
import {
  nextTrackTool,
  pauseTool,
  playTool,
  previousTrackTool,
  seekTool,
  setVolumeTool,
  transferPlaybackTool,
} from './playbackCommands.ts';
import {
  addTracksTool,
  createPlaylistTool,
  removeTracksTool,
  reorderTracksTool,
  updatePlaylistDetailsTool,
} from './playlistEditing.ts';
import { findPlaylistByNameTool, getPlaylistStatsTool } from './playlistLookup.ts';
import { deduplicatePlaylistTool, replaceTracksTool } from './playlistRewriting.ts';
import { getMyPlaylistsTool, getPlaylistTool, getPlaylistTracksTool } from './playlists.ts';
import type { Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  searchTracksTool,
  searchArtistsTool,
  searchAlbumsTool,
  getTrackTool,
  getArtistTool,
  getArtistTopTracksTool,
  findTrackExactTool,
  rememberTrackTool,
  getMyPlaylistsTool,
  findPlaylistByNameTool,
  getPlaylistTool,
  getPlaylistTracksTool,
  getPlaylistStatsTool,
  createPlaylistTool,
  createPlaylistFromTracksTool,
  updatePlaylistDetailsTool,
  addTracksTool,
  addTracksBySearchTool,
  bulkAddTracksTool,
  removeTracksTool,
  reorderTracksTool,
  replaceTracksTool,
  deduplicatePlaylistTool,
  getSavedTracksTool,
  saveTracksTool,
  removeSavedTracksTool,
  checkSavedTracksTool,
  getTopTracksTool,
  getTopArtistsTool,
  getRecentlyPlayedTool,
  getCurrentlyPlayingTool,
  getPlaybackStateTool,
  getDevicesTool,
  playTool,
  pauseTool,
  nextTrackTool,
  previousTrackTool,
  seekTool,
  setVolumeTool,
  transferPlaybackTool,
  createBulkJobTool,
  getJobStatusTool,
  listJobsTool,
  resumeJobTool,
  commitJobTool,
  cancelJobTool,
  getStateDiagnosticsTool,
  getRateLimitStatusTool,
  getRecentApiErrorsTool,
];
