/** The only list of tools. To add one: define it in the file of its subject, add it here, run `npm run gen`. */
import {
  getArtistTool,
  getTrackTool,
  searchAlbumsTool,
  searchArtistsTool,
  searchTracksTool,
} from './catalog.ts';
import { getSavedTracksTool } from './library.ts';
import { getRecentlyPlayedTool, getTopArtistsTool, getTopTracksTool } from './listening.ts';
import { getCurrentlyPlayingTool, getDevicesTool, getPlaybackStateTool } from './playback.ts';
import { getMyPlaylistsTool, getPlaylistTool, getPlaylistTracksTool } from './playlists.ts';
import type { Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  searchTracksTool,
  searchArtistsTool,
  searchAlbumsTool,
  getTrackTool,
  getArtistTool,
  getMyPlaylistsTool,
  getPlaylistTool,
  getPlaylistTracksTool,
  getSavedTracksTool,
  getTopTracksTool,
  getTopArtistsTool,
  getRecentlyPlayedTool,
  getCurrentlyPlayingTool,
  getPlaybackStateTool,
  getDevicesTool,
];
