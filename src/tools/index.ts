/**
 * The only list of tools. To add a tool, define it with `defineTool` in the file of its subject and export it. Only a new file
 * needs a line here.
 */

import { LEVELS, type Level } from '../domain/access.ts';
import * as bulkTools from './bulk/bulkTools.ts';
import * as catalogReading from './catalog/catalogReading.ts';
import * as trackMatching from './catalog/trackMatching.ts';
import * as diagnostics from './diagnostics.ts';
import * as albums from './extras/albums.ts';
import * as changeTools from './extras/changeTools.ts';
import * as deletePlaylist from './extras/deletePlaylist.ts';
import * as importList from './extras/importList.ts';
import * as keptPlaylists from './extras/keptPlaylists.ts';
import * as libraryQueries from './extras/libraryQueries.ts';
import * as player from './extras/player.ts';
import * as playlistVersions from './extras/playlistVersions.ts';
import * as jobTools from './jobTools.ts';
import * as listening from './listening.ts';
import * as playbackCommands from './playback/playbackCommands.ts';
import * as playbackReading from './playback/playbackReading.ts';
import * as playlistEditing from './playlists/playlistEditing.ts';
import * as playlistLookup from './playlists/playlistLookup.ts';
import * as playlistReading from './playlists/playlistReading.ts';
import * as playlistRewriting from './playlists/playlistRewriting.ts';
import * as savedTracks from './savedTracks.ts';
import { isTool, type Tool } from './tool.ts';

/** The files that define the tools of the level `standard`. Clients see them in this order, within a file by the name of the export. */
const STANDARD: readonly object[] = [
  ...[catalogReading, trackMatching],
  ...[playlistReading, playlistLookup, playlistEditing, bulkTools, playlistRewriting],
  ...[savedTracks, listening, playbackReading, playbackCommands, jobTools, diagnostics],
];

/** The files with the tools that only `everything` has. */
const EXTRAS: readonly object[] = [
  ...[albums, player, deletePlaylist, changeTools, importList],
  ...[libraryQueries, keptPlaylists, playlistVersions],
];

const toolsIn = (files: readonly object[]) => files.flatMap((file) => Object.values(file).filter(isTool));

export const TOOLS: readonly Tool[] = toolsIn(STANDARD);

export const ALL_TOOLS: readonly Tool[] = [...TOOLS, ...toolsIn(EXTRAS)];

/** The tools of a level, in the order in which clients see them. */
export function toolsAt(level: Level): readonly Tool[] {
  if (level === 'everything') return ALL_TOOLS;
  if (level === 'standard') return TOOLS;
  return TOOLS.filter(({ kind, changesMemory }) => kind === 'read' && !changesMemory);
}

export function levelOf(tool: Tool): Level {
  return LEVELS.find((level) => toolsAt(level).includes(tool)) ?? 'everything';
}
